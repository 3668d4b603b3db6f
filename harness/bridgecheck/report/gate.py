"""The gate: which failures count, and which are accepted by deviations.toml or newer than the requirement set."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Final

from bridgecheck.deviations import Deviation
from bridgecheck.model.selection import RequirementSet
from bridgecheck.model.verdict import CaseResult, Excuse, Status, Verdict
from bridgecheck.report.difference_codes import difference_codes
from bridgecheck.report.findings import find_causes
from bridgecheck.report.fingerprint import fingerprint, split_by_kind

GATING_STATUSES: Final[frozenset[Status]] = frozenset({"FAIL", "WARN"})
"""What an excuse can be for. An ERROR is none of the adapter's."""


@dataclass(frozen=True)
class Gate:
    """Excuses failures by deviations and requirement set. ``version``: of the adapter. ``requirements`` None:
    everything counts."""

    deviations: tuple[Deviation, ...] = ()
    requirements: RequirementSet | None = None
    version: str = ""
    today: date = date.min

    def excuse_failures(self, case: CaseResult) -> CaseResult:
        """Return the case with new excuses. What an accepted failure explains is excused with it, if it was there when
        that was accepted. A verdict of which only some kinds of difference are accepted becomes one verdict for each
        kind."""
        if not any(verdict.status in GATING_STATUSES for verdict in case.verdicts):
            return case
        verdicts = (part for item in case.verdicts for part in self._excuse_each_kind(case, item))
        return replace(case, verdicts=tuple(verdicts))

    def _excuse_each_kind(self, case: CaseResult, verdict: Verdict) -> Iterator[Verdict]:
        if verdict.status not in GATING_STATUSES:
            yield replace(verdict, excuse=None)
            return
        parts = self._excuse_parts(case, verdict)
        whole = _first_if_all([excuse for _, excuse in parts]) or self._causes_excuse(case, verdict)
        whole = whole or self._newer_excuse(case, verdict)
        if whole or not any(excuse for _, excuse in parts):
            yield replace(verdict, excuse=whole)
        else:
            yield from (replace(part, excuse=excuse) for part, excuse in parts)

    def _excuse_parts(self, case: CaseResult, verdict: Verdict) -> list[tuple[Verdict, Excuse | None]]:
        """Return each kind of difference of a verdict with its excuse by deviation. Deviations are the adapter's: none
        excuses the native path."""
        if not self.deviations or case.key.path != "bridged" or verdict.status not in GATING_STATUSES:
            return [(verdict, None)]
        return [(part, self._deviation_excuse(case, part)) for part in split_by_kind(case, verdict)]

    def _deviation_excuse(self, case: CaseResult, part: Verdict) -> Excuse | None:
        mark, codes = fingerprint(case, part), difference_codes(case, part)
        for entry in self.deviations_in_force:
            if entry.fingerprint == mark and _covers_codes(self._accepted_codes(case, entry), codes):
                return Excuse("deviation", entry.name)
        return None

    def _causes_excuse(self, case: CaseResult, verdict: Verdict) -> Excuse | None:
        """Return the excuse of what explains a verdict, if all of that is accepted and the entries list what the
        verdict found."""
        parts = [part for cause in find_causes(case, verdict) for part in self._excuse_parts(case, cause)]
        excuse = _first_if_all([excuse for _, excuse in parts])
        if excuse is None:
            return None
        names = {excuse.by for _, excuse in parts if excuse}
        codes = [self._accepted_codes(case, entry) for entry in self.deviations_in_force if entry.name in names]
        if None in codes:
            return excuse
        listed = frozenset[str]().union(*(item for item in codes if item))
        return excuse if difference_codes(case, verdict) <= listed else None

    def _accepted_codes(self, case: CaseResult, entry: Deviation) -> frozenset[str] | None:
        """Return what an entry accepts in a case; None for anything."""
        return self._codes_by_entry[entry.name].get(str(case.key), frozenset())

    @cached_property
    def deviations_in_force(self) -> tuple[Deviation, ...]:
        """The entries that apply to the adapter's version and are not expired."""
        return tuple(
            entry
            for entry in self.deviations
            if entry.applies_to_version(self.version) and not entry.is_expired(self.today)
        )

    @cached_property
    def _codes_by_entry(self) -> dict[str, dict[str, frozenset[str] | None]]:
        return {entry.name: entry.codes_by_address for entry in self.deviations}

    def _newer_excuse(self, case: CaseResult, verdict: Verdict) -> Excuse | None:
        """Return the excuse by requirement set. Recorded traffic is in no set: all of it counts."""
        if self.requirements is None or case.source == "traffic":
            return None
        counts = self.requirements.gates(case.key.scenario, verdict.check)
        return None if counts else Excuse("newer", self.requirements.id)


def _first_if_all(excuses: Sequence[Excuse | None]) -> Excuse | None:
    return excuses[0] if excuses and all(excuses) else None


def _covers_codes(accepted: frozenset[str] | None, codes: frozenset[str]) -> bool:
    return accepted is None or codes <= accepted
