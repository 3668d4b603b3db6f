"""The command and pytest --bridgecheck in a project with [tool.bridgecheck]."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import FIXED, MENDED, TEXT_IS_OFF, run_module

Cli = Callable[..., subprocess.CompletedProcess[str]]
Refused = Callable[..., str]

TABLE = '[tool.bridgecheck]\nadapter = "python:adapters:trims"\n'


@pytest.fixture
def table(project: Path) -> Callable[..., None]:
    """``table('layers = ["wire"]')``: the project's table with more lines."""

    def write(*lines: str) -> None:
        (project / "pyproject.toml").write_text("\n".join((TABLE, *lines)), encoding="utf-8")

    return write


def _report(project: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((project / "reports/local/report.json").read_text(encoding="utf-8"))
    return document


def test_run_without_arguments_uses_the_project(cli: Cli, project: Path, table: Callable[..., None]) -> None:
    table('layers = ["wire"]', 'deviations = "known.toml"', 'stale = "fail"')
    (project / "known.toml").write_text(TEXT_IS_OFF, encoding="utf-8")
    result = cli("run", "-n", "0")
    assert result.returncode == 0, result.stdout + result.stderr
    report = _report(project)
    assert report["totals"]["deviation"] == 2
    assert {case["key"]["layer"] for case in report["cases"]} == {"wire"}
    assert report["run"]["selection"] == [["layers", "wire"]]
    repeat = cli("run", "-n", "0", "--adapter", "native:")
    assert repeat.returncode == 0
    assert _report(project)["run"]["adapter"] == "identity"


def test_a_project_without_a_layer_still_reports_stale_deviations(
    cli: Cli, project: Path, table: Callable[..., None]
) -> None:
    table('layers = ["wire"]', 'scenarios = ["messages/*"]', 'deviations = "known.toml"', 'stale = "fail"')
    (project / "known.toml").write_text(TEXT_IS_OFF + FIXED, encoding="utf-8")
    result = cli("run", "-n", "0")
    assert result.returncode == 1
    assert f"stale: {MENDED}" in result.stdout
    assert cli("run", "-n", "0", "--path", "native").returncode == 0


def test_a_subfolder_belongs_to_the_project(
    project: Path, table: Callable[..., None], environment: dict[str, str]
) -> None:
    table('layers = ["wire"]', 'deviations = "known.toml"')
    (project / "known.toml").write_text(TEXT_IS_OFF, encoding="utf-8")
    (project / "below").mkdir()
    result = run_module("bridgecheck", "run", "-n", "1", folder=project / "below", env=environment)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 accepted finding in" in result.stdout


def test_plan_uses_the_project(cli: Cli, table: Callable[..., None]) -> None:
    table('layers = ["wire"]')
    result = cli("plan")
    assert "mine: " in result.stdout, result.stdout + result.stderr
    assert "wire layer" in result.stdout
    assert "sdk layer" not in result.stdout


def test_an_unknown_key_is_refused(refusal_of: Refused, project: Path, table: Callable[..., None]) -> None:
    table('layer = ["wire"]')
    message = refusal_of("run")
    assert "unknown key 'layer' in [tool.bridgecheck]" in message
    assert f"{project / 'pyproject.toml'}:4" in message


def test_pytest_uses_the_project(suite: Cli, project: Path, table: Callable[..., None]) -> None:
    table('layers = ["wire"]', 'deviations = "known.toml"')
    (project / "known.toml").write_text(TEXT_IS_OFF, encoding="utf-8")
    result = suite("--bridgecheck", "-rA")
    assert result.returncode == 0, result.stdout
    assert "XFAIL scenarios/messages/plain.json::bridged-openai-chat-to-gemini-stream-wire" in result.stdout
    assert "-sdk" not in result.stdout
    chosen = suite("--bridgecheck", "-rA", "--bridgecheck-layer=sdk")
    assert "-sdk" in chosen.stdout
    assert "-wire" not in chosen.stdout


def test_pytest_with_another_adapter_ignores_the_project_s_deviations(
    suite: Cli, project: Path, table: Callable[..., None]
) -> None:
    table('deviations = "known.toml"')
    (project / "known.toml").write_text(TEXT_IS_OFF, encoding="utf-8")
    assert "xfailed" in suite("--bridgecheck").stdout
    assert (
        " failed"
        in suite("--bridgecheck", "--bridgecheck-project=", "--bridgecheck-adapter=python:adapters:trims").stdout
    )
    assert "xfailed" not in suite("--bridgecheck", "--bridgecheck-adapter=python:adapters:bridge").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--bridgecheck-capabilities=tols",), "--bridgecheck-capabilities=tols: expected one of tools"),
        (("--bridgecheck-layer=wires",), "--bridgecheck-layer=wires: expected one of wire, sdk, http"),
        (("--bridgecheck-stale=no",), "--bridgecheck-stale=no: expected one of warn, fail"),
        (("--bridgecheck-relations=few",), "--bridgecheck-relations=few: expected one of none, fast, all"),
        (("--bridgecheck-project=elsewhere.toml",), "a pyproject.toml with [tool.bridgecheck]"),
        (("--bridgecheck-deviations=elsewhere.toml",), "names no file"),
        ((), "unknown key 'layer'"),
    ],
)
def test_pytest_refuses_invalid_settings(
    suite: Cli, table: Callable[..., None], arguments: tuple[str, ...], message: str
) -> None:
    table(*([] if arguments else ["layer = 3"]))
    result = suite("--bridgecheck", *arguments)
    assert result.returncode == 4
    assert message in result.stderr
    assert "Traceback" not in result.stderr
