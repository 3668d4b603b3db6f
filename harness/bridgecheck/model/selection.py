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
once; nothing ever adds one."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, TypeVar

from bridgecheck.errors import BadShard
from bridgecheck.model.scenario import file_id


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """An erratum. ``scenario`` and ``check``: id or glob. ``link``: where it was reported. ``date``: ISO."""

    scenario: str
    check: str
    reason: str
    link: str
    date: str

    def covers(self, scenario: str, check: str) -> bool:
        return fnmatchcase(scenario, self.scenario) and fnmatchcase(check, self.check)


@dataclass(frozen=True, slots=True)
class RequirementSet:
    """``checks``: id -> version; ``scenarios``: id -> hash; both as they were on the day ``frozen``."""

    id: str
    frozen: str
    checks: dict[str, int]
    scenarios: dict[str, str]
    withdrawn: tuple[Withdrawn, ...] = ()

    def gates(self, scenario: str, check: str) -> bool:
        """Whether this pair gates. What is played for a client model gates as its scenario does."""
        scenario = file_id(scenario)
        known = scenario in self.scenarios and check in self.checks
        return known and not any(erratum.covers(scenario, check) for erratum in self.withdrawn)


T = TypeVar("T")

SHARD_OPTION: Final = "--shard"
"""As it stands on the command line, and in a report of a part."""

_SHARD_TEXT: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class Shard:
    """The ``index``-th (from 1) of ``count`` shards; 1 of 1 is the whole."""

    index: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def select_items(self, items: Sequence[T], sort_key: Callable[[T], str]) -> list[T]:
        """Return every ``count``-th item by rank of its key, in the order they came in."""
        if self.count == 1:
            return list(items)
        ranked = sorted(range(len(items)), key=lambda place: (sort_key(items[place]), place))
        return [items[place] for place in sorted(ranked[self.index - 1 :: self.count])]


def parse_shard_or_refuse(value: str) -> Shard:
    """``"2/5"`` as a Shard, ``""`` as the whole. Raises BadShard."""
    if not value:
        return Shard()
    match = _SHARD_TEXT.fullmatch(value)
    index, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= index <= count:
        raise BadShard(f"--shard {value} is no shard", "", "I/N with 1 <= I <= N, e.g. --shard 2/5")
    return Shard(index, count)
