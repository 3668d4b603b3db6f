"""Selects the case that the command line names: an address, or a case of a finding that a script can play."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bridgecheck.drivers import DEFAULT_TARGET
from bridgecheck.drivers.recipe import HTTP, SUFFIX, read_recipe
from bridgecheck.errors import BadReport, UnknownScenario
from bridgecheck.model.jsonvalue import text
from bridgecheck.model.verdict import CaseResult
from bridgecheck.report.findings import EXPLAINING_STATUSES, Finding
from bridgecheck.report.fingerprint import fingerprints
from bridgecheck.report.model import Report
from bridgecheck.report.read import read_report
from bridgecheck.repro.replay import SelectedCase

_FINGERPRINT: Final = re.compile(r"[0-9a-f]{10}")


def select_case(name: str, adapter: str, report_path: Path) -> SelectedCase:
    """Return the case that ``name`` means: an address, or a finding of the report by its number or fingerprint.
    ``adapter``: "" for that of the report, or the reference where there is none. Raises BadReport, BadRecipe,
    UnknownScenario."""
    number = int(name) if name.isdecimal() and not _FINGERPRINT.fullmatch(name) else 0
    if not number and not _FINGERPRINT.fullmatch(name):
        return _case_of_address(name, adapter, report_path)
    report = read_report(report_path).report
    target = adapter or report.info.target or DEFAULT_TARGET
    if number:
        finding = _numbered_finding(report, number, report_path)
    else:
        finding = _open_or_accepted_finding(report, name, report_path)
    address = next(iter(_playable_cases(report, finding, target)), finding.example)
    _refuse_traffic(report, finding, address)
    return SelectedCase(address, finding.check, target, finding.fingerprints, report.info.folders)


def _case_of_address(address: str, adapter: str, report_path: Path) -> SelectedCase:
    report = _report_of_adapter(report_path, adapter)
    target = adapter or (report.info.target if report else "") or DEFAULT_TARGET
    if report is None:
        return SelectedCase(address, "", target)
    return SelectedCase(address, "", target, (), report.info.folders, _alternative(report, address, target))


def _report_of_adapter(path: Path, adapter: str) -> Report | None:
    """Return the report, None where there is none, or none of ``adapter``: the last run may have been of another."""
    if not (path / "report.json" if path.is_dir() else path).is_file():
        return None
    try:
        report = read_report(path).report
    except BadReport:
        if not adapter:
            raise
        return None
    return report if adapter in ("", report.info.target or DEFAULT_TARGET) else None


def _alternative(report: Report, address: str, target: str) -> str:
    """Return a case of the same finding that a script can play, of the same scenario if there is one, where it cannot
    play this one; else ""."""
    case = next((case for case in report.cases if str(case.key) == address), None)
    if case is None or _is_playable(case, _is_gateway(target)):
        return ""
    findings = [finding for finding in _all_findings(report) if address in finding.cases]
    playable = [found for finding in findings for found in _playable_cases(report, finding, target)]
    return min(playable, key=lambda found: found.partition("::")[0] != case.key.scenario, default="")


def _numbered_finding(report: Report, number: int, path: Path) -> Finding:
    if number <= len(report.findings):
        return report.findings[number - 1]
    what = f"there is no finding {number}: the report has {len(report.findings)}"
    raise UnknownScenario(what, str(path), "a number as the report counts them")


def _open_or_accepted_finding(report: Report, fingerprint: str, path: Path) -> Finding:
    for finding in _all_findings(report):
        if fingerprint in finding.fingerprints:
            return finding
    raise UnknownScenario(f"no finding has the fingerprint {fingerprint}", str(path), "one that the report names")


def _all_findings(report: Report) -> Iterator[Finding]:
    """Yield the findings of the report, then those that are accepted or newer than its requirements."""
    yield from (*report.findings, *report.accepted_findings, *report.newer_findings)


def _playable_cases(report: Report, finding: Finding, target: str) -> list[str]:
    """Return the addresses of the cases that failed with the finding and that a script can play: its example, its other
    cases, then those in which something else explains it."""
    marks, is_gateway = frozenset(finding.fingerprints), _is_gateway(target)
    failed = [
        str(case.key)
        for case in report.cases
        if _is_playable(case, is_gateway) and any(not marks.isdisjoint(found) for found in _failed_marks(case))
    ]
    return sorted(failed, key=lambda address: (address != finding.example, address not in finding.cases))


def _failed_marks(case: CaseResult) -> Iterator[tuple[str, ...]]:
    for verdict in case.verdicts:
        if verdict.status in EXPLAINING_STATUSES:
            yield fingerprints(case, verdict)


def _is_playable(case: CaseResult, is_gateway: bool) -> bool:
    """Return whether a script can play the case: documents of a scenario between the adapter alone and a provider."""
    has_foreign_code = case.key.layer == "chat" or (is_gateway and case.key.layer == "sdk")
    return case.key.path == "bridged" and case.source != "traffic" and not has_foreign_code


def _is_gateway(target: str) -> bool:
    stated = text(read_recipe(target)["target"]) if target.endswith(SUFFIX) else target
    return stated.startswith(HTTP)


def _refuse_traffic(report: Report, finding: Finding, address: str) -> None:
    """Raise UnknownScenario where the finding has no case in a scenario."""
    if any(case.source == "traffic" for case in report.cases if str(case.key) == address):
        what = "the finding is of recorded traffic, which belongs to no scenario"
        raise UnknownScenario(what, finding.where, "a finding in a scenario", finding.command_line)
