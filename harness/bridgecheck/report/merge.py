"""Several reports as one: the shards of a run, or parts of it that share no case. One report alone is made whole: what
a killed run left behind gets its totals and findings."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from bridgecheck.errors import BadReport
from bridgecheck.files.jsonfile import read_json
from bridgecheck.model.shard import Shard, shard
from bridgecheck.report.jsonfile import from_json
from bridgecheck.report.model import Report, RunInfo

SHARD: Final = "--shard"

Read = tuple[Path, Report]


def read(place: Path) -> Read:
    """The report in this file, or in this folder's report.json. Raises BadReport."""
    path = place / "report.json" if place.is_dir() else place
    if not path.is_file():
        raise BadReport("there is no report", str(path), "a report.json or a folder with one")
    try:
        return path, from_json(read_json(path, BadReport)[0])
    except ValueError as wrong:
        raise BadReport(str(wrong), str(path), "a report of bridgecheck run") from wrong


def merge(parts: Sequence[Read]) -> Report:
    """Their cases in one report; partial where a part is, or a shard is missing. Raises BadReport for reports of other
    adapters, versions or options, and where a case stands in two of them."""
    (first, head), *rest = parts
    for path, report in rest:
        _same(first, head.info, path, report.info)
        if report.deviations != head.deviations:
            raise BadReport("run with other deviations", str(path), f"those of {first}")
    _apart(parts)
    absent = _absent(parts)
    infos = [report.info for _, report in parts]
    planned = sum(info.planned for info in infos)
    info = replace(
        head.info,
        started=min(info.started for info in infos),
        seconds=max(info.seconds for info in infos),
        planned=planned,
        partial=bool(absent) or sum(len(report.cases) for _, report in parts) < planned,
        selection=_selection(infos),
    )
    cases = [case for _, report in parts for case in report.cases]
    return Report.of(info, cases, head.deviations)


def missing(parts: Sequence[Read]) -> list[str]:
    """The shards that are not among the parts, as ``2/5``."""
    return [str(one) for one in _absent(parts)]


def _same(first: Path, head: RunInfo, path: Path, info: RunInfo) -> None:
    for name in ("adapter", "version", "target", "strict", "stale", "requirements"):
        ours, theirs = getattr(head, name), getattr(info, name)
        if ours != theirs:
            raise BadReport(f"{name} is {theirs!r}", str(path), f"{ours!r}, as in {first}")
    ours, theirs = dict(head.versions).get("bridgecheck"), dict(info.versions).get("bridgecheck")
    if ours != theirs:
        raise BadReport(f"made by bridgecheck {theirs}", str(path), f"{ours}, as {first}")


def _apart(parts: Sequence[Read]) -> None:
    """Raises BadReport where two parts hold the same case."""
    seen: dict[tuple[str, str], Path] = {}
    for path, report in parts:
        held = {(str(case.key), case.where): path for case in report.cases}
        for twice in sorted(seen.keys() & held):
            raise BadReport(f"{twice[0]} is in {seen[twice]} too", str(path), "every case in one report")
        seen |= held


def _absent(parts: Sequence[Read]) -> list[Shard]:
    dealt = [shard(dict(report.info.selection).get(SHARD, "")) for _, report in parts]
    counts = {one.count for one in dealt}
    if len(counts) > 1:
        other = next(path for (path, _), one in zip(parts, dealt, strict=True) if one.count != dealt[0].count)
        raise BadReport(f"shards of {min(counts)} and of {max(counts)}", str(other), "shards of one run")
    count = dealt[0].count
    return [Shard(index, count) for index in range(1, count + 1) if Shard(index, count) not in dealt]


def _selection(infos: Sequence[RunInfo]) -> tuple[tuple[str, str], ...]:
    """What any part was asked for, once, without its shard."""
    said = [pair for info in infos for pair in info.selection if pair[0] != SHARD]
    return tuple(dict.fromkeys(said))
