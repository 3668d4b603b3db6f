"""Turns: bodies per mode, placeholders, and placeholders without a referent."""

from dataclasses import replace
from typing import Any

import pytest

from bridgecheck.checks import judge
from bridgecheck.client_models import CLIENT_MODELS
from bridgecheck.drivers.driver import IDENTITY
from bridgecheck.errors import HarnessError, MissingRecording
from bridgecheck.files.scenario_file import to_scenario
from bridgecheck.model.exchange import Response
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run import play_wire
from bridgecheck.run.record import build_evidence
from bridgecheck.run.turns import scenario_turns
from bridgecheck.upstream.relay import NothingReceived, resolve_as_client, resolve_placeholders
from bridgecheck.wire import JsonObject
from bridgecheck.wire.facts import RECORDS

Document = dict[str, Any]

CHAT = Response(
    "openai-chat", "unary",
    ({"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [
        {"id": "a1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        {"id": "b2", "type": "function", "function": {"name": "g", "arguments": "{}"}}]}}]},),
)  # fmt: skip
GEMINI = Response(
    "gemini", "unary",
    ({"candidates": [{"content": {"role": "model", "parts": [
        {"text": "so"}, {"functionCall": {"name": "f", "args": {}}}, {"functionCall": {"name": "g", "id": "g7"}}]}}]},),
)  # fmt: skip
ANTHROPIC = Response(
    "anthropic", "unary", ({"content": [{"type": "text", "text": "x"}, {"type": "tool_use", "id": "t9", "name": "f"}]},)
)


def test_the_message_comes_back_as_it_was_received() -> None:
    request = resolve_placeholders({"messages": [{"role": "user"}, {"$received": 0}]}, [CHAT])
    assert request["messages"] == [{"role": "user"}, CHAT.documents[0]["choices"][0]["message"]]  # type: ignore[index]
    anthropic = resolve_placeholders({"messages": [{"$received": 1}]}, [CHAT, ANTHROPIC])
    assert anthropic["messages"] == [{"role": "assistant", "content": ANTHROPIC.documents[0]["content"]}]  # type: ignore[index]


@pytest.mark.parametrize(
    ("response", "message", "expected"),
    [
        (
            Response("openai-chat", "unary", ({"choices": [{"message": {
                "role": "assistant", "content": "x", "reasoning_content": "hm", "tool_calls": [{
                    "id": "a1", "type": "function", "index": 0, "extra_content": {"google": {"thought_signature": "s"}},
                    "function": {"name": "f", "arguments": "{}", "parsed": {}}}]}}]},)),
            "messages",
            {"role": "assistant", "content": "x", "tool_calls": [
                {"id": "a1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        ),
        (
            Response("gemini", "unary", ({"candidates": [{"content": {"role": "model", "parts": [
                {"text": "hm", "thought": True},
                {"functionCall": {"id": "a1", "name": "f", "args": {}, "x": 1}, "thoughtSignature": "s", "y": 2},
            ]}}]},)),
            "contents",
            {"role": "model", "parts": [
                {"functionCall": {"id": "a1", "name": "f", "args": {}}, "thoughtSignature": "s"}]},
        ),
        (
            Response("anthropic", "unary", ({"content": [
                {"type": "thinking", "thinking": "hm", "signature": "s", "extra_content": {}},
                {"type": "tool_use", "id": "t9", "name": "f", "input": {"y": 2}, "z": 3}]},)),
            "messages",
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "tool_use", "id": "t9", "name": "f", "input": {"y": 2}}]},
        ),
    ],
)  # fmt: skip
def test_a_typed_client_sends_only_documented_fields_back(
    response: Response, message: str, expected: JsonObject
) -> None:
    assert resolve_placeholders({message: [{"$received": 0, "fields": "known"}]}, [response]) == {message: [expected]}


@pytest.mark.parametrize("placeholder", [{"$received": 0, "fields": "all"}, {"$received": 0, "role": "user"}])
def test_a_placeholder_with_extra_keys_is_refused(placeholder: JsonObject) -> None:
    with pytest.raises(HarnessError, match="no placeholder"):
        resolve_placeholders({"messages": [placeholder]}, [CHAT])


def test_a_streamed_message_is_folded_first() -> None:
    events: tuple[JsonObject, ...] = (
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "a"}]}, "index": 0}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "b"}]}, "finishReason": "STOP", "index": 0}]},
    )
    request: Document = resolve_placeholders({"contents": [{"$received": 0}]}, [Response("gemini", "stream", events)])
    assert "".join(part["text"] for part in request["contents"][0]["parts"]) == "ab"


@pytest.mark.parametrize(
    ("response", "placeholder", "found"),
    [(CHAT, "$id:0.1", "b2"), (GEMINI, "$id:0.1", "g7"), (ANTHROPIC, "$id:0.0", "t9")],
)
def test_ids_of_calls(response: Response, placeholder: str, found: str) -> None:
    assert resolve_placeholders({"a": [{"id": placeholder}]}, [response]) == {"a": [{"id": found}]}


@pytest.mark.parametrize(("response", "found"), [(CHAT, "f"), (GEMINI, "f"), (ANTHROPIC, "f")])
def test_names_of_functions_as_received(response: Response, found: str) -> None:
    assert resolve_placeholders({"a": [{"name": "$name:0.0"}]}, [response]) == {"a": [{"name": found}]}


def test_a_dollar_name_in_a_text_is_no_placeholder() -> None:
    assert resolve_placeholders({"text": "say $name:0.0"}, [CHAT]) == {"text": "say $name:0.0"}


def test_a_missing_id_is_omitted_with_its_key() -> None:
    assert resolve_placeholders({"response": {"id": "$id:0.0", "name": "f"}}, [GEMINI]) == {"response": {"name": "f"}}


@pytest.mark.parametrize("body", [{"x": {"$received": 1}}, {"x": "$id:0.2"}, {"x": "$id:3.0"}, {"x": "$name:0.2"}])
def test_a_placeholder_without_a_referent_is_refused(body: JsonObject) -> None:
    with pytest.raises(NothingReceived):
        resolve_placeholders(body, [CHAT])
    with pytest.raises(NothingReceived, match="no assistant message"):
        resolve_placeholders({"x": {"$received": 0}}, [Response("openai-chat", "unary", ({"error": {}},), 500)])


@pytest.mark.parametrize(
    ("dialect", "mode", "body", "expected"),
    [
        ("gemini", "stream", {"contents": []}, {"contents": []}),
        ("openai-chat", "stream", {"model": "m"}, {"model": "m", "stream": True}),
        ("anthropic", "stream", {"stream": False}, {"stream": True}),
        ("openai-chat", "unary", {"stream": True, "stream_options": {"include_usage": True}}, {}),
    ],
)
def test_the_mode_is_in_the_body_where_the_dialect_has_it(
    dialect: Any, mode: Any, body: JsonObject, expected: JsonObject
) -> None:
    assert RECORDS[dialect].body_in_mode(body, mode) == expected


KEY = CaseKey("messages/plain", "native", "gemini", "gemini", "unary", "wire")


def test_a_cassette_with_too_few_answers_is_refused(document: Document) -> None:
    with pytest.raises(MissingRecording, match="bridgecheck regenerate messages/plain"):
        scenario_turns(to_scenario(document), KEY, [])


def test_each_turn_gets_the_responses_of_its_own_script(document: Document) -> None:
    answer = document["upstream"]["gemini"]["unary"][0]
    document["turns"] = [{"client": document["client"], "upstream": {"gemini": {"unary": [answer, answer]}}}]
    scenario = to_scenario(document)
    recorded = [Response("gemini", "unary", ({"n": n},)) for n in range(3)]
    assert [len(turn.answers) for turn in scenario_turns(scenario, KEY, recorded)] == [1, 2]


def test_a_turn_without_a_referent_ends_the_conversation(document: Document) -> None:
    second = {"gemini": {"model": "m", "body": {"contents": [{"$received": 0}]}}}
    document["turns"] = [{"client": second, "upstream": document["upstream"]}]
    scenario = replace(to_scenario(document), modes=("unary",))
    empty = Response("gemini", "unary", ({"promptFeedback": {"blockReason": "SAFETY"}},))
    record = play_wire.play(IDENTITY, KEY, scenario_turns(scenario, KEY, [empty, empty]))
    assert len(record.client) == 1
    assert "no assistant message" in record.stopped
    verdicts = judge(build_evidence(KEY, record, scenario, IDENTITY))
    assert ("relay.next_turn", "FAIL", 1) in [(verdict.check, verdict.status, verdict.turn) for verdict in verdicts]


FINISH_ALONE = Response(
    "gemini", "stream",
    ({"candidates": [{"content": {"role": "model", "parts": [{"text": "so"}]}}]}, {"candidates": [{"finishReason": "STOP"}]}),
)  # fmt: skip
TWO_EVENTS = Response(
    "gemini", "stream",
    ({"candidates": [{"content": {"role": "model", "parts": [{"text": "s"}]}}]},
     {"candidates": [{"content": {"role": "model", "parts": [{"text": "o"}]}, "finishReason": "STOP"}]}),
)  # fmt: skip
QUESTIONS: list[JsonObject] = [{"role": "user", "parts": [{"text": text}]} for text in ("one", "two")]


def test_a_client_model_sends_what_it_remembers() -> None:
    body: JsonObject = {"tools": [], "contents": [QUESTIONS[0], {"$received": 0}, QUESTIONS[1]]}
    kept_apart = resolve_as_client(body, [TWO_EVENTS], CLIENT_MODELS["google-genai-chats"])
    assert kept_apart["tools"] == []
    assert [content["role"] for content in kept_apart["contents"]] == ["user", "model", "model", "user"]  # type: ignore[attr-defined]
    joined = resolve_as_client(body, [TWO_EVENTS], CLIENT_MODELS["gemini-cli"])
    assert joined["contents"] == [QUESTIONS[0], {"role": "model", "parts": [{"text": "so"}]}, QUESTIONS[1]]


def test_a_client_that_forgets_the_question_sends_the_next_one_alone() -> None:
    body: JsonObject = {"contents": [QUESTIONS[0], {"$received": 0}, QUESTIONS[1]]}
    request = resolve_as_client(body, [FINISH_ALONE], CLIENT_MODELS["google-genai-chats"])
    assert request == {"contents": QUESTIONS[1:]}


def test_ids_and_names_go_into_what_a_client_model_sends() -> None:
    result: JsonObject = {"role": "tool", "tool_call_id": "$id:0.1", "content": "2"}
    body: JsonObject = {"messages": [{"role": "user", "content": "one"}, {"$received": 0}, result]}
    *_, actual = resolve_as_client(body, [CHAT], CLIENT_MODELS["langchain-openai"])["messages"]  # type: ignore[misc]
    assert actual == result | {"tool_call_id": "b2"}


def test_a_client_model_that_received_nothing_cannot_go_on() -> None:
    body: JsonObject = {"contents": [QUESTIONS[0], {"$received": 0}]}
    with pytest.raises(NothingReceived):
        resolve_as_client(body, [Response("gemini", "unary", ({},))], CLIENT_MODELS["gemini-cli"])
