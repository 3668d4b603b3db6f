"""Playing scenarios through an adapter with types of its own, in this process."""

from collections.abc import Iterator

from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.files import cassettes_root, load_scenario, scenarios_root
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult
from bridgecheck.relations.choice import RelationChoice
from bridgecheck.run import execute, plan
from bridgecheck.run.library import Library as Recordings

RECORDINGS = Recordings(cassettes_root())


def make_driver(adapter: object) -> Driver:
    return describe_adapter("python:tests.own_types.library:adapter", adapter)


def read_scenario(scenario_id: str) -> Scenario:
    return load_scenario(scenarios_root() / f"{scenario_id}.json")


def play_cases(
    driver: Driver, scenario: Scenario, variant: str, relation_choice: RelationChoice | None = None
) -> Iterator[CaseResult]:
    """Yield the results of the cases whose variant matches."""
    selection = plan.Selection(addresses=(f"{scenario.id}::{variant}",))
    for case in plan.plan(scenario, driver, selection):
        yield execute.run_case(case, scenario, driver, RECORDINGS, relation_choice or RelationChoice())


def complaints(results: Iterator[CaseResult]) -> set[str]:
    """Return the checks that fail, warn or end in an error, each with its status."""
    return {
        f"{verdict.check} {verdict.status}"
        for result in results
        for verdict in result.verdicts
        if verdict.status in ("FAIL", "WARN", "ERROR")
    }
