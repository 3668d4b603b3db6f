"""Which case is meant: an address, or a finding of a report by its number or fingerprint."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridgecheck.drivers import DEFAULT_TARGET
from bridgecheck.errors import UnknownScenario
from bridgecheck.model.verdict import CaseResult, ExcuseKind
from bridgecheck.report.causes import blockers
from bridgecheck.report.findings import Finding, group
from bridgecheck.report.model import Report
from bridgecheck.report.read import read

LITERAL: Final = "expect.wire"
_FINGERPRINT: Final = re.compile(r"[0-9a-f]{10}")
_EXCUSED: Final[tuple[ExcuseKind, ...]] = ("deviation", "newer")


@dataclass(frozen=True, slots=True)
class Meant:
    """``address``: of a case. ``check``: that the finding is of, "" for the first thing that is wrong. ``target``: the
    adapter."""

    address: str
    check: str
    target: str


def meant(case: str, adapter: str, place: Path) -> Meant:
    """``adapter``: "" for that of the report at ``place``, or the reference where there is none. Raises BadReport and
    UnknownScenario."""
    number = int(case) if case.isdecimal() and not _FINGERPRINT.fullmatch(case) else 0
    if not number and not _FINGERPRINT.fullmatch(case):
        there = not adapter and (place / "report.json" if place.is_dir() else place).is_file()
        target = adapter or (read(place).report.info.target if there else "")
        return Meant(case, "", target or DEFAULT_TARGET)
    report = read(place).report
    finding = _numbered(report, number, place) if number else _marked(report, case, place)
    return Meant(_address(report, finding), finding.check, adapter or report.info.target or DEFAULT_TARGET)


def _numbered(report: Report, number: int, place: Path) -> Finding:
    if number <= len(report.findings):
        return report.findings[number - 1]
    what = f"there is no finding {number}: the report has {len(report.findings)}"
    raise UnknownScenario(what, str(place), "a number as the report counts them")


def _marked(report: Report, mark: str, place: Path) -> Finding:
    """Among the accepted ones too."""
    listed = [*report.findings]
    for kind in _EXCUSED:
        listed += group(report.cases, report.info.target, kind)
    for finding in listed:
        if mark in finding.fingerprints:
            return finding
    raise UnknownScenario(f"no finding has the fingerprint {mark}", str(place), "one that the report names")


def _address(report: Report, finding: Finding) -> str:
    """Of the case that says it best: where a literal expectation of the scenario is not met, else the simplest."""
    held = frozenset(finding.cases)
    cases = [case for case in report.cases if str(case.key) in held]
    if any(case.source == "traffic" for case in cases if str(case.key) == finding.example):
        what = "the finding is of recorded traffic, which no scenario states"
        raise UnknownScenario(what, finding.where, "a finding in a scenario", finding.command_line)
    wire = [case for case in cases if case.key.layer != "sdk"] or cases
    return next((str(case.key) for case in wire if _literal(case, finding.check)), finding.example)


def _literal(case: CaseResult, check: str) -> bool:
    """Whether an expectation fails of which this check is the cause."""
    failing: Sequence[str] = [verdict.check for verdict in case.verdicts if verdict.status in ("FAIL", "WARN")]
    return LITERAL in failing and (check == LITERAL or check in blockers(LITERAL))
