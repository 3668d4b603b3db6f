"""Regenerated scripted cassettes: the same bytes each time, and playable."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bridgecheck.cassette import store
from bridgecheck.errors import SecretFound
from bridgecheck.model.scenario import ClientRequest, Scenario, ScriptedAnswer, TurnRequestsAndScripts
from bridgecheck.regenerate import regenerate
from bridgecheck.wire import DIALECTS, MODES, Dialect, JsonObject, Mode

from .conftest import SAMPLES, TEXT

Build = Callable[..., Scenario]


def test_regenerating_twice_gives_the_same_bytes(tmp_path: Path, scenario_of: Build) -> None:
    written_files: list[tuple[Path, bool]] = []
    changed = regenerate([scenario_of()], tmp_path, lambda path, wrote: written_files.append((path, wrote)))
    assert {path.relative_to(tmp_path).as_posix() for path in changed} == {
        f"text/hello/{dialect}.{mode}.yaml" for dialect in DIALECTS for mode in MODES
    }
    assert written_files == [(path, True) for path in changed]
    before = {path: path.read_bytes() for path in changed}
    assert regenerate([scenario_of()], tmp_path) == []
    assert {path: path.read_bytes() for path in changed} == before


def test_the_content_of_a_scripted_cassette(tmp_path: Path, scenario_of: Build, dialect: Dialect, mode: Mode) -> None:
    regenerate([scenario_of()], tmp_path)
    cassette = store.load_cassette(store.cassette_path(tmp_path, "text/hello", dialect, mode))
    assert cassette.source == "scripted"
    assert {key: cassette.metadata[key] for key in ("scenario", "dialect", "mode")} == {
        "scenario": "text/hello", "dialect": dialect, "mode": mode,
    }  # fmt: skip
    (record_chat,) = cassette.interactions
    assert record_chat.origin.startswith("https://")
    assert {name for name, _ in record_chat.request.headers} <= {"accept", "content-type"}
    (interaction,) = cassette.decode_interactions(dialect, mode)
    sample = SAMPLES[dialect]
    assert interaction.response.documents == (sample.events if mode == "stream" else (sample.unary,))
    assert len(record_chat.t_ms) == len(record_chat.chunks)
    request = interaction.request
    assert request is not None
    assert (request.dialect, request.mode) == (dialect, mode)
    assert {key: request.body[key] for key in sample.request} == sample.request


def test_a_cassette_is_readable_and_holds_no_date_no_version_and_no_machine(tmp_path: Path, scenario_of: Build) -> None:
    for path in regenerate([scenario_of()], tmp_path):
        text = path.read_text(encoding="utf-8")
        assert "hé" in text
        assert "😀" in text
        for word in ("127.0.0.1", "user-agent", "x-stainless", "genai-sdk", "authorization", "not-a-key", "2026"):
            assert word not in text.lower()
    stream = store.cassette_path(tmp_path, "text/hello", "gemini", "stream").read_text(encoding="utf-8")
    assert sum(line.strip().startswith("data: {") for line in stream.splitlines()) == 2, "one event a line"


def test_several_responses_and_broken_endings(tmp_path: Path, scenario_of: Build) -> None:
    sample = SAMPLES["openai-chat"]
    answers = (
        ScriptedAnswer(body=sample.error, status=429, headers=(("Retry-After", "1"), ("x-secret", "no"))),
        ScriptedAnswer(events=sample.events[:2], end="reset", split="bytes7"),
        ScriptedAnswer(events=sample.events[:1], end="timeout"),
    )
    turn = TurnRequestsAndScripts({"gemini": ClientRequest({}, "m")}, {"openai-chat": {"stream": answers}})
    (path,) = regenerate([scenario_of(turn)], tmp_path)
    slow, broken, stalled = store.load_cassette(path).interactions
    assert (slow.status, slow.headers) == (429, (("content-type", "application/json"), ("retry-after", "1")))
    assert (broken.end, stalled.end) == ("reset", "timeout")
    assert {len(chunk) for chunk in broken.chunks[:-1]} == {7}
    body = json.loads(slow.request.body)
    assert body["messages"] == [{"role": "user", "content": "Hello"}], "the smallest request, in the upstream's dialect"


def test_later_turns_contain_received_content(tmp_path: Path, scenario_of: Build, mode: Mode) -> None:
    call: JsonObject = {"id": "call_7", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message: JsonObject = {"role": "assistant", "content": None, "tool_calls": [call]}
    base: JsonObject = {"id": "x", "created": 1, "model": "m"}
    unary = {
        **base,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
    }
    delta = {"role": "assistant", "tool_calls": [{**call, "index": 0}]}
    event = {
        **base,
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": "tool_calls"}],
    }
    first = ScriptedAnswer(body=unary) if mode == "unary" else ScriptedAnswer(events=(event,))
    request: JsonObject = {"model": "m", "messages": [{"role": "user", "content": "go"}]}
    result = {"role": "tool", "tool_call_id": "$id:0.0", "content": "42"}
    again: JsonObject = {"model": "m", "messages": [{"role": "user", "content": "go"}, {"$received": 0}, result]}
    turns = [
        TurnRequestsAndScripts({"openai-chat": ClientRequest(body)}, {"openai-chat": {mode: (answer,)}})
        for body, answer in ((request, first), (again, SAMPLES["openai-chat"].answer(mode)))
    ]
    (path,) = regenerate([scenario_of(*turns)], tmp_path)
    _, second = store.load_cassette(path).decode_interactions("openai-chat", mode)
    assert second.request is not None
    messages = second.request.body["messages"]
    assert isinstance(messages, list)
    assert messages[1]["tool_calls"][0]["id"] == messages[2]["tool_call_id"] == "call_7"
    assert "$" not in json.dumps(messages)


def test_a_secret_in_a_scenario_is_refused(tmp_path: Path, scenario_of: Build) -> None:
    leak = "sk-" + "proj-" + "A1b2" * 8
    answer = ScriptedAnswer(body={**SAMPLES["openai-chat"].unary, "note": leak})
    turn = TurnRequestsAndScripts({}, {"openai-chat": {"unary": (answer,)}})
    with pytest.raises(SecretFound) as caught:
        regenerate([scenario_of(turn)], tmp_path)
    assert leak not in str(caught.value)
    assert list(tmp_path.rglob("*.yaml")) == []


def test_only_the_modes_of_the_scenario_are_recorded(tmp_path: Path, scenario_of: Build) -> None:
    scenario = replace(scenario_of(), modes=("stream",))
    assert {path.name.split(".")[1] for path in regenerate([scenario], tmp_path)} == {"stream"}


def test_a_body_with_every_kind_of_character_survives(tmp_path: Path, scenario_of: Build) -> None:
    text = "\t\x85\u2028\u2029\ufeff\x00 trailing  " + TEXT
    body: JsonObject = {"contents": [{"role": "user", "parts": [{"text": text}]}]}
    document: JsonObject = {"candidates": [{"content": {"parts": [{"text": text}]}}]}
    scripts: dict[Mode, tuple[ScriptedAnswer, ...]] = {
        "unary": (ScriptedAnswer(body=document),),
        "stream": (ScriptedAnswer(events=(document, document)),),
    }
    turn = TurnRequestsAndScripts({"gemini": ClientRequest(body, "m")}, {"gemini": scripts})
    for path in regenerate([scenario_of(turn)], tmp_path):
        mode: Mode = "unary" if ".unary." in path.name else "stream"
        (interaction,) = store.load_cassette(path).decode_interactions("gemini", mode)
        assert interaction.request is not None
        assert interaction.request.body["contents"] == body["contents"]
        assert set(map(json.dumps, interaction.response.documents)) == {json.dumps(document)}
