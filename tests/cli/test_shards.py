"""Planning, sharding and merging: plan, --shard, merge, --max-fail, and a killed run."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck import __version__
from bridgecheck.model.selection import Shard
from bridgecheck.report.schema import report_schema

Cli = Callable[..., subprocess.CompletedProcess[str]]
BRIDGE = ("--adapter", "python:adapters:bridge")


def cases(folder: Path) -> list[str]:
    return [case["id"] for case in read(folder)["cases"]]


def read(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, report_schema())
    return document


@given(st.lists(st.text(max_size=3), max_size=30), st.integers(1, 7))
def test_shards_partition_the_cases(addresses: list[str], count: int) -> None:
    dealt = [
        Shard(index, count).select_items(list(enumerate(addresses)), lambda item: item[1])
        for index in range(1, count + 1)
    ]
    assert sorted(item for part in dealt for item in part) == list(enumerate(addresses))
    sizes = [len(part) for part in dealt]
    assert max(sizes) - min(sizes) <= 1


def test_the_plan_lists_the_cases_that_run(cli: Cli, project: Path) -> None:
    planned = cli("plan", *BRIDGE, "--cases")
    assert planned.returncode == 0, planned.stderr
    assert not (project / "reports").exists()
    assert cli("run", *BRIDGE).returncode == 0
    assert sorted(planned.stdout.split()) == cases(project / "reports" / "local")


def test_the_plan_is_readable(cli: Cli) -> None:
    assert cli("--version").stdout == f"bridgecheck {__version__}\n"
    output = cli("plan", *BRIDGE, "--mode", "stream").stdout
    assert cli("plan", *BRIDGE, "--models").stdout == "openai-chat > gemini  gemini-2.5-flash  2 cases\n"
    assert "messages" in output
    assert "O>G" in output
    assert (
        "mine: 4 cases; 1 scenario; 1 at the sdk layer, 3 at the wire layer; 1 not applicable; in one process" in output
    )


@pytest.mark.parametrize("workers", ["0", pytest.param("2", marks=pytest.mark.slow)])
def test_merged_shards_equal_the_complete_run(cli: Cli, project: Path, workers: str) -> None:
    assert cli("run", *BRIDGE, "--report", "whole").returncode == 0
    for index in (1, 2, 3):
        result = cli("run", *BRIDGE, "--shard", f"{index}/3", "--report", f"part{index}", "-n", workers)
        assert result.returncode in (0, 4), result.stdout + result.stderr
    parts = [cases(project / f"part{index}") for index in (1, 2, 3)]
    assert sorted(case for part in parts for case in part) == cases(project / "whole")
    planned = [cli("plan", *BRIDGE, "--shard", f"{index}/3", "--cases").stdout.split() for index in (1, 2, 3)]
    assert [sorted(part) for part in planned] == parts

    merged = cli("merge", "part2", "part1/report.json", "part3", "--report", "all")
    assert merged.returncode == 0, merged.stdout + merged.stderr
    merged_report, whole = read(project / "all"), read(project / "whole")
    assert merged_report["complete"] is True
    assert (merged_report["totals"], merged_report["checks"], merged_report["topics"]) == (
        whole["totals"],
        whole["checks"],
        whole["topics"],
    )
    assert merged_report["run"]["selection"] == []


@pytest.mark.slow
def test_a_missing_shard_makes_the_merged_report_partial(cli: Cli, project: Path) -> None:
    cli("run", *BRIDGE, "--shard", "1/3", "--report", "part1")
    cli("run", *BRIDGE, "--shard", "3/3", "--report", "part3")
    merged = cli("merge", "part1", "part3")
    assert merged.returncode == 3
    assert "missing: shard 2/3" in merged.stderr
    assert read(project / "reports" / "local")["complete"] is False
    again = cli("merge", "reports/local", "--report", "again")
    assert (again.returncode, "missing: shard 2/3" in again.stderr) == (3, True)
    assert read(project / "again")["complete"] is False
    cli("run", *BRIDGE, "--shard", "2/3", "--report", "part2")
    whole = cli("merge", "again", "part2", "--report", "whole")
    assert whole.returncode == 0, whole.stdout + whole.stderr
    found = read(project / "whole")
    assert (found["complete"], found["run"]["selection"]) == (True, [])
    assert cli("merge", "again", "part1").returncode == 2


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("run", "--shard", "0/3"), "--shard 0/3 is no shard"),
        (("run", "--shard", "4/3"), "--shard 4/3 is no shard"),
        (("plan", "--shard", "half"), "--shard half is no shard"),
        (("run", "--max-fail", "-1"), "--max-fail"),
        (("merge",), "REPORT... is missing"),
        (("merge", "nowhere"), "there is no report"),
        (("merge", "adapters.py"), "Extra data"),
    ],
)
def test_an_invalid_command_line_is_refused(
    refusal_of: Callable[..., str], command: tuple[str, ...], message: str
) -> None:
    assert message in refusal_of(*command)


@pytest.mark.slow
def test_reports_of_different_runs_are_not_merged(cli: Cli) -> None:
    cli("run", *BRIDGE, "--shard", "1/2", "--report", "a")
    cli("run", *BRIDGE, "--shard", "1/3", "--report", "b")
    cli("run", "--adapter", "python:adapters:trims", "--shard", "2/2", "--report", "c")
    for parts, message in (
        (("a", "b"), "is in "),
        (("a", "c"), "target is 'python:adapters:trims'"),
        (("a", "a"), "is in "),
    ):
        result = cli("merge", *parts)
        assert result.returncode == 2, result.stdout + result.stderr
        assert message in result.stderr


def test_max_fail_ends_the_run(cli: Cli, project: Path) -> None:
    result = cli("run", "--adapter", "python:adapters:raises", "--max-fail", "1", "-n", "0")
    assert result.returncode == 1
    found = read(project / "reports" / "local")
    assert found["totals"]["FAIL"] == 1
    assert found["complete"] is False
    assert "cut off" in result.stdout
    assert cli("run", "--adapter", "python:adapters:raises", "-n", "0").returncode == 1
    assert read(project / "reports" / "local")["totals"]["FAIL"] == 2


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_killed_run_leaves_a_valid_partial_report(project: Path, environment: dict[str, str], cli: Cli) -> None:
    assert cli("run", *BRIDGE).returncode == 0
    command = [sys.executable, "-m", "bridgecheck", "run", "--adapter", "python:adapters:slow", "-n", "0"]
    running = subprocess.Popen(command, cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (project / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=60)

    folder = project / "reports" / "local"
    found = read(folder)
    assert found["complete"] is False
    assert 0 < len(found["cases"]) < found["run"]["planned"]
    assert [path.name for path in folder.iterdir()] == ["report.json"], "nothing of the run before"

    merged = cli("merge", "reports/local")
    assert merged.returncode == 3
    assert "cut off" in merged.stdout
    whole = read(folder)
    assert whole["complete"] is False
    assert whole["totals"]["PASS"] == sum(case["status"] == "PASS" for case in found["cases"])
