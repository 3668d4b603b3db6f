"""Bytes of JSON lines in, objects out; no IO.

A line ends with LF alone (U+2028 and U+0085 are legal inside JSON strings) and is trimmed, so CRLF is fine. What is no
JSON object is a foreign line: programs print warnings among their events.
"""

import json
from typing import Final, NoReturn

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""gemini-cli repeats the prompt as one line; 8 MiB of control characters are 48 MiB of JSON."""


class JsonLines:
    """``feed(data)`` and ``close()`` return the objects completed by then, in order, and never raise.

    ``foreign_lines`` counts lines that are neither blank nor a JSON object, ``oversized_lines`` those of more than
    ``limit`` bytes, which are not kept. A last line may lack its line break.
    """

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self.foreign_lines = 0
        self.oversized_lines = 0
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[dict[str, object]]:
        *complete, rest = data.split(b"\n")
        found = []
        for piece in complete:
            self._add(piece)
            found += self._end_line()
        self._add(rest)
        return found

    def close(self) -> list[dict[str, object]]:
        return self._end_line()

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            self._pieces.clear()
        elif piece:
            self._pieces.append(piece)

    def _end_line(self) -> list[dict[str, object]]:
        line, size = b"".join(self._pieces).strip(), self._size
        self._pieces, self._size = [], 0
        if size > self._limit:
            self.oversized_lines += 1
            return []
        if not line:
            return []
        document = _parse(line)
        if document is None:
            self.foreign_lines += 1
            return []
        return [document]


def _parse(line: bytes) -> dict[str, object] | None:
    try:
        document = json.loads(line.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
