"""An answer in a provider's own words is judged by what holds of any answer; a script's by all of the expectations."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.live.conftest import Live

from bridgecheck.drivers.resolve import load_python_object
from bridgecheck.files import load_scenario, scenarios_root
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.script_expectations import script_expectations, without_script_expectations
from bridgecheck.regenerate import regenerate
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Selection, plan

ID = "tools/single-call"


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return load_scenario(scenarios_root() / f"{ID}.json")


@contextmanager
def _library(folder: Path) -> Iterator[Library]:
    library = Library(folder)
    try:
        yield library
    finally:
        library.stop_edge()


def _judge(scenario: Scenario, folder: Path) -> dict[str, set[str]]:
    """Return the checks that FAIL at wire level, by status of the case."""
    driver = load_python_object("bridgecheck_reference:adapter")
    failed: dict[str, set[str]] = {}
    with _library(folder) as library:
        for case in plan(scenario, driver, Selection(paths=("native",), layers=("wire",))):
            result = run_case(case, scenario, driver, library)
            checks = {verdict.check for verdict in result.verdicts if verdict.status == "FAIL"}
            failed.setdefault(result.status, set()).update(checks)
    return failed


def test_other_words_fail_a_scripted_cassette_and_pass_an_elicited_one(live: Live, scenario: Scenario) -> None:
    live.record(ID)
    for path in live.out.rglob("*.yaml"):
        path.write_text(path.read_text(encoding="utf-8").replace("Brest", "Crest"), encoding="utf-8")
    elicited = _judge(scenario, live.out)
    assert set(elicited) == {"PASS"}
    for path in live.out.rglob("*.yaml"):
        path.write_text(path.read_text(encoding="utf-8").replace("elicited:", "noted:"), encoding="utf-8")
    scripted = _judge(scenario, live.out)
    assert "expect.outcome" in scripted["FAIL"]


def test_the_first_request_is_judged_in_any_case(scenario: Scenario) -> None:
    of_script = set(script_expectations(scenario))
    assert "outcome.tool_calls" in of_script
    remaining = without_script_expectations(scenario).expect
    assert remaining.outcome == {}
    requests = [item for item in scenario.expect.wire if item.on == "upstream_request" and item.index == 0]
    assert requests and [item for item in remaining.wire if item.on == "upstream_request"] == requests
    assert len(remaining.wire) + sum(name.startswith("wire") for name in of_script) == len(scenario.expect.wire)


def test_later_requests_are_judged_by_what_holds_of_any_history() -> None:
    scenario = load_scenario(scenarios_root() / "conversations" / "two-parallel-tools.json")
    remaining = without_script_expectations(scenario).expect
    assert "turns" not in remaining.prompt
    later = [item.operator for item in remaining.wire if item.on == "upstream_request" and item.index]
    assert set(later) <= {"absent", "bind", "distinct"}


def test_regenerate_leaves_what_was_elicited(live: Live, scenario: Scenario) -> None:
    live.record(ID)
    before = live.cassettes()
    assert regenerate([scenario], live.out) == []
    assert live.cassettes() == before
    (path,) = live.out.glob(f"{ID}/gemini.unary.yaml")
    path.unlink()
    assert regenerate([scenario], live.out) == [path]
