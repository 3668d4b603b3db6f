"""A fault: one finding in one case, played once more with everything that was seen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bridgecheck.cassette.recorded import Cassette
from bridgecheck.drivers import Driver, resolve
from bridgecheck.errors import BadTarget, UnknownScenario
from bridgecheck.files import cassettes_root, scenarios, scenarios_root
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.transcript import Transcript
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.relations.choose import NONE, Relating
from bridgecheck.report.causes import causes
from bridgecheck.report.deviations import RELATION
from bridgecheck.report.findings import REPORTED, Finding, group
from bridgecheck.repro.meant import Meant
from bridgecheck.run import plan
from bridgecheck.run.execute import watched
from bridgecheck.run.library import Library

SHOWN: Final = 6


@dataclass(frozen=True, slots=True)
class Fault:
    """``driver``: the adapter. ``result``: the case as it was judged just now; ``seen``: what went over both sides.
    ``finding``: what is wrong; ``verdicts``: those of the case that say so, the cause first. ``others``: how many other
    findings the case has."""

    driver: Driver
    scenario: Scenario
    cassette: Cassette
    result: CaseResult
    seen: Transcript
    finding: Finding
    verdicts: tuple[Verdict, ...]
    others: int

    @property
    def key(self) -> CaseKey:
        return self.result.key


def find(wanted: Meant) -> Fault:
    """Plays the case. Raises RefusedAtStart: nothing is meant, or several cases; or nothing is wrong with it."""
    driver = resolve(wanted.target)
    library = Library(cassettes_root())
    try:
        return _played(wanted, driver, library)
    finally:
        library.close()
        driver.close()


def _played(wanted: Meant, driver: Driver, library: Library) -> Fault:
    scenario, case = _case(wanted, driver)
    library.check([scenario])
    relating = Relating("all") if wanted.check.startswith(RELATION) else NONE
    result, seen, _ = watched(case, scenario, driver, library, relating)
    findings = _findings(result, driver.target, wanted.check)
    if seen is None or not findings:
        raise _nothing_wrong(wanted, result)
    cassette = library.cassette(scenario.id, case.key.upstream, case.key.mode)
    return Fault(
        driver, scenario, cassette, result, seen, findings[0], _verdicts(result, findings[0]), len(findings) - 1
    )


def _case(wanted: Meant, driver: Driver) -> tuple[Scenario, plan.Case]:
    chosen = scenarios(scenarios_root(), [wanted.address])
    selection = plan.Selection(addresses=(wanted.address,))
    found = [(scenario, case) for scenario in chosen for case in plan.plan(scenario, driver, selection)]
    if len(found) == 1 and found[0][1].key.path == "native":
        what = "the native path is bridgecheck's own: no adapter has a part in it"
        raise UnknownScenario(what, wanted.address, "a case of the bridged path")
    played = [(scenario, case) for scenario, case in found if case.key.path == "bridged" and not case.why_not]
    if len(found) == 1 or len(played) == 1:
        scenario, case = (played or found)[0]
        if case.key.layer == "sdk" and driver.gateway is not None:
            at = str(replace(case.key, layer="http"))
            what = "in front of a gateway the sdk layer has the code of an SDK in it, which is no part of the adapter"
            raise UnknownScenario(what, wanted.address, at, f"bridgecheck repro {at}")
        return scenario, case
    shown = [str(case.key) for _, case in played][:SHOWN]
    what = f"{wanted.address!r} names {len(played) or 'no'} cases"
    raise UnknownScenario(what, "", f"one, such as {', '.join(shown)}" if shown else "one", "bridgecheck plan --cases")


def _findings(result: CaseResult, target: str, check: str) -> Sequence[Finding]:
    """The one that is meant first."""
    bare = replace(result, verdicts=tuple(replace(one, excuse=None) for one in result.verdicts))
    found = [finding for finding in group([bare], target) if finding.status != "ERROR"]
    if check and all(finding.check != check for finding in found):
        return []
    return sorted(found, key=lambda finding: finding.check != check) if check else found


def _verdicts(result: CaseResult, finding: Finding) -> tuple[Verdict, ...]:
    bad = [one for one in result.verdicts if one.status in REPORTED]
    lead = next(one for one in bad if one.check == finding.check and not causes(result, one))
    return lead, *(one for one in bad if lead in causes(result, one))


def _nothing_wrong(wanted: Meant, result: CaseResult) -> UnknownScenario | BadTarget:
    errors = [one for one in result.verdicts if one.status == "ERROR"]
    if errors:
        return BadTarget(f"the case cannot be played: {errors[0].message}", wanted.address, "a case without an error")
    why = next((one.message for one in result.verdicts if one.status == "NOT_APPLICABLE"), "")
    of = f" of {wanted.check}" if wanted.check else ""
    what = f"there is no failure{of} to reproduce: the case came to {result.status}" + (f" ({why})" if why else "")
    return UnknownScenario(what, wanted.address, "a case that fails", f"bridgecheck run --scenario {wanted.address}")
