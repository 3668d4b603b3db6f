"""Runs a command of bridgecheck with a hostile adapter as users run one, and says what came of it and what is left."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4
from xml.etree import ElementTree

from bridgecheck.report.read import read_report
from bridgecheck.run.longer_limits import MachineStalled

from ..fakes import becomes_true, judges_of, marked_processes

ROOT: Final = Path(__file__).resolve().parents[2]
LIMIT_S: Final = 120.0
PEAK_BYTES: Final = 600 * 1024 * 1024
UNSAFE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]")
"""What moves a cursor, or turns the direction of a line: nothing of an adapter's is shown as it came."""


@dataclass
class FinishedRun:
    """``peak``: bytes resident at most in a process that judges. ``left``: ids of processes that still ran 5 s later."""

    code: int
    output: str
    seconds: float
    peak: int
    left: list[int]


def run_hostile(folder: Path, arguments: Sequence[str], **variables: str) -> FinishedRun:
    """Run a command of bridgecheck in this folder. ``variables``: of its environment. Of it every adapter's process has
    the PATH, by which all are found that it started."""
    mark = f"/hostile-{uuid4().hex}"
    paths = {"PATH": f"{os.environ['PATH']}{os.pathsep}{mark}", "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    environment = {**os.environ, **variables, **paths}
    command = [sys.executable, "-m", "bridgecheck", *arguments]
    started, peak = time.monotonic(), 0
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        while process.poll() is None and time.monotonic() < started + LIMIT_S:
            peak = max(peak, *map(peak_resident_bytes, judges_of(process.pid)))
            time.sleep(0.02)
        seconds = time.monotonic() - started
        if process.poll() is None:
            process.kill()
            process.wait()
    becomes_true(lambda: not marked_processes(mark), 5)
    left = marked_processes(mark)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    text = (folder / "output").read_text(encoding="utf-8", errors="replace")
    return FinishedRun(process.returncode, text, seconds, peak, left)


def peak_resident_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


STALLED: Final = MachineStalled().what
"""What is said of a case where the machine stood still, as it may while two adapters write gigabytes."""


def require_verdict_and_nothing_left(run: FinishedRun, folder: Path) -> None:
    """A failure or a refusal, in bounded time and memory, in reports that are valid and show nothing as it came."""
    assert run.seconds < LIMIT_S, run.output
    assert run.left == [], f"processes left: {run.left}\n{run.output}"
    assert run.code in (1, 2), f"exit code {run.code}\n{run.output}"
    assert run.peak < PEAK_BYTES, f"{run.peak / 1024**2:.0f} MiB\n{run.output}"
    assert not UNSAFE.search(run.output), run.output
    assert "Traceback (most recent call last)" not in run.output.partition("its last lines")[0]
    if run.code == 2:
        return
    report = read_report(folder).report
    assert report.exit_code == 1
    judged = [case for case in report.cases if not any(item.message == STALLED for item in case.verdicts)]
    assert {case.status for case in judged} == {"FAIL"}, {str(case.key): case.status for case in report.cases}
    json.loads((folder / "report.json").read_text(encoding="utf-8"), parse_constant=_reject_constant)
    ElementTree.parse(folder / "junit.xml")
    for name in ("report.html", "summary.md", "junit.xml"):
        assert not UNSAFE.search((folder / name).read_text(encoding="utf-8")), name
    assert "<img src=x" not in (folder / "report.html").read_text(encoding="utf-8")


def _reject_constant(name: str) -> object:
    raise AssertionError(f"{name} is no JSON")
