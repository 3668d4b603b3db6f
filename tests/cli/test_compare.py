"""``compare``: two runs as users compare them, and its exit codes."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bridgecheck.report.compare import comparison_schema

from .conftest import ADAPTERS, run_cli

Cli = Callable[..., subprocess.CompletedProcess[str]]
Refused = Callable[..., str]


def run_adapter(cli: Cli, adapter: str, folder: str, *options: str) -> None:
    result = cli("run", "--adapter", f"python:adapters:{adapter}", "-n", "0", "--report", folder, *options)
    assert result.returncode in (0, 1), result.stderr


def read_comparison(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(document, comparison_schema())
    return document


@pytest.fixture(scope="module")
def runs(recorded_corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the report of each adapter; read-only."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "adapters.py").write_text(ADAPTERS, encoding="utf-8")
    for adapter in ("bridge", "trims", "raises"):
        result = run_cli(
            folder, recorded_corpus, "run", "--adapter", f"python:adapters:{adapter}", "-n", "0", "--report", adapter
        )
        assert result.returncode in (0, 1), result.stderr
    return folder


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        ("bridge", "trims", 1, "REGRESSED: 1 finding in 2 cases; none fixed, none new, none gone"),
        ("trims", "bridge", 0, "NO REGRESSION in 6 cases that both judged; 1 fixed, none new, none gone"),
        ("trims", "trims", 0, "Failing in both: 1 finding in 2 cases"),
        ("trims", "raises", 1, "REGRESSED: 1 finding in 2 cases; none fixed"),
    ],
)
def test_changes_between_two_runs_are_reported(
    cli: Cli, project: Path, runs: Path, old: str, new: str, code: int, message: str
) -> None:
    result = cli("compare", str(runs / old), str(runs / new / "report.json"), "--json", "out/c.json")
    assert result.returncode == code, result.stdout + result.stderr
    assert message in result.stdout
    document = read_comparison(project / "out" / "c.json")
    assert document["exit_code"] == code
    assert {change["id"] for change in document["changes"] if change["state"] == "regressed"} == (
        {f"messages/plain::bridged-openai-chat-to-gemini-{mode}-wire" for mode in ("stream", "unary")}
        if code
        else set()
    )


@pytest.mark.slow
def test_a_different_selection_is_stated_and_makes_nothing_missing(cli: Cli, project: Path) -> None:
    run_adapter(cli, "trims", "old")
    run_adapter(cli, "bridge", "new", "--mode", "unary")
    result = cli("compare", "old", "new", "--json", "c.json")
    assert result.returncode == 0
    assert "the reports are of other selections: everything, --mode unary." in result.stdout
    states = {
        change["id"].rpartition("-to-")[2]: change["state"] for change in read_comparison(project / "c.json")["changes"]
    }
    assert states == {"gemini-unary-wire": "fixed", "gemini-stream-wire": "untold"}


@pytest.mark.slow
def test_an_interrupted_run_fixes_nothing(cli: Cli, project: Path) -> None:
    run_adapter(cli, "raises", "old")
    cli("run", "--adapter", "python:adapters:raises", "-n", "0", "--report", "new", "--max-fail", "1")
    result = cli("compare", "old", "new")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "The new report is partial (" in result.stdout
    assert "none fixed, none new, none gone" in result.stdout
    assert cli("compare", "new", "old").returncode == 0


def test_an_unwritable_output_is_refused_first(refusal_of: Refused, project: Path) -> None:
    assert "--json names a folder" in refusal_of("compare", "nowhere", "nowhere", "--json", str(project))
    assert "there is no report" in refusal_of("compare", "nowhere", "nowhere")
