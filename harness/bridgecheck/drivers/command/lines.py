"""Bytes into lines, whatever pieces they come in, and never more of them than a limit."""

from typing import Final

LINE: Final = 16 * 1024 * 1024
"""Bytes of one line. The longest document of the corpus has a hundredth of it."""


class TooLong(Exception):
    """More bytes than a line may have, and no line end among them."""


class Lines:
    """``feed(data)`` gives the lines that are complete now, without their ends. Raises TooLong."""

    def __init__(self, limit: int = LINE) -> None:
        self._limit = limit
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        self._rest += data
        if b"\n" not in data:
            self._check(self._rest)
            return []
        *lines, rest = bytes(self._rest).split(b"\n")
        for line in (*lines, rest):
            self._check(line)
        self._rest = bytearray(rest)
        return lines

    def _check(self, line: bytes | bytearray) -> None:
        if len(line) > self._limit:
            raise TooLong(f"a line of more than {self._limit} bytes")
