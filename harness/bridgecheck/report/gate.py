"""The gate: which failures count, and which are accepted by deviations.toml or newer than the requirement set."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias

from bridgecheck.deviations import Deviation
from bridgecheck.model.selection import RequirementSet
from bridgecheck.model.verdict import CaseResult, Excuse, Status, Verdict
from bridgecheck.report.findings import find_causes
from bridgecheck.report.fingerprint import fingerprint, fingerprints, split_by_kind

GATING_STATUSES: Final[frozenset[Status]] = frozenset({"FAIL", "WARN"})
"""What an excuse can be for. An ERROR is none of the adapter's."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Excuses failures by deviations and requirement set. ``version``: of the adapter. ``requirements`` None:
    everything counts."""

    deviations: tuple[Deviation, ...] = ()
    requirements: RequirementSet | None = None
    version: str = ""
    today: date = date.min

    def excuse_failures(self, case: CaseResult) -> CaseResult:
        """Return the case with new excuses. What an accepted failure explains is excused with it. A verdict of which
        only some kinds of difference are accepted becomes one verdict for each kind."""
        if not any(verdict.status in GATING_STATUSES for verdict in case.verdicts):
            return case
        verdicts = (part for item in case.verdicts for part in self._excuse_each_kind(case, item))
        return replace(case, verdicts=tuple(verdicts))

    def _excuse_each_kind(self, case: CaseResult, verdict: Verdict) -> Iterator[Verdict]:
        if verdict.status not in GATING_STATUSES:
            yield replace(verdict, excuse=None)
            return
        whole = replace(verdict, excuse=self._find_own_or_causes_excuse(case, verdict))
        parts = split_by_kind(case, verdict) if self.deviations and whole.excuse is None else ()
        excuses = [self._deviation_excuse(case, part) for part in parts]
        if not any(excuses):
            yield whole
        else:
            yield from (replace(part, excuse=excuse) for part, excuse in zip(parts, excuses, strict=True))

    def _find_own_or_causes_excuse(self, case: CaseResult, verdict: Verdict) -> Excuse | None:
        if verdict.status not in GATING_STATUSES:
            return None
        causes = [self._deviation_excuse(case, cause) for cause in find_causes(case, verdict)]
        of_cause = causes[0] if causes and all(causes) else None
        return self._deviation_excuse(case, verdict) or of_cause or self._newer_excuse(case, verdict)

    def _deviation_excuse(self, case: CaseResult, verdict: Verdict) -> Excuse | None:
        """Return the excuse by deviation of a verdict each of whose kinds of difference is accepted, by the entry for
        the first. Deviations are the adapter's: none excuses the native path."""
        if not self.deviations or case.key.path != "bridged" or verdict.status not in GATING_STATUSES:
            return None
        in_force = [
            entry
            for entry in self.deviations
            if entry.applies_to_version(self.version) and not entry.is_expired(self.today)
        ]
        names: list[str] = []
        for mark in fingerprints(case, verdict):
            matching = (
                entry.name
                for entry in in_force
                if entry.matches_fingerprint_or_check(case.key.scenario, verdict.check, mark)
            )
            name = next(matching, "")
            if not name:
                return None
            names.append(name)
        return Excuse("deviation", names[0])

    def _newer_excuse(self, case: CaseResult, verdict: Verdict) -> Excuse | None:
        """Return the excuse by requirement set. Recorded traffic is in no set: all of it counts."""
        if self.requirements is None or case.source == "traffic":
            return None
        counts = self.requirements.gates(case.key.scenario, verdict.check)
        return None if counts else Excuse("newer", self.requirements.id)


DeviationState: TypeAlias = Literal["accepted", "stale", "expired", "other version", "not run"]

NARROWING_OPTIONS: Final = frozenset({"--mode", "--path", "--layer", "--shard"})
"""Options that leave out a part of what a scenario demands: then nothing that passes is known to be mended."""

RELATION_PREFIX: Final = "relation."
"""What the checks begin with that a run may leave out."""

MAX_LISTED_SCENARIOS: Final = 8
"""In so many scenarios a failure may show for its entry to list them."""

SELECTING_OPTIONS: Final = frozenset({"--scenario", "--tag"})


@dataclass(frozen=True, slots=True)
class DeviationUse:
    """The state of one entry after a run. ``cases``: in which the listed failure showed. Stale: it did not, and would
    have. Expired and of another version accept nothing. Not run: this run cannot tell."""

    entry: Deviation
    state: DeviationState
    cases: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which failures a run would have shown. ``scenarios``, ``traffic``: ids of the scenarios and of the recorded
    traffic that ran on the adapter's path. ``all_scenarios``: the selection left none out. ``only_parts``: some may
    have run in part only. ``all_relations``: they ran with all relations. ``scenario_globs``: globs all of whose
    scenarios ran."""

    scenarios: frozenset[str]
    traffic: frozenset[str]
    all_scenarios: bool
    only_parts: bool
    all_relations: bool = False
    scenario_globs: tuple[str, ...] = ()

    @classmethod
    def of_run(cls, cases: Iterable[CaseResult], selection: Sequence[tuple[str, str]], partial: bool) -> "Coverage":
        bridged = [case for case in cases if case.key.path == "bridged"]
        conclusive = [case for case in bridged if case.status not in ("NOT_APPLICABLE", "ERROR")]
        chosen = [value for option, value in selection if option in SELECTING_OPTIONS]
        tagged = any(option == "--tag" for option, _ in selection)
        # deviations are the adapter's, so --path bridged omits nothing
        narrowing = [pair for pair in selection if pair[0] in NARROWING_OPTIONS and pair != ("--path", "bridged")]
        narrowed = bool(narrowing) or any("::" in value for value in chosen)
        return cls(
            scenarios=frozenset(case.key.scenario for case in conclusive if case.source != "traffic"),
            traffic=frozenset(case.key.scenario for case in conclusive if case.source == "traffic"),
            all_scenarios=not chosen,
            only_parts=partial or narrowed,
            all_relations=("--relations", "all") in selection,
            scenario_globs=() if tagged else tuple(chosen),
        )

    @property
    def is_complete(self) -> bool:
        """Whether nothing of the corpus was left out."""
        return self.all_scenarios and not self.only_parts and bool(self.scenarios)

    def covers(self, entry: Deviation) -> bool:
        """Return whether the failure of the entry would have shown."""
        lacks_relations = entry.check.startswith(RELATION_PREFIX) and not self.all_relations
        if self.only_parts or not self.scenarios or lacks_relations:
            return False
        if entry.scenario:
            return self._covers_glob(entry.scenario)
        if entry.seen_in and self.scenarios.issuperset(entry.seen_in):
            return True
        seen_at = entry.example.partition("::")[0]
        return self.all_scenarios and (not seen_at or seen_at in self.scenarios | self.traffic)

    def _covers_glob(self, glob: str) -> bool:
        """Return whether every scenario that the glob names was played."""
        if not any(fnmatchcase(item, glob) for item in self.scenarios):
            return False
        is_whole = self.all_scenarios or glob in self.scenarios
        return is_whole or any(_glob_contains(chosen, glob) for chosen in self.scenario_globs)


def _glob_contains(chosen: str, glob: str) -> bool:
    """Return whether ``--scenario chosen`` takes all that the glob names. Not known of other wildcards than ``*``: then
    no."""
    if set(chosen) & set("?["):
        return False
    return fnmatchcase(glob, chosen) or glob.startswith(f"{chosen.rstrip('/')}/")


def find_deviation_uses(
    entries: Sequence[Deviation], cases: Sequence[CaseResult], covered: Coverage, version: str, today: date
) -> tuple[DeviationUse, ...]:
    """Return the state of each entry after the run, in their order. ``version``: of the adapter."""
    failures = [
        (number, case.key.scenario, verdict.check, mark)
        for number, case in enumerate(cases)
        if entries and case.key.path == "bridged"
        for verdict in case.verdicts
        if verdict.status in GATING_STATUSES
        for mark in fingerprints(case, verdict)
    ]
    found: list[DeviationUse] = []
    for entry in entries:
        hits = {number for number, *names in failures if entry.matches_fingerprint_or_check(*names)}
        found.append(DeviationUse(entry, _entry_state(entry, bool(hits), covered, version, today), len(hits)))
    return tuple(found)


def _entry_state(entry: Deviation, hit: bool, covered: Coverage, version: str, today: date) -> DeviationState:
    if entry.is_expired(today):
        return "expired"
    if not entry.applies_to_version(version):
        return "other version"
    if hit:
        return "accepted"
    return "stale" if covered.covers(entry) else "not run"


def propose_deviations(
    cases: Iterable[CaseResult], reason: str, statuses: Iterable[Status], is_complete_run: bool = False
) -> dict[Deviation, str]:
    """Return an entry for every failure of the adapter that gates and that nothing explains, with a line that says what
    it is. What a relation found is named by check and scenario: a run that does not try it can tell from that.
    ``is_complete_run``: the cases are all there are, so an entry says where its failure was seen, unless that is in
    many scenarios."""
    gating = frozenset(statuses)
    found: dict[str, tuple[Deviation, str]] = {}
    sources_by_name: dict[str, dict[str, str]] = {}
    for case in cases:
        for verdict in case.verdicts if case.key.path == "bridged" else ():
            if verdict.status not in gating or verdict.excuse is not None or find_causes(case, verdict):
                continue
            for part in split_by_kind(case, verdict):
                entry = Deviation(reason, fingerprint=fingerprint(case, part), example=str(case.key))
                if verdict.check.startswith(RELATION_PREFIX):
                    entry = Deviation(reason, check=verdict.check, scenario=case.key.scenario)
                found.setdefault(entry.name, (entry, f"{part.check}: {part.message}".partition("\n")[0]))
                sources_by_name.setdefault(entry.name, {})[case.key.scenario] = case.source
    sources = sources_by_name if is_complete_run else {}
    return {_add_seen_scenarios(entry, sources.get(name, {})): line for name, (entry, line) in found.items()}


def _add_seen_scenarios(entry: Deviation, sources: Mapping[str, str]) -> Deviation:
    """Add the scenarios of the failure to its entry. ``sources``: scenario -> of its cassette. What showed in traffic
    too is not listed: no scenario tells of it."""
    listed = entry.fingerprint and len(sources) <= MAX_LISTED_SCENARIOS and "traffic" not in sources.values()
    return replace(entry, seen_in=tuple(sorted(sources))) if listed else entry
