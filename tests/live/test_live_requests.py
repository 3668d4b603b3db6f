"""Requests as a live provider is sent them: prompt, settings, model, a first live turn; and what nobody may make up."""

import json
from dataclasses import replace

import pytest
from tests.live.conftest import Live

from bridgecheck.cassette.store import load_cassette
from bridgecheck.files import load_scenario, scenarios_root
from bridgecheck.live.plan import answer_limit, make_plan
from bridgecheck.model.jsonvalue import arr
from bridgecheck.model.live_requests import find_verified_values, live_requests, merge_patch, why_not_playable


@pytest.mark.parametrize(
    ("value", "patch", "expected"),
    [  # https://www.rfc-editor.org/rfc/rfc7396#appendix-A (2026-11-24)
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_settings_are_a_merge_patch(value: object, patch: object, expected: object) -> None:
    assert merge_patch(value, patch) == expected


def test_a_prompt_stands_in_every_request_that_repeats_the_question() -> None:
    scenario = load_scenario(scenarios_root() / "conversations" / "two-parallel-tools.json")
    for dialect in scenario.live:
        requests = live_requests(scenario, dialect, "some-model")
        prompt = scenario.live[dialect].prompt
        assert prompt and len(requests) == 3
        for request in requests:
            assert json.dumps(request.body).count(prompt) == 1
            assert request.model == "some-model"
        assert "$received" in json.dumps(requests[1].body)
        assert ("model" in requests[0].body) == (dialect != "gemini")


def test_a_first_live_turn_puts_live_values_where_they_were_made_up(
    live: Live, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = load_scenario(scenarios_root() / "correlation" / "document-in-result.json")
    assert why_not_playable(scenario, "gemini") == ""
    assert "a signature that is made up" in why_not_playable(replace(scenario, live={}), "gemini")
    assert live.at("gemini").record("correlation/document-in-result") == 3  # its script answers with no call
    assert "functionCall.name present true, actual: nothing is there" in capsys.readouterr().out


def test_the_first_turn_is_not_recorded(live: Live) -> None:
    scenario = load_scenario(scenarios_root() / "correlation" / "document-in-result.json")
    (case,) = make_plan([scenario], ["gemini"]).cases
    called = live.provider.answers
    first = next(key for key in called if key[2] == case.model and key[3] == 1)
    writes = (json.dumps({"candidates": [{"content": {"role": "model", "parts": [
        {"functionCall": {"id": "f1", "name": "fetch_notice", "args": {"number": "77"}}, "thoughtSignature": "TElWRQ=="}
    ]}, "finishReason": "STOP"}]}).encode(),)  # fmt: skip
    called[first] = replace(called[first], writes=writes)
    assert live.at("gemini").record("correlation/document-in-result") == 0, live.provider.unknown_requests
    cassette = load_cassette(live.out / "correlation" / "document-in-result" / "gemini.unary.yaml")
    (interaction,) = cassette.interactions
    contents = arr(json.loads(interaction.request.body)["contents"])
    assert contents[1]["parts"][0]["thoughtSignature"] == "TElWRQ=="
    assert "U0lHLU5PVElDRS03Nw==" not in interaction.request.body.decode()


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ({"contents": [{"parts": [{"text": "a", "thoughtSignature": "bWFkZSB1cA=="}]}]}, ["a signature"]),
        ({"contents": [{"parts": [{"thoughtSignature": "skip_thought_signature_validator"}]}]}, []),
        ({"contents": [{"parts": [{"fileData": {"fileUri": "gs://bucket/a"}}]}]}, ["the address of a file"]),
        ({"cachedContent": "cachedContents/1"}, ["the name of a cache"]),
        ({"messages": [{"content": [{"type": "redacted_thinking", "data": "b3BhcXVl"}]}]}, ["redacted thinking"]),
        ({"messages": [{"role": "assistant", "audio": {"id": "audio_1"}}]}, ["the id of an answer"]),
        ({"messages": [{"content": [{"image_url": {"url": "https://example.org/a.png"}}]}]}, ["an address"]),
        ({"messages": [{"content": [{"image_url": {"url": "data:image/png;base64,AA=="}}]}]}, []),
        ({"tools": [{"function": {"parameters": {"properties": {"signature": {"type": "string"}}}}}]}, []),
        ({"messages": [{"role": "tool", "tool_call_id": "$id:0.0", "content": "x"}]}, []),
    ],
)
def test_values_that_a_provider_verifies_are_found(body: dict[str, object], kinds: list[str]) -> None:
    assert [kind for _, kind in find_verified_values(body)] == kinds


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"max_tokens": 7}, 7), ({"max_tokens": None, "max_completion_tokens": 9, "n": 3}, 27),
        ({"generationConfig": {"maxOutputTokens": 5, "candidateCount": 2}}, 10), ({}, 8192),
    ],
)  # fmt: skip
def test_the_longest_answer_is_reckoned(body: dict[str, object], expected: int) -> None:
    assert answer_limit(body) == expected
