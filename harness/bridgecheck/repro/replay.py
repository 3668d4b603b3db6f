"""Plays the selected case once more, with everything that went over the wire."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.drivers import Driver, resolve
from bridgecheck.errors import BadTarget, UnknownScenario
from bridgecheck.files import cassette_folders, scenarios, scenarios_root
from bridgecheck.model.counts import plural
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.relations.choice import NO_RELATIONS, RelationChoice
from bridgecheck.report.findings import REPORTED_STATUSES, Finding, find_causes, group_findings, options_of_target
from bridgecheck.report.fingerprint import RELATIONS, fingerprint, fingerprints, split_by_kind
from bridgecheck.run import plan
from bridgecheck.run.execute import run_with_transcript
from bridgecheck.run.library import Library

_SHOWN_CASES: Final = 6
_OF_REPRO: Final = ("--adapter", "--corpus")
"""The options of ``run`` that ``repro`` has too."""


@dataclass(frozen=True, slots=True)
class SelectedCase:
    """``address``: of the case. ``check``: the one that found it, "" for the first finding. ``target``: the adapter.
    ``fingerprints``: of the finding, () for any. ``folders``: the options of ``run`` that name other files, which
    commands repeat. ``alternative``: a case of the same finding that failed too and that a script can play, "" if none
    is known."""

    address: str
    check: str
    target: str
    fingerprints: tuple[str, ...] = ()
    folders: tuple[tuple[str, str], ...] = ()
    alternative: str = ""

    @property
    def options(self) -> tuple[str, ...]:
        """The options without which a command plays another adapter, or other files."""
        return options_of_target(self.target, self.folders)

    @property
    def run_command(self) -> str:
        """The command that judges the case again."""
        return shlex.join(("bridgecheck", "run", *self.options, "--scenario", self.address))

    @property
    def next_command(self) -> str:
        """The command that goes on from a case that no script can play."""
        if not self.alternative:
            return self.run_command
        pairs = (("--adapter", self.target), *self.folders)
        options = [part for pair in pairs if pair[0] in _OF_REPRO for part in pair]
        return shlex.join(("bridgecheck", "repro", self.alternative, *options))


@dataclass(frozen=True, slots=True)
class ReplayedCase:
    """A case that was played just now and has a finding. ``driver``: the adapter. ``transcript``: what went over both
    sides. ``verdicts``: those of the finding, the cause first."""

    driver: Driver
    scenario: Scenario
    cassette: Cassette
    result: CaseResult
    transcript: CaseTranscript
    finding: Finding
    verdicts: tuple[Verdict, ...]

    @property
    def key(self) -> CaseKey:
        return self.result.key


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
    findings = findings_of_case(result, selected)
    if transcript is None or not findings:
        raise _no_finding_error(selected, result)
    cassette = library.load_recorded_cassette(scenario.id, case.key.upstream, case.key.mode)
    verdicts = cause_and_explained_verdicts(result, findings[0], selected.fingerprints)
    return ReplayedCase(driver, scenario, cassette, result, transcript, findings[0], verdicts)


def _find_case(selected: SelectedCase, driver: Driver) -> tuple[Scenario, plan.Case]:
    selection = plan.Selection(addresses=(selected.address,))
    candidates = scenarios(scenarios_root(), [selected.address])
    planned = [(scenario, case) for scenario in candidates for case in plan.plan(scenario, driver, selection)]
    found = [(scenario, case) for scenario, case in planned if case.key.layer != "chat"]
    if planned and not found:
        what = "a conversation that a chat holds cannot be repeated without it: there is no script of single documents"
        raise UnknownScenario(what, selected.address, "a case of another layer", selected.next_command)
    if len(found) == 1 and found[0][1].key.path == "native":
        what = "the native path is bridgecheck's own: no adapter has a part in it"
        raise UnknownScenario(what, selected.address, "a case of the bridged path")
    played = [(scenario, case) for scenario, case in found if case.key.path == "bridged" and not case.why_not]
    if len(found) == 1 or len(played) == 1:
        scenario, case = (played or found)[0]
        if case.key.layer == "sdk" and driver.gateway is not None:
            what = "in front of a gateway the sdk layer has the code of an SDK in it, which is no part of the adapter"
            expected = selected.alternative or "a case of the http layer that fails"
            raise UnknownScenario(what, selected.address, expected, selected.next_command)
        return scenario, case
    examples = ", ".join(str(case.key) for _, case in played[:_SHOWN_CASES])
    what = f"{selected.address!r} names {plural(len(played), 'case') if played else 'no case'}"
    command = shlex.join(("bridgecheck", "plan", *selected.options, "--cases"))
    raise UnknownScenario(what, "", f"one, such as {examples}" if examples else "one", command)


def findings_of_case(result: CaseResult, selected: SelectedCase) -> Sequence[Finding]:
    """Return the findings of the case, accepted ones included, the selected one first; () if it is not among them."""
    bare = replace(result, verdicts=tuple(replace(verdict, excuse=None) for verdict in result.verdicts))
    findings = [finding for finding in group_findings([bare], selected.options) if finding.status != "ERROR"]
    marks = frozenset(selected.fingerprints)
    if marks:  # also one that another finding of the case explains
        marked = [verdict for verdict in bare.verdicts if marks & set(fingerprints(bare, verdict))]
        alone = group_findings([replace(bare, verdicts=tuple(marked))], selected.options)
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
        what = f"the case cannot be played: {errors[0].message}"
        return BadTarget(what, selected.address, "a case without an error", selected.run_command)
    reason = next((verdict.message for verdict in result.verdicts if verdict.status == "NOT_APPLICABLE"), "")
    of_check = f" of {selected.check}" if selected.check else ""
    what = f"there is no failure{of_check} to reproduce: the case ended as {result.status}"
    shown = f"{what} ({reason})" if reason else what
    return UnknownScenario(shown, selected.address, "a case that fails", selected.run_command)
