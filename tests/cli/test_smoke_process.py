"""The process that plays for smoke: its output arrives or its loss is reported, and it is always stopped."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bridgecheck.drivers.child_process import NotStarted
from bridgecheck.smoke import command

from ..fakes import Fakes, becomes_true

ROOT = Path(__file__).resolve().parents[2]


def test_an_interrupted_smoke_leaves_no_process(tmp_path: Path, environment: dict[str, str]) -> None:
    fakes = Fakes(tmp_path)
    arguments = [sys.executable, "-m", "bridgecheck", "smoke", str(fakes.recipe("hang", timeout=60))]
    env = environment | {"BRIDGECHECK_CORPUS": str(ROOT)}
    with subprocess.Popen(arguments, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert becomes_true(lambda: len(fakes.alive) == 1, 60)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=30)
    assert becomes_true(lambda: fakes.alive == [])


def test_a_process_that_cannot_be_started_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **named: object) -> None:
        raise NotStarted("no processes here")

    monkeypatch.setattr(command, "ChildProcess", refuse)
    smoked = command.play_in_child_process("native:", lambda doing: None)
    assert smoked.exit_code == 3
    assert smoked.stopped is not None
    assert smoked.stopped.cause == "bridgecheck itself failed: no processes here"


def test_a_silent_process_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_WORKER", "import time; time.sleep(60)")
    monkeypatch.setattr(command, "START_S", 0.5)
    smoked = command.play_in_child_process("native:", lambda doing: None)
    assert smoked.stopped is not None
    assert smoked.stopped.cause == "the adapter's process sent nothing for 0.5 s, during its start"


def test_a_broken_process_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = "import sys, bridgecheck.smoke.worker as w; w._play = lambda *_: 1 / 0; w.main(sys.argv[2], 0)"
    monkeypatch.setattr(command, "_WORKER", worker)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    smoked = command.play_in_child_process("native:", lambda doing: None)
    assert smoked.exit_code == 3
    assert smoked.stopped is not None
    assert smoked.stopped.cause.startswith("bridgecheck itself failed: ZeroDivisionError")
