"""Comparing an old and a new report: what regressed, what is fixed, what is new and what is gone.

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

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import Final, Literal, TypeAlias, cast, get_args

from bridgecheck.errors import BadReport
from bridgecheck.model.case_json import all_named_fields_to_json
from bridgecheck.model.counts import plural
from bridgecheck.model.verdict import STATUSES, CaseResult, Status, Verdict
from bridgecheck.report.findings import Finding, group_findings
from bridgecheck.report.fingerprint import RELATIONS
from bridgecheck.report.jsonfile import finding_to_dict
from bridgecheck.report.model import FAILED, JUDGED_STATUSES, OK, Report, RunInfo
from bridgecheck.report.read import StoredReport
from bridgecheck.report.schema import COUNT, FLAG, TEXT, closed_object, list_of, report_schema, text_properties
from bridgecheck.wire import JsonObject

NON_SELECTING_OPTIONS: Final = frozenset({"--relations", "--seed"})
"""Options that choose no cases."""

_EVERYTHING: Final = "everything"


def describe_other_adapter_set_or_selection(old: Report, new: Report) -> Iterator[str]:
    pairs = (
        ("adapters", old.info.adapter, new.info.adapter),
        ("requirement sets", old.info.requirements, new.info.requirements),
        ("selections", _case_selection(old.info), _case_selection(new.info)),
    )
    for what, old_value, new_value in pairs:
        if old_value != new_value:
            yield f"of other {what}: {old_value or _EVERYTHING}, {new_value or _EVERYTHING}"


def describe_partial(report: Report) -> str:
    """Return how many of the planned cases the report holds; "" for a complete one."""
    if not report.info.partial:
        return ""
    finished, planned = len(report.cases), report.info.planned
    return f"{finished} of {plural(planned, 'case')}" if finished < planned else f"{plural(finished, 'case')} of more"


def bridgecheck_version(info: RunInfo) -> str:
    """Return the version of bridgecheck that made the report, "" if it is not recorded."""
    return dict(info.versions).get("bridgecheck", "")


def _case_selection(info: RunInfo) -> str:
    """Return the options that selected cases, sorted."""
    selecting = [(option, value) for option, value in info.selection if option not in NON_SELECTING_OPTIONS]
    return " ".join(sorted(f"{option} {value}" for option, value in selecting))


State: TypeAlias = Literal["regressed", "fixed", "new", "gone", "same", "untold"]
STATES: Final[tuple[State, ...]] = get_args(State)

CaseIdentity: TypeAlias = tuple[str, str]
"""A case over runs: its address and, of recorded traffic, the name of its file with the line."""

CheckOutcome: TypeAlias = Literal["passed", "nothing", "bad", "?"]
"""What a report tells of a check that fails in the other: it passed, it was not judged, it is bad too, not known."""

_SEVERITY: Final[dict[Status | None, int]] = {"WARN": 1, "FAIL": 2}


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
    """Two reports compared. ``judged``: how many cases both judged. ``mismatches``: sentences on why only
    those are compared. ``judged_in_one``: how many cases only the old, only the new report judged."""

    old: StoredReport
    new: StoredReport
    judged: int
    mismatches: tuple[str, ...]
    changes: tuple[Change, ...]
    judged_in_one: tuple[int, int]

    @property
    def regression_exit_code(self) -> int:
        """1 for a regression that nothing excuses, else 0."""
        return FAILED if any(change.gates for change in self.changes) else OK

    @cached_property
    def findings(self) -> dict[State, tuple[Finding, ...]]:
        """Findings made of the changes of each state, worst first. The commands run the adapter of the new report."""
        options = self.new.report.info.options_to_repeat
        return {state: group_findings(_narrow_cases(self.changes_in(state)), options) for state in STATES}

    def changes_of_finding(self, state: State, finding: Finding) -> list[Change]:
        held = frozenset(finding.cases)
        return [item for item in self.changes_in(state) if item.check == finding.check and str(item.case.key) in held]

    def changes_in(self, state: State) -> list[Change]:
        return [change for change in self.changes if change.state == state]


def compare_reports(old: StoredReport, new: StoredReport) -> Comparison:
    """Compare the cases that both reports judged. Raises BadReport where there is no case that both judged."""
    mismatches = tuple(describe_other_adapter_set_or_selection(old.report, new.report))
    one_judge = bridgecheck_version(old.report.info) == bridgecheck_version(new.report.info)
    before, after = (_ComparedReport.from_report(item.report, not mismatches, one_judge) for item in (old, new))
    both = before.judged & after.judged
    if not both:
        what = f"not one case was judged both there and in {old.path}"
        raise BadReport(what, str(new.path), "two reports of the same cases")
    changes = [*_changes_failing_in_new(before, after, new.report.info.strict), *_changes_failing_in_old(before, after)]
    return Comparison(
        old, new, len(both), mismatches, tuple(changes), (len(before.judged - both), len(after.judged - both))
    )


@dataclass(frozen=True, slots=True)
class _ComparedReport:
    """One of the two reports, in which failures of the other are looked up. ``is_complete``: a case that it does not
    hold does not exist. ``checks``: the ids of the checks it knew, None for all."""

    cases: dict[CaseIdentity, CaseResult]
    judged: frozenset[CaseIdentity]
    is_complete: bool
    checks: frozenset[str] | None

    @classmethod
    def from_report(cls, report: Report, same_run: bool, one_judge: bool) -> "_ComparedReport":
        cases = {_case_identity(case): case for case in report.cases}
        judged = frozenset(identity for identity, case in cases.items() if case.status in JUDGED_STATUSES)
        return cls(cases, judged, same_run and not report.info.partial, None if one_judge else frozenset(report.checks))

    def check_outcome(self, identity: CaseIdentity, check: str, passing_severity: int) -> CheckOutcome:
        """Return the outcome here of a check that fails in the other report; up to ``passing_severity``
        (``_SEVERITY``) it has passed. Where there is no verdict of the check the whole case tells: one that did not
        fail had nothing to say of it."""
        held, status = self.cases.get(identity), self.worst_status(identity, check)
        if status in JUDGED_STATUSES:
            return "passed" if _SEVERITY.get(status, 0) <= passing_severity else "bad"
        if held is None or held.status == "NOT_APPLICABLE":
            return "nothing" if self.is_complete else "?"
        if held.status not in JUDGED_STATUSES:
            return "?"
        if _failed_or_warned_verdicts(held):
            return "bad"
        if check.startswith(RELATIONS):
            return "?"
        unknown = self.checks is not None and check not in self.checks
        return ("nothing" if self.is_complete else "?") if unknown else "passed"

    def worst_status(self, identity: CaseIdentity, check: str) -> Status | None:
        """Return the worst status of a check in a case; None where there is no verdict."""
        held = self.cases.get(identity)
        found = {verdict.status for verdict in held.verdicts if verdict.check == check} if held else set()
        return next((status for status in STATUSES if status in found), None)


def _changes_failing_in_new(before: _ComparedReport, after: _ComparedReport, strict: bool) -> Iterator[Change]:
    states: dict[CheckOutcome, State] = {"passed": "regressed", "nothing": "new", "bad": "same", "?": "untold"}
    for identity, case in after.cases.items():
        for check, verdicts in _failed_or_warned_verdicts(case).items():
            now = after.worst_status(identity, check)
            state = states[before.check_outcome(identity, check, _SEVERITY[now] - 1)]
            open_ones = [item for item in verdicts if item.excuse is None and (item.status == "FAIL" or strict)]
            gates = state == "regressed" and bool(open_ones)
            yield Change(state, case, check, before.worst_status(identity, check), now, gates)


def _changes_failing_in_old(before: _ComparedReport, after: _ComparedReport) -> Iterator[Change]:
    """Yield the changes of what fails in the old report only; what fails in both is left to
    ``_changes_failing_in_new``."""
    states: dict[CheckOutcome, State] = {"passed": "fixed", "nothing": "gone", "?": "untold"}
    for identity, case in before.cases.items():
        for check in _failed_or_warned_verdicts(case):
            outcome = after.check_outcome(identity, check, 0)
            if outcome in states:
                old, new = before.worst_status(identity, check), after.worst_status(identity, check)
                yield Change(states[outcome], case, check, old, new)


def _case_identity(case: CaseResult) -> CaseIdentity:
    return str(case.key), PurePath(case.where).name if case.source == "traffic" else ""


def _failed_or_warned_verdicts(case: CaseResult) -> dict[str, list[Verdict]]:
    """Return check -> its verdicts that are a failure or a warning, excused or not."""
    found: dict[str, list[Verdict]] = {}
    for verdict in case.verdicts:
        if verdict.status in _SEVERITY:
            found.setdefault(verdict.check, []).append(verdict)
    return found


def _narrow_cases(changes: Iterable[Change]) -> list[CaseResult]:
    """Return the cases with only the verdicts that changed, and without excuses, which make no other finding."""
    checks: dict[CaseIdentity, set[str]] = {}
    cases: dict[CaseIdentity, CaseResult] = {}
    for change in changes:
        cases[_case_identity(change.case)] = change.case
        checks.setdefault(_case_identity(change.case), set()).add(change.check)
    narrowed: list[CaseResult] = []
    for identity, case in cases.items():
        failed = _failed_or_warned_verdicts(case).items()
        verdicts = [item for check, found in failed if check in checks[identity] for item in found]
        narrowed.append(replace(case, verdicts=tuple(replace(item, excuse=None) for item in verdicts)))
    return narrowed


COMPARISON_FORMAT: Final = "bridgecheck-comparison"
COMPARISON_VERSION: Final = 1

_SIDE: Final = closed_object(
    text_properties("path", "adapter", "version", "target", "started", "requirements", "bridgecheck")
    | {"partial": FLAG, "cases": COUNT, "planned": COUNT, "selection": list_of(list_of(TEXT))}
)
_STATUS: Final[JsonObject] = {"enum": ["", *STATUSES]}
_CHANGE: Final = closed_object(
    text_properties("id", "where", "check")
    | {"state": {"enum": list(STATES)}, "old": _STATUS, "new": _STATUS, "gates": FLAG}
)


def comparison_to_json(found: Comparison) -> JsonObject:
    """Return the comparison as a document (schema: reports/comparison.schema.json).

        {"format": "bridgecheck-comparison", "version": 1, "exit_code": 1,
         "old": {"path": "...", "adapter": "...", "partial": false, ...}, "new": {...},
         "judged": 12, "others": ["of other selections: everything, --mode unary"], "alone": {"old": 4, "new": 0},
         "findings": {"regressed": [...], "fixed": [...], "new": [...], "gone": [...], "same": [...], "untold": [...]},
         "changes": [{"id": "...", "check": "response.text", "state": "regressed", "old": "PASS", "new": "FAIL", ...}]}

    ``old`` and ``new`` of a change are the worst status of the check in each report, "" where it has no verdict.
    """
    return {
        "format": COMPARISON_FORMAT, "version": COMPARISON_VERSION, "exit_code": found.regression_exit_code,
        "old": _report_facts(found.old), "new": _report_facts(found.new), "judged": found.judged,
        "others": list(found.mismatches),
        "alone": dict(zip(("old", "new"), found.judged_in_one, strict=True)),
        "findings": {state: [finding_to_dict(item) for item in found.findings[state]] for state in STATES},
        "changes": [
            {
                "id": str(change.case.key), "where": change.case.where, "check": change.check, "state": change.state,
                "old": change.old or "", "new": change.new or "", "gates": change.gates,
            }
            for change in found.changes
        ],
    }  # fmt: skip


def comparison_schema() -> JsonObject:
    """Return the JSON Schema 2020-12 of what ``comparison_to_json`` gives."""
    shared = cast(JsonObject, report_schema()["$defs"])
    finding: JsonObject = {"$ref": "#/$defs/finding"}
    properties: JsonObject = {
        "format": {"const": COMPARISON_FORMAT}, "version": {"const": COMPARISON_VERSION},
        "exit_code": {"enum": [0, 1]}, "old": _SIDE, "new": _SIDE, "judged": COUNT, "others": list_of(TEXT),
        "alone": closed_object({"old": COUNT, "new": COUNT}),
        "findings": closed_object(dict.fromkeys(STATES, list_of(finding))),
        "changes": list_of(_CHANGE),
    }  # fmt: skip
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "bridgecheck comparison of two reports",
        **closed_object(properties), "$defs": {name: shared[name] for name in ("finding", "difference")},
    }  # fmt: skip


def comparison_schema_text() -> str:
    """Return the text of reports/comparison.schema.json."""
    return json.dumps(comparison_schema(), indent=2) + "\n"


def _report_facts(read: StoredReport) -> JsonObject:
    info = read.report.info
    return {
        "path": str(read.path),
        **all_named_fields_to_json(info, ("adapter", "version", "target", "started", "requirements")),
        "bridgecheck": bridgecheck_version(info), "partial": info.partial, "cases": len(read.report.cases),
        "planned": info.planned, "selection": [list(pair) for pair in info.selection],
    }  # fmt: skip
