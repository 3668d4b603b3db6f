"""Anthropic messages in normal form, unary and streamed."""

import pytest

from bridgecheck import normalise
from bridgecheck.model.exchange import Response
from bridgecheck.model.outcome import Finish, Outcome, ToolCall, Usage
from bridgecheck.wire import JsonObject


def unary(document: object, status: int = 200) -> Outcome:
    return normalise.response(Response("anthropic", "unary", (document,), status))


def stream(*events: object) -> Outcome:
    return normalise.response(Response("anthropic", "stream", events))


def read_content(*content: JsonObject, **message: object) -> Outcome:
    base = {"id": "i", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
    return unary({**base, "content": list(content), **message})


START: JsonObject = {
    "type": "message_start",
    "message": {
        "id": "i", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 3, "output_tokens": 1},
    },
}  # fmt: skip


def block(index: int, start: JsonObject, *deltas: JsonObject) -> list[JsonObject]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def end(reason: str, **usage: int) -> list[JsonObject]:
    return [
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def text(piece: str) -> JsonObject:
    return {"type": "text_delta", "text": piece}


def test_a_complete_stream() -> None:
    made = stream(
        START,
        {"type": "ping"},
        *block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "let "},
            {"type": "thinking_delta", "thinking": "me"},
            {"type": "signature_delta", "signature": "S"},
        ),
        *block(1, {"type": "text", "text": ""}, text("a"), text("b")),
        *block(
            2,
            {"type": "tool_use", "id": "1", "name": "f", "input": {}},
            {"type": "input_json_delta", "partial_json": ""},
            {"type": "input_json_delta", "partial_json": '{"a":'},
            {"type": "input_json_delta", "partial_json": "1}"},
        ),
        *end("tool_use", output_tokens=20),
    )
    assert (made.model, made.response_id, made.other, made.error) == ("m", "i", (), None)
    assert made.usage == Usage(prompt=8, completion=20, cached=3)
    choice = made.first
    assert (choice.text, choice.reasoning, choice.tool_calls) == (("ab",), ("let me",), (ToolCall("f", {"a": 1}, "1"),))
    assert choice.finish == Finish("tool_use", "tool_calls")
    assert choice.signatures == (("reasoning:0", "S"),)
    assert choice.order == (("reasoning", 0), ("text", 0), ("call", 0))


@pytest.mark.parametrize(
    ("content", "segments"),
    [
        (["a", "b"], ("ab",)),
        (["a", {"type": "tool_use", "id": "1", "name": "f", "input": {}}, "b"], ("a", "b")),
        (["a", {"type": "server_tool_use", "id": "1", "name": "web_search", "input": {}}, "b"], ("a", "b")),
        (["a", {"type": "redacted_thinking", "data": "D"}, "b"], ("a", "b")),
    ],
)
def test_segments(content: list[object], segments: tuple[str, ...]) -> None:
    blocks = [{"type": "text", "text": item} if isinstance(item, str) else item for item in content]
    assert read_content(*blocks).first.text == segments


def test_redacted_thinking_is_carried_as_opaque_data() -> None:
    made = read_content({"type": "redacted_thinking", "data": "D"}, {"type": "redacted_thinking", "data": "E"})
    assert made.first.signatures == (("redacted:0", "D"), ("redacted:1", "E"))
    assert made.first.reasoning == ()


def test_server_tool_blocks_are_preserved() -> None:
    made = read_content({"type": "server_tool_use", "id": "1", "name": "web_search", "input": {"query": "q"}})
    assert made.first.tool_calls == ()
    assert made.other == (
        ("content[].id", '"1"'),
        ("content[].input.query", '"q"'),
        ("content[].name", '"web_search"'),
        ("content[].type", '"server_tool_use"'),
    )


def test_citations_in_both_modes() -> None:
    citation = {"type": "char_location", "cited_text": "c"}
    whole = read_content({"type": "text", "text": "a", "citations": [citation]})
    streamed = stream(
        START,
        *block(0, {"type": "text", "text": "", "citations": []}, {"type": "citations_delta", "citation": citation}),
    )
    assert whole.first.citations == streamed.first.citations == ('{"cited_text":"c","type":"char_location"}',)


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("end_turn", "stop"), ("stop_sequence", "stop"), ("max_tokens", "length"), ("tool_use", "tool_calls"),
        ("pause_turn", "pause"), ("refusal", "content_filter"), ("model_context_window_exceeded", "length"),
        ("brand_new", "other"), (None, "incomplete"),
    ],
)  # fmt: skip
def test_finish(reason: object, kind: str) -> None:
    assert read_content({"type": "text", "text": "a"}, stop_reason=reason).first.finish.kind == kind


def test_the_stop_sequence_is_preserved() -> None:
    assert read_content(stop_reason="stop_sequence", stop_sequence="END").other == (("stop_sequence", '"END"'),)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input_tokens": 5, "output_tokens": 2}, Usage(5, 2)),
        (
            {"input_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 10, "output_tokens": 2},
            Usage(115, 2, None, 100, 10),
        ),
        (
            {"input_tokens": 5, "output_tokens": 9, "output_tokens_details": {"thinking_tokens": 7}},
            Usage(5, 9, reasoning=7),
        ),
        ({"output_tokens": 2}, Usage(None, 2)),
        ({}, None),
    ],
)
def test_usage(usage: JsonObject, expected: Usage | None) -> None:
    assert read_content(usage=usage).usage == expected


def test_usage_of_a_stream_is_cumulative() -> None:
    events = [{"type": "message_delta", "delta": {}, "usage": {"output_tokens": count}} for count in (4, 9)]
    assert stream(START, *events).usage == Usage(prompt=8, completion=9, cached=3)


def test_truncated_tool_input_is_preserved_as_text() -> None:
    partial = {"type": "input_json_delta", "partial_json": '{"a": "b'}
    made = stream(START, *block(0, {"type": "tool_use", "id": "1", "name": "f", "input": {}}, partial))
    assert made.first.tool_calls == (ToolCall("f", {}, "1", '{"a": "b'),)
    assert made.first.finish.kind == "incomplete"


def test_deltas_without_a_start_event_are_read() -> None:
    delta = {"type": "content_block_delta", "index": 0, "delta": text("a")}
    assert stream(START, delta).first.text == ("a",)


def test_an_error_event_preserves_the_content_before_it() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "m"}}
    made = stream(START, *block(0, {"type": "text", "text": ""}, text("so far")), error)
    assert made.error is not None
    assert (made.error.kind, made.error.native, made.error.status) == ("overloaded", "overloaded_error", None)
    assert made.first.joined_text == "so far"


@pytest.mark.parametrize(
    ("kind", "status", "expected"),
    [
        ("authentication_error", 401, "auth"),
        ("authentication_error", 400, "auth"),
        ("rate_limit_error", 429, "rate_limit"),
        ("overloaded_error", 529, "overloaded"),
        ("request_too_large", 413, "too_large"),
        ("api_error", 500, "server"),
    ],
)
def test_errors(kind: str, status: int, expected: str) -> None:
    made = unary({"type": "error", "error": {"type": kind, "message": "m"}, "request_id": "r"}, status)
    assert made.error is not None
    assert (made.error.kind, made.error.message, made.error.status) == (expected, "m", status)
    assert (made.choices, made.other) == ((), (("request_id", '"r"'),))


def test_unknown_events_and_deltas_are_preserved() -> None:
    made = stream(
        START, {"type": "brand_new", "x": 1}, *block(0, {"type": "text", "text": "a"}, {"type": "odd_delta", "y": 2})
    )
    assert made.other == (("content[].y", "2"), ("unread[].type", '"brand_new"'), ("unread[].x", "1"))


def test_container_and_context_management_of_the_last_event() -> None:
    made = stream(
        START,
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "container": {"id": "c"}},
            "usage": {"output_tokens": 2},
            "context_management": {"applied_edits": []},
        },
    )
    assert made.other == (("container.id", '"c"'), ("context_management.applied_edits", "[]"))


def test_the_retry_delay_is_read_from_the_error_body_without_headers() -> None:
    error = {"type": "rate_limit_error", "message": "slow down", "retry_after_seconds": 2.5}
    made = unary({"type": "error", "error": error}, 429)
    assert made.error is not None
    assert (made.error.kind, made.error.retry_after) == ("rate_limit", 2.5)
    assert made.other == ()
