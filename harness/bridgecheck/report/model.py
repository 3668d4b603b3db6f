"""Report: what a run was, the results of its cases, and everything that is counted from them.

All counts are derived from the case results, so the terminal, report.json, JUnit and the exit code cannot disagree.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from typing import Final, Literal

from bridgecheck.cassette.provenance import Provenance
from bridgecheck.checks import RULES, Rule
from bridgecheck.checks.table import APPLIES
from bridgecheck.deviations import Deviation
from bridgecheck.model.adapter import read_unclaimed
from bridgecheck.model.verdict import EXCUSES, STATUSES, CaseResult, Status
from bridgecheck.report.deviation_use import Coverage, DeviationUse, find_deviation_uses
from bridgecheck.report.findings import REPORTED_STATUSES, Finding, group_findings, options_of_target
from bridgecheck.report.rests_on import GateOption, find_provenances, unmet_demands
from bridgecheck.report.scenario_rationales import ScenarioRationale, load_scenario_rationales
from bridgecheck.report.table import Table, count_by_topic_and_direction

JUDGED_STATUSES: Final[frozenset[Status]] = frozenset(STATUSES) - {"ERROR", "INCONCLUSIVE", "NOT_APPLICABLE"}
"""The statuses that are a verdict on the adapter."""

SOURCES: Final[tuple[str, ...]] = ("scripted", "live", "imported", "edited", "traffic")
"""Where a cassette comes from; scripted ones are never evidence about a live provider, so they are counted apart."""

VALID_FOR: Final = timedelta(days=90)
"""How long a report is valid: adapters and providers change, so an old verdict says nothing of today."""

OK, FAILED, ERRORED, NOTHING_JUDGED = 0, 1, 3, 4


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What was run.

    ``target``: the adapter in the mini-language; "" for the default one. ``versions``: (name, version) of what takes
    part. ``started``: text, ISO 8601; "" if not said. ``seconds``: wall time. ``planned``: how many cases were to run.
    ``partial``: the run was cut off before all of them did. ``selection``: (option, value) pairs that chose the cases.
    ``max_age``: days that a live cassette may be old, 0 for any; ``require``: what has to be live, ``live`` or
    ``live:TOPIC``. ``stale``: what a deviation that no longer fails is.
    ``requirements``: the set that gates, "" for everything. ``folders``: (option, folder) pairs of ``--corpus`` and
    ``--recordings``, where they were stated.
    """

    adapter: str
    version: str = ""
    target: str = ""
    versions: tuple[tuple[str, str], ...] = ()
    started: str = ""
    seconds: float = 0.0
    planned: int = 0
    partial: bool = False
    strict: bool = False
    stale: Literal["warn", "fail"] = "warn"
    requirements: str = ""
    selection: tuple[tuple[str, str], ...] = ()
    max_age: int = 0
    require: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()
    folders: tuple[tuple[str, str], ...] = ()

    @property
    def options_to_repeat(self) -> tuple[str, ...]:
        """The options of ``run`` without which a command plays another adapter, or other files."""
        return options_of_target(self.target, self.folders)

    @property
    def start_date(self) -> date:
        """The day the run started; the earliest date there is if not recorded."""
        return date.fromisoformat(self.started[:10]) if self.started else date.min

    @property
    def valid_until_if_dated(self) -> date | None:
        """The last day on which the report is valid; None for a run without a start date."""
        return self.start_date + VALID_FOR if self.started else None

    def is_expired_or_undated(self, today: date) -> bool:
        """Return whether the report is no longer valid, or has no start date."""
        return self.valid_until_if_dated is None or today > self.valid_until_if_dated


@dataclass(frozen=True, slots=True)
class LossCount:
    """One row of the loss table and how often it applied: in ``cases`` cases, ``count`` times."""

    rule: str
    reason: str
    count: int
    cases: int


@dataclass(frozen=True, slots=True)
class RecordingAndCaseCount:
    """How much was judged on one kind of recording. ``recordings``: distinct cassettes (traffic: distinct
    interactions); ``cases``: what was judged on them."""

    source: str
    recordings: int
    cases: int


@dataclass(frozen=True)
class Report:
    """The results of a run and everything derived from them. ``cases``: with their excuses (``gate``): what is excused
    is counted apart, not as FAIL. ``deviations``: the entries that were in the adapter's file. ``rationales``: of
    scenarios in which something was found, by id."""

    info: RunInfo
    cases: tuple[CaseResult, ...]
    deviations: tuple[Deviation, ...] = ()
    rationales: tuple[ScenarioRationale, ...] = ()

    @classmethod
    def from_results(
        cls, info: RunInfo, results: Iterable[CaseResult], deviations: tuple[Deviation, ...] = ()
    ) -> "Report":
        """Return the report on results in any order. Views are kept only where there is something to look at."""
        ordered = sorted(results, key=lambda case: str(case.key))
        return cls(info, tuple(map(drop_views_if_nothing_reported, ordered)), deviations)

    def with_failing_scenario_rationales(self) -> "Report":
        """Return the report with the rationales of all scenarios in which something was found: its own where it has
        them, else those of the corpus at hand."""
        own = {ground.id: ground for ground in self.rationales}
        names = sorted({case.key.scenario for case in self.cases if _has_fail_warn_or_error(case)})
        missing = [name for name in names if name not in own]
        found = own | (load_scenario_rationales(missing) if missing else {})  # a clean run does not look
        return replace(self, rationales=tuple(found[name] for name in names if name in found))

    @cached_property
    def totals(self) -> dict[str, int]:
        """Cases per status (each is there), then excused ones: "deviation" accepted, "newer" than the requirements; and
        "loss": cases that met a declared one."""
        counts = Counter(case.counted_as for case in self.cases)
        totals: dict[str, int] = {name: counts[name] for name in (*STATUSES, *EXCUSES)}
        totals["loss"] = sum(any(verdict.losses for verdict in case.verdicts) for case in self.cases)
        return totals

    @cached_property
    def checks(self) -> dict[str, dict[Status, int]]:
        """check id -> status -> verdicts; statuses nobody got are left out."""
        counts: dict[str, Counter[Status]] = {}
        for case in self.cases:
            for verdict in case.verdicts:
                counts.setdefault(verdict.check, Counter())[verdict.status] += 1
        return {check: {s: counts[check][s] for s in STATUSES if counts[check][s]} for check in sorted(counts)}

    @cached_property
    def topics(self) -> Table:
        return count_by_topic_and_direction(self.cases)

    @cached_property
    def losses(self) -> tuple[LossCount, ...]:
        """Declared losses by row of the loss table, the commonest first."""
        counts: Counter[tuple[str, str]] = Counter()
        cases: Counter[tuple[str, str]] = Counter()
        for case in self.cases:
            met = [(loss.rule, loss.reason) for verdict in case.verdicts for loss in verdict.losses]
            counts.update(met)
            cases.update(set(met))
        rows = (LossCount(rule, reason, count, cases[rule, reason]) for (rule, reason), count in counts.items())
        return tuple(sorted(rows, key=lambda row: (-row.count, row.rule, row.reason)))

    @cached_property
    def cases_with_losses_by_adapter(self) -> int:
        """The number of cases with a declared loss that rests on the adapter's own word."""
        return sum(
            any(loss.is_by_adapter for verdict in case.verdicts for loss in verdict.losses) for case in self.cases
        )

    @cached_property
    def rule_use_counts(self) -> dict[str, int]:
        """Rule by which a normal form or a verdict was reached -> how often it was used, the commonest first."""
        counts = Counter(rule for case in self.cases for verdict in case.verdicts for rule in verdict.rules)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    @cached_property
    def sources(self) -> tuple[RecordingAndCaseCount, ...]:
        """The five known sources in order, then any other by name."""
        cases = Counter(case.source for case in self.cases)
        recordings = Counter(source for source, *_ in {_recording_id(case) for case in self.cases})
        names = [*SOURCES, *sorted(set(cases) - set(SOURCES))]
        return tuple(RecordingAndCaseCount(name, recordings[name], cases[name]) for name in names)

    @cached_property
    def rests_on(self) -> tuple[Provenance, ...]:
        """What scenarios rest on, a row for each cassette."""
        return find_provenances(self.cases)

    @cached_property
    def unmet_demands(self) -> dict[Provenance, tuple[GateOption, ...]]:
        """The cassettes that are older than --max-age, or not live though --require demands it, with these options."""
        info = self.info
        if not info.max_age and not info.require:
            return {}
        failed = {row: unmet_demands(row, info.max_age, info.require, info.start_date) for row in self.rests_on}
        return {row: options for row, options in failed.items() if options}

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Findings without an excuse, the worst first."""
        return group_findings(self.cases, self.info.options_to_repeat)

    @cached_property
    def newer_findings(self) -> tuple[Finding, ...]:
        """Findings that will gate with the next set of requirements."""
        return group_findings(self.cases, self.info.options_to_repeat, "newer")

    @cached_property
    def missing_claims_of_cases(self) -> tuple[tuple[str, ...], ...]:
        """For each case that is not judged since it needs what the adapter does not claim: these capabilities."""
        idle = (case.verdicts for case in self.cases if case.status == "NOT_APPLICABLE")
        missing = (
            read_unclaimed(verdict.message) for verdicts in idle for verdict in verdicts[:1] if verdict.check == APPLIES
        )
        return tuple(filter(None, missing))

    @cached_property
    def accepted_findings(self) -> tuple[Finding, ...]:
        """Findings that the adapter's deviations accept."""
        return group_findings(self.cases, self.info.options_to_repeat, "deviation")

    @cached_property
    def deviation_uses(self) -> tuple[DeviationUse, ...]:
        """The state of each entry of the adapter's deviations."""
        return find_deviation_uses(self.deviations, self.cases, self.coverage, self.info.version, self.info.start_date)

    @cached_property
    def coverage(self) -> Coverage:
        """Which deviations this run can judge."""
        return Coverage.of_run(self.cases, self.info.selection, self.info.partial)

    @cached_property
    def stale_deviations(self) -> tuple[DeviationUse, ...]:
        """The entries that list something that no longer fails."""
        return tuple(use for use in self.deviation_uses if use.state == "stale" or use.stale_cases)

    @cached_property
    def exit_code(self) -> int:
        """1 any FAIL without excuse (with --strict: or WARN; with --stale fail: or a stale deviation), or a
        cassette that --max-age or --require fails, 3 any ERROR or a
        run cut off, 4 nothing judged, 0."""
        if self._any_open("FAIL") or (self.info.strict and self._any_open("WARN")):
            return FAILED
        if self.unmet_demands or (self.stale_deviations and self.info.stale == "fail"):
            return FAILED
        if self.info.partial or self._any_open("ERROR"):
            return ERRORED
        return OK if any(case.status in JUDGED_STATUSES for case in self.cases) else NOTHING_JUDGED

    def _any_open(self, status: Status) -> bool:
        return any(
            verdict.status == status and verdict.excuse is None for case in self.cases for verdict in case.verdicts
        )


def drop_views_if_nothing_reported(case: CaseResult) -> CaseResult:
    return case if _has_fail_warn_or_error(case) or not case.views else replace(case, views={})


def _has_fail_warn_or_error(case: CaseResult) -> bool:
    return any(verdict.status in REPORTED_STATUSES for verdict in case.verdicts)


def _recording_id(case: CaseResult) -> tuple[str, ...]:
    key = case.key
    if case.source == "traffic":
        return case.source, case.where, key.scenario
    return case.source, key.scenario, key.upstream, key.mode


@dataclass(frozen=True, slots=True)
class RuleTrace:
    """A rule and how it was judged. ``counts``: verdicts of the rule's check in this run, by status; {} if it had
    nothing to say."""

    rule: Rule
    counts: Mapping[Status, int]


def trace_rules(checks: Mapping[str, Mapping[Status, int]]) -> tuple[RuleTrace, ...]:
    """``checks``: check id -> status -> verdicts. One row a rule, also of those that nothing was judged by."""
    return tuple(RuleTrace(rule, checks.get(rule.check, {})) for rule in RULES)
