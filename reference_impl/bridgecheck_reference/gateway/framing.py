"""Events of a stream as bytes, in each of the four framings that clients read. Pure.

Gemini as SSE: ``data: {json}`` and a blank line, CRLF, nothing else (no comment, no ``[DONE]``), everything outside
ASCII escaped: its clients cut lines at U+2028 too. Gemini without ``alt=sse``: one JSON array. OpenAI: ``[DONE]`` ends
a stream that ended well. Anthropic: each event is named.
"""

import json
from typing import Final, Literal, Protocol, TypeAlias

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.failures import INVALID
from bridgecheck_reference.gateway.errors import upstream_error

FramingName: TypeAlias = Literal["sse", "array"]

SSE_TYPE: Final = "text/event-stream; charset=utf-8"
JSON_TYPE: Final = "application/json; charset=utf-8"


class Framing(Protocol):
    """One stream. ``end``: what closes it; ``failed``: an error event was the last one."""

    content_type: str

    def frame(self, event: JsonObject) -> bytes: ...

    def end(self, *, failed: bool) -> bytes: ...


def encode(document: JsonObject) -> bytes:
    """JSON in ASCII. ``GatewayError`` for a number JSON cannot say (NaN, Infinity): strict clients choke on it."""
    try:
        return json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")
    except ValueError:
        raise upstream_error(INVALID, "the answer holds NaN or Infinity, which JSON cannot say") from None


class GeminiSse:
    content_type = SSE_TYPE

    def frame(self, event: JsonObject) -> bytes:
        return b"data: " + encode(event) + b"\r\n\r\n"

    def end(self, *, failed: bool) -> bytes:
        return b""


class GeminiArray:
    """``[`` with the first event, ``]`` at the end: what was sent before a failure is read with a JSON reader too."""

    content_type = JSON_TYPE

    def __init__(self) -> None:
        self._begun = False

    def frame(self, event: JsonObject) -> bytes:
        lead = b"," if self._begun else b"["
        self._begun = True
        return lead + encode(event) + b"\r\n"

    def end(self, *, failed: bool) -> bytes:
        return b"]" if self._begun else b"[]"


class OpenAISse:
    content_type = SSE_TYPE

    def frame(self, event: JsonObject) -> bytes:
        return b"data: " + encode(event) + b"\n\n"

    def end(self, *, failed: bool) -> bytes:
        return b"" if failed else b"data: [DONE]\n\n"


class AnthropicSse:
    content_type = SSE_TYPE

    def frame(self, event: JsonObject) -> bytes:
        return f"event: {event.get('type')}\n".encode() + b"data: " + encode(event) + b"\n\n"

    def end(self, *, failed: bool) -> bytes:
        return b""


def framing(dialect: Dialect, name: FramingName) -> Framing:
    """A fresh one for each stream."""
    if dialect == "gemini":
        return GeminiSse() if name == "sse" else GeminiArray()
    return AnthropicSse() if dialect == "anthropic" else OpenAISse()
