"""The reference behind the example's shim has the same verdicts as in process."""

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bridgecheck.drivers import Driver, resolve
from bridgecheck.drivers.command import Launch, driver_of_launch
from bridgecheck.files import cassettes_root, load_scenario, scenario_files, scenarios_root
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Selection, plan

SHIM = Path(__file__).parent / "shims" / "reference.py"
ROOT = Path(__file__).resolve().parents[2]


def sample_scenarios(count: int) -> list[Scenario]:
    """Scenarios of every topic, spread evenly."""
    files = scenario_files(scenarios_root())
    return [load_scenario(files[number * len(files) // count]) for number in range(count)]


@pytest.fixture(scope="module")
def library() -> Library:
    return Library(cassettes_root())


def as_command(shim: Path) -> Driver:
    path = os.pathsep.join(str(ROOT / source) for source in ("harness", "reference_impl"))
    return driver_of_launch("command:reference", Launch([sys.executable, str(shim)], ROOT, {"PYTHONPATH": path}))


def results(scenario: Scenario, driver: Driver, library: Library) -> dict[str, CaseResult]:
    cases = plan(scenario, driver, Selection(paths=("bridged",)))
    return {str(case.key): run_case(case, scenario, driver, library) for case in cases if case.key.layer == "wire"}


def compare_with_process(results: dict[str, CaseResult]) -> dict[str, CaseResult]:
    return {key: replace(result, seconds=0.0) for key, result in results.items()}


@pytest.mark.parametrize("count", [8, pytest.param(40, marks=pytest.mark.slow)])
def test_verdicts_match_those_of_the_adapter_in_process(library: Library, count: int) -> None:
    own, command = resolve("python:bridgecheck_reference:adapter"), as_command(SHIM)
    try:
        assert command.info == own.info
        cases = 0
        for scenario in sample_scenarios(count):
            expected = compare_with_process(results(scenario, own, library))
            assert compare_with_process(results(scenario, command, library)) == expected
            cases += len(expected)
        assert cases >= 4 * count
    finally:
        command.close()


def test_a_shim_that_drops_something_has_other_verdicts(library: Library, tmp_path: Path) -> None:
    """The planted fault for the test above: the protocol's own layer loses an event."""
    broken = tmp_path / "shims" / "reference.py"
    broken.parent.mkdir()
    shutil.copytree(ROOT / "docs" / "examples" / "command_python", tmp_path / "command_python")
    shim = tmp_path / "command_python" / "shim.py"
    text = shim.read_text(encoding="utf-8")
    shim.write_text(text.replace('.feed(request["event"])}', '.feed(request["event"])[:1]}'), encoding="utf-8")
    source = SHIM.read_text(encoding="utf-8").replace('parents[3] / "docs" / "examples"', "parents[1]")
    broken.write_text(source, encoding="utf-8")
    assert shim.read_text(encoding="utf-8") != text
    command = as_command(broken)
    try:
        found = results(load_scenario(scenarios_root() / "tools/parallel-one-chunk.json"), command, library)
        assert "FAIL" in {result.status for result in found.values()}
    finally:
        command.close()
