"""Writes docs/traffic.md: what a run over recorded traffic found, by pair of dialects and by loss.

bridgecheck run --traffic ../shared/real_traffic --report reports/local
python docs/write_traffic.py reports/local/report.json
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from bridgecheck.model.verdict import STATUSES, CaseResult
from bridgecheck.report.jsonfile import from_json
from bridgecheck.report.model import LossCount, Report

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "traffic.md"
HEAD = """# Recorded traffic through every pair of dialects

Written by `python docs/write_traffic.py REPORT` from the report of `bridgecheck run --traffic FOLDER`; not edited by
hand. Each recorded interaction is passed on untouched (native: a failure there would be the judge's own), is sent
through another dialect and back where both ends speak one, its answer is converted for clients of every other dialect
and its request for providers of every other dialect (bridged). Nothing is expected of it but the laws and the checks
that need no expectation. INHERITED: the recording itself has the fault. REJECTED: refused with a word that names the
field, where that is allowed. A declared loss is one that the judge's table lists; any other is a failure.
"""


def page(report: Report) -> str:
    """The whole page. It says nothing of when and where the run was made, so that the same findings give the same
    text."""
    interactions = next((source.recordings for source in report.sources if source.source == "traffic"), 0)
    judged = [case for case in report.cases if case.source == "traffic"]
    lines = [HEAD, f"{interactions} interactions, {len(judged)} cases.", "", "## By pair", "", *_pairs(judged)]
    lines += ["", "## By declared loss", "", *_losses(Report(report.info, tuple(judged)))]
    lines += ["", "## By rule", "", "How often a right answer was another than the plainest one.", ""]
    return "\n".join([*lines, *_rules(judged), ""])


def _pairs(cases: Iterable[CaseResult]) -> Iterator[str]:
    """A row a pair, in the order of the report's cases; only the statuses that somebody got have a column."""
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        row = counts.setdefault(_pair(case), Counter())
        row[case.status] += 1
        row["loss"] += any(verdict.losses for verdict in case.verdicts)
    whole: Counter[str] = sum(counts.values(), Counter())
    columns = [status for status in STATUSES if whole[status] or status in ("FAIL", "ERROR")]
    yield "| Client > upstream | Cases | " + " | ".join(columns) + " | With a declared loss |"
    yield "| --- |" + " --- |" * (len(columns) + 2)
    for name, row in [*sorted(counts.items()), ("all", whole)]:
        figures = (sum(row[status] for status in STATUSES), *(row[status] for status in columns), row["loss"])
        yield f"| {name} | " + " | ".join(map(str, figures)) + " |"


def _pair(case: CaseResult) -> str:
    return f"{case.key.client} > {case.key.upstream}{', native' if case.key.path == 'native' else ''}"


def _losses(report: Report) -> Iterator[str]:
    where: dict[str, set[str]] = {}
    for case in report.cases:
        for rule in {loss.rule for verdict in case.verdicts for loss in verdict.losses}:
            where.setdefault(rule, set()).add(_pair(case))
    yield "| Loss | Times | Cases | Pairs | Reason |"
    yield "| --- | --- | --- | --- | --- |"
    for row in report.losses:
        yield f"| {row.rule} | {row.count} | {row.cases} | {_pairs_of_loss(row, where)} | {row.reason} |"


def _pairs_of_loss(row: LossCount, where: dict[str, set[str]]) -> str:
    return "; ".join(sorted(where[row.rule]))


def _rules(cases: Iterable[CaseResult]) -> Iterator[str]:
    counts = Counter(rule for case in cases for verdict in case.verdicts for rule in verdict.rules)
    yield "| Rule | Times |"
    yield "| --- | --- |"
    for rule, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield f"| {rule} | {count} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write docs/traffic.md from a report over recorded traffic.")
    parser.add_argument("report", type=Path)
    document = json.loads(parser.parse_args().report.read_text(encoding="utf-8"))
    PAGE.write_text(page(from_json(document)), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
