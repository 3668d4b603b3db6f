"""What real clients make of a response: whether they remember it, and whether they show it."""

from dataclasses import replace

import pytest

from bridgecheck import normalise
from bridgecheck.checks.clients import check_client_shows
from bridgecheck.client_models import CLIENT_MODELS
from bridgecheck.model.exchange import Response
from bridgecheck.model.prompt import Prompt, Thinking

CALL = {"functionCall": {"id": "c1", "name": "gauge", "args": {"harbour": "Kökar"}}}


def _event(*parts: dict, finish: str = "", role: str = "model") -> dict:
    content = {"parts": list(parts)} | ({"role": role} if role else {})
    return {"candidates": [{"content": content, "index": 0} | ({"finishReason": finish} if finish else {})]}


LOW, LAST = _event({"text": "Low water."}), _event({"text": ""}, finish="STOP")
BARE = {"candidates": [{"finishReason": "STOP", "index": 0}]}
USAGE = {"usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2}}


def _message(*blocks: dict) -> dict:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
    return head | {"content": list(blocks), "usage": {"input_tokens": 1, "output_tokens": 1}}


TEXT = {"type": "text", "text": "Low water."}
HALVES = ({"type": "text", "text": "Low "}, {"type": "text", "text": "water."})
EMPTY = {"type": "thinking", "thinking": "", "signature": "Z2VtaW5p"}


def _evidence(case, client, mode, documents, upstream="openai-chat", **parts):
    provider = case.outcome(dialect=upstream, text=("Low water.",))
    outcome = normalise.response(Response(client, mode, tuple(documents)))
    parts.setdefault("upstream_outcome", provider)
    return case(
        client=client, upstream=upstream, mode=mode, client_documents=tuple(documents), client_outcome=outcome, **parts
    )  # fmt: skip


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([LOW, LAST], "PASS"),
        ([_event({"text": "Low water."}, finish="STOP")], "PASS"),
        ([_event({"text": "Low "}), _event({"text": ""}), _event({"text": "water."}, finish="STOP")], "PASS"),
        ([LOW, BARE], "FAIL"),
        ([LOW, LAST, USAGE], "FAIL"),
        ([LOW, _event(finish="STOP")], "FAIL"),
        ([LOW, _event({"text": ""}, finish="STOP", role="")], "FAIL"),
        ([_event(CALL), LAST], "PASS"),
        ([_event(CALL, {"text": ""}, finish="STOP")], "FAIL"),
        ([_event({"text": ""}, finish="STOP")], ""),
    ],
)
def test_google_clients_remember_a_stream(case, status, events, expected):
    assert status(_evidence(case, "gemini", "stream", events), "relay.client_remembers") == expected


def test_the_message_names_clients_and_cause(case):
    from bridgecheck.checks.clients import check_client_remembers

    (result,) = check_client_remembers(_evidence(case, "gemini", "stream", [LOW, BARE]))
    assert result.message == (
        "google-genai (Python), chats and @google/genai (JavaScript), chats: forgets question and answer: event 2 of 2 "
        "has no content"
    )


def test_what_the_provider_sent_so_itself_is_nobodys_fault(case, status):
    outcome = normalise.response(Response("gemini", "stream", (LOW, BARE)))
    found = _evidence(
        case, "gemini", "stream", [LOW, BARE], "gemini", upstream_documents=(LOW, BARE), upstream_outcome=outcome
    )
    assert status(found, "relay.client_remembers") == "PASS"


WHITE_SPACE = [
    ("anthropic", [_message({"type": "text", "text": "\n\n"}, {"type": "tool_use", "id": "toolu_1", "name": "gauge", "input": {}})]),
    ("gemini", [_event({"text": "Low water.\n"}, finish="STOP")]),
]  # fmt: skip


@pytest.mark.parametrize(("client", "documents"), WHITE_SPACE, ids=["block", "end of a text"])
def test_white_space_that_a_client_drops_of_any_answer_is_nobodys_fault(case, status, client, documents):
    """ChatAnthropic drops a text of white space, ChatGoogleGenerativeAI the line breaks at the end of a unary text."""
    found = _evidence(case, client, "unary", documents)
    assert status(found, "relay.client_remembers") == "PASS"
    assert status(found, "client.shows") in ("PASS", "")


def _chunk(delta: dict, finish: str | None = None) -> dict:
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def test_a_stream_helper_that_raises_forgets_the_answer(case, status):
    detail = {"type": "reasoning.text", "text": "Hm."}
    for detail_index, expected in (({"index": 0}, "PASS"), ({}, "FAIL")):
        pieces = [{"reasoning_details": [detail | detail_index]}] * 2
        events = [_chunk({"role": "assistant"}), *map(_chunk, pieces), _chunk({"content": "Low water."}, "stop")]
        found = _evidence(case, "openai-chat", "stream", events, "anthropic")
        assert status(found, "relay.client_remembers") == expected


def test_a_client_of_which_only_code_was_read_is_a_note(case, status, monkeypatch):
    call = {"index": 0, "id": "call_1", "function": {"name": "gauge", "arguments": "{}"}}
    events = [_chunk({"role": "assistant", "tool_calls": [call]}), _chunk({}, "tool_calls")]
    found = _evidence(case, "openai-chat", "stream", events, "gemini")
    assert status(found, "relay.client_remembers") == "FAIL"
    monkeypatch.setitem(CLIENT_MODELS, "openai-node", replace(CLIENT_MODELS["openai-node"], how="read"))
    assert status(found, "relay.client_remembers") == "NOTE"


SHOWN = [
    ([TEXT], "PASS"),
    ([TEXT, EMPTY], "FAIL"),
    ([EMPTY, TEXT], "FAIL"),
    ([HALVES[0], EMPTY, HALVES[1]], "FAIL"),
    ([*HALVES], "PASS"),
    ([EMPTY | {"thinking": "Hm."}, TEXT], ""),
    ([TEXT, {"type": "tool_use", "id": "toolu_1", "name": "gauge", "input": {}}], ""),
]


@pytest.mark.parametrize(("blocks", "expected"), SHOWN)
def test_a_person_sees_the_text(case, blocks, expected):
    results = list(check_client_shows(_evidence(case, "anthropic", "unary", [_message(*blocks)])))
    assert "".join(result.status_at("MUST") for result in results) == expected


def test_a_block_of_thinking_may_come_first_where_thinking_was_requested(case):
    prompt = Prompt("anthropic", "m", thinking=Thinking(budget=1024))
    found = _evidence(case, "anthropic", "unary", [_message(EMPTY, TEXT)], client_prompt=prompt)
    assert [result.status_at("MUST") for result in check_client_shows(found)] == ["PASS"]
