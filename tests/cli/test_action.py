"""action.yml: valid action metadata, correct outputs, and no input is ever run as a command.

The rules: https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax (read 2026-12-01).
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import TEXT_IS_OFF, run_environment

ROOT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
ID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
INPUT = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")
STEP_KEYS = {"id", "name", "if", "run", "shell", "uses", "with", "env", "working-directory", "continue-on-error"}

Step = Callable[..., "StepResult"]
Cli = Callable[..., subprocess.CompletedProcess[str]]


class StepResult:
    """A finished step: its exit code, its log, and the files it wrote for the runner."""

    def __init__(self, code: int, log: str, folder: Path) -> None:
        self.code, self.log = code, log
        self.summary = (folder / "summary").read_text(encoding="utf-8")
        lines = (folder / "output").read_text(encoding="utf-8").splitlines()
        self.outputs = dict(line.split("=", 1) for line in lines)
        assert len(self.outputs) == len(lines)


@pytest.fixture
def step(project: Path, recorded_corpus: Path, tmp_path: Path) -> Step:
    """``step("run", adapter="python:adapters:trims")``: the step of that id or name, as the runner would run it."""
    places = {name: tmp_path / name for name in ("output", "summary", "env", "path", "state", "bin")}
    for name, step_folder in places.items():
        step_folder.mkdir() if name == "bin" else step_folder.write_text("")
    for name in ("python", "python3"):
        (places["bin"] / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (places["bin"] / name).chmod(0o755)

    def run(id_or_name: str, corpus: Path = recorded_corpus, **inputs: str) -> StepResult:
        found = next(step_ for step_ in STEPS if id_or_name in (step_.get("id"), step_["name"]))
        values = {key: spec.get("default", "") for key, spec in ACTION["inputs"].items()}
        values |= {key.replace("_", "-"): value for key, value in inputs.items()}
        filled = {key: INPUT.sub(lambda match: values[match[1]], text) for key, text in found.get("env", {}).items()}
        runner = {f"GITHUB_{key.upper()}": str(places[key]) for key in ("output", "env", "path", "state")}
        runner |= {"GITHUB_STEP_SUMMARY": str(places["summary"]), "GITHUB_ACTION_PATH": str(ROOT)}
        for name in ("output", "summary"):
            places[name].write_text("")
        script = tmp_path / "script.sh"
        script.write_text(found["run"], encoding="utf-8")
        path = {"PATH": f"{places['bin']}{os.pathsep}{os.environ['PATH']}"}
        ended = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=project / values["working-directory"], env=run_environment(corpus) | path | runner | filled,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert all(places[key].read_text() == "" for key in ("env", "path", "state"))
        return StepResult(ended.returncode, ended.stdout, tmp_path)

    return run


def test_action_metadata_is_a_valid_composite_action() -> None:
    assert set(ACTION) == {"name", "description", "branding", "inputs", "outputs", "runs"}
    assert set(ACTION["runs"]) == {"using", "steps"}
    assert ACTION["runs"]["using"] == "composite"
    for name, spec in ACTION["inputs"].items():
        assert ID.fullmatch(name) and name == name.lower()
        assert set(spec) == {"description", "default"}
        assert isinstance(spec["default"], str) and spec["description"].strip()
    for name, spec in ACTION["outputs"].items():
        assert ID.fullmatch(name)
        assert spec["value"] == f"${{{{ steps.run.outputs.{name} }}}}"
        assert spec["description"].strip()


@pytest.mark.parametrize("number", range(len(STEPS)))
def test_each_step_has_valid_keys(number: int) -> None:
    found = STEPS[number]
    assert set(found) <= STEP_KEYS
    assert ("run" in found) != ("uses" in found)
    assert ("run" in found) == ("shell" in found)
    for named in INPUT.findall(str(found)):
        assert named in ACTION["inputs"]


def test_no_input_is_interpolated_into_a_script() -> None:
    for found in STEPS:
        assert "${{" not in found.get("run", "")
        for name, value in found.get("env", {}).items():
            assert re.fullmatch(r"[A-Z_]+", name)
            assert INPUT.fullmatch(value)


def test_every_input_is_used() -> None:
    assert set(INPUT.findall(str(STEPS))) | {"python-version"} == set(ACTION["inputs"])


def test_a_conformant_adapter_passes(step: Step, project: Path) -> None:
    result = step("run", adapter="python:adapters:bridge", args="-n 0")
    assert result.code == 0, result.log
    assert result.outputs == {
        "verdict": "conformant", "exit-code": "0", "report": "reports/local", "findings": "0", "failed": "0",
        "accepted": "0",
    }  # fmt: skip
    assert set(result.outputs) == set(ACTION["outputs"])
    assert result.summary == (project / "reports/local/summary.md").read_text(encoding="utf-8")
    assert "CONFORMANT" in result.summary


def test_a_failing_adapter_fails_the_step(step: Step) -> None:
    result = step("run", adapter="python:adapters:trims", report="there/is one", args="-n 0")
    assert result.code == 1
    assert result.outputs["verdict"] == "not-conformant"
    assert (result.outputs["findings"], result.outputs["failed"]) == ("1", "2")
    assert result.outputs["report"] == "there/is one"
    assert "NOT CONFORMANT" in result.summary
    assert "NOT CONFORMANT" in result.log


def test_findings_stand_beside_the_file_of_the_adapter(step: Step, project: Path) -> None:
    log = step("run", adapter="python:adapters:trims", args="-n 0").log
    resumed = re.search(r"^::stop-commands::([0-9a-f]{32})$", log, re.MULTILINE)
    assert resumed is not None
    shown = log.rpartition(f"::{resumed[1]}::\n")[2]
    assert shown.startswith("::error file=adapters.py,line=1,title=response.text::")
    assert shown == (project / "reports/local/annotations.txt").read_text(encoding="utf-8")


def test_deviations_and_more_arguments(step: Step, project: Path) -> None:
    (project / "known list.toml").write_text(TEXT_IS_OFF)
    result = step(
        "run", adapter="python:adapters:trims", deviations="known list.toml", args="--mode unary\n  --stale fail -n 0"
    )
    assert result.code == 0, result.log
    assert (result.outputs["verdict"], result.outputs["accepted"]) == ("known-failures", "1")
    refusal_of = step("run", adapter="python:adapters:trims", requirements="1999.1")
    assert (refusal_of.code, refusal_of.outputs["verdict"]) == (2, "refused")


def test_a_refused_run_leaves_no_report_of_an_earlier_run(step: Step, cli: Cli, project: Path) -> None:
    assert cli("run", "--adapter", "python:adapters:bridge").returncode == 0
    assert (project / "reports/local/report.json").is_file()
    result = step("run", adapter="python:nowhere:adapter")
    assert result.code == 2
    assert "nowhere cannot be imported" in result.log
    assert result.outputs == {
        "verdict": "refused", "exit-code": "2", "report": "", "findings": "0", "failed": "0", "accepted": "0",
    }  # fmt: skip
    assert "made no report, exit code 2" in result.summary


def test_the_project_may_be_in_another_folder(step: Step, project: Path) -> None:
    below = project / "gateway"
    below.mkdir()
    (project / "adapters.py").rename(below / "adapters.py")
    (below / "pyproject.toml").write_text('[tool.bridgecheck]\nadapter = "python:adapters:trims"\n')
    result = step("run", working_directory="gateway", args="-n 0")
    assert result.code == 1
    assert result.outputs["report"] == "gateway/reports/local"


def test_a_harness_error_is_no_verdict_on_the_adapter(step: Step, tmp_path: Path) -> None:
    result = step("run", corpus=tmp_path, adapter="python:adapters:bridge")
    assert (result.code, result.outputs["verdict"]) == (2, "refused")
    (tmp_path / "bin" / "python").write_text(
        f'#!/bin/sh\n[ "$2" = bridgecheck ] && exit 1\nexec {sys.executable} "$@"\n'
    )
    broken = step("run", adapter="python:adapters:bridge")
    assert (broken.code, broken.outputs["verdict"]) == (1, "error")


def test_an_exit_code_without_a_report_that_says_so_is_no_success(step: Step, tmp_path: Path) -> None:
    (tmp_path / "bin" / "python").write_text(
        f'#!/bin/sh\n[ "$2" = bridgecheck ] && exit 0\nexec {sys.executable} "$@"\n'
    )
    result = step("run", adapter="python:adapters:bridge")
    assert (result.code, result.outputs["verdict"], result.outputs["exit-code"]) == (3, "error", "3")
    planted = 'mkdir -p reports/local; echo \'{"complete": true, "exit_code": 1, "totals": {"FAIL": 1}}\' '
    (tmp_path / "bin" / "python").write_text(
        f'#!/bin/sh\n[ "$2" = bridgecheck ] && {{ {planted} > reports/local/report.json; exit 0; }}\n'
        f'exec {sys.executable} "$@"\n'
    )
    result = step("run", adapter="python:adapters:bridge")
    assert (result.code, result.outputs["verdict"]) == (1, "not-conformant")


@pytest.fixture
def python(tmp_path: Path, step: Step) -> Callable[[], list[list[str]]]:
    """Replace python by a stub that records the modules and arguments it is run with; return the recorded calls."""
    calls = tmp_path / "calls"
    calls.write_text("")
    for name in ("python", "python3"):
        fake = tmp_path / "bin" / name
        fake.write_text(
            f'#!/bin/sh\n[ "$1" != -m ] && exec "{sys.executable}" "$@"\nprintf "%s\\0" "$@" >> {calls}\n'
            f'printf "\\0" >> {calls}\n'
        )
    return lambda: [call.split("\0") for call in calls.read_text().split("\0\0") if call]


NASTY = [
    "$(touch hacked)",
    "`touch hacked`",
    "python:adapters:bridge; touch hacked",
    'python:adapters:bridge" ; touch hacked ; "',
    "python:adapters:bridge\ntouch hacked",
    "' || touch hacked || '",
    "${IFS}touch${IFS}hacked",
    "&& touch hacked",
]


@pytest.mark.parametrize("hostile", NASTY)
@pytest.mark.parametrize("name", ["adapter", "requirements", "deviations", "args", "report"])
def test_no_input_is_executed(
    step: Step, project: Path, python: Callable[[], list[list[str]]], name: str, hostile: str
) -> None:
    result = step("run", **{name: hostile})
    assert not list(project.rglob("hacked"))
    assert list(result.outputs) == list(ACTION["outputs"])
    [call] = python()
    assert call[:3] == ["-m", "bridgecheck", "run"]
    values = hostile.split() if name == "args" else [hostile]
    assert call[-len(values) :] == values


def test_arguments_are_not_expanded_as_file_patterns(step: Step, project: Path) -> None:
    (project / "messages").mkdir()
    (project / "messages" / "elsewhere").write_text("")
    result = step("run", adapter="python:adapters:bridge", args="--scenario messages/* -n 0")
    assert result.code == 0, result.log


LOUD = """
import os
from adapters import Bridge

class Loud(Bridge):
    def text(self, body):
        os.write(1, b"\\n::error::the adapter speaks\\n")
        for name in ("GITHUB_OUTPUT", "GITHUB_ENV"):
            if name in os.environ:
                open(os.environ[name], "a").write("verdict=mine\\n")
        return super().text(body)

loud = Loud()
"""


def test_adapter_output_is_never_a_workflow_command(step: Step, project: Path) -> None:
    (project / "louder.py").write_text(LOUD, encoding="utf-8")
    result = step("run", adapter="python:louder:loud", args="-n 0")
    assert result.code == 0, result.log
    stop = re.search(r"^::stop-commands::([0-9a-f]{32})$", result.log, re.MULTILINE)
    assert stop is not None
    before, after = (result.log.find(marker) for marker in (stop[0], f"\n::{stop[1]}::\n"))
    assert 0 <= before < after
    assert "::error::" not in result.log
    assert result.outputs["verdict"] == "conformant"


def test_an_installed_version_is_not_replaced(step: Step, python: Callable[[], list[list[str]]]) -> None:
    assert step("Install bridgecheck").code == 0
    assert python() == []


def test_the_version_of_the_action_is_installed_with_hashed_packages(
    step: Step, python: Callable[[], list[list[str]]], project: Path, tmp_path: Path
) -> None:
    """A folder that has the name of the package is none that is installed."""
    python()
    (project / "bridgecheck").mkdir()
    (project / "bridgecheck" / "cli.py").write_text("")
    for name in ("python", "python3"):
        stub = tmp_path / "bin" / name
        stub.write_text(
            stub.read_text().replace(f'exec "{sys.executable}"', f'exec env -u PYTHONPATH "{sys.executable}" -S')
        )
    result = step("Install bridgecheck")
    assert result.code == 0, result.log
    pip = ["-m", "pip", "install", "--disable-pip-version-check"]
    assert python() == [
        [*pip, "--require-hashes", "-r", f"{ROOT}/requirements.run.lock"],
        [*pip, "--no-deps", "--no-build-isolation", str(ROOT)],
    ]
