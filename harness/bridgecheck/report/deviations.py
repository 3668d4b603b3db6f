"""What became of the entries of deviations.toml in a run, and the entries that would accept what it found."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias

from bridgecheck.deviations import Deviation
from bridgecheck.model.verdict import CaseResult, Status
from bridgecheck.report.causes import causes
from bridgecheck.report.fingerprint import fingerprint
from bridgecheck.report.gate import GATING

State: TypeAlias = Literal["accepted", "stale", "expired", "other version", "not run"]

NARROWING: Final = frozenset({"--mode", "--path", "--layer", "--shard"})
"""Options that leave out a part of what a scenario demands: then nothing that passes is known to be mended."""

RELATION: Final = "relation."
"""What the checks begin with that a run may leave out."""

SEEN: Final = 8
"""In so many scenarios a failure may show for its entry to list them."""

CHOOSING: Final = frozenset({"--scenario", "--tag"})


@dataclass(frozen=True, slots=True)
class DeviationUse:
    """``cases``: in which the listed failure showed. Stale: it did not, and would have. Expired and of another version
    accept nothing. Not run: this run cannot tell."""

    entry: Deviation
    state: State
    cases: int


@dataclass(frozen=True, slots=True)
class Covered:
    """What a run would have shown. ``scenarios``: played on the adapter's path, ``traffic``: likewise ids of traffic.
    ``whole``: all of the corpus was; ``parts``: only parts of scenarios may have been; ``varied``: with all relations.
    ``globs``: of scenarios, all of which were."""

    scenarios: frozenset[str]
    traffic: frozenset[str]
    whole: bool
    parts: bool
    varied: bool = False
    globs: tuple[str, ...] = ()

    @classmethod
    def of(cls, cases: Iterable[CaseResult], selection: Sequence[tuple[str, str]], partial: bool) -> "Covered":
        told = [case for case in cases if _tells(case)]
        chosen = [value for option, value in selection if option in CHOOSING]
        tagged = any(option == "--tag" for option, _ in selection)
        narrowed = any(map(_narrows, selection)) or any("::" in value for value in chosen)
        return cls(
            scenarios=frozenset(case.key.scenario for case in told if case.source != "traffic"),
            traffic=frozenset(case.key.scenario for case in told if case.source == "traffic"),
            whole=not chosen,
            parts=partial or narrowed,
            varied=("--relations", "all") in selection,
            globs=() if tagged else tuple(chosen),
        )

    @property
    def everything(self) -> bool:
        """Whether nothing of the corpus was left out."""
        return self.whole and not self.parts and bool(self.scenarios)

    def covers(self, entry: Deviation) -> bool:
        """Whether the failure would have shown."""
        if self.parts or not self.scenarios or (entry.check.startswith(RELATION) and not self.varied):
            return False
        if entry.scenario:
            return self._all_of(entry.scenario)
        if entry.seen and self.scenarios.issuperset(entry.seen):
            return True
        seen_at = entry.example.partition("::")[0]
        return self.whole and (not seen_at or seen_at in self.scenarios | self.traffic)

    def _all_of(self, glob: str) -> bool:
        """Whether every scenario that the glob names was played."""
        if not any(fnmatchcase(one, glob) for one in self.scenarios):
            return False
        return self.whole or glob in self.scenarios or any(_contains(chosen, glob) for chosen in self.globs)


def _contains(chosen: str, glob: str) -> bool:
    """Whether ``--scenario chosen`` takes all that the glob names. Not known of other wildcards than ``*``: then no."""
    if set(chosen) & set("?["):
        return False
    return fnmatchcase(glob, chosen) or glob.startswith(f"{chosen.rstrip('/')}/")


def uses(
    entries: Sequence[Deviation], cases: Sequence[CaseResult], covered: Covered, version: str, today: date
) -> tuple[DeviationUse, ...]:
    """In the order of the entries. ``version``: of the adapter."""
    failures = [
        (number, case.key.scenario, verdict.check, fingerprint(case, verdict))
        for number, case in enumerate(cases)
        if entries and case.key.path == "bridged"
        for verdict in case.verdicts
        if verdict.status in GATING
    ]
    found: list[DeviationUse] = []
    for entry in entries:
        hits = {number for number, *names in failures if entry.names(*names)}
        found.append(DeviationUse(entry, _state(entry, bool(hits), covered, version, today), len(hits)))
    return tuple(found)


def _state(entry: Deviation, hit: bool, covered: Covered, version: str, today: date) -> State:
    if entry.expired(today):
        return "expired"
    if not entry.is_for(version):
        return "other version"
    if hit:
        return "accepted"
    return "stale" if covered.covers(entry) else "not run"


def _narrows(chosen: tuple[str, str]) -> bool:
    """Deviations are of the adapter: without the native path nothing of them is left out."""
    return chosen[0] in NARROWING and chosen != ("--path", "bridged")


def _tells(case: CaseResult) -> bool:
    return case.key.path == "bridged" and case.status not in ("NOT_APPLICABLE", "ERROR")


def proposed(
    cases: Iterable[CaseResult], reason: str, statuses: Iterable[Status], whole: bool = False
) -> dict[Deviation, str]:
    """An entry for every failure of the adapter that gates and that nothing explains, with a line that says what it
    is. What a relation found is named by check and scenario: a run that does not try it can tell from that. ``whole``:
    the cases are all there are, so an entry says where its failure was seen, unless that is in many scenarios."""
    wanted = frozenset(statuses)
    found: dict[str, tuple[Deviation, str]] = {}
    seen: dict[str, dict[str, str]] = {}
    for case in cases:
        for verdict in case.verdicts if case.key.path == "bridged" else ():
            if verdict.status in wanted and verdict.excuse is None and not causes(case, verdict):
                mark = fingerprint(case, verdict)
                entry = Deviation(reason, fingerprint=mark, example=str(case.key))
                if verdict.check.startswith(RELATION):
                    entry = Deviation(reason, check=verdict.check, scenario=case.key.scenario)
                found.setdefault(entry.name, (entry, f"{verdict.check}: {verdict.message}".partition("\n")[0]))
                seen.setdefault(entry.name, {})[case.key.scenario] = case.source
    return {_seen(entry, seen[name] if whole else {}): line for name, (entry, line) in found.items()}


def _seen(entry: Deviation, sources: Mapping[str, str]) -> Deviation:
    """``sources``: scenario -> of its cassette. What showed in traffic too is not listed: no scenario tells of it."""
    listed = entry.fingerprint and len(sources) <= SEEN and "traffic" not in sources.values()
    return replace(entry, seen=tuple(sorted(sources))) if listed else entry
