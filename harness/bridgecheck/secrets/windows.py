"""A long body in windows that overlap, so that a search of it holds a few copies of a window and not of the body."""

from collections.abc import Iterator
from typing import Final, NamedTuple

BLOCK: Final = 1024 * 1024
"""Bytes of a window's own part; a shorter body is one window."""
_MARGIN: Final = 128 * 1024
"""Bytes that a window shows before and behind its own part: a text that is split over the events of a stream takes more
room there than by itself."""


class Window(NamedTuple):
    """A window shows ``data[before:behind]``; its own part is ``data[start:end]``, and own parts follow one another
    without a gap. Each begins behind a line feed, so a line is never cut, however long it is."""

    before: int
    start: int
    end: int
    behind: int


def windows(data: bytes, block: int = BLOCK, margin: int = _MARGIN) -> Iterator[Window]:
    """Yield the windows of a body, in order; of an empty one none."""
    start = 0
    while start < len(data):
        end = _line_start(data, start + block)
        before = data.rfind(b"\n", 0, max(start - margin, 0)) + 1
        yield Window(before, start, end, _line_start(data, end + margin))
        start = end


def _line_start(data: bytes, position: int) -> int:
    """Return the first position from this one on that a line begins at, or the end."""
    if position >= len(data):
        return len(data)
    found = data.find(b"\n", position - 1)
    return len(data) if found < 0 else found + 1
