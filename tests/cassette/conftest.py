"""Cassettes made by hand: one Chat answer, unary or streamed."""

import json
from collections.abc import Callable

import pytest

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.model.exchange import End, Headers, HttpRequest

Make = Callable[..., RecordedInteraction]


@pytest.fixture
def chat() -> Make:
    """Make one recorded Chat interaction."""

    def make(
        *chunks: bytes,
        status: int = 200,
        end: End = "complete",
        stream: bool = True,
        headers: Headers = (("content-type", "text/event-stream"),),
        prompt: str = "hi",
    ) -> RecordedInteraction:
        body = {"model": "m", "messages": [{"role": "user", "content": prompt}], "stream": stream}
        request = HttpRequest("POST", "/v1/chat/completions", (("content-type", "application/json"),), _json(body))
        return RecordedInteraction(request, status, headers, chunks, end, (0,) * len(chunks), "https://api.openai.com")

    return make


@pytest.fixture
def cassette_of() -> Callable[..., Cassette]:
    def make(*interactions: RecordedInteraction, **metadata: object) -> Cassette:
        return Cassette({"source": "scripted", **metadata}, interactions)

    return make


def _json(document: object) -> bytes:
    return json.dumps(document).encode()
