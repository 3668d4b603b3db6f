"""The documents of a case as lines, those marked that a difference is about.

They are JSON with one value a line, as ``run`` keeps them (``CaseResult.views``), so a line's place follows from how
far it is indented; a document that was cut short is read like any other.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bridgecheck.model.verdict import CaseResult, Verdict
from bridgecheck.report.html.marks import VIEWS, View, Wanted, wanted
from bridgecheck.report.sidebyside import clipped, lines

MOST_ALIKE: Final = 8
"""A value on more lines than this tells nothing."""
LONGEST: Final = 2_000
"""Characters of one line."""
LABEL: Final[dict[View, str]] = {
    "client_request": "client to adapter",
    "upstream_request": "adapter to provider",
    "upstream_response": "provider to adapter",
    "client_response": "adapter to client",
}

_LINE: Final = re.compile(r'(?P<indent> *)(?:"(?P<key>(?:[^"\\]|\\.)*)": )?(?P<value>.*?),?')


@dataclass(frozen=True, slots=True)
class Piece:
    """Neighbouring lines of a document; ``marked``: a difference is about them."""

    lines: tuple[str, ...]
    marked: bool


@dataclass(frozen=True, slots=True)
class Document:
    """``label``: who sent it to whom. ``dialect``: of that end. ``marks``: how many lines are marked."""

    label: str
    dialect: str
    pieces: tuple[Piece, ...]
    marks: int


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    place: str
    value: str


def documents(case: CaseResult, verdicts: Sequence[Verdict]) -> tuple[Document, ...]:
    """What was kept of the case, in the order it was said; () if nothing was. ``verdicts``: whose differences mark."""
    marks = wanted(verdicts)
    return tuple(_document(case, view, marks[view]) for view in VIEWS if view in case.views)


def _document(case: CaseResult, view: View, marks: Wanted) -> Document:
    found = list(_read(case.views[view]))
    alike = Counter(line.value for line in found)
    marked = [_is_marked(line, marks, alike) for line in found]
    dialect = case.key.client if view.startswith("client") else case.key.upstream
    return Document(LABEL[view], dialect, tuple(_pieces(found, marked)), sum(marked))


def _read(text: str) -> Iterator[_Line]:
    """Each line with its place, such as ``[3].choices[0].delta``; one that closes something has none."""
    steps: list[str] = []
    counts: list[int] = []
    for line in lines(text):
        match = _LINE.fullmatch(line)
        if match is None or match["value"].startswith(("]", "}")):
            yield _Line(line, "", "")
            continue
        depth = len(match["indent"])
        counts = [*counts[: depth + 1], *[-1] * (depth + 1 - len(counts))]
        counts[depth] += 1
        if depth:
            step = f"[{counts[depth]}]" if match["key"] is None else f".{match['key']}"
            steps = [*steps[: depth - 1], *[""] * (depth - 1 - len(steps)), step]
        yield _Line(line, "".join(steps).removeprefix("."), match["value"])


def _is_marked(line: _Line, marks: Wanted, alike: Counter[str]) -> bool:
    if line.value in marks.values and alike[line.value] <= MOST_ALIKE:
        return True
    return any(place.value in ("", line.value) and place.path.fullmatch(line.place) for place in marks.places)


def _pieces(found: Sequence[_Line], marked: Sequence[bool]) -> Iterator[Piece]:
    held: list[str] = []
    for number, (line, mark) in enumerate(zip(found, marked, strict=True)):
        if held and mark != marked[number - 1]:
            yield Piece(tuple(held), marked[number - 1])
            held = []
        held.append(clipped(line.text, LONGEST))
    if held:
        yield Piece(tuple(held), marked[-1])
