"""What gates: the failures of a case that are neither accepted nor newer than the requirements asked for."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from bridgecheck.deviations import Deviation
from bridgecheck.model.requirements import RequirementSet
from bridgecheck.model.verdict import CaseResult, Excuse, Status, Verdict
from bridgecheck.report.causes import causes
from bridgecheck.report.fingerprint import fingerprint

GATING: Final[frozenset[Status]] = frozenset({"FAIL", "WARN"})
"""What an excuse can be for. An ERROR is none of the adapter's."""


@dataclass(frozen=True, slots=True)
class Gate:
    """``version``: of the adapter. ``requirements`` None: everything counts."""

    deviations: tuple[Deviation, ...] = ()
    requirements: RequirementSet | None = None
    version: str = ""
    today: date = date.min

    def applied(self, case: CaseResult) -> CaseResult:
        """The case with its excuses, whatever it had before. What an accepted failure explains goes with it."""
        if not any(verdict.status in GATING for verdict in case.verdicts):
            return case
        return replace(case, verdicts=tuple(replace(one, excuse=self._excuse(case, one)) for one in case.verdicts))

    def _excuse(self, case: CaseResult, verdict: Verdict) -> Excuse | None:
        if verdict.status not in GATING:
            return None
        return self._accepted(case, verdict) or self._explained(case, verdict) or self._newer(case, verdict)

    def _accepted(self, case: CaseResult, verdict: Verdict) -> Excuse | None:
        """Deviations are the adapter's: none excuses the native path."""
        if not self.deviations or case.key.path != "bridged" or verdict.status not in GATING:
            return None
        mark = fingerprint(case, verdict)
        found = (one for one in self.deviations if one.names(case.key.scenario, verdict.check, mark))
        return next((Excuse("deviation", one.name) for one in found if self._in_force(one)), None)

    def _in_force(self, entry: Deviation) -> bool:
        return entry.is_for(self.version) and not entry.expired(self.today)

    def _explained(self, case: CaseResult, verdict: Verdict) -> Excuse | None:
        accepted = [self._accepted(case, cause) for cause in causes(case, verdict)]
        return accepted[0] if accepted and all(accepted) else None

    def _newer(self, case: CaseResult, verdict: Verdict) -> Excuse | None:
        """Recorded traffic is in no set: all of it counts."""
        if self.requirements is None or case.source == "traffic":
            return None
        counts = self.requirements.counts(case.key.scenario, verdict.check)
        return None if counts else Excuse("newer", self.requirements.id)
