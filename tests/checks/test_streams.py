"""Streams: sequential calls, no buffering, a single request, framing that clients can read."""

import json
from dataclasses import replace

import pytest

from bridgecheck.codec.body import decode_response
from bridgecheck.model.exchange import Interaction
from bridgecheck.model.outcome import ErrorInfo


def _chunk(*deltas: dict, **choice: object) -> dict:
    return {
        "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {"tool_calls": list(deltas)}, "finish_reason": None, **choice}],
    }  # fmt: skip


def _delta(index: int | None, call: str = "", arguments: str = "") -> dict:
    named = {"id": call, "type": "function"} if call else {}
    placed = {} if index is None else {"index": index}
    return {**placed, **named, "function": {"name": "f", "arguments": arguments}}


SEPARATE_CALLS = (_chunk(_delta(0, "a", "{"), _delta(0, "", "}")), _chunk(_delta(1, "b", "{}")))
MIXED = (_chunk(_delta(0, "a", "{"), _delta(1, "b", "{")), _chunk(_delta(0, "", "}")))


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (SEPARATE_CALLS, "PASS"),
        (MIXED, "FAIL"),
        ((_chunk(_delta(0, "a")), _chunk(_delta(0, "b"))), "FAIL"),
        ((_chunk(_delta(None, "a")),), "FAIL"),
        ((_chunk(_delta(0, "a")), _chunk(_delta(0, "b"), index=1)), "PASS"),
        ((), ""),
    ],
)
def test_calls_come_one_after_another(case, status, events, expected):
    found = case(mode="stream", client_documents=events or None)
    assert status(found, "stream.calls_contiguous") == expected


def test_calls_that_the_provider_mixed_are_inherited(case, status):
    found = case(upstream="openai-chat", mode="stream", client_documents=MIXED, upstream_documents=MIXED)
    assert status(found, "stream.calls_contiguous") == "INHERITED"


def _gemini(text: str) -> dict:
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}]}


def _chat(text: str) -> dict:
    return {
        "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arrivals", "expected"),
    [
        ("ruuucccc", "WARN"),
        ("rcuuuccc", "WARN"),  # an opening without text does not count
        ("ruucuccc", "PASS"),
        ("rucucucc", "PASS"),
        ("", ""),
    ],
)
def test_buffered_text_is_noticed(case, status, arrivals, expected):
    opening = {"role": "assistant", "content": ""}
    first = {**_chat(""), "choices": [{"index": 0, "delta": opening, "finish_reason": None}]}
    client_outcome = (first, *map(_chat, "abc")) if arrivals.startswith("rc") else tuple(map(_chat, "abc"))
    upstream_outcome = tuple(map(_gemini, "abc"))
    found = case(
        mode="stream", upstream_documents=upstream_outcome, client_documents=client_outcome, arrivals=(arrivals,)
    )
    assert status(found, "stream.incremental") == expected


def test_two_text_events_may_arrive_together(case, status):
    upstream_outcome, client_outcome = tuple(map(_gemini, "ab")), tuple(map(_chat, "ab"))
    found = case(
        mode="stream", upstream_documents=upstream_outcome, client_documents=client_outcome, arrivals=("ruucc",)
    )
    assert status(found, "stream.incremental") == ""


@pytest.mark.parametrize(
    ("arrivals", "expected"),
    [("rucuc", "PASS"), ("rrucuc", "PASS"), ("rucruc", "FAIL"), ("crucuc", "PASS"), ("crucruc", "FAIL")],
)
def test_a_second_request_after_the_first_client_byte_fails(case, status, arrivals, expected):
    assert status(case(mode="stream", arrivals=(arrivals,)), "relay.one_call") == expected


CHAT_OPENING = {
    **_chat(""),
    "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}],
}
CHAT_ERROR = {"error": {"message": "overloaded", "type": "server_error"}}


@pytest.mark.parametrize(
    ("first", "arrivals", "expected"),
    [
        (CHAT_OPENING, "rqcruc", "PASS"), (CHAT_OPENING, "rqrqcrucuc", "PASS"), (CHAT_OPENING, "rqcrucruc", "FAIL"),
        (_chat("a"), "rucruc", "FAIL"), (CHAT_ERROR, "rqcruc", "FAIL"),
    ],
)  # fmt: skip
def test_a_call_may_be_repeated_as_long_as_the_client_was_told_nothing(case, status, first, arrivals, expected):
    found = case(mode="stream", client_documents=(first, *map(_chat, "bcd")), arrivals=(arrivals,))
    assert status(found, "relay.one_call") == expected


def test_a_message_that_was_only_opened_tells_nothing(case, status):
    """As an adapter to Claude's format sends it before its provider has answered."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m", "stop_reason": None,
               "usage": {"input_tokens": 0, "output_tokens": 0}}  # fmt: skip
    documents = ({"type": "message_start", "message": message}, {"type": "ping"},
                 {"type": "error", "error": {"type": "api_error", "message": "overloaded"}})  # fmt: skip
    for arrivals, expected in (("rqccrqc", "PASS"), ("rqcccrq", "FAIL")):
        found = case(client="anthropic", mode="stream", client_documents=documents, arrivals=(arrivals,))
        assert status(found, "relay.one_call") == expected


@pytest.mark.parametrize(
    ("arrivals", "expected"),
    [
        ("rucxq", "PASS"),
        ("rucxuuq", "PASS"),
        ("rucxuuuuq", "WARN"),
        ("rucx", "WARN"),
        ("ruuuqcx", "WARN"),
        ("rucuc", ""),
    ],
)
def test_a_client_disconnect_must_reach_the_upstream(case, status, arrivals, expected):
    assert status(case(mode="stream", arrivals=(arrivals,)), "relay.cancel") == expected


def test_an_unmodelled_endpoint_is_inconclusive(case, status):
    missed = ("endpoint not modelled: POST api.openai.com/v1/responses",)
    assert status(case(misses=missed), "relay.expected_calls") == "INCONCLUSIVE"
    assert status(case(misses=(*missed, "the cassette holds no further answer")), "relay.expected_calls") == "FAIL"


EVENT = json.dumps(_gemini("Hello")).encode()


@pytest.mark.parametrize(
    ("client", "body", "expected"),
    [
        ("gemini", b"data: " + EVENT + b"\r\n\r\n", "PASS"),
        ("gemini", b"[" + EVENT + b"]", "PASS"),
        ("gemini", b"data:" + EVENT + b"\n\n", "FAIL"),
        ("gemini", b": ping\n\ndata: " + EVENT + b"\n\n", "FAIL"),
        ("gemini", b"event: x\ndata: " + EVENT + b"\n\n", "FAIL"),
        ("gemini", b"\xef\xbb\xbfdata: " + EVENT + b"\n\n", "FAIL"),
        ("gemini", b"data: " + EVENT + b"\n\ndata: [DONE]\n\n", "FAIL"),
        ("gemini", b"data: " + EVENT.replace(b"Hello", "a\u2028b".encode()) + b"\n\n", "FAIL"),
        ("openai-chat", b": ping\n\ndata: {}\n\ndata: [DONE]\n\n", "PASS"),
        ("openai-chat", b"data: {}\n\n", "WARN"),
        ("openai-chat", b"data: {}\n\ndata: [DONE]\n\ndata: {}\n\n", "FAIL"),
        ("openai-chat", b"data: {}\n\ndata: {nonsense}\n\ndata: [DONE]\n\n", "FAIL"),
        ("openai-chat", b'data: {"x": ' + b"[" * 300 + b"]" * 300 + b"}\n\ndata: {}\n\ndata: [DONE]\n\n", "FAIL"),
        ("openai-chat", b'data: {"x": ' + b"[" * 100 + b"]" * 100 + b"}\n\ndata: [DONE]\n\n", "PASS"),
        ("anthropic", b'event: ping\ndata: {"type": "ping"}\n\n', "PASS"),
        ("anthropic", b'data: {"type": "ping"}\n\n', "FAIL"),
    ],
)
def test_framing(case, status, client, body, expected):
    evidence = case(client=client, mode="stream")
    request = evidence.transcript.client[0].request
    answer = decode_response(client, "stream", 200, (), (body,), "complete")
    framed = case(client=client, mode="stream", client_sides=(Interaction(request, answer),))
    assert status(evidence, "client.framing") == ""
    assert status(framed, "client.framing") == expected


CHUNKED = (("transfer-encoding", "chunked"),)


@pytest.mark.parametrize(
    ("mode", "body", "end", "expected"),
    [
        ("unary", b"{}", "complete", ""),
        ("unary", b"{}", "cut", "FAIL"),
        ("stream", b"data: " + EVENT + b"\n\n", "complete", "PASS"),
        ("stream", b"data: " + EVENT + b"\n\n", "cut", "FAIL"),
    ],
)
def test_a_body_without_its_last_chunk(case, status, mode, body, end, expected):
    request = case(client="gemini", mode=mode).transcript.client[0].request
    sides = (Interaction(request, decode_response("gemini", mode, 200, CHUNKED, (body,), end)),)
    assert status(case(client="gemini", mode=mode, client_sides=sides), "client.framing") == expected


def test_a_chat_stream_may_lose_its_last_chunk_behind_its_terminator(case, status):
    request = case().transcript.client[0].request
    sides = (Interaction(request, decode_response("openai-chat", "stream", 200, CHUNKED, (PLAIN,), "cut")),)
    assert status(case(client="openai-chat", mode="stream", client_sides=sides), "client.framing") == "PASS"


PLAIN = b"data: {}\n\ndata: [DONE]\n\n"
BROKEN = b"data: {}\n\ndata: {nonsense}\n\ndata: [DONE]\n\n"
OPEN = b"data: {}\n\n"
MORE = b"data: {}\n\ndata: [DONE]\n\ndata: {}\n\n"


STOPPED = b'event: message_stop\ndata: {"type": "message_stop"}\n\n'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (STOPPED, "PASS"),
        (STOPPED + b"data: [DONE]\n\n", "WARN"),
        (b'data: {"type": "message_stop"}\n\n', "FAIL"),
    ],
)
def test_the_end_of_a_chat_stream_in_one_of_anthropic(case, status, body, expected):
    """The SDKs pass over an event without a name that they know: it does no harm, and what else has none is lost."""
    request = case().transcript.client[0].request
    sides = (Interaction(request, decode_response("anthropic", "stream", 200, (), (body,), "complete")),)
    assert status(case(client="anthropic", mode="stream", client_sides=sides), "client.framing") == expected


@pytest.mark.parametrize(
    ("upstream_outcome", "actual", "pivot", "expected"),
    [
        (MORE, MORE, None, "INHERITED"),
        (BROKEN, BROKEN, None, "PASS"),
        (PLAIN, BROKEN, None, "FAIL"),
        (PLAIN, MORE, None, "FAIL"),
        (OPEN, MORE, None, "FAIL"),
        (MORE, MORE, "gemini", "FAIL"),
        (OPEN, OPEN, None, "INHERITED"),
        (PLAIN, OPEN, None, "WARN"),
        (OPEN, OPEN, "gemini", "WARN"),
        (OPEN, PLAIN, None, "PASS"),
    ],
)
def test_framing_faults_of_the_provider_are_inherited(case, status, upstream_outcome, actual, pivot, expected):
    request = case().transcript.client[0].request
    sides = [
        Interaction(request, decode_response("openai-chat", "stream", 200, (), (body,), "complete"))
        for body in (upstream_outcome, actual)
    ]
    evidence = case(
        client="openai-chat", upstream="openai-chat", mode="stream", pivot=pivot,
        upstream_sides=(sides[0],), client_sides=(sides[1],),
    )  # fmt: skip
    assert status(evidence, "client.framing") == expected


@pytest.mark.parametrize(
    ("error", "end", "expected"), [(True, "complete", "PASS"), (False, "complete", "WARN"), (False, "cut", "PASS")]
)
def test_an_incomplete_stream_needs_no_terminator(case, status, error, end, expected):
    request = case().transcript.client[0].request
    answer = decode_response("openai-chat", "stream", 200, (), (OPEN,), end)
    actual = case.outcome(dialect="openai-chat")
    actual = replace(actual, error=ErrorInfo("server", "x", 500)) if error else actual
    evidence = case(
        client="openai-chat", mode="stream", client_outcome=actual, client_sides=(Interaction(request, answer),)
    )
    assert status(evidence, "client.framing") == expected
