"""Requirement set: which scenarios and checks count for conformance to one edition of bridgecheck, frozen.

    {
      "id": "2026.1", "frozen": "2026-11-30",
      "checks": {"response.usage": 1},
      "scenarios": {"usage/cached-input": "sha256 of what the scenario demands"},
      "digest": "sha256 of the four above",
      "withdrawn": [{"scenario": "usage/*", "check": "response.usage", "reason": "...", "link": "...", "date": "..."}]
    }

Every scenario of the set counts with every check of it: a check that has nothing to say on a scenario says nothing.
What is newer runs and is shown, and gates with the next set. An erratum, an entry of ``withdrawn``, takes pairs out at
once; nothing ever adds one.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """An erratum. ``scenario`` and ``check``: id or glob. ``link``: where it was reported. ``date``: ISO."""

    scenario: str
    check: str
    reason: str
    link: str
    date: str

    def names(self, scenario: str, check: str) -> bool:
        return fnmatchcase(scenario, self.scenario) and fnmatchcase(check, self.check)


@dataclass(frozen=True, slots=True)
class RequirementSet:
    """``checks``: id -> version; ``scenarios``: id -> hash; both as they were on the day ``frozen``."""

    id: str
    frozen: str
    checks: dict[str, int]
    scenarios: dict[str, str]
    withdrawn: tuple[Withdrawn, ...] = ()

    def counts(self, scenario: str, check: str) -> bool:
        """Whether this pair gates."""
        known = scenario in self.scenarios and check in self.checks
        return known and not any(erratum.names(scenario, check) for erratum in self.withdrawn)
