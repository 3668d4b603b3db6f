"""One failed case: each thing that failed with both sides, what was said on the wire, rules, losses, the control."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from bridgecheck.compare.diff import common_prefix_length
from bridgecheck.model.verdict import AppliedLoss, CaseResult, Difference, Verdict
from bridgecheck.report.findings import REPORTED_STATUSES, Finding, repeat_command
from bridgecheck.report.html.documents import DocumentView, make_document_views
from bridgecheck.report.side_by_side import DiffMark, clip, diff_rows
from bridgecheck.wire import Dialect, Mode

MAX_ROWS: Final = 40
"""Lines of one difference."""
UNLIMITED_WIDTH: Final = 1_000_000
"""The page wraps by itself."""
MAX_LINE: Final = 1_500
"""Characters of one half of a line."""
MIN_COMMON_PART: Final = 0.4
"""The part of two lines that has to be common before it is told apart from the rest."""
MARK_SIGNS: Final[dict[DiffMark, tuple[str, str]]] = {
    "!": ("≠", "differs"), "<": ("−", "only expected"), ">": ("+", "only actual"), "=": ("", "equal"),
    "…": ("⋯", "omitted"),
}  # fmt: skip
"""What stands in front of a line, and what it is called."""


@dataclass(frozen=True, slots=True)
class LineSide:
    """One side of a line: what is before the part that differs, that part, and what follows."""

    before: str
    differs: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class DiffLine:
    sign: str
    meaning: str
    expected: LineSide
    actual: LineSide


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """One difference of a verdict."""

    path: str
    note: str
    lines: tuple[DiffLine, ...]


def make_difference_view(difference: Difference) -> DifferenceView:
    found = diff_rows(clip_value(difference.expected), clip_value(difference.actual), UNLIMITED_WIDTH, MAX_ROWS)
    lines = tuple(DiffLine(*MARK_SIGNS[row.mark], *_both_line_sides(row.mark, row.left, row.right)) for row in found)
    return DifferenceView(clip(difference.path, MAX_LINE), clip(difference.note, MAX_LINE), lines)


def clip_value(text: str) -> str:
    """Return a value of bounded length that says how long it was."""
    limit = MAX_LINE * MAX_ROWS
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _both_line_sides(mark: DiffMark, left: str, right: str) -> Iterator[LineSide]:
    if mark == "!":
        yield from _mark_differing_part(left, right)
        return
    for text, only in ((left, "<"), (right, ">")):
        yield LineSide("", clip(text, MAX_LINE)) if mark == only else LineSide(clip(text, MAX_LINE))


def _mark_differing_part(left: str, right: str) -> tuple[LineSide, LineSide]:
    """Mark what differs between a common start and end, in whole words; all where they have little in common."""
    start = common_prefix_length(left, right)
    end = common_prefix_length(left[start:][::-1], right[start:][::-1])
    if start + end < max(len(left), len(right)) * MIN_COMMON_PART:
        return _split_side(left, 0, 0), _split_side(right, 0, 0)
    while start and (left[start - 1] + left[start : start + 1]).isalnum():
        start -= 1
    while end and (left[-end] + left[-end - 1 : -end]).isalnum():
        end -= 1
    return _split_side(left, start, end), _split_side(right, start, end)


def _split_side(text: str, start: int, end: int) -> LineSide:
    stop = len(text) - end
    before = text[:start] if start <= MAX_LINE else f"…{text[start - MAX_LINE : start]}"
    return LineSide(before, clip(text[start:stop], MAX_LINE), clip(text[stop:], MAX_LINE))


MAX_CRASH: Final = 6_000
MAX_EXAMPLE_CHARACTERS: Final = 2_000_000
"""Characters of documents on one page of the simplest case of each finding, as text."""
MAX_FURTHER_CHARACTERS: Final = 4_000_000
"""Characters of documents on one page of all further cases, before they are packed."""

Differences: TypeAlias = tuple[Difference, ...]

ControlCases: TypeAlias = Mapping[tuple[str, Dialect, Mode], tuple[CaseResult, ...]]
"""(scenario, upstream, mode) -> the native cases of the same run: the identity adapter and the provider's own SDK."""


@dataclass(frozen=True, slots=True)
class CasePanel:
    """One case. ``verdicts``: those that are no pass. ``documents``: () where ``no_documents_reason`` says why.
    ``control``: the cases of the control beside this one."""

    case: CaseResult
    verdicts: tuple[Verdict, ...]
    documents: tuple[DocumentView, ...]
    no_documents_reason: str
    control: tuple[CaseResult, ...]
    command: str

    @property
    def end_of_crash(self) -> str:
        text = self.case.crash
        return text if len(text) <= MAX_CRASH else f"({len(text) - MAX_CRASH} characters omitted)\n{text[-MAX_CRASH:]}"

    @property
    def rule_use_counts(self) -> list[tuple[str, int]]:
        """The rules that were used, with how often."""
        return sorted(Counter(rule for verdict in self.case.verdicts for rule in verdict.rules).items())

    @property
    def losses(self) -> list[AppliedLoss]:
        return list(dict.fromkeys(loss for verdict in self.case.verdicts for loss in verdict.losses))


def index_control_cases_by_upstream(cases: Iterable[CaseResult]) -> ControlCases:
    found: dict[tuple[str, Dialect, Mode], tuple[CaseResult, ...]] = {}
    for case in cases:
        if case.key.path == "native":
            found[_upstream_control_key(case)] = (*found.get(_upstream_control_key(case), ()), case)
    return found


def addresses_example_first(finding: Finding) -> list[str]:
    """Return the addresses of a finding's cases in the order in which the page shows them."""
    return list(dict.fromkeys((finding.example, *finding.cases)))


def select_documented_cases(
    findings: Iterable[Finding],
    cases: Mapping[str, CaseResult],
    example_room: int = MAX_EXAMPLE_CHARACTERS,
    further_room: int = MAX_FURTHER_CHARACTERS,
    max_panels: int | None = None,
) -> frozenset[str]:
    """Return the addresses of cases whose documents fit on the page, each counted as often as it is shown there.
    ``max_panels``: cases of one finding that are shown, None for all."""
    every = list(findings)
    times = Counter(address for finding in every for address in addresses_example_first(finding)[:max_panels])
    examples = dict.fromkeys(finding.example for finding in every)
    further = [address for address in times if address not in examples]
    found: set[str] = set()
    for addresses, space in ((examples, example_room), (further, further_room)):
        room = space
        for address in addresses:
            size = times[address] * sum(map(len, cases[address].views.values()))
            if size <= room:
                found.add(address)
                room -= size
    return frozenset(found)


def make_case_panel(
    case: CaseResult,
    check: str,
    control: ControlCases,
    fits: bool,
    options: Sequence[str],
    already_shown: Differences = (),
) -> CasePanel:
    """``check``: of the finding; its verdicts come first and mark the documents. ``fits``: they are to be shown.
    ``already_shown``: the differences that the finding shows itself."""
    reported = [verdict for verdict in case.verdicts if verdict.status in REPORTED_STATUSES]
    own = [verdict for verdict in reported if verdict.check == check]
    ordered = [*own, *(verdict for verdict in reported if verdict.check != check)]
    shown = [item for item in ordered if not already_shown or (item.check, item.differences) != (check, already_shown)]
    too_large = "" if fits else "The documents would make this page too large; they are in report.json."
    return CasePanel(
        case=case, verdicts=tuple(shown),
        documents=make_document_views(case, own or reported) if fits else (),
        no_documents_reason=too_large if case.views else "No documents were kept.",
        control=() if case.key.path == "native" else control.get(_upstream_control_key(case), ()),
        command=shlex.join(repeat_command(case, options)),
    )  # fmt: skip


def _upstream_control_key(case: CaseResult) -> tuple[str, Dialect, Mode]:
    return case.key.scenario, case.key.upstream, case.key.mode
