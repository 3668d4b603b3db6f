"""Expected beside got, line by line, with the part of a line that differs told apart."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bridgecheck.model.verdict import Difference
from bridgecheck.report.sidebyside import Mark, clipped, rows

ROWS: Final = 40
"""Lines of one difference."""
WIDE: Final = 1_000_000
"""The page wraps by itself."""
LONGEST: Final = 1_500
"""Characters of one half of a line."""
ALIKE: Final = 0.4
"""The part of two lines that has to be common before it is told apart from the rest."""
SIGNS: Final[dict[Mark, tuple[str, str]]] = {
    "!": ("≠", "differs"),
    "<": ("−", "only expected"),
    ">": ("+", "only got"),
    "=": ("", "equal"),
    "…": ("⋯", "left out"),
}
"""What stands in front of a line, and what it is called."""


@dataclass(frozen=True, slots=True)
class Half:
    """One side of a line: what is before the part that differs, that part, and what follows."""

    before: str
    differs: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    sign: str
    said: str
    expected: Half
    got: Half


@dataclass(frozen=True, slots=True)
class Shown:
    """One difference of a verdict."""

    path: str
    note: str
    lines: tuple[Line, ...]


def show(difference: Difference) -> Shown:
    found = rows(clipped_value(difference.expected), clipped_value(difference.actual), WIDE, ROWS)
    lines = tuple(Line(*SIGNS[row.mark], *_halves(row.mark, row.left, row.right)) for row in found)
    return Shown(clipped(difference.path, LONGEST), clipped(difference.note, LONGEST), lines)


def clipped_value(text: str) -> str:
    """A value of bounded length that says how long it was."""
    limit = LONGEST * ROWS
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _halves(mark: Mark, left: str, right: str) -> Iterator[Half]:
    if mark == "!":
        yield from _apart(left, right)
        return
    yield Half("", clipped(left, LONGEST)) if mark == "<" else Half(clipped(left, LONGEST))
    yield Half("", clipped(right, LONGEST)) if mark == ">" else Half(clipped(right, LONGEST))


def _apart(left: str, right: str) -> tuple[Half, Half]:
    """Without what both begin and end with, in whole words; where they have little in common, all of both."""
    start = _common(left, right)
    end = _common(left[start:][::-1], right[start:][::-1])
    if start + end < max(len(left), len(right)) * ALIKE:
        return _half(left, 0, 0), _half(right, 0, 0)
    while start and (left[start - 1] + left[start : start + 1]).isalnum():
        start -= 1
    while end and (left[-end] + left[-end - 1 : -end]).isalnum():
        end -= 1
    return _half(left, start, end), _half(right, start, end)


def _half(text: str, start: int, end: int) -> Half:
    stop = len(text) - end
    return Half(_tail(text[:start]), clipped(text[start:stop], LONGEST), clipped(text[stop:], LONGEST))


def _tail(text: str) -> str:
    return text if len(text) <= LONGEST else f"…{text[-LONGEST:]}"


def _common(left: str, right: str) -> int:
    """How many characters both begin with."""
    return next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
