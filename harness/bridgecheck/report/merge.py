"""Several reports as one: the shards of a run, or parts of it that share no case. One report alone is made whole: what
a killed run left behind gets its totals and findings."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bridgecheck.errors import BadReport
from bridgecheck.model.selection import SHARD_OPTION, Shard, parse_shard_or_refuse
from bridgecheck.report.model import Report, RunInfo
from bridgecheck.report.read import StoredReport


def merge_reports(parts: Sequence[StoredReport]) -> Report:
    """Merge the cases into one report; partial where a part is, or a shard is missing. Raises BadReport for reports of
    other adapters, versions or options, and where a case stands in two of them."""
    (first, head), *rest = parts
    for path, report in rest:
        _check_same_adapter_options_and_release(first, head.info, path, report.info)
        if report.deviations != head.deviations:
            raise BadReport("run with other deviations", str(path), f"those of {first}")
    _check_disjoint_cases(parts)
    absent = _find_missing_shards(parts)
    infos = [report.info for _, report in parts]
    planned = sum(info.planned for info in infos)
    info = replace(
        head.info, started=min(info.started for info in infos), seconds=max(info.seconds for info in infos),
        planned=planned, partial=bool(absent) or sum(len(report.cases) for _, report in parts) < planned,
        selection=_unite_selection_options(infos, drop_shards=not absent),
    )  # fmt: skip
    cases = [case for _, report in parts for case in report.cases]
    grounds = {ground.id: ground for _, report in parts for ground in report.rationales}
    return replace(Report.from_results(info, cases, head.deviations), rationales=tuple(grounds.values()))


def missing_shards(parts: Sequence[StoredReport]) -> list[str]:
    """Return the shards that are not among the parts, as ``2/5``."""
    return list(map(str, _find_missing_shards(parts)))


def _check_same_adapter_options_and_release(first: Path, head: RunInfo, path: Path, info: RunInfo) -> None:
    for name in ("adapter", "version", "target", "strict", "stale", "requirements", "max_age", "require", "folders"):
        expected, actual = getattr(head, name), getattr(info, name)
        if expected != actual:
            raise BadReport(f"{name} is {actual!r}", str(path), f"{expected!r}, as in {first}")
    expected, actual = dict(head.versions).get("bridgecheck"), dict(info.versions).get("bridgecheck")
    if expected != actual:
        raise BadReport(f"made by bridgecheck {actual}", str(path), f"{expected}, as {first}")


def _check_disjoint_cases(parts: Sequence[StoredReport]) -> None:
    """Check that the parts share no case. Raises BadReport where two parts hold the same case."""
    known: dict[tuple[str, str], Path] = {}
    for path, report in parts:
        held = {(str(case.key), case.where): path for case in report.cases}
        for twice in sorted(known.keys() & held):
            raise BadReport(f"{twice[0]} is in {known[twice]} too", str(path), "every case in one report")
        known |= held


def _find_missing_shards(parts: Sequence[StoredReport]) -> list[Shard]:
    dealt: dict[Shard, Path] = {}
    for path, report in parts:  # several shards where a merged report lacks others
        values = [value for option, value in report.info.selection if option == SHARD_OPTION]
        dealt |= {parse_shard_or_refuse(value): path for value in values or [""]}
    counts = {part_shard.count for part_shard in dealt}
    if len(counts) > 1:
        conflicting = next(path for part_shard, path in dealt.items() if part_shard.count != next(iter(dealt)).count)
        raise BadReport(f"shards of {min(counts)} and of {max(counts)}", str(conflicting), "shards of one run")
    (count,) = counts
    return [Shard(index, count) for index in range(1, count + 1) if Shard(index, count) not in dealt]


def _unite_selection_options(infos: Sequence[RunInfo], drop_shards: bool) -> tuple[tuple[str, str], ...]:
    """Return the selection options of all parts, each once. A complete set of shards is no selection; an incomplete one
    is listed."""
    pairs = [pair for info in infos for pair in info.selection if not (drop_shards and pair[0] == SHARD_OPTION)]
    return tuple(dict.fromkeys(pairs))
