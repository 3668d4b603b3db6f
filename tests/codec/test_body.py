"""Bytes -> requests and responses, valid or not."""

import gzip
import json

import pytest

from bridgecheck.codec.body import decode_request, decode_response
from bridgecheck.errors import HarnessError
from bridgecheck.wire import Mode

CHAT = [b'data: {"choices": []}\n\n', b"data: [DONE]\n\n"]


def test_a_unary_body() -> None:
    found = decode_response("gemini", "unary", 200, (), [b'{"candidates"', b": []}"], "complete")
    assert found.documents == ({"candidates": []},)
    assert found.terminated is None
    assert found.chunks == (b'{"candidates"', b": []}")


@pytest.mark.parametrize(
    ("dialect", "chunks", "documents", "terminated"),
    [
        ("openai-chat", CHAT, ({"choices": []},), True),
        ("openai-chat", CHAT[:1], ({"choices": []},), False),
        ("openai-chat", [*CHAT, *CHAT], ({"choices": []},), True),
        ("gemini", [b'data: {"a": 1}\r\n\r\ndata: {"b": 2}'], ({"a": 1}, {"b": 2}), None),
        ("gemini", [b'[{"a": 1},', b'{"b": 2}]'], ({"a": 1}, {"b": 2}), None),
        ("anthropic", [b'event: message_stop\ndata: {"type":"message_stop"}\n\n'], ({"type": "message_stop"},), True),
        ("anthropic", [b'event: ping\ndata: {"type":"ping"}\n\n'], ({"type": "ping"},), False),
    ],
)
def test_streams(dialect: str, chunks: list[bytes], documents: tuple[object, ...], terminated: bool | None) -> None:
    found = decode_response(dialect, "stream", 200, (), chunks, "complete")
    assert (found.documents, found.terminated, found.text) == (documents, terminated, "")


def test_an_error_answer_to_a_stream_is_one_document() -> None:
    found = decode_response("openai-chat", "stream", 429, (), [b'{"error": {"message": "slow down"}}'], "complete")
    assert found.documents == ({"error": {"message": "slow down"}},)
    assert found.terminated is None


def test_a_body_that_is_not_json_is_preserved_as_text() -> None:
    html = decode_response("gemini", "unary", 502, (), [b"<html>bad gateway</html>"], "complete")
    assert (html.documents, html.text) == ((), "<html>bad gateway</html>")
    cut = decode_response("openai-chat", "stream", 200, (), [b'data: {"a": 1}\n\ndata: {"choi'], "cut")
    assert (cut.documents, cut.text, cut.end) == (({"a": 1},), '{"choi', "cut")


def test_no_body_at_all() -> None:
    assert decode_response("anthropic", "stream", 200, (), [], "reset").documents == ()


def test_gzip_is_decoded_and_a_decoded_body_is_accepted() -> None:
    plain = b'{"a": 1}'
    for body in (gzip.compress(plain), plain):
        found = decode_response("gemini", "unary", 200, (("content-encoding", "gzip"),), [body], "complete")
        assert found.documents == ({"a": 1},)


def test_requests_take_model_and_mode_from_where_the_dialect_puts_them() -> None:
    gemini = decode_request("POST", "/v1/models/gemini-2.5-pro:streamGenerateContent?alt=sse", (), b'{"contents": []}')
    assert (gemini.dialect, gemini.mode, gemini.model) == ("gemini", "stream", "gemini-2.5-pro")
    body = json.dumps({"model": "gpt-4o", "stream": True}).encode()
    chat = decode_request("POST", "/v1/chat/completions", (), body)
    assert (chat.dialect, chat.mode, chat.model) == ("openai-chat", "stream", "gpt-4o")
    message = decode_request("POST", "/v1/messages", (), b'{"model": "claude-x"}')
    assert (message.dialect, message.mode, message.model) == ("anthropic", "unary", "claude-x")


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/v2/audio", b"{}", "belongs to no dialect"),
        ("/v1/messages", b"{", "is no JSON"),
        ("/v1/messages", b'{"temperature": NaN}', "at: NaN is no JSON"),
        ("/v1/messages", b"[]", "is no JSON object"),
    ],
)
def test_an_invalid_request_is_a_harness_error(path: str, body: bytes, says: str) -> None:
    with pytest.raises(HarnessError, match=says):
        decode_request("POST", path, (), body)


@pytest.mark.parametrize("framed", ["{}", "[{}]", "data: {}\n\n"])
def test_a_bare_constant_is_named_as_the_reason(framed: str) -> None:
    document = '{"depth": -Infinity}'
    body = framed.replace("{}", document).encode()
    response = decode_response("gemini", "unary" if framed == "{}" else "stream", 200, (), [body], "complete")
    assert (response.documents, response.text) == ((), f"(not read: -Infinity is no JSON) {document}")


@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_a_failure_that_is_a_json_string_is_one_document(mode: Mode) -> None:
    response = decode_response("gemini", mode, 404, (), [b'"model not found"'], "complete")
    assert (response.documents, response.text) == (("model not found",), "")
