"""Streams that the provider's own SDK cannot read, though they can be read: nothing to hold against an adapter that is
built on it, and nothing to compare with.

Measured of google-genai 3.4.0, openai 3.52.0 and anthropic 2.11.0, 2026-11-21. Scenarios that are about such bytes are
played at the other levels.
"""

from collections.abc import Callable
from typing import Final

from bridgecheck.cassette.recorded import Cassette
from bridgecheck.run.record import NotPlayable
from bridgecheck.wire import Dialect, Mode

_BOM: Final = b"\xef\xbb\xbf"
_LINE_ENDS: Final = (b"\n\n", b"\r\r", b"\r\n\r\n")


def _marked(body: bytes) -> bool:
    return body.startswith(_BOM)


def _document(body: bytes) -> bool:
    return body.lstrip()[:1] in (b"{", b"[")


def _open_ended(body: bytes) -> bool:
    return bool(body) and not body.endswith(_LINE_ENDS)


def _other_lines(body: bytes) -> bool:
    """Lines other than ``data: `` and empty ones, the events of a cut stream left alone."""
    return any(line and not line.startswith(b"data: ") for line in body.splitlines()[:-1])


LIMITS: Final[dict[Dialect, tuple[tuple[Callable[[bytes], bool], str], ...]]] = {
    "gemini": (
        (_document, "google-genai takes no JSON document for a stream"),
        (_other_lines, "google-genai takes every line of a stream for data"),
    ),
    "openai-chat": (
        (_marked, "openai-python loses the event behind a byte order mark"),
        (_document, "openai-python makes no events of a JSON document"),
        (_open_ended, "openai-python drops a last event without its empty line"),
    ),
    "anthropic": (
        (_marked, "anthropic loses the event behind a byte order mark"),
        (_document, "anthropic makes no events of a JSON document"),
    ),
}
"""Dialect of the provider -> (whether its SDK fails on such a body, in words)."""


def refuse_unreadable(dialect: Dialect, mode: Mode, cassette: Cassette) -> None:
    """Raises NotPlayable if the SDK of this dialect cannot read an answer that came to its end."""
    for recorded in cassette.interactions if mode == "stream" else ():
        if recorded.status >= 400 or recorded.end != "complete":
            continue
        for fails, why in LIMITS[dialect]:
            if fails(recorded.body):
                raise NotPlayable(f"{why}: a matter of HTTP, not of its clients")
