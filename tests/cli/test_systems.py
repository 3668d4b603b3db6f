"""What needs POSIX says so before anything runs, and leaves nothing behind."""

import os
import sys
from pathlib import Path

import pytest

from bridgecheck.cli.options import RunOptions
from bridgecheck.cli.run_command import run_cases
from bridgecheck.errors import UnsupportedSystem


def test_a_run_on_another_system_is_refused_at_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = RunOptions(adapter="python:no.such.module:object", folder=tmp_path / "report")
    monkeypatch.setattr(os, "name", "nt")
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(UnsupportedSystem) as refused:
        run_cases(options)
    monkeypatch.undo()
    assert "playing cases needs Linux or macOS" in str(refused.value)
    assert "at: this system: win32" in str(refused.value)
    assert list(tmp_path.iterdir()) == []
