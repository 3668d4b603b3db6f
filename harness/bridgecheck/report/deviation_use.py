"""What became of each accepted failure in a run: accepted, stale, or not to be told."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, TypeAlias

from bridgecheck.deviations import Deviation
from bridgecheck.model.verdict import CaseResult, Status, Verdict
from bridgecheck.report.difference_codes import difference_codes
from bridgecheck.report.findings import find_causes
from bridgecheck.report.fingerprint import LAWS_AND_RELATIONS, fingerprint, split_by_kind
from bridgecheck.report.gate import GATING_STATUSES, Gate

INCONCLUSIVE_STATUSES: Final[frozenset[Status]] = frozenset({"ERROR", "INCONCLUSIVE", "NOT_APPLICABLE"})
"""Cases of these tell nothing of an accepted failure."""

DeviationState: TypeAlias = Literal["accepted", "stale", "expired", "other version", "without cases", "not run"]

NARROWING_OPTIONS: Final = frozenset({"--mode", "--path", "--layer", "--shard"})
"""Options that leave out a part of what a scenario demands: then nothing that passes is known to be mended."""

SELECTING_OPTIONS: Final = frozenset({"--scenario", "--tag"})


@dataclass(frozen=True, slots=True)
class DeviationUse:
    """The state of one entry after a run. ``cases``: that it lists or names and that fail. ``stale_cases``: addresses
    that it lists and that no longer fail, or in less than it accepts. Stale: none of it fails any more. Expired and of
    another version accept nothing, and without cases neither. Not run: this run cannot tell."""

    entry: Deviation
    state: DeviationState
    cases: int
    stale_cases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which failures a run would have shown. ``scenarios``: ids of those that ran on the adapter's path.
    ``all_scenarios``: the selection left none out. ``only_parts``: some may
    have run in part only."""

    scenarios: frozenset[str]
    all_scenarios: bool
    only_parts: bool

    @classmethod
    def of_run(cls, cases: Iterable[CaseResult], selection: Sequence[tuple[str, str]], partial: bool) -> "Coverage":
        bridged = [case for case in cases if case.key.path == "bridged"]
        conclusive = [case for case in bridged if case.status not in ("NOT_APPLICABLE", "ERROR")]
        chosen = [value for option, value in selection if option in SELECTING_OPTIONS]
        # deviations are the adapter's, so --path bridged omits nothing
        narrowing = [pair for pair in selection if pair[0] in NARROWING_OPTIONS and pair != ("--path", "bridged")]
        narrowed = bool(narrowing) or any("::" in value for value in chosen)
        return cls(
            scenarios=frozenset(case.key.scenario for case in conclusive if case.source != "traffic"),
            all_scenarios=not chosen,
            only_parts=partial or narrowed,
        )

    @property
    def is_complete(self) -> bool:
        """Whether nothing of the corpus was left out."""
        return self.all_scenarios and not self.only_parts and bool(self.scenarios)


def find_deviation_uses(
    entries: Sequence[Deviation], cases: Sequence[CaseResult], covered: Coverage, version: str, today: date
) -> tuple[DeviationUse, ...]:
    """Return the state of each entry after the run, in their order. ``version``: of the adapter."""
    if not entries:
        return ()
    gate = Gate(tuple(entries), None, version, today)
    failing = collect_failures(cases, GATING_STATUSES)
    by_address = {str(case.key): case for case in cases}
    unjudged = {_without_layer(address) for address, case in by_address.items() if case.status == "NOT_APPLICABLE"}
    return tuple(_find_use(entry, gate, failing, by_address, covered, unjudged) for entry in entries)


def _find_use(
    entry: Deviation,
    gate: Gate,
    failing: Mapping[str, "Failure"],
    cases: Mapping[str, CaseResult],
    covered: Coverage,
    unjudged: Set[str],
) -> DeviationUse:
    if entry.is_expired(gate.today):
        return DeviationUse(entry, "expired", 0)
    if entry not in gate.deviations_in_force:
        return DeviationUse(entry, "other version", 0)
    if not entry.cases:
        named = any(
            mark == entry.fingerprint if entry.fingerprint else entry.names_check(failure.check, failure.codes)
            for mark, failure in failing.items()
        )
        return DeviationUse(entry, "stale" if covered.is_complete and not named else "without cases", 0)
    found = failing[entry.fingerprint].codes if entry.fingerprint in failing else {}
    listed = entry.codes_by_address
    stale = tuple(
        address
        for address, codes in listed.items()
        if _tells(cases.get(address), entry, covered) and _is_stale(codes, found.get(address))
        if address in cases or _without_layer(address) not in unjudged
    )
    if cases_that_fail := len(listed.keys() & found.keys()):
        return DeviationUse(entry, "accepted", cases_that_fail, stale)
    return DeviationUse(entry, "stale" if len(stale) == len(listed) else "not run", 0, stale)


def _without_layer(address: str) -> str:
    """Return what the layers of a case share. One that is not judged is planned for its first layer alone."""
    return address.rpartition("-")[0]


def _tells(case: CaseResult | None, entry: Deviation, covered: Coverage) -> bool:
    """Return whether the failure of the entry would have shown in the case: its check was judged, or nothing failed
    that may hide it. ``case`` None: there is none of that address, in a whole run because it was withdrawn."""
    if case is None:
        return covered.is_complete
    if case.status in INCONCLUSIVE_STATUSES:
        return False
    if any(verdict.check == entry.check for verdict in case.verdicts):
        return True
    is_varied = entry.check.startswith(LAWS_AND_RELATIONS)
    return not is_varied and not any(verdict.status in GATING_STATUSES for verdict in case.verdicts)


def _is_stale(accepted: frozenset[str] | None, found: frozenset[str] | None) -> bool:
    return found is None or (accepted is not None and not accepted <= found)


@dataclass(frozen=True, slots=True)
class Failure:
    """What has one fingerprint in a run. ``message``: of the first case, one line. ``codes``: what differs in each
    case, by address, what it explains included."""

    check: str
    direction: str
    message: str
    codes: dict[str, frozenset[str]]


def collect_failures(cases: Iterable[CaseResult], statuses: Iterable[Status]) -> dict[str, Failure]:
    """Return the failures of the adapter that have one of the statuses, by fingerprint, accepted or not. What another
    one explains belongs to that. Those that are newer than the requirement set are left out."""
    gating = frozenset(statuses)
    found: dict[str, Failure] = {}
    for case in cases:
        for verdict in case.verdicts if case.key.path == "bridged" else ():
            if verdict.status not in GATING_STATUSES:
                continue
            for owner, part in _own_failures(case, verdict):
                if owner.status in gating and _is_open_or_accepted(owner):
                    failure = found.setdefault(fingerprint(case, owner), _first_failure(case, owner))
                    before = failure.codes.get(str(case.key), frozenset())
                    failure.codes[str(case.key)] = before | difference_codes(case, part)
    return found


def _first_failure(case: CaseResult, verdict: Verdict) -> Failure:
    message = f"{verdict.check}: {verdict.message}".partition("\n")[0]
    return Failure(verdict.check, f"{case.key.client}-to-{case.key.upstream}", message, {})


def _own_failures(case: CaseResult, verdict: Verdict) -> list[tuple[Verdict, Verdict]]:
    """Return (the failure that something belongs to, that) for each kind of difference of a verdict."""
    causes = [cause for cause in find_causes(case, verdict) if not cause.excuse or cause.excuse.kind == "deviation"]
    if causes:
        return [(split_by_kind(case, causes[0])[0], verdict)]
    return [(part, part) for part in split_by_kind(case, verdict)]


def _is_open_or_accepted(verdict: Verdict) -> bool:
    return verdict.excuse is None or verdict.excuse.kind == "deviation"
