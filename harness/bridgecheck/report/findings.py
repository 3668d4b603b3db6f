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
from dataclasses import dataclass, replace
from functools import cache
from glob import escape
from pathlib import PurePath
from typing import Final

from bridgecheck.checks import CHECKS
from bridgecheck.checks.bases import REQUEST, RESPONSE
from bridgecheck.checks.expect_wire import EXPECT_WIRE
from bridgecheck.checks.settings import SETTINGS
from bridgecheck.model.evidence import TRACEBACK, exception_line
from bridgecheck.model.verdict import STATUSES, CaseKey, CaseResult, Difference, ExcuseKind, Status, Verdict
from bridgecheck.report.explanation import explains
from bridgecheck.report.fingerprint import (
    LAWS_AND_RELATIONS,
    defect_shape_without_direction,
    fingerprint,
    repeats_a_difference,
    split_by_kind,
)
from bridgecheck.report.headline import (
    MOST_CHANGES,
    describe_broken_expectation,
    describe_change,
    describe_changes,
    describe_consequences,
)
from bridgecheck.report.same_cause import METADATA, Direction, Group, UnexplainedVerdict, join_by_cause, weight
from bridgecheck.report.table import control_or_direction_name
from bridgecheck.wire import CLIENT_DIALECTS, DIALECTS, MODES, Mode

EXPLAINING_STATUSES: Final[frozenset[Status]] = frozenset({"FAIL", "WARN"})
"""What can explain something. An ERROR says nothing of the adapter."""

_BLOCKED_BY: Final = {check.id: check.blocked_by for check in CHECKS}
_REQUIREMENTS: Final = {check.id: check.requirement for check in CHECKS}


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
    found = [
        item
        for item in case.verdicts
        if item.check in blockers - side and item.status in causes and explains(item, verdict)
    ]
    nearest = [item for item in found if not any(later.check in explaining_checks(item.check) for later in found)]
    # What explains this one's cause may not explain this one: the chain is followed to its end.
    return tuple(dict.fromkeys(cause for item in nearest for cause in find_causes(case, item) or (item,)))


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


@dataclass(frozen=True, slots=True)
class CellCount:
    """How many cases of a finding stand in one column of the table (``G>O``, ``control``) in one mode."""

    column: str
    mode: Mode
    cases: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. The message, the differences and the rest are those of ``example``, the clearest of
    ``cases`` (addresses, in order). ``command`` repeats just that one.

    ``fingerprints``: one a direction, in the order of the dialects; ``first_fingerprint`` names the finding.
    ``changes``: what the example shows, in words. ``elsewhere``: what other cases show more. ``cells``: where it shows.
    ``explained_checks``: checks whose failures it explains, with the number of cases.
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
    changes: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def first_fingerprint(self) -> str:
        return self.fingerprints[0]

    @property
    def one_line_summary(self) -> str:
        """What is wrong in words, and what was expected: the scenario's title or the requirement of the check. A
        message of its own stays, by its first line; of a traceback what it says was raised."""
        message = exception_line(self.message) if TRACEBACK in self.message else self.message.partition("\n")[0]
        if not self.differences:
            return message
        if self.check.startswith(LAWS_AND_RELATIONS):
            return f"{message}: {describe_change(self.differences[0])}"
        if not repeats_a_difference(Verdict(self.check, self.status, self.message, self.differences)):
            return message
        if self.check.startswith("expect.") and self.title:
            return describe_broken_expectation(self.differences[0], self.title)
        expected = _REQUIREMENTS.get(self.check, "")
        changes = "; ".join(self.changes[:MOST_CHANGES])
        more = len(self.changes) - MOST_CHANGES
        return f"{changes}{f'; {more} more' if more > 0 else ''}{f'. {expected}' if expected else ''}"

    @property
    def crash_or_message_rest(self) -> tuple[str, ...]:
        """The lines to show where there are no differences: of the crash, else what follows the headline."""
        text = self.crash or self.message.partition("\n")[2]
        return tuple(text.removesuffix("\n").split("\n")) if text else ()

    @property
    def command_line(self) -> str:
        return shlex.join(self.command)


def group_findings(
    cases: Sequence[CaseResult], options: Sequence[str] = (), excuse: ExcuseKind | None = None
) -> tuple[Finding, ...]:
    """Group failures into findings, the worst status first, then what hits most cases. ``options``: of ``run``, which
    the commands must repeat. ``excuse``: the kind that the failures have; None for those that have none."""
    alike: dict[tuple[str, ...], list[UnexplainedVerdict]] = {}
    for hit in (hit for case in cases for hit in _find_unexplained(case, excuse)):
        alike.setdefault((hit.case.key.path, *defect_shape_without_direction(hit.case, hit.verdict)), []).append(hit)
    kinds = [hits for same in alike.values() for hits in _split_by_shared_dialect(same)]
    findings = [_make_finding(group, options) for group in join_by_cause(kinds, _directions_that_keep_settings(cases))]
    return tuple(sorted(findings, key=_severity_key))


def _directions_that_keep_settings(cases: Sequence[CaseResult]) -> frozenset[Direction]:
    """Return the directions in which settings arrive in more than one of ten cases."""
    passed, failed = Counter[Direction](), Counter[Direction]()
    for case in cases:
        for verdict in case.verdicts:
            if verdict.check == SETTINGS.id and not verdict.losses:
                (passed if verdict.status == "PASS" else failed)[case.key.client, case.key.upstream] += 1
    return frozenset(direction for direction, count in passed.items() if 9 * count > failed[direction])


def _severity_key(finding: Finding) -> tuple[int, int, int, str]:
    """Return a sort key: the worst status first, calls and content before metadata, then what hits most cases."""
    return STATUSES.index(finding.status), weight(finding.check), -len(finding.cases), finding.first_fingerprint


def _find_unexplained(case: CaseResult, excuse: ExcuseKind | None) -> Iterator[UnexplainedVerdict]:
    reported = [
        part
        for item in case.verdicts
        if item.status in REPORTED_STATUSES and (item.excuse and item.excuse.kind) == excuse
        for part in split_by_kind(case, item)
    ]
    explained = {
        verdict: [cause for cause in find_causes(case, verdict) if (cause.excuse and cause.excuse.kind) == excuse]
        for verdict in reported
    }
    for verdict in reported:
        if not explained[verdict]:
            follow = [later.check for later in reported if verdict in explained[later][:1]]
            yield UnexplainedVerdict(case, verdict, tuple(dict.fromkeys(follow)))


def _split_by_shared_dialect(hits: Sequence[UnexplainedVerdict]) -> Iterator[list[UnexplainedVerdict]]:
    """Split into groups whose directions are joined by a dialect at the same end, one after the other. Errors of the
    harness have no direction."""
    rest = list(hits)
    while rest and rest[0].verdict.status != "ERROR":
        ends: set[str] = set()
        joined = _ends(rest[0])
        while joined - ends:
            ends |= joined
            joined = {end for hit in rest if (found := _ends(hit)) & ends for end in found}
        yield [hit for hit in rest if _ends(hit) & ends]
        rest = [hit for hit in rest if not _ends(hit) & ends]
    if rest:
        yield rest


def _ends(hit: UnexplainedVerdict) -> set[str]:
    return {f"from {hit.case.key.client}", f"to {hit.case.key.upstream}"}


def options_of_target(target: str, folders: Sequence[tuple[str, str]] = ()) -> tuple[str, ...]:
    """Return the options of ``run`` that name an adapter, none for "", the default one, and ``folders``: pairs of
    --corpus and --recordings."""
    adapter = ("--adapter", target) if target else ()
    return (*adapter, *(part for pair in folders for part in pair))


def repeat_command(case: CaseResult, options: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the arguments of the command that runs this one case again. ``options``: of ``run``, such as --adapter."""
    # all relations where one of them failed, so that the one that was drawn runs again; a scenario's case is judged by
    # laws only beside relations
    varied = ("relation.",) if case.source == "traffic" else ("relation.", "law.")
    related = any(item.check.startswith(varied) for item in case.verdicts if item.status in REPORTED_STATUSES)
    return ("bridgecheck", "run", *options, *_case_options(case), *(("--relations", "all") if related else ()))


def _case_options(case: CaseResult) -> tuple[str, ...]:
    if case.source != "traffic":
        return "--scenario", str(case.key)
    file, _, line = case.where.rpartition(":")
    path = file if line.isdigit() else case.where
    if case.status == "ERROR" and case.key.scenario == PurePath(case.where).name:
        return "--traffic", path  # it could not be read, so it has no id
    return "--traffic", f"{path}::{escape(case.key.scenario)}::{case.key.route_mode_layer}"


def _make_finding(group: Group, options: Sequence[str]) -> Finding:
    hits, consequences = group.hits, group.consequences
    ordered = sorted(hits, key=_direction_key)
    fingerprinted = (*ordered, *sorted(consequences, key=_direction_key))
    explained = [check for hit in (*hits, *consequences) for check in hit.explained_checks]
    usual = Counter(map(_shape_and_size, hits))
    example = min(
        hits, key=lambda hit: (STATUSES.index(hit.verdict.status), -usual[_shape_and_size(hit)], *_clarity_key(hit))
    )
    case, verdict = example.case, example.verdict
    fingerprints = tuple(dict.fromkeys(fingerprint(hit.case, hit.verdict) for hit in fingerprinted))
    verdict = _merge_parts(case, verdict, fingerprints)
    return Finding(
        fingerprints=fingerprints,
        status=min((hit.verdict.status for hit in hits), key=STATUSES.index),
        check=verdict.check,
        message=verdict.message,
        differences=verdict.differences,
        cases=tuple(dict.fromkeys(str(hit.case.key) for hit in hits)),
        example=str(case.key),
        command=repeat_command(case, options),
        cells=_count_cells([hit.case.key for hit in ordered]),
        explained_checks=tuple(Counter([*(hit.verdict.check for hit in consequences), *explained]).most_common()),
        title=case.title,
        where=case.where,
        crash=case.crash,
        changes=_describe_case(case, verdict),
        elsewhere=_describe_elsewhere(group, verdict),
    )


def summarise_case(finding: Finding, case: CaseResult) -> str:
    """Return the headline of a finding for another of its cases: what that one shows."""
    parts = [
        part
        for item in case.verdicts
        if item.status in REPORTED_STATUSES
        for part in split_by_kind(case, item)
        if fingerprint(case, part) in finding.fingerprints
    ]
    if not parts:
        return finding.one_line_summary
    part = min(parts, key=lambda part: part.check != finding.check)
    verdict = _merge_parts(case, part, finding.fingerprints)
    return replace(
        finding,
        check=verdict.check,
        message=verdict.message,
        differences=verdict.differences,
        title=case.title,
        changes=_describe_case(case, verdict),
    ).one_line_summary


def _merge_parts(case: CaseResult, part: Verdict, fingerprints: Sequence[str]) -> Verdict:
    """Return the part of a verdict with the differences of all its parts that are of the same finding."""
    if not repeats_a_difference(part):
        return part
    parts = [
        piece
        for item in case.verdicts
        if (item.check, item.status, item.turn, item.excuse) == (part.check, part.status, part.turn, part.excuse)
        for piece in split_by_kind(case, item)
        if fingerprint(case, piece) in fingerprints
    ]
    rows = dict.fromkeys((*part.differences, *(row for piece in parts for row in piece.differences)))
    return replace(part, differences=tuple(rows))


def _describe_case(case: CaseResult, verdict: Verdict) -> tuple[str, ...]:
    later = [
        item
        for item in case.verdicts
        if verdict.check in explaining_checks(item.check)
        and item.turn == verdict.turn
        and item.status in EXPLAINING_STATUSES
    ]
    rest = [row for item in later for row in item.differences]
    return (*describe_consequences(verdict.check, rest), *describe_changes(case, verdict))


def _describe_elsewhere(group: Group, verdict: Verdict) -> tuple[str, ...]:
    """Return what the other kinds of a family become, in words."""
    shown = {describe_change(row) for row in verdict.differences}
    kinds = {hit.shape: hit.verdict.differences[0] for hit in group.hits if hit.verdict.differences}
    changes = dict.fromkeys(describe_change(row) for row in kinds.values()) if len(kinds) > 1 else {}
    return tuple(change for change in changes if change not in shown)


def _direction_key(hit: UnexplainedVerdict) -> tuple[int, int, int]:
    key = hit.case.key
    return CLIENT_DIALECTS.index(key.client), DIALECTS.index(key.upstream), MODES.index(key.mode)


def _count_cells(keys: Sequence[CaseKey]) -> tuple[CellCount, ...]:
    counts = Counter((control_or_direction_name(key), key.mode) for key in dict.fromkeys(keys))
    return tuple(CellCount(name, mode, count) for (name, mode), count in counts.items())


def _shape_and_size(hit: UnexplainedVerdict) -> tuple[tuple[str, ...], int]:
    """Return the kind of a failure; of counts also how many are wrong: one alone says little where usually all are."""
    return hit.shape, len(hit.verdict.differences) if hit.verdict.check in METADATA else 0


_EMPTY_VALUES: Final = frozenset({"0", "false", '""', "[]", "{}", "null"})


def _clarity_key(hit: UnexplainedVerdict) -> tuple[bool, int, bool, bool, int, int, str]:
    """Return a sort key that puts the clearest case first: without HTTP, the fewest differences, no value that is empty
    or 0, unary, the fewest other failures, the shortest difference."""
    rows = hit.verdict.differences
    size = sum(len(row.path) + len(row.expected) + len(row.actual) for row in rows)
    key = hit.case.key
    is_rare = any(row.expected in _EMPTY_VALUES for row in rows)
    failures = sum(item.status in REPORTED_STATUSES for item in hit.case.verdicts)
    return key.layer != "wire", max(len(rows), 1), is_rare, key.mode != "unary", failures, size, str(key)
