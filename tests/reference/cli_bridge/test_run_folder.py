"""The folder of one run: for its owner alone, and gone afterwards, killed or not."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bridgecheck_reference.cli_bridge.run_folder import RunFolder, session_lines

RECORDS = [{"id": "message-0", "timestamp": "T", "type": "user", "content": [{"text": "a\u2028\ud800"}]}]
LIMIT_S = 30


def fill(folder: RunFolder) -> Path:
    folder.write_settings({"mcpServers": {"x": {"command": "y"}}})
    folder.write_command('prompt = "/x"\n')
    folder.write_system_prompt("be brief")
    return folder.write_session(RECORDS, "2026-11-23T10:00:00.000Z")


@pytest.mark.row("S5.8")
def test_everything_is_for_the_owner_alone_and_removed() -> None:
    mask = os.umask(0)
    try:
        with RunFolder() as folder:
            session = fill(folder)
            modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.path.rglob("*") if path.is_file()}
            assert modes == {0o600} and stat.S_IMODE(folder.path.stat().st_mode) == 0o700
            assert session.name.startswith("session-") and session.suffix == ".jsonl"
    finally:
        os.umask(mask)
    assert not folder.path.exists()


@pytest.mark.row("S5.8")
def test_it_is_removed_after_a_failure_too() -> None:
    with pytest.raises(RuntimeError), RunFolder() as folder:
        fill(folder)
        raise RuntimeError
    assert not folder.path.exists()


def test_two_runs_share_nothing() -> None:
    with RunFolder() as first, RunFolder() as second:
        assert first.path != second.path and fill(first).name != fill(second).name


@pytest.mark.row("S5.8")
def test_a_session_file() -> None:
    description, record = map(json.loads, session_lines(RECORDS, "id-1", "T").splitlines())
    assert description == {
        "sessionId": "id-1",
        "projectHash": "imported",
        "startTime": "T",
        "lastUpdated": "T",
        "kind": "main",
    }
    assert record == RECORDS[0]
    assert session_lines(RECORDS, "id-1", "T").isascii(), "U+2028 would end a line"
    with pytest.raises(ValueError):
        session_lines([{"args": float("nan")}], "id-1", "T")


KILLED = """
import subprocess, sys, time
sys.path[:0] = {paths!r}
from bridgecheck_reference.cli_bridge.run_folder import RunFolder
folder = RunFolder()
folder.write_session([], "T")
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
folder.watch_group(child.pid)
print(folder.path, child.pid, flush=True)
time.sleep(600)
"""


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.row("S5.8")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_is_removed_where_the_process_is_killed(number: signal.Signals) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED.format(paths=sys.path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    folder, child = process.stdout.readline().split()
    assert Path(folder).is_dir() and is_running(int(child))
    process.send_signal(number)
    process.wait(LIMIT_S)
    process.stdout.close()
    end = time.monotonic() + LIMIT_S
    while (Path(folder).exists() or is_running(int(child))) and time.monotonic() < end:
        time.sleep(0.02)
    assert not Path(folder).exists() and not is_running(int(child))
