"""Selects the case that the command line names, and plays it once more with everything that went over the wire."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.drivers import DEFAULT_TARGET, Driver, resolve
from bridgecheck.errors import BadTarget, UnknownScenario
from bridgecheck.files import cassette_folders, scenarios, scenarios_root
from bridgecheck.model.counts import plural
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, CaseResult, ExcuseKind, Verdict
from bridgecheck.relations.choice import NO_RELATIONS, RelationChoice
from bridgecheck.report.findings import REPORTED_STATUSES, Finding, find_causes, group_findings, options_of_target
from bridgecheck.report.fingerprint import RELATIONS, fingerprint, fingerprints, split_by_kind
from bridgecheck.report.model import Report
from bridgecheck.report.read import read_report
from bridgecheck.run import plan
from bridgecheck.run.execute import run_with_transcript
from bridgecheck.run.library import Library

_FINGERPRINT: Final = re.compile(r"[0-9a-f]{10}")
_EXCUSED: Final[tuple[ExcuseKind, ...]] = ("deviation", "newer")
_SHOWN_CASES: Final = 6


@dataclass(frozen=True, slots=True)
class SelectedCase:
    """``address``: of the case. ``check``: the one that found it, "" for the first finding. ``target``: the adapter.
    ``fingerprints``: of the finding, () for any."""

    address: str
    check: str
    target: str
    fingerprints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplayedCase:
    """A case that was played just now and has a finding. ``driver``: the adapter. ``transcript``: what went over both
    sides. ``verdicts``: those of the finding, the cause first. ``more_findings``: how many others the case has."""

    driver: Driver
    scenario: Scenario
    cassette: Cassette
    result: CaseResult
    transcript: CaseTranscript
    finding: Finding
    verdicts: tuple[Verdict, ...]
    more_findings: int

    @property
    def key(self) -> CaseKey:
        return self.result.key


def select_case(name: str, adapter: str, report_path: Path) -> SelectedCase:
    """Return the case that ``name`` means: an address, or a finding of the report by its number or fingerprint.
    ``adapter``: "" for that of the report, or the reference where there is none. Raises BadReport, UnknownScenario."""
    number = int(name) if name.isdecimal() and not _FINGERPRINT.fullmatch(name) else 0
    if not number and not _FINGERPRINT.fullmatch(name):
        file = report_path / "report.json" if report_path.is_dir() else report_path
        target = adapter or (read_report(report_path).report.info.target if file.is_file() else "")
        return SelectedCase(name, "", target or DEFAULT_TARGET)
    report = read_report(report_path).report
    if number:
        finding = _numbered_finding(report, number, report_path)
    else:
        finding = _open_or_accepted_finding(report, name, report_path)
    return SelectedCase(
        _simplest_scripted_case(report, finding), finding.check, adapter or report.info.target or DEFAULT_TARGET,
        finding.fingerprints,
    )  # fmt: skip


def _numbered_finding(report: Report, number: int, path: Path) -> Finding:
    if number <= len(report.findings):
        return report.findings[number - 1]
    what = f"there is no finding {number}: the report has {len(report.findings)}"
    raise UnknownScenario(what, str(path), "a number as the report counts them")


def _open_or_accepted_finding(report: Report, fingerprint: str, path: Path) -> Finding:
    findings = [*report.findings]
    for kind in _EXCUSED:
        findings += group_findings(report.cases, report.info.options_to_repeat, kind)
    for finding in findings:
        if fingerprint in finding.fingerprints:
            return finding
    raise UnknownScenario(f"no finding has the fingerprint {fingerprint}", str(path), "one that the report names")


def _simplest_scripted_case(report: Report, finding: Finding) -> str:
    """Return the address of the finding's example, or of its first case that is no conversation of a chat."""
    cases = {str(case.key): case for case in report.cases if str(case.key) in finding.cases}
    if finding.example in cases and cases[finding.example].source == "traffic":
        what = "the finding is of recorded traffic, which belongs to no scenario"
        raise UnknownScenario(what, finding.where, "a finding in a scenario", finding.command_line)
    scripted = [address for address, case in cases.items() if case.key.layer != "chat"]
    return finding.example if finding.example in scripted or not scripted else scripted[0]


def replay_case(selected: SelectedCase) -> ReplayedCase:
    """Play the case. Raises RefusedAtStart where the address names no case or several, or the case has no finding."""
    driver = resolve(selected.target)
    library = Library(*cassette_folders())
    try:
        return _play_case(selected, driver, library)
    finally:
        library.stop_edge()
        driver.close()


def _play_case(selected: SelectedCase, driver: Driver, library: Library) -> ReplayedCase:
    scenario, case = _find_case(selected, driver)
    library.require_recordings([scenario])
    relation_choice = RelationChoice("all") if selected.check.startswith(RELATIONS) else NO_RELATIONS
    result, transcript, _ = run_with_transcript(case, scenario, driver, library, relation_choice)
    findings = findings_of_case(result, driver.target, selected)
    if transcript is None or not findings:
        raise _no_finding_error(selected, result)
    cassette = library.load_recorded_cassette(scenario.id, case.key.upstream, case.key.mode)
    verdicts = cause_and_explained_verdicts(result, findings[0], selected.fingerprints)
    return ReplayedCase(driver, scenario, cassette, result, transcript, findings[0], verdicts, len(findings) - 1)


def _find_case(selected: SelectedCase, driver: Driver) -> tuple[Scenario, plan.Case]:
    selection = plan.Selection(addresses=(selected.address,))
    candidates = scenarios(scenarios_root(), [selected.address])
    planned = [(scenario, case) for scenario in candidates for case in plan.plan(scenario, driver, selection)]
    found = [(scenario, case) for scenario, case in planned if case.key.layer != "chat"]
    if planned and not found:
        what = "a conversation that a chat holds cannot be repeated without it: there is no script of single documents"
        command = f"bridgecheck run --scenario {selected.address}"
        raise UnknownScenario(what, selected.address, "a case of another layer", command)
    if len(found) == 1 and found[0][1].key.path == "native":
        what = "the native path is bridgecheck's own: no adapter has a part in it"
        raise UnknownScenario(what, selected.address, "a case of the bridged path")
    played = [(scenario, case) for scenario, case in found if case.key.path == "bridged" and not case.why_not]
    if len(found) == 1 or len(played) == 1:
        scenario, case = (played or found)[0]
        if case.key.layer == "sdk" and driver.gateway is not None:
            address = str(replace(case.key, layer="http"))
            what = "in front of a gateway the sdk layer has the code of an SDK in it, which is no part of the adapter"
            raise UnknownScenario(what, selected.address, address, f"bridgecheck repro {address}")
        return scenario, case
    examples = ", ".join(str(case.key) for _, case in played[:_SHOWN_CASES])
    what = f"{selected.address!r} names {plural(len(played), 'case') if played else 'no case'}"
    raise UnknownScenario(what, "", f"one, such as {examples}" if examples else "one", "bridgecheck plan --cases")


def findings_of_case(result: CaseResult, target: str, selected: SelectedCase) -> Sequence[Finding]:
    """Return the findings of the case, accepted ones included, the selected one first; () if it is not among them."""
    options = options_of_target(target)
    bare = replace(result, verdicts=tuple(replace(verdict, excuse=None) for verdict in result.verdicts))
    findings = [finding for finding in group_findings([bare], options) if finding.status != "ERROR"]
    marks = frozenset(selected.fingerprints)
    if marks:  # also one that another finding of the case explains
        marked = [verdict for verdict in bare.verdicts if marks & set(fingerprints(bare, verdict))]
        alone = group_findings([replace(bare, verdicts=tuple(marked))], options)
        own = [finding for finding in alone if marks & set(finding.fingerprints) and finding.status != "ERROR"]
    else:
        own = [finding for finding in findings if selected.check in ("", finding.check)]
    return [*own, *(finding for finding in findings if finding not in own)] if own else ()


def cause_and_explained_verdicts(
    result: CaseResult, finding: Finding, marks: Sequence[str] = ()
) -> tuple[Verdict, ...]:
    """Return the verdict that is the finding, with the differences of its kind alone, and those that it explains.
    ``marks``: fingerprints, where only a verdict of one of these is meant."""
    reported = [verdict for verdict in result.verdicts if verdict.status in REPORTED_STATUSES]
    causes = [verdict for verdict in reported if verdict.check == finding.check]
    causes.sort(key=lambda verdict: bool(find_causes(result, verdict)))
    own_marks = frozenset(marks) or frozenset(finding.fingerprints)
    parts = [(verdict, part) for verdict in causes for part in split_by_kind(result, verdict)]
    own = [pair for pair in parts if fingerprint(result, pair[1]) in own_marks]
    cause, part = (own or parts)[0]
    return part, *(verdict for verdict in reported if cause in find_causes(result, verdict))


def _no_finding_error(selected: SelectedCase, result: CaseResult) -> UnknownScenario | BadTarget:
    errors = [verdict for verdict in result.verdicts if verdict.status == "ERROR"]
    if errors:
        return BadTarget(f"the case cannot be played: {errors[0].message}", selected.address, "a case without an error")
    reason = next((verdict.message for verdict in result.verdicts if verdict.status == "NOT_APPLICABLE"), "")
    of_check = f" of {selected.check}" if selected.check else ""
    what = f"there is no failure{of_check} to reproduce: the case ended as {result.status}"
    command = f"bridgecheck run --scenario {selected.address}"
    return UnknownScenario(f"{what} ({reason})" if reason else what, selected.address, "a case that fails", command)
