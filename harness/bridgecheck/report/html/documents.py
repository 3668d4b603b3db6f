"""The documents of a case as lines, with the lines marked that a difference is about.

They are JSON with one value a line, as ``run`` keeps them (``CaseResult.views``), so a line's place follows from how
far it is indented; a document that was cut short is read like any other.

A difference of the wire names a path in a document; one of the normal form names none, for the same value stands
elsewhere in each dialect. There the values are searched: the expected one in the document it comes from, the actual
one in the document it ended in. A value that stands on many lines, or is as common as ``0``, marks nothing.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Final, TypeAlias

from bridgecheck.checks import CHECKS
from bridgecheck.model.verdict import CaseResult, Difference, Verdict
from bridgecheck.report.side_by_side import clip, split_at_line_feeds

View: TypeAlias = str
"""client_request, upstream_request, upstream_response or client_response."""

REQUEST_VIEWS: Final = ("client_request", "upstream_request")
RESPONSE_VIEWS: Final = ("upstream_response", "client_response")
VIEWS: Final[tuple[View, ...]] = (*REQUEST_VIEWS, *RESPONSE_VIEWS)

MIN_VALUE_LENGTH: Final = 2
"""Characters of a text, digits of a number that are looked for."""

_REQUEST_CHECKS: Final = frozenset({"expect.prompt", *(check.id for check in CHECKS if check.side == "request")})
_PATH_PREFIX_VIEW: Final[dict[str, View]] = {
    "client_response": "client_response", "client_events": "client_response", "upstream_request": "upstream_request",
}  # fmt: skip
_PREFIXED_PATH: Final = re.compile(r"(client_response|client_events|upstream_request)\[\d*\] ?(.*)")
_EVENT_PATH: Final = re.compile(r"events(\[\d+\])")
_NATIVE_VALUE: Final = re.compile(r"\w+ \((?:provider: )?(?P<word>\w+)\)")
_OPERAND: Final = re.compile(r"(?:\w+ )+(?P<json>[\[{\"\d-].*)")
_DOCUMENT_CHECKS: Final[dict[str, View]] = {
    "request.acceptable": "upstream_request", "upstream.wire_shape": "upstream_request",
    "client.wire_shape": "client_response",
}  # fmt: skip
"""Checks whose differences name places in a document."""


@dataclass(frozen=True, slots=True)
class MarkedPath:
    """``value``: the JSON text that has to stand there, "" for any."""

    path: re.Pattern[str]
    value: str = ""


@dataclass(slots=True)
class ViewMarks:
    """What marks a line of one document: its value as JSON text, or its place."""

    values: set[str] = field(default_factory=set)
    places: list[MarkedPath] = field(default_factory=list)


def collect_marks(verdicts: Iterable[Verdict]) -> dict[View, ViewMarks]:
    """Collect what these verdicts' differences mark in every view."""
    found = {view: ViewMarks() for view in VIEWS}
    for verdict in verdicts:
        for difference in verdict.differences:
            source, target = _compared_views(verdict.check, difference)
            found[source].values |= set(_distinctive_values(difference.expected))
            found[target].values |= set(_distinctive_values(difference.actual))
            for view, path in _find_named_document_path(verdict.check, difference):
                found[view].places.append(path)
    return found


def _compared_views(check: str, difference: Difference) -> tuple[View, View]:
    """Return the document the expectation comes from, and the one that was judged."""
    labelled = _PREFIXED_PATH.match(difference.path)
    if labelled:
        return REQUEST_VIEWS if labelled[1] == "upstream_request" else RESPONSE_VIEWS
    return REQUEST_VIEWS if check in _REQUEST_CHECKS else RESPONSE_VIEWS


def _find_named_document_path(check: str, difference: Difference) -> Iterator[tuple[View, MarkedPath]]:
    """Yield the path in a document that a difference names; none for one of the normal form."""
    labelled, event = _PREFIXED_PATH.fullmatch(difference.path), _EVENT_PATH.match(difference.path)
    if labelled:
        yield _PATH_PREFIX_VIEW[labelled[1]], MarkedPath(_end_pattern(labelled[2]), _scalar_to_json(difference.actual))
    elif check in _DOCUMENT_CHECKS:
        yield _DOCUMENT_CHECKS[check], MarkedPath(_end_pattern(difference.path))
    elif event:
        yield "client_response", MarkedPath(re.compile(re.escape(event[1])))


def _scalar_to_json(difference_side: str) -> str:
    """Return the JSON text of one side as a document has it; "" where it is no single value."""
    try:
        value = json.loads(difference_side)
    except ValueError:
        return ""
    return "" if isinstance(value, (list, dict)) else json.dumps(value, ensure_ascii=False)


def _end_pattern(path: str) -> re.Pattern[str]:
    """Return a pattern for the end of a line's path; ``[]`` is any index, ``*`` any key."""
    steps = re.escape(path.removeprefix("[].")).replace(r"\[\]", r"\[\d+\]").replace(r"\*", r"[^.\[]+")
    return re.compile(rf"(?:.*[.\]])?{steps}")


def _distinctive_values(text: str) -> Iterator[str]:
    """Yield the JSON texts of what one side of a difference names, those worth looking for."""
    native, operand = _NATIVE_VALUE.fullmatch(text), _OPERAND.fullmatch(text)
    if native:
        yield json.dumps(native["word"])
        return
    try:
        value = json.loads(operand["json"] if operand else text)
    except ValueError:
        return
    for leaf in _leaf_values(value):
        if isinstance(leaf, (str, int, float)) and not isinstance(leaf, bool) and len(str(leaf)) >= MIN_VALUE_LENGTH:
            yield json.dumps(leaf, ensure_ascii=False)


def _leaf_values(value: object) -> Iterator[object]:
    if isinstance(value, (list, dict)):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _leaf_values(member)
    else:
        yield value


MAX_SAME_VALUES: Final = 8
"""A value on more lines than this tells nothing."""
MAX_DOCUMENT_LINE: Final = 2_000
"""Characters of one line."""
VIEW_LABEL: Final[dict[View, str]] = {
    "client_request": "client to adapter", "upstream_request": "adapter to provider",
    "upstream_response": "provider to adapter", "client_response": "adapter to client",
}  # fmt: skip

_JSON_LINE: Final = re.compile(r'(?P<indent> *)(?:"(?P<key>(?:[^"\\]|\\.)*)": )?(?P<value>.*?),?')


@dataclass(frozen=True, slots=True)
class EquallyMarkedLines:
    """Neighbouring lines of a document, all of them marked or none; ``marked``: a difference is about them."""

    lines: tuple[str, ...]
    marked: bool


@dataclass(frozen=True, slots=True)
class DocumentView:
    """``label``: who sent it to whom. ``dialect``: of that end. ``marks``: how many lines are marked."""

    label: str
    dialect: str
    pieces: tuple[EquallyMarkedLines, ...]
    marks: int


@dataclass(frozen=True, slots=True)
class _DocumentLine:
    text: str
    path: str
    value: str


def make_document_views(case: CaseResult, verdicts: Sequence[Verdict]) -> tuple[DocumentView, ...]:
    """Make the views of what was kept of a case, in order; () if nothing was. ``verdicts``: whose differences mark."""
    marks = collect_marks(verdicts)
    return tuple(_make_document_view(case, view, marks[view]) for view in VIEWS if view in case.views)


def _make_document_view(case: CaseResult, view: View, marks: ViewMarks) -> DocumentView:
    found = list(_parse_lines(case.views[view]))
    alike = Counter(line.value for line in found)
    marked = [_is_line_marked(line, marks, alike) for line in found]
    dialect = case.key.client if view.startswith("client") else case.key.upstream
    return DocumentView(VIEW_LABEL[view], dialect, tuple(_group_equally_marked_lines(found, marked)), sum(marked))


def _parse_lines(text: str) -> Iterator[_DocumentLine]:
    """Yield each line with its path, such as ``[3].choices[0].delta``; one that closes something has none."""
    steps: list[str] = []
    counts: list[int] = []
    for line in split_at_line_feeds(text):
        match = _JSON_LINE.fullmatch(line)
        if match is None or match["value"].startswith(("]", "}")):
            yield _DocumentLine(line, "", "")
            continue
        depth = len(match["indent"])
        counts = [*counts[: depth + 1], *[-1] * (depth + 1 - len(counts))]
        counts[depth] += 1
        if depth:
            step = f"[{counts[depth]}]" if match["key"] is None else f".{match['key']}"
            steps = [*steps[: depth - 1], *[""] * (depth - 1 - len(steps)), step]
        yield _DocumentLine(line, "".join(steps).removeprefix("."), match["value"])


def _is_line_marked(line: _DocumentLine, marks: ViewMarks, alike: Counter[str]) -> bool:
    if line.value in marks.values and alike[line.value] <= MAX_SAME_VALUES:
        return True
    return any(path.value in ("", line.value) and path.path.fullmatch(line.path) for path in marks.places)


def _group_equally_marked_lines(found: Sequence[_DocumentLine], marked: Sequence[bool]) -> Iterator[EquallyMarkedLines]:
    for mark, group in groupby(zip(found, marked, strict=True), key=itemgetter(1)):
        yield EquallyMarkedLines(tuple(clip(line.text, MAX_DOCUMENT_LINE) for line, _ in group), mark)
