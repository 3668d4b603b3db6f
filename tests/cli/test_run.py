"""``bridgecheck run``: what it prints, writes and exits with."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridgecheck.pytest_plugin.corpus import shuffle_cases
from bridgecheck.pytest_plugin.items import CorpusCase

Cli = Callable[..., subprocess.CompletedProcess[str]]
RUN_BRIDGE = ("run", "--adapter", "python:adapters:bridge")


def report(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "reports" / "local" / "report.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def statuses(folder: Path) -> dict[str, str]:
    return {case["id"]: case["status"] for case in report(folder)["cases"]}


def test_an_adapter_of_the_project(cli: Cli, project: Path) -> None:
    result = cli(*RUN_BRIDGE)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "CONFORMANT" in result.stdout
    found = report(project)
    assert found["run"]["adapter"] == "mine"
    assert found["totals"]["FAIL"] == 0
    assert found["complete"] is True
    assert {path.name for path in (project / "reports" / "local").iterdir()} == {
        "report.json", "junit.xml", "summary.md", "report.html", "findings.sarif", "annotations.txt",
    }  # fmt: skip
    routed = [case for case in found["cases"] if case["status"] == "PASS"]
    assert len(routed) == 6  # native at both layers, bridged at wire level, in both modes
    unrouted = [case for case in found["cases"] if case["status"] == "NOT_APPLICABLE"]
    assert "mine does not route gemini to gemini" in json.dumps(unrouted)


def test_the_reference_is_the_default(cli: Cli, project: Path) -> None:
    result = cli("run")
    assert result.returncode == 0, result.stdout + result.stderr
    assert report(project)["run"]["adapter"] == "bridgecheck-reference"
    assert sum(case["status"] == "PASS" for case in report(project)["cases"]) == 12


def test_workers_change_nothing_and_send_half_a_surrogate_pair(cli: Cli, project: Path) -> None:
    command = ("run", "--adapter", "python:adapters:garbles")
    assert cli(*command, "-n", "0").returncode == 1
    alone = statuses(project)
    result = cli(*command, "-n", "2")
    assert result.returncode == 1, result.stdout + result.stderr
    assert statuses(project) == alone
    assert report(project)["complete"] is True
    assert "half a character" in result.stdout


def test_another_order_gives_the_same_verdicts(cli: Cli, project: Path) -> None:
    assert cli(*RUN_BRIDGE).returncode == 0
    verdicts = statuses(project)
    assert cli(*RUN_BRIDGE, "--shuffle", "1").returncode == 0
    assert statuses(project) == verdicts


def test_a_seed_gives_one_order_of_the_cases_and_leaves_the_rest_in_its_position() -> None:
    items: list[Any] = [object.__new__(CorpusCase) for _ in range(20)]
    items.insert(5, guard := object())
    orders = [list(items) for _ in range(3)]
    for order, seed in zip(orders, (1, 1, 2), strict=True):
        shuffle_cases(order, seed)
    assert orders[0] == orders[1] != orders[2] != items
    assert all(order[5] is guard and set(map(id, order)) == set(map(id, items)) for order in orders)


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (("--path", "native"), 4),
        (("--mode", "unary", "--path", "bridged"), 2),
        (("--scenario", "messages/plain::bridged-openai-chat-to-gemini-stream-wire"), 1),
        (("--tag", "plain", "--scenario", "messages/*::*-sdk"), 2),
    ],
)
def test_only_the_selection_runs(cli: Cli, project: Path, options: tuple[str, ...], count: int) -> None:
    assert cli(*RUN_BRIDGE, *options).returncode in (0, 4)
    assert len(statuses(project)) == count


def test_a_failure_is_exit_1_with_a_command_that_repeats_it(cli: Cli, project: Path) -> None:
    result = cli("run", "--adapter", "python:adapters:trims")
    assert result.returncode == 1
    assert "response.text" in result.stdout
    assert "Four." in result.stdout
    address = "messages/plain::bridged-openai-chat-to-gemini-unary-wire"
    assert address in result.stdout
    again = cli("run", "--adapter", "python:adapters:trims", "--scenario", address)
    assert again.returncode == 1
    assert list(statuses(project)) == [address]


@pytest.mark.parametrize(("adapter", "code"), [("bridge", 0), ("trims", 1)])
def test_a_reader_that_leaves_changes_neither_the_verdict_nor_the_report(
    project: Path, environment: dict[str, str], adapter: str, code: int
) -> None:
    """As in ``bridgecheck run | head``."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "bridgecheck", "run", "--adapter", f"python:adapters:{adapter}", "-n", "0"]
    process = subprocess.run(
        command, cwd=project, env=environment, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    os.close(writer)
    assert process.returncode == code
    assert "Error" not in process.stderr and "Traceback" not in process.stderr
    assert report(project)["exit_code"] == code


def test_an_adapter_that_starts_only_once_is_refused(cli: Cli, project: Path) -> None:
    """The process that plans starts it, and so does each that plays: there nothing was played, and it ended with 4."""
    source = (project / "adapters.py").read_text(encoding="utf-8")
    once = "from pathlib import Path\nPath('started').touch(exist_ok=False)\n"
    (project / "adapters.py").write_text(once + source, encoding="utf-8")
    result = cli("run", "--adapter", "python:adapters:bridge", "-n", "1")
    assert result.returncode == 2, result.stdout
    assert "FileExistsError" in result.stderr
    assert "[bad-target] nothing was played, for the reason above" in result.stderr
    assert "next: bridgecheck smoke python:adapters:bridge" in result.stderr


def test_a_crash_fails_with_the_adapters_traceback(cli: Cli, project: Path) -> None:
    result = cli("run", "--adapter", "python:adapters:raises", "--path", "bridged", "--mode", "unary")
    assert result.returncode == 1
    assert "adapter.completes" in result.stdout
    crash = next(case["crash"] for case in report(project)["cases"] if case.get("crash"))
    assert "KeyError: 'candidate'" in crash
    assert "adapters.py" in crash


@pytest.mark.parametrize("workers", ["0", pytest.param("2", marks=pytest.mark.slow)])
def test_an_adapter_that_ends_its_process_fails_and_the_run_goes_on(cli: Cli, project: Path, workers: str) -> None:
    result = cli("run", "--adapter", "python:adapters:dies", "-n", workers)
    assert result.returncode == 1, result.stdout + result.stderr
    found = statuses(project)
    assert found["messages/plain::bridged-openai-chat-to-gemini-unary-wire"] == "FAIL"
    assert found["messages/plain::bridged-openai-chat-to-gemini-stream-wire"] == "FAIL"
    assert found["messages/plain::native-gemini-to-gemini-unary-wire"] == "PASS"
    assert report(project)["complete"] is True


def test_nothing_to_judge_exits_with_4(cli: Cli) -> None:
    assert cli("run", "--adapter", "native:", "--scenario", "messages/plain::*openai*").returncode == 4


def test_a_hostile_environment_changes_nothing(cli: Cli, project: Path) -> None:
    (project / "conftest.py").write_text("raise SystemExit('conftest was imported')\n")
    (project / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    (project / "tests").mkdir()
    (project / "tests" / "test_theirs.py").write_text("def test_theirs():\n    assert False\n")
    result = cli(
        *RUN_BRIDGE, PYTEST_ADDOPTS="--also-no-option", PYTEST_PLUGINS="no_such_plugin", OPENAI_BASE_URL="http://x"
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("workers", ["0", pytest.param("2", marks=pytest.mark.slow)])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_finished_cases(
    project: Path, environment: dict[str, str], workers: str, number: signal.Signals
) -> None:
    command = [sys.executable, "-m", "bridgecheck", "run", "--adapter", "python:adapters:slow", "-n", workers]
    running = subprocess.Popen(
        [*command, "--scenario", "*::*wire"],
        cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (project / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 3, out + err
    assert "cut off" in out
    assert "Traceback" not in err
    found = report(project)
    assert found["complete"] is False
    assert len(found["cases"]) < found["run"]["planned"]


LINE = {
    "id": "own/1", "provider": "gemini", "host": "generativelanguage.googleapis.com", "method": "POST",
    "url_path": "/v1beta/models/gemini-2.5-flash:generateContent", "stream": False, "status": 200,
    "request_body": {"contents": [{"role": "user", "parts": [{"text": "2 + 2?"}]}]},
    "response_headers": {"content-type": "application/json"},
    "response_body": {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Four."}]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2, "totalTokenCount": 9},
        "modelVersion": "gemini-2.5-flash", "responseId": "r-1",
    },
}  # fmt: skip


@pytest.fixture
def traffic(project: Path) -> Path:
    folder = project / "traffic"
    folder.mkdir()
    lines = [json.dumps(LINE), '{"id": "own/2", "provider"', json.dumps({**LINE, "id": "own/3"})]
    (folder / "own.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_traffic_runs_alone_and_a_broken_line_is_its_own_error(cli: Cli, project: Path, traffic: Path) -> None:
    result = cli(*RUN_BRIDGE, "--traffic", str(traffic))
    assert result.returncode == 3, result.stdout + result.stderr
    found = report(project)
    errors = [case for case in found["cases"] if case["status"] == "ERROR"]
    assert [case["where"].rpartition("/")[2] for case in errors] == ["own.jsonl:2"]
    assert found["totals"]["FAIL"] == 0
    judged = {case["key"]["scenario"] for case in found["cases"] if case["status"] == "PASS"}
    assert judged == {"own/1", "own/3"}
    assert {case["source"] for case in found["cases"]} == {"traffic"}


def test_one_interaction_of_a_file(cli: Cli, project: Path, traffic: Path) -> None:
    case = "own/3::native-gemini-to-gemini-unary-wire"
    for address in (("own/3", "--path", "native"), (case,)):
        result = cli(*RUN_BRIDGE, "--traffic", f"{traffic / 'own.jsonl'}::{address[0]}", *address[1:], "-n", "0")
        assert result.returncode == 0, result.stdout + result.stderr
        assert list(statuses(project)) == [case]


def test_traffic_and_scenarios_run_together(cli: Cli, project: Path, traffic: Path) -> None:
    result = cli(*RUN_BRIDGE, "--traffic", f"{traffic}::own/1", "--scenario", "messages/plain", "--path", "native")
    assert result.returncode == 0, result.stdout + result.stderr
    assert {case["topic"] for case in report(project)["cases"]} == {"own", "messages"}
