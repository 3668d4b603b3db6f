"""Recordings that an SDK cannot read are not played through it."""

import pytest

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.model.exchange import End, HttpRequest
from bridgecheck.run.play_provider_sdk import refuse_unreadable
from bridgecheck.run.record import NotPlayable
from bridgecheck.wire import Dialect

EVENT = b'data: {"a": 1}\n\n'


def cassette(*chunks: bytes, status: int = 200, end: End = "complete") -> Cassette:
    request = HttpRequest("POST", "/v1/chat/completions", (), b"{}")
    return Cassette({}, (RecordedInteraction(request, status, (), chunks, end),))


@pytest.mark.parametrize(
    ("dialect", "body", "message"),
    [
        ("openai-chat", b"\xef\xbb\xbf" + EVENT, "byte order mark"),
        ("anthropic", b"\xef\xbb\xbf" + EVENT, "byte order mark"),
        ("openai-chat", b'{"choices": []}', "JSON document"),
        ("anthropic", b'{"content": []}', "JSON document"),
        ("gemini", b'[{"candidates": []}]', "JSON document"),
        ("gemini", b": ping\n\n" + EVENT, "every line"),
        ("gemini", b'data:{"a": 1}\n\n', "every line"),
        ("openai-chat", EVENT + b"data: [DONE]\n", "empty line"),
    ],
)
def test_recordings_that_the_sdk_cannot_read_are_refused(dialect: Dialect, body: bytes, message: str) -> None:
    with pytest.raises(NotPlayable, match=message):
        refuse_unreadable(dialect, "stream", cassette(body))


@pytest.mark.parametrize("dialect", ["gemini", "openai-chat", "anthropic"])
def test_readable_recordings_are_played(dialect: Dialect) -> None:
    refuse_unreadable(dialect, "stream", cassette(EVENT, EVENT.replace(b"\n", b"\r\n")))
    refuse_unreadable(dialect, "unary", cassette(b'{"a": 1}'))
    refuse_unreadable(dialect, "stream", cassette(b'{"error": {}}', status=429))
    refuse_unreadable(dialect, "stream", cassette(EVENT, b'data: {"a', end="cut"))
