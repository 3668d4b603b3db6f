"""Two reports, an old and a new one: what regressed, what is fixed, what is new and what is gone.

Cases are compared by address, and in a case check by check: a fingerprint may change with the words of a message, a
case does not. Findings are made of the checks that changed.

    state      in the old report             in the new report
    regressed  judged, did not fail          fails
    fixed      fails                         judged, does not fail
    new        not judged, or not there      fails
    gone       fails                         not judged, or not there
    same       fails                         fails
    untold     fails in one of them, and the other cannot tell

What is not there tells something only where both ran the same: reports of other adapters, requirement sets or
selections are compared over what both judged, and what a run that was cut off did not reach is neither new nor gone.
An excuse (accepted, or newer than the set) changes no state; what the new report excuses does not gate.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import Final, Literal, TypeAlias, get_args

from bridgecheck.errors import BadReport
from bridgecheck.model.verdict import STATUSES, CaseResult, Status, Verdict
from bridgecheck.report import apart
from bridgecheck.report.deviations import RELATION
from bridgecheck.report.findings import Finding, group
from bridgecheck.report.model import FAILED, JUDGED, OK, Report
from bridgecheck.report.read import Read

State: TypeAlias = Literal["regressed", "fixed", "new", "gone", "same", "untold"]
STATES: Final[tuple[State, ...]] = get_args(State)

Place: TypeAlias = tuple[str, str]
"""A case over runs: its address and, of recorded traffic, the name of its file with the line."""

Told: TypeAlias = Literal["passed", "nothing", "bad", "?"]
"""What a report tells of a check that fails in the other: it passed, it was not judged, it is bad too, not known."""

_BAD: Final[dict[Status | None, int]] = {"WARN": 1, "FAIL": 2}


@dataclass(frozen=True, slots=True)
class Change:
    """One check on one case that fails in one of the reports at least. ``case``: of the report in which it does, the
    new one if both. ``old``, ``new``: the worst status in each, None where it has no verdict. ``gates``: it makes the
    comparison fail."""

    state: State
    case: CaseResult
    check: str
    old: Status | None
    new: Status | None
    gates: bool = False


@dataclass(frozen=True)
class Comparison:
    """``judged``: cases that both reports judged. ``others``: why only those are compared, in words. ``alone``: cases
    that only the old, only the new report judged."""

    old: Read
    new: Read
    judged: int
    others: tuple[str, ...]
    changes: tuple[Change, ...]
    alone: tuple[int, int]

    @property
    def exit_code(self) -> int:
        """1 for a regression that nothing excuses, else 0."""
        return FAILED if any(change.gates for change in self.changes) else OK

    @cached_property
    def findings(self) -> dict[State, tuple[Finding, ...]]:
        """What the changes of each state come to: one defect is one finding, the worst first. The commands run the
        adapter of the new report."""
        target = self.new.report.info.target
        return {state: group(_only(self.of(state)), target) for state in STATES}

    def changes_of(self, state: State, finding: Finding) -> list[Change]:
        """Those that the finding is made of."""
        held = frozenset(finding.cases)
        return [one for one in self.of(state) if one.check == finding.check and str(one.case.key) in held]

    def of(self, state: State) -> list[Change]:
        return [change for change in self.changes if change.state == state]


def compare(old: Read, new: Read) -> Comparison:
    """Raises BadReport where there is no case that both judged."""
    others = tuple(apart.others(old.report, new.report))
    one_judge = apart.judge(old.report.info) == apart.judge(new.report.info)
    before, after = (_Side.of(one.report, not others, one_judge) for one in (old, new))
    both = before.judged & after.judged
    if not both:
        what = f"not one case was judged both there and in {old.path}"
        raise BadReport(what, str(new.path), "two reports of the same cases")
    changes = [*_failing_now(before, after, new.report.info.strict), *_failing_before(before, after)]
    return Comparison(
        old, new, len(both), others, tuple(changes), (len(before.judged - both), len(after.judged - both))
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """A report as failures of the other are looked up in it. ``whole``: a case that is not there was not to be had.
    ``checks``: those it knew, None for all."""

    cases: dict[Place, CaseResult]
    judged: frozenset[Place]
    whole: bool
    checks: frozenset[str] | None

    @classmethod
    def of(cls, report: Report, same_run: bool, one_judge: bool) -> "_Side":
        cases = {_place(case): case for case in report.cases}
        judged = frozenset(place for place, case in cases.items() if case.status in JUDGED)
        return cls(cases, judged, same_run and not report.info.partial, None if one_judge else frozenset(report.checks))

    def tells(self, place: Place, check: str, limit: int) -> Told:
        """What became of a check that fails elsewhere; up to ``limit`` (``_BAD``) it has passed. Where there is no
        verdict of the check the whole case tells: one that did not fail had nothing to say of it."""
        there, said = self.cases.get(place), self.says(place, check)
        if said in JUDGED:
            return "passed" if _BAD.get(said, 0) <= limit else "bad"
        if there is None or there.status == "NOT_APPLICABLE":
            return "nothing" if self.whole else "?"
        if there.status not in JUDGED:
            return "?"
        if _bad(there):
            return "bad"
        if check.startswith(RELATION):
            return "?"
        unknown = self.checks is not None and check not in self.checks
        return ("nothing" if self.whole else "?") if unknown else "passed"

    def says(self, place: Place, check: str) -> Status | None:
        """The worst status that it gives a check in a case; None where there is no verdict."""
        there = self.cases.get(place)
        found = {verdict.status for verdict in there.verdicts if verdict.check == check} if there else set()
        return next((status for status in STATUSES if status in found), None)


def _failing_now(before: _Side, after: _Side, strict: bool) -> Iterator[Change]:
    states: dict[Told, State] = {"passed": "regressed", "nothing": "new", "bad": "same", "?": "untold"}
    for place, case in after.cases.items():
        for check, verdicts in _bad(case).items():
            now = after.says(place, check)
            state = states[before.tells(place, check, _BAD[now] - 1)]
            open_ones = [one for one in verdicts if one.excuse is None and (one.status == "FAIL" or strict)]
            gates = state == "regressed" and bool(open_ones)
            yield Change(state, case, check, before.says(place, check), now, gates)


def _failing_before(before: _Side, after: _Side) -> Iterator[Change]:
    """What fails in both is left to ``_failing_now``."""
    states: dict[Told, State] = {"passed": "fixed", "nothing": "gone", "?": "untold"}
    for place, case in before.cases.items():
        for check in _bad(case):
            told = after.tells(place, check, 0)
            if told in states:
                yield Change(states[told], case, check, before.says(place, check), after.says(place, check))


def _place(case: CaseResult) -> Place:
    return str(case.key), PurePath(case.where).name if case.source == "traffic" else ""


def _bad(case: CaseResult) -> dict[str, list[Verdict]]:
    """check -> its verdicts that are a failure or a warning, excused or not."""
    found: dict[str, list[Verdict]] = {}
    for verdict in case.verdicts:
        if verdict.status in _BAD:
            found.setdefault(verdict.check, []).append(verdict)
    return found


def _only(changes: Iterable[Change]) -> list[CaseResult]:
    """The cases with the verdicts that changed and no others; without excuses, which make no other finding of one."""
    checks: dict[Place, set[str]] = {}
    cases: dict[Place, CaseResult] = {}
    for change in changes:
        cases[_place(change.case)] = change.case
        checks.setdefault(_place(change.case), set()).add(change.check)
    return [_narrowed(case, checks[place]) for place, case in cases.items()]


def _narrowed(case: CaseResult, checks: Collection[str]) -> CaseResult:
    kept = [one for check, verdicts in _bad(case).items() if check in checks for one in verdicts]
    return replace(case, verdicts=tuple(replace(one, excuse=None) for one in kept))
