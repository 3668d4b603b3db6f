"""One response to one client, sent in pieces, and the framing of its events.

Gemini as SSE: ``data: {json}`` and a blank line, CRLF, nothing else (no comment, no ``[DONE]``), everything outside
ASCII escaped: its clients cut lines at U+2028 too. Gemini without ``alt=sse``: one JSON array. OpenAI: ``[DONE]`` ends
a stream that ended well. Anthropic: each event is named.
"""

import json
import re
from collections.abc import Sequence
from typing import Final, Literal, Protocol, TypeAlias

from starlette.types import Send

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.failures import INVALID
from bridgecheck_reference.gateway.errors import GatewayError, upstream_error_with_status_of_code
from bridgecheck_reference.gateway.keys import without_keys

FramingName: TypeAlias = Literal["sse", "array"]

SSE_TYPE: Final = "text/event-stream; charset=utf-8"
JSON_TYPE: Final = "application/json; charset=utf-8"


class Framing(Protocol):
    """One stream. ``end``: what closes it; ``failed``: an error event was the last one."""

    content_type: str

    def frame(self, event: JsonObject) -> bytes: ...

    def end(self, *, failed: bool) -> bytes: ...


_HALVES: Final = re.compile(
    rb"\\ud[89ab]..\\ud[c-f].."  # a whole character
    rb"|(?P<edge>\\ud[89ab]..(?=\")|(?<=\")\\ud[c-f]..)|(?P<lone>\\ud[89a-f]..)|\\."
)
_REPLACEMENT: Final = rb"\ufffd"


def encode_ascii_json(document: JsonObject, *, has_next: bool = False) -> bytes:
    """JSON in ASCII. ``GatewayError`` for a number JSON cannot say (NaN, Infinity): strict clients choke on it.

    U+FFFD stands for half of a surrogate pair, which clients can neither print nor encode. Where an event ``has_next``,
    a half at the edge of a string stays: hosts split a character between two events, and the client joins it.
    """
    try:
        encoded = json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")
    except ValueError:
        raise upstream_error_with_status_of_code(
            INVALID, "the answer holds NaN or Infinity, which JSON cannot say"
        ) from None
    if b"\\ud" not in encoded:
        return encoded
    replaced = ("lone",) if has_next else ("lone", "edge")
    return _HALVES.sub(lambda found: _REPLACEMENT if found.lastgroup in replaced else found[0], encoded)


class GeminiSse:
    content_type = SSE_TYPE

    def frame(self, event: JsonObject) -> bytes:
        return b"data: " + encode_ascii_json(event, has_next=True) + b"\r\n\r\n"

    def end(self, *, failed: bool) -> bytes:
        return b""


class GeminiArray:
    """The array as Google writes it: ``[`` with the first event, CRLF behind a comma, ``]`` on a line of its own."""

    content_type = JSON_TYPE

    def __init__(self) -> None:
        self._begun = False

    def frame(self, event: JsonObject) -> bytes:
        lead = b",\r\n" if self._begun else b"["
        self._begun = True
        return lead + encode_ascii_json(event, has_next=True) + b"\n"

    def end(self, *, failed: bool) -> bytes:
        return b"]" if self._begun else b"[]"


class OpenAISse:
    content_type = SSE_TYPE

    def frame(self, event: JsonObject) -> bytes:
        return b"data: " + encode_ascii_json(event, has_next=True) + b"\n\n"

    def end(self, *, failed: bool) -> bytes:
        return b"" if failed else b"data: [DONE]\n\n"


class AnthropicSse:
    content_type = SSE_TYPE

    def frame(self, event: JsonObject) -> bytes:
        return f"event: {event.get('type')}\n".encode() + b"data: " + encode_ascii_json(event, has_next=True) + b"\n\n"

    def end(self, *, failed: bool) -> bytes:
        return b""


def new_framing(dialect: Dialect, gemini_framing: FramingName) -> Framing:
    """A fresh one for each stream."""
    if dialect == "gemini":
        return GeminiSse() if gemini_framing == "sse" else GeminiArray()
    return AnthropicSse() if dialect == "anthropic" else OpenAISse()


Headers = Sequence[tuple[str, str]]

STREAM_HEADERS: Final = (("cache-control", "no-cache"), ("x-accel-buffering", "no"))
"""Proxies on the way may neither keep nor collect a stream."""


class Reply:
    """``status``: that of the answer, 0 before it has begun. ``note``: how it ended if not well, for the log.
    ``secrets``: what no error may repeat."""

    def __init__(self, send: Send, dialect: Dialect, *, head_only: bool = False) -> None:
        self._send = send
        self._head_only = head_only
        self._framing: Framing | None = None
        self.dialect = dialect
        self.status = 0
        self.losses = 0
        self.note = ""
        self.upstream = ""
        self.secrets: tuple[str, ...] = ()

    async def document(self, document: JsonObject, status: int = 200, headers: Headers = ()) -> None:
        """A whole JSON answer."""
        body = encode_ascii_json(document)
        await self.start(status, [("content-type", JSON_TYPE), ("content-length", str(len(body))), *headers])
        await self.write(body)
        await self.send_body_end()

    async def start(self, status: int, headers: Headers) -> None:
        self.status = status
        raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await self._send({"type": "http.response.start", "status": status, "headers": raw})

    async def write(self, data: bytes) -> None:
        """Returns when the client's connection has room again."""
        if data and not self._head_only:
            await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def send_body_end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def start_stream(self, framing: Framing, headers: Headers = ()) -> None:
        self._framing = framing
        await self.start(200, [("content-type", framing.content_type), *STREAM_HEADERS, *headers])

    async def events(self, events: Sequence[JsonObject]) -> None:
        """Events of a stream that has begun, in one write."""
        assert self._framing is not None
        await self.write(b"".join(map(self._framing.frame, events)))

    def set_failure_framing(self, framing: Framing | None) -> None:
        """Set how a failure is reported in a response that has begun; None: by cutting the connection."""
        self._framing = framing

    async def end_stream(self, *, failed: bool) -> None:
        assert self._framing is not None
        self.note = self.note or ("failed" if failed else "")
        await self.write(self._framing.end(failed=failed))
        await self.send_body_end()

    async def fail(self, error: GatewayError) -> None:
        """Report the error: as the response, as the stream's last event, or by leaving the response incomplete."""
        document = without_keys(error.error_document(self.dialect), self.secrets)
        if not self.status:
            await self.document(document, error.status, error.all_headers())
            return
        self.note = self.note or error.code or "failed"
        if self._framing is not None:
            await self.write(self._framing.frame(document))
            await self.end_stream(failed=True)
