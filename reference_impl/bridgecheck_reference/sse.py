"""Bytes of a Gemini stream in, JSON documents out; no IO.

Lines end with CR, LF or CRLF and nothing else: U+2028 and U+0085 are legal inside JSON strings, so a text line iterator
would cut documents in two. Source: WHATWG HTML, server-sent events, 9.2.5 and 9.2.6.

A body that is no event stream (a JSON array from a server that ignores ``alt=sse``, an error document) is kept until it
ends and then yields the array's items or the document. Nothing that follows a ``[DONE]`` is read.
"""

import json
from typing import Final

_FIELDS: Final = (b"event:", b"id:", b"retry:", b":")


class StreamDocuments:
    """``feed(data)`` and ``close()`` return the documents completed by then, in order.

    An event without its closing blank line is delivered by ``close``. ``ValueError`` on an event that is not JSON, and
    where more than ``limit`` bytes (None: any number) belong to one document: raised by ``raise_deferred_error`` and by
    the next call if there are good documents before it, which are returned first. ``has_done_marker``: a ``[DONE]`` was
    read.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.has_done_marker = False
        self._limit = limit
        self._line_size = 0
        self._pending_size = 0
        self._failure: ValueError | None = None
        self._rest: list[bytes] = []
        self._data: list[bytes] = []
        self._raw: list[bytes] = []
        self._started = False

    def raise_deferred_error(self) -> None:
        """Raise what is wrong with the bytes behind the documents returned last, if anything is."""
        if self._failure is not None:
            raise self._failure

    def feed(self, data: bytes) -> list[object]:
        self.raise_deferred_error()
        self._rest.append(data)
        self._line_size += len(data)
        # Pieces of a long line (an image) are joined once, when it ends. A CR before this piece may have ended one.
        if b"\n" not in data and b"\r" not in data and not self._previous_piece_ends_with_cr():
            self._check_limit()
            return []
        text = b"".join(self._rest)
        # A CR at the end may be half of a CRLF.
        held = b"\r" if text.endswith(b"\r") else b""
        lines = text.removesuffix(held).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = [lines.pop() + held]
        self._line_size = len(self._rest[0])
        return self._read_lines(lines)

    def close(self) -> list[object]:
        self.raise_deferred_error()
        rest, self._rest = b"".join(self._rest).removesuffix(b"\r"), []
        found = self._read_line(rest) if rest else []
        found += self._dispatch()
        raw, self._raw = b"\n".join(self._raw).strip(), []
        if raw:
            document = json.loads(raw)
            found += document if isinstance(document, list) else [document]
        return found

    def _read_lines(self, lines: list[bytes]) -> list[object]:
        found: list[object] = []
        try:
            for line in lines:
                found += self._read_line(line)
            self._check_limit()
        except ValueError as error:
            if not found:
                raise
            self._failure = error
        return found

    def _check_limit(self) -> None:
        if self._limit is not None and self._line_size + self._pending_size > self._limit:
            raise ValueError(f"one document has more than {self._limit} bytes")

    def _previous_piece_ends_with_cr(self) -> bool:
        return len(self._rest) > 1 and self._rest[-2].endswith(b"\r")

    def _read_line(self, line: bytes) -> list[object]:
        if not self._started:
            line, self._started = line.removeprefix(b"\xef\xbb\xbf"), True
        if not line:
            return self._dispatch()
        if self.has_done_marker or line.startswith(_FIELDS):
            return []
        self._pending_size += len(line)
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        else:
            self._raw.append(line)
        return []

    def _dispatch(self) -> list[object]:
        data, self._data = b"\n".join(self._data), []
        if not self._raw:
            self._pending_size = 0
        if not data:
            return []
        if data.strip() == b"[DONE]":
            self.has_done_marker = True
            return []
        document: object = json.loads(data)
        return [document]
