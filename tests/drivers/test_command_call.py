"""``call``: a library that owns its HTTP client, in a process of its own, over the edge server."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bridgecheck.drivers import Driver
from bridgecheck.drivers.command import Launch, driver_of_launch
from bridgecheck.files import cassettes_root, load_scenario, scenario_files, scenarios_root
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult
from bridgecheck.relations.choice import RelationChoice
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case, Selection, plan

SHIM = Path(__file__).parent / "shims" / "openai_call.py"
TOPICS = ("tools", "usage", "errors", "streams", "relay", "messages", "sse")

Run = Callable[..., dict[str, CaseResult]]


def driver_of(*arguments: str) -> Driver:
    """Return it with a limit that a busy machine does not reach: nothing is tried again here."""
    launch = Launch([sys.executable, str(SHIM), *arguments], Path.cwd())
    return replace(driver_of_launch("command:openai", launch), timeout=60.0)


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Return the results of a scenario's cases by variant. The programs are started once and shared."""
    library = Library(cassettes_root())
    programs: dict[tuple[str, ...], Driver] = {}

    def play(
        scenario: str, *arguments: str, path: str = "bridged", relation_choice: RelationChoice | None = None
    ) -> dict[str, CaseResult]:
        if arguments not in programs:
            programs[arguments] = driver_of(*arguments)
        driver = programs[arguments]
        found = load_scenario(scenarios_root() / f"{scenario}.json")
        cases = [
            case
            for case in plan(found, driver, Selection(paths=(path,)))
            if not case.why_not and case.key.layer == "sdk"
        ]  # type: ignore[arg-type]
        return {
            case.key.route_mode_layer: run_case(
                case, found, driver, library, *((relation_choice,) if relation_choice else ())
            )
            for case in cases
        }

    yield play
    for driver in programs.values():
        driver.close()


def verdicts(result: CaseResult) -> dict[str, str]:
    return {verdict.check: verdict.status for verdict in result.verdicts}


def test_a_calling_command_has_one_layer(library: Library) -> None:
    driver = driver_of()
    assert driver.converter is None
    assert driver.over_socket
    found = load_scenario(scenarios_root() / "tools/single-call.json")
    layers = {case.key.layer for case in plan(found, driver, Selection(paths=("bridged",))) if not case.why_not}
    assert layers == {"sdk"}


def _scenarios() -> list[Scenario]:
    files = [file for file in scenario_files(scenarios_root()) if file.parent.name in TOPICS]
    found = [load_scenario(file) for file in files]
    return [
        scenario
        for scenario in found
        if all("openai-chat" in turn.client.keys() & turn.upstream.keys() for turn in scenario.turns)
    ]


@pytest.mark.slow
def test_the_openai_sdk_behind_the_protocol_passes_what_it_passes_natively(library: Library) -> None:
    """Every case that passes in process passes over the edge server and two pipes."""
    driver = driver_of()
    worse, played = {}, 0
    try:
        for scenario in _scenarios():
            cases = {
                case.key.route_mode_layer: case
                for case in plan(scenario, driver, Selection())
                if case.key.layer == "sdk"
            }
            for variant, case in cases.items():
                native = cases.get(variant.replace("bridged", "native"))
                if case.key.path == "bridged" and native is not None:
                    played += 1
                    native_result, command_result = (
                        run_case(case_, scenario, driver, library) for case_ in (native, case)
                    )
                    if command_result.status != native_result.status:
                        worse[scenario.id] = (
                            f"{native_result.status} natively, {command_result.status} here: {failures(command_result)}"
                        )
    finally:
        driver.close()
    assert worse == {}
    assert played > 60


def failures(result: CaseResult) -> list[str]:
    wrong = [verdict for verdict in result.verdicts if verdict.status != "PASS"]
    return [f"{verdict.check}: {verdict.message} {verdict.differences[:2]}" for verdict in wrong]


PLANTED = [
    ("chunks/done-inside-text", "holds-back", "stream.incremental", "WARN"),
    ("relay/client-goes-away", "stays", "relay.cancel", "WARN"),
    ("errors/rate-limit", "swallows", "response.error", "FAIL"),
    pytest.param("tools/single-call", "asks-twice", "relay.expected_calls", "FAIL", marks=pytest.mark.slow),
    pytest.param("tools/single-call", "events", "adapter.completes", "FAIL", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("scenario", "fault", "check", "status"), PLANTED)
def test_a_planted_fault_is_noticed(run: Run, scenario: str, fault: str, check: str, status: str) -> None:
    right, wrong = run(scenario), run(scenario, fault)
    assert {result.status for result in right.values()} == {"PASS"}
    assert status in {verdicts(result).get(check) for result in wrong.values()}


def test_without_cancel_a_disconnect_is_not_played(run: Run) -> None:
    (result,) = run("relay/client-goes-away", "cannot-cancel").values()
    assert result.status == "NOT_APPLICABLE"
    assert "has no way to learn that its client went away" in result.verdicts[0].message


@pytest.mark.slow
def test_a_stream_without_end_is_a_hang_and_the_next_case_goes_on(library: Library) -> None:
    driver = replace(driver_of("lingers"), timeout=6.0)  # a program that imports an SDK takes a while to restart
    scenario = load_scenario(scenarios_root() / "tools/single-call.json")
    cases = [case for case in plan(scenario, driver, Selection(paths=("bridged",))) if not case.why_not]
    try:
        found = {case.key.mode: run_case(case, scenario, driver, library) for case in sorted(cases, key=_streams_first)}
    finally:
        driver.close()
    assert verdicts(found["stream"])["adapter.completes"] == "FAIL"
    assert "no answer to call within" in found["stream"].crash
    assert found["unary"].status == "PASS"


def _streams_first(case: Case) -> bool:
    return case.key.mode != "stream"


def test_varied_and_parallel_streams(run: Run) -> None:
    (result,) = (found for found in run("chunks/done-inside-text", relation_choice=RelationChoice("all")).values())
    relations = {verdict.check: verdict.status for verdict in result.verdicts if verdict.check.startswith("relation.")}
    assert set(relations.values()) == {"PASS"}
    assert "relation.two_streams" in relations
    assert len(relations) > 5
