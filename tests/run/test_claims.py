"""Claimed capabilities are judged, others are not; but the report states where an unclaimed one works."""

from dataclasses import replace

import pytest

from bridgecheck.drivers import Driver
from bridgecheck.drivers.resolve import load_python_object
from bridgecheck.files import cassettes_root, scenarios, scenarios_root
from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Selection, find_working_capabilities, plan

BRIDGED = Selection(paths=("bridged",))


class Refusing:
    """An adapter with the routes of the reference that refuses every request."""

    def to_upstream(self, body, **rest):
        raise RuntimeError("not today")


def _driver(*claims: str) -> Driver:
    reference = load_python_object("bridgecheck_reference:adapter")
    info = replace(reference.info, claims=frozenset(claims))
    return replace(reference, info=info, judged_on_all=False, connects=None)


def _scenario(scenario_id: str) -> Scenario:
    (found,) = scenarios(scenarios_root(), [scenario_id])
    return found


def play_scenario(scenario_id: str, driver: Driver) -> list[CaseResult]:
    scenario, library = _scenario(scenario_id), Library(cassettes_root())
    return [run_case(case, scenario, driver, library) for case in plan(scenario, driver, BRIDGED)]


@pytest.fixture
def detector() -> str:
    """A scenario that detects a capability and requires nothing else."""
    scenario = _scenario(CAPABILITIES["tools"])
    assert scenario.requires == ("tools",)
    return scenario.id


def test_a_claimed_capability_is_judged(detector: str) -> None:
    assert {case.status for case in play_scenario(detector, _driver("tools"))} == {"PASS"}
    failing = replace(_driver("tools"), converter=Refusing())  # type: ignore[arg-type]  # has one method of three
    assert {case.status for case in play_scenario(detector, failing)} == {"FAIL"}


def test_an_unclaimed_working_capability_is_noted(detector: str) -> None:
    found = play_scenario(detector, _driver())
    assert found
    for case in found:
        (verdict,) = case.verdicts
        assert (verdict.check, verdict.status) == ("case.unclaimed", "NOTE")
        assert "does not claim tools, but it works here" in verdict.message


def test_an_unclaimed_failing_capability_is_not_applicable(detector: str) -> None:
    failing = replace(_driver(), converter=Refusing())  # type: ignore[arg-type]  # has one method of three
    assert {case.status for case in play_scenario(detector, failing)} == {"NOT_APPLICABLE"}


def test_only_the_detecting_scenario_is_played_without_a_claim() -> None:
    unclaimed = next(
        scenario
        for scenario in scenarios(scenarios_root(), ["tools"])
        if scenario.requires == ("tools",) and scenario.id != CAPABILITIES["tools"]
    )
    assert {case.status for case in play_scenario(unclaimed.id, _driver())} == {"NOT_APPLICABLE"}


def test_init_claims_capabilities_that_worked_somewhere(detector: str) -> None:
    works = play_scenario(detector, _driver("tools"))
    fails = play_scenario(detector, replace(_driver("tools"), converter=Refusing()))  # type: ignore[arg-type]  # likewise
    assert find_working_capabilities(works) == find_working_capabilities([*works, *fails]) == {"tools"}
    assert find_working_capabilities(fails) == find_working_capabilities([]) == frozenset()


def test_every_capability_has_a_detecting_scenario() -> None:
    required = {scenario.id: scenario.requires for scenario in scenarios(scenarios_root())}
    for capability, scenario_id in CAPABILITIES.items():
        assert capability in required[scenario_id]
