"""Findings: verdicts with the same cause, grouped so that one defect is one finding.

What another failure of the same case explains is no finding of its own (``find_causes``): one defect trips several
checks. Usage that got lost fails ``response.usage``, the scenario's own expectation of it, and the law that folding a
stream changes nothing. Only the first is the cause; ``blocked_by`` of the checks leads to it. What is left is grouped
by what is wrong (``fingerprint``), over scenarios, modes, layers and those directions that can share a cause: they
have the client's dialect or the provider's in common, so one half of a converter serves them all.
"""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from glob import escape
from pathlib import PurePath
from typing import Final

from bridgecheck.checks import CHECKS
from bridgecheck.checks.bases import REQUEST, RESPONSE
from bridgecheck.checks.expect_wire import EXPECT_WIRE
from bridgecheck.model.evidence import TRACEBACK, exception_line
from bridgecheck.model.verdict import STATUSES, CaseKey, CaseResult, Difference, ExcuseKind, Status, Verdict
from bridgecheck.report.fingerprint import (
    defect_shape_without_direction,
    describe_finish_or_error_change,
    fingerprint,
    lost_added_or_differs,
    repeats_difference,
)
from bridgecheck.report.table import control_or_direction_name
from bridgecheck.wire import CLIENT_DIALECTS, DIALECTS, MODES, Mode

EXPLAINING_STATUSES: Final[frozenset[Status]] = frozenset({"FAIL", "WARN"})
"""What can explain something. An ERROR says nothing of the adapter."""

_BLOCKED_BY: Final = {check.id: check.blocked_by for check in CHECKS}


def find_causes(case: CaseResult, verdict: Verdict) -> tuple[Verdict, ...]:
    """Return the verdicts of the case that explain this one and are explained by none themselves; () if it stands
    alone.

    What is only a warning explains no failure.
    """
    if verdict.status not in EXPLAINING_STATUSES:
        return ()
    as_bad = STATUSES[: STATUSES.index(verdict.status) + 1]
    blockers = explaining_checks(verdict.check)
    causes = EXPLAINING_STATUSES.intersection(as_bad)
    side = _other_side_of_literal(verdict)
    found = [item for item in case.verdicts if item.check in blockers - side and item.status in causes]
    return tuple(item for item in found if not any(later.check in explaining_checks(item.check) for later in found))


def _other_side_of_literal(verdict: Verdict) -> frozenset[str]:
    """Return the checks that say nothing of a failed literal expectation: those of responses where it is about a
    request, and those of requests where it is about a response. Its rule names its document."""
    if verdict.check != EXPECT_WIRE.id or not verdict.rules:
        return frozenset()
    request, response = (frozenset(side).union(*map(explaining_checks, side)) for side in (REQUEST, RESPONSE))
    return response - request if verdict.rules[0].startswith("upstream_request") else request - response


@cache
def explaining_checks(check: str) -> frozenset[str]:
    """Return the ids of all checks whose failure explains this one's, directly or by another; none for a check not
    known."""
    direct = _BLOCKED_BY.get(check, ())
    return frozenset(direct).union(*map(explaining_checks, direct))


REPORTED_STATUSES: Final[frozenset[Status]] = frozenset({"FAIL", "WARN", "ERROR"})
"""The statuses that make a finding."""

_ENDS: Final = tuple((side, dialect) for side in (0, 1) for dialect in CLIENT_DIALECTS)
"""The ends directions may share: the client's dialect (0), then the provider's (1)."""


@dataclass(frozen=True, slots=True)
class CellCount:
    """How many cases of a finding stand in one column of the table (``G>O``, ``control``) in one mode."""

    column: str
    mode: Mode
    cases: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. The message, the differences and the rest are those of ``example``, the simplest of
    ``cases`` (addresses, in order). ``command`` repeats just that one.

    ``fingerprints``: one a direction, in the order of the dialects; ``first_fingerprint`` names the finding.
    ``cells``: where it shows. ``explained_checks``: checks whose failures it explains, with the number of cases.
    """

    fingerprints: tuple[str, ...]
    status: Status
    check: str
    message: str
    differences: tuple[Difference, ...]
    cases: tuple[str, ...]
    example: str
    command: tuple[str, ...]
    cells: tuple[CellCount, ...] = ()
    explained_checks: tuple[tuple[str, int], ...] = ()
    title: str = ""
    where: str = ""
    crash: str = ""

    @property
    def first_fingerprint(self) -> str:
        return self.fingerprints[0]

    @property
    def one_line_summary(self) -> str:
        """The first line of the message, or what a traceback says was raised; where the message only repeats the first
        difference, its place and what became of it."""
        if self.differences and repeats_difference(self.message, self.differences[0]):
            first, change = self.differences[0], describe_finish_or_error_change(self.differences[0])
            return f"{first.path} {lost_added_or_differs(first)}{f': {change}' if change else ''}"
        return exception_line(self.message) if TRACEBACK in self.message else self.message.partition("\n")[0]

    @property
    def crash_or_message_rest(self) -> tuple[str, ...]:
        """The lines to show where there are no differences: of the crash, else what follows the headline."""
        text = self.crash or self.message.partition("\n")[2]
        return tuple(text.removesuffix("\n").split("\n")) if text else ()

    @property
    def command_line(self) -> str:
        return shlex.join(self.command)


@dataclass(frozen=True, slots=True)
class _UnexplainedVerdict:
    """A failure that nothing explains, and the checks of the failures that it explains."""

    case: CaseResult
    verdict: Verdict
    explained_checks: tuple[str, ...] = ()


def group_findings(
    cases: Sequence[CaseResult], target: str = "", excuse: ExcuseKind | None = None
) -> tuple[Finding, ...]:
    """Group failures into findings, the worst status first, then what hits most cases. ``target``: the adapter, as the
    commands must name it. ``excuse``: the kind that the failures have; None for those that have none."""
    alike: dict[tuple[str, ...], list[_UnexplainedVerdict]] = {}
    for hit in (hit for case in cases for hit in _find_unexplained(case, excuse)):
        alike.setdefault((hit.case.key.path, *defect_shape_without_direction(hit.case, hit.verdict)), []).append(hit)
    findings = [_make_finding(hits, target) for same in alike.values() for hits in _split_by_shared_dialect(same)]
    findings.sort(key=lambda item: (STATUSES.index(item.status), -len(item.cases), item.first_fingerprint))
    return tuple(findings)


def _find_unexplained(case: CaseResult, excuse: ExcuseKind | None) -> Iterator[_UnexplainedVerdict]:
    reported = [
        item
        for item in case.verdicts
        if item.status in REPORTED_STATUSES and (item.excuse and item.excuse.kind) == excuse
    ]
    explained = {verdict: find_causes(case, verdict) for verdict in reported}
    for verdict in reported:
        if not explained[verdict]:
            follow = [later.check for later in reported if verdict in explained[later][:1]]
            yield _UnexplainedVerdict(case, verdict, tuple(dict.fromkeys(follow)))


def _split_by_shared_dialect(hits: Sequence[_UnexplainedVerdict]) -> Iterator[list[_UnexplainedVerdict]]:
    """Split into as few groups as possible whose directions share a dialect. Errors of the harness have none."""
    rest = list(hits)
    while rest and rest[0].verdict.status != "ERROR":
        directions = {(hit.case.key.client, hit.case.key.upstream) for hit in rest}
        side, dialect = max(_ENDS, key=lambda end: sum(pair[end[0]] == end[1] for pair in directions))
        shared = [(hit.case.key.client, hit.case.key.upstream)[side] == dialect for hit in rest]
        yield [hit for hit, is_shared in zip(rest, shared, strict=True) if is_shared]
        rest = [hit for hit, is_shared in zip(rest, shared, strict=True) if not is_shared]
    if rest:
        yield rest


def repeat_command(case: CaseResult, target: str = "") -> tuple[str, ...]:
    """Return the arguments of the command that runs this one case again."""
    adapter = ("--adapter", target) if target else ()
    # all relations where one of them failed, so that the one that was drawn runs again
    related = any(item.check.startswith("relation.") for item in case.verdicts if item.status in REPORTED_STATUSES)
    return ("bridgecheck", "run", *adapter, *_case_options(case), *(("--relations", "all") if related else ()))


def _case_options(case: CaseResult) -> tuple[str, ...]:
    if case.source != "traffic":
        return "--scenario", str(case.key)
    file, _, line = case.where.rpartition(":")
    path = file if line.isdigit() else case.where
    if case.status == "ERROR" and case.key.scenario == PurePath(case.where).name:
        return "--traffic", path  # it could not be read, so it has no id
    return "--traffic", f"{path}::{escape(case.key.scenario)}", "--path", case.key.path, "--mode", case.key.mode


def _make_finding(hits: Sequence[_UnexplainedVerdict], target: str) -> Finding:
    by_mode = sorted(hits, key=lambda hit: MODES.index(hit.case.key.mode))
    by_upstream = sorted(by_mode, key=lambda hit: DIALECTS.index(hit.case.key.upstream))
    ordered = sorted(by_upstream, key=lambda hit: CLIENT_DIALECTS.index(hit.case.key.client))
    example = min(hits, key=_simplicity_key)
    case, verdict = example.case, example.verdict
    return Finding(
        fingerprints=tuple(dict.fromkeys(fingerprint(hit.case, hit.verdict) for hit in ordered)),
        status=min((hit.verdict.status for hit in hits), key=STATUSES.index),
        check=verdict.check,
        message=verdict.message,
        differences=verdict.differences,
        cases=tuple(dict.fromkeys(str(hit.case.key) for hit in hits)),
        example=str(case.key),
        command=repeat_command(case, target),
        cells=_count_cells([hit.case.key for hit in ordered]),
        explained_checks=tuple(Counter(check for hit in hits for check in hit.explained_checks).most_common()),
        title=case.title,
        where=case.where,
        crash=case.crash,
    )


def _count_cells(keys: Sequence[CaseKey]) -> tuple[CellCount, ...]:
    counts = Counter((control_or_direction_name(key), key.mode) for key in dict.fromkeys(keys))
    return tuple(CellCount(name, mode, count) for (name, mode), count in counts.items())


def _simplicity_key(hit: _UnexplainedVerdict) -> tuple[int, bool, bool, int, str]:
    """Return a sort key that puts the simplest case first: the worst status, without HTTP, unary, the shortest
    difference."""
    size = sum(len(row.path) + len(row.expected) + len(row.actual) for row in hit.verdict.differences)
    key = hit.case.key
    return STATUSES.index(hit.verdict.status), key.layer != "wire", key.mode != "unary", size, str(key)
