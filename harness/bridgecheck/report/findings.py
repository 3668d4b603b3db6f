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
from bridgecheck.checks.laws import REQUEST_ROUNDTRIP
from bridgecheck.model.evidence import TRACEBACK, exception_line
from bridgecheck.model.verdict import STATUSES, CaseKey, CaseResult, Difference, ExcuseKind, Status, Verdict
from bridgecheck.report.fingerprint import (
    LAWS_AND_RELATIONS,
    defect_shape_without_direction,
    fingerprint,
    path_shape,
    repeats_a_difference,
    response_concept,
    split_by_kind,
)
from bridgecheck.report.headline import describe_change
from bridgecheck.report.table import control_or_direction_name
from bridgecheck.wire import CLIENT_DIALECTS, DIALECTS, MODES, Mode

EXPLAINING_STATUSES: Final[frozenset[Status]] = frozenset({"FAIL", "WARN"})
"""What can explain something. An ERROR says nothing of the adapter."""

_BLOCKED_BY: Final = {check.id: check.blocked_by for check in CHECKS}
_REQUIREMENTS: Final = {check.id: check.requirement for check in CHECKS}
_SIDES: Final = {check.id: check.side for check in CHECKS}

STAND_ALONE: Final = frozenset({"adapter.completes", "request.settings"})
"""Checks whose findings are consequences of no other: each crash and each lost setting is mended by itself."""

FEWEST_SHARED: Final = 2
"""Cases in which two kinds of failure have to stand together before one is taken for a consequence of the other."""

CALLS_AND_CONTENT: Final = (
    "harness.", "adapter.", "relay.expected_calls", "relay.next_turn", "relay.one_call", "response.error",
    "response.choices", "response.text", "response.tool_calls", "response.media", "response.refusal",
    "request.system", "request.turns", "request.tools", "request.tool_choice", "request.acceptable", "stream.",
)  # fmt: skip
"""What the checks begin with whose failures lose a call or content: their findings come first."""

METADATA: Final = frozenset({
    "response.usage", "response.identity", "response.other", "request.other", "request.added", "request.features",
    "request.deterministic", "request.prefix_stable", "stream.incremental",
})  # fmt: skip
"""Checks of what neither the model nor the user reads: their findings come last."""


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
        """What is wrong in words, and what was expected: the scenario's title or the requirement of the check. A
        message of its own stays, by its first line; of a traceback what it says was raised."""
        message = exception_line(self.message) if TRACEBACK in self.message else self.message.partition("\n")[0]
        if not self.differences:
            return message
        change = describe_change(self.differences[0])
        if self.check.startswith("law."):
            return f"{message}: {change}"
        if not repeats_a_difference(Verdict(self.check, self.status, self.message, self.differences)):
            return message
        expected = self.title if self.check.startswith("expect.") else _REQUIREMENTS.get(self.check, "")
        return f"{change}. {expected}" if expected else change

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
    groups = [hits for same in alike.values() for hits in _split_by_shared_dialect(same)]
    findings = [_make_finding(hits, follow, target) for hits, follow in _join_with_consequences(groups)]
    return tuple(sorted(findings, key=_severity_key))


def _severity_key(finding: Finding) -> tuple[int, int, int, str]:
    """Return a sort key: the worst status first, calls and content before metadata, then what hits most cases."""
    return STATUSES.index(finding.status), _weight(finding.check), -len(finding.cases), finding.first_fingerprint


def _weight(check: str) -> int:
    return 2 if check in METADATA else 0 if check.startswith(CALLS_AND_CONTENT) else 1


def _join_with_consequences(
    groups: Sequence[list[_UnexplainedVerdict]],
) -> list[tuple[list[_UnexplainedVerdict], list[_UnexplainedVerdict]]]:
    """Return each group with the failures that show only where it does: what one fault does to one end of the same
    cases is one finding, named by what weighs most. Each setting stays a finding of its own."""
    ordered = sorted(groups, key=_cause_key)
    joined: list[tuple[list[_UnexplainedVerdict], list[_UnexplainedVerdict]]] = []
    for hits in ordered:
        cause = next((follow for first, follow in joined if _is_consequence(hits, first)), None)
        if cause is None:
            joined.append((hits, []))
        else:
            cause += hits
    return joined


def _cause_key(hits: Sequence[_UnexplainedVerdict]) -> tuple[int, bool, int, int]:
    """Return a sort key that puts what may be a cause before what may follow from it."""
    check = hits[0].verdict.check
    worst = min(STATUSES.index(hit.verdict.status) for hit in hits)
    return worst, check.startswith(LAWS_AND_RELATIONS), _weight(check), -len(hits)


def _is_consequence(hits: Sequence[_UnexplainedVerdict], cause: Sequence[_UnexplainedVerdict]) -> bool:
    check, cause_check = hits[0].verdict.check, cause[0].verdict.check
    if check in STAND_ALONE or hits[0].verdict.status == "ERROR" or _end(hits[0]) != _end(cause[0]):
        return False
    if check.startswith(LAWS_AND_RELATIONS) and _is_same_in_another_form(hits, cause):
        return True
    within, around = ({(str(hit.case.key), hit.case.where) for hit in each} for each in (hits, cause))
    if not within <= around:
        return False
    if check.startswith("expect.") and cause_check.startswith("expect."):
        return True
    often = check == cause_check == "response.usage" or 2 * len(within) >= len(around)
    return often and len(within) >= FEWEST_SHARED


def _is_same_in_another_form(hits: Sequence[_UnexplainedVerdict], cause: Sequence[_UnexplainedVerdict]) -> bool:
    """Return whether a law or a relation shows, in a direction of the cause, what the cause shows of answers in their
    own form."""
    if not cause[0].verdict.check.startswith("response.") or not hits[0].verdict.differences:
        return False
    shared = {_direction(hit) for hit in hits} & {_direction(hit) for hit in cause}
    return bool(shared) and {_first_concept(hit) for hit in hits} <= {_first_concept(hit) for hit in cause}


def _direction(hit: _UnexplainedVerdict) -> tuple[str, str]:
    return hit.case.key.client, hit.case.key.upstream


def _first_concept(hit: _UnexplainedVerdict) -> str:
    rows = hit.verdict.differences
    return response_concept(path_shape(rows[0].path)) if rows else ""


def _end(hit: _UnexplainedVerdict) -> str:
    """Return the end of the adapter at which a failure shows: request or response; else the check."""
    verdict = hit.verdict
    side = _SIDES.get(verdict.check, "")
    if side == "expectation":
        at_request = any(row.path.startswith("upstream") for row in verdict.differences)
        return "request" if at_request or verdict.check == "expect.prompt" else "response"
    if side in ("case", ""):
        return verdict.check
    return "request" if side == "request" or verdict.check == REQUEST_ROUNDTRIP else "response"


def _find_unexplained(case: CaseResult, excuse: ExcuseKind | None) -> Iterator[_UnexplainedVerdict]:
    reported = [
        part
        for item in case.verdicts
        if item.status in REPORTED_STATUSES and (item.excuse and item.excuse.kind) == excuse
        for part in split_by_kind(case, item)
    ]
    explained = {verdict: find_causes(case, verdict) for verdict in reported}
    for verdict in reported:
        if not explained[verdict]:
            follow = [later.check for later in reported if verdict in explained[later][:1]]
            yield _UnexplainedVerdict(case, verdict, tuple(dict.fromkeys(follow)))


def _split_by_shared_dialect(hits: Sequence[_UnexplainedVerdict]) -> Iterator[list[_UnexplainedVerdict]]:
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


def _ends(hit: _UnexplainedVerdict) -> set[str]:
    return {f"from {hit.case.key.client}", f"to {hit.case.key.upstream}"}


def repeat_command(case: CaseResult, target: str = "") -> tuple[str, ...]:
    """Return the arguments of the command that runs this one case again."""
    adapter = ("--adapter", target) if target else ()
    # all relations where one of them failed, so that the one that was drawn runs again; a scenario's case is judged by
    # laws only beside relations
    varied = ("relation.",) if case.source == "traffic" else ("relation.", "law.")
    related = any(item.check.startswith(varied) for item in case.verdicts if item.status in REPORTED_STATUSES)
    return ("bridgecheck", "run", *adapter, *_case_options(case), *(("--relations", "all") if related else ()))


def _case_options(case: CaseResult) -> tuple[str, ...]:
    if case.source != "traffic":
        return "--scenario", str(case.key)
    file, _, line = case.where.rpartition(":")
    path = file if line.isdigit() else case.where
    if case.status == "ERROR" and case.key.scenario == PurePath(case.where).name:
        return "--traffic", path  # it could not be read, so it has no id
    return "--traffic", f"{path}::{escape(case.key.scenario)}", "--path", case.key.path, "--mode", case.key.mode


def _make_finding(
    hits: Sequence[_UnexplainedVerdict], consequences: Sequence[_UnexplainedVerdict], target: str
) -> Finding:
    ordered = sorted(hits, key=_direction_key)
    fingerprinted = (*ordered, *sorted(consequences, key=_direction_key))
    explained = [check for hit in (*hits, *consequences) for check in hit.explained_checks]
    example = min(hits, key=_simplicity_key)
    case, verdict = example.case, example.verdict
    return Finding(
        fingerprints=tuple(dict.fromkeys(fingerprint(hit.case, hit.verdict) for hit in fingerprinted)),
        status=min((hit.verdict.status for hit in hits), key=STATUSES.index),
        check=verdict.check,
        message=verdict.message,
        differences=verdict.differences,
        cases=tuple(dict.fromkeys(str(hit.case.key) for hit in hits)),
        example=str(case.key),
        command=repeat_command(case, target),
        cells=_count_cells([hit.case.key for hit in ordered]),
        explained_checks=tuple(Counter([*(hit.verdict.check for hit in consequences), *explained]).most_common()),
        title=case.title,
        where=case.where,
        crash=case.crash,
    )


def _direction_key(hit: _UnexplainedVerdict) -> tuple[int, int, int]:
    key = hit.case.key
    return CLIENT_DIALECTS.index(key.client), DIALECTS.index(key.upstream), MODES.index(key.mode)


def _count_cells(keys: Sequence[CaseKey]) -> tuple[CellCount, ...]:
    counts = Counter((control_or_direction_name(key), key.mode) for key in dict.fromkeys(keys))
    return tuple(CellCount(name, mode, count) for (name, mode), count in counts.items())


def _simplicity_key(hit: _UnexplainedVerdict) -> tuple[int, bool, bool, int, str]:
    """Return a sort key that puts the simplest case first: the worst status, without HTTP, unary, the shortest
    difference."""
    size = sum(len(row.path) + len(row.expected) + len(row.actual) for row in hit.verdict.differences)
    key = hit.case.key
    return STATUSES.index(hit.verdict.status), key.layer != "wire", key.mode != "unary", size, str(key)
