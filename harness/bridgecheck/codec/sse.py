"""Server-sent events: bytes in any cut -> events, and a document -> the bytes its dialect frames it with.

Rules kept (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream): lines end in LF,
CRLF or CR and in nothing else (U+2028 and U+0085 belong to the data); one space after the colon is dropped; a comment
is passed over; several ``data`` lines of an event join with LF; an empty line dispatches; ``id`` outlives its event.
On top of them ``deliver_unterminated_event()`` gives a last event without its empty line, since servers do send such.
"""

import json
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.wire import Dialect, openai_chat_documents
from bridgecheck.wire.facts import RECORDS

DONE_MARKER: Final = openai_chat_documents.RECORD.framing.done_marker
"""The data of the event that ends an OpenAI stream; Gemini and Anthropic have no such event."""

MEDIA_TYPE: Final = "text/event-stream"

_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class SseEvent:
    """``event``: "" unless an ``event:`` line named it. ``id``: the last id seen, "" if none."""

    data: str
    event: str = ""
    id: str = ""


@dataclass
class SseDecoder:
    """Feed bytes as they arrive, however they are cut; events come out when they are complete."""

    _pending: bytearray = field(default_factory=bytearray)
    _data: list[str] = field(default_factory=list)
    _event: str = ""
    _id: str = ""
    _skip_lf: bool = False
    _mark_checked: bool = False

    def feed(self, data: bytes) -> list[SseEvent]:
        if self._skip_lf and data:
            data = data.removeprefix(b"\n")
            self._skip_lf = False
        self._pending += data
        if (not self._mark_checked and not self._drop_byte_order_mark()) or not (b"\n" in data or b"\r" in data):
            return []
        return [event for line in self._take_lines() for event in self._read_line(line)]

    def deliver_unterminated_event(self) -> list[SseEvent]:
        """The event that the end of the stream left undelivered, if any."""
        self._mark_checked = True
        rest = bytes(self._pending)
        self._pending.clear()
        found = self._read_line(rest) if rest else []
        return found + self._end_event()

    def _drop_byte_order_mark(self) -> bool:
        """Drop a byte order mark; False while it may still be arriving."""
        if len(self._pending) < len(_BOM) and _BOM.startswith(self._pending):
            return False
        if self._pending.startswith(_BOM):
            del self._pending[: len(_BOM)]
        self._mark_checked = True
        return True

    def _take_lines(self) -> list[bytes]:
        """Complete lines; a CR at the very end counts at once and swallows a LF that may follow later."""
        buffer = bytes(self._pending)
        self._skip_lf = buffer.endswith(b"\r")
        lines = buffer.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._pending = bytearray(lines.pop())
        return lines

    def _read_line(self, line: bytes) -> list[SseEvent]:
        if not line:
            return self._end_event()
        name, _, value = line.decode("utf-8", errors="replace").partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        return []

    def _end_event(self) -> list[SseEvent]:
        """End the event; one without any data line is none, by the standard."""
        event = SseEvent("\n".join(self._data), self._event, self._id) if self._data else None
        self._data, self._event = [], ""
        return [event] if event else []


def dump_json_escaping_surrogates(document: object, indent: int | None, after_key: str) -> str:
    """Return readable text; escaped throughout if a lone surrogate, which has no UTF-8, stands in it."""
    separators = (",", after_key)
    readable = json.dumps(document, ensure_ascii=False, indent=indent, separators=separators)
    if any("\ud800" <= letter <= "\udfff" for letter in readable):
        return json.dumps(document, indent=indent, separators=separators)
    return readable


def frame_event(dialect: Dialect, document: object) -> bytes:
    """Return one event as the provider of this dialect writes it."""
    framing = RECORDS[dialect].framing
    data = dump_json_escaping_surrogates(document, None, framing.after_key)
    for character in framing.escaped:
        data = data.replace(character, f"\\u{ord(character):04x}")
    lines = [f"data: {data}", "", ""]
    if framing.event_member:
        lines.insert(0, f"event: {text(obj(document).get(framing.event_member))}")
    return framing.line_end.join(lines).encode()


def terminator(dialect: Dialect) -> bytes:
    """Return what ends a whole stream after its events; b"" where the last event or the end of the body does."""
    framing = RECORDS[dialect].framing
    return f"data: {framing.done_marker}{framing.line_end * 2}".encode() if framing.done_marker else b""
