"""Every program of hostile_commands, run as users run one: a verdict or exit code 2, and nothing of it is left."""

import sys
from pathlib import Path
from typing import Final

import pytest

from . import hostile_commands
from .hostile_commands import AT_START, IN_ANSWER
from .hostile_runs import FinishedRun, require_verdict_and_nothing_left, run_hostile

CASES: Final = "messages/plain-text::bridged-openai-chat-to-gemini-*"
"""Both modes, as conversions and as calls."""


def run_command(folder: Path, name: str, workers: int) -> FinishedRun:
    target = f"command:{sys.executable} {hostile_commands.__file__} {name}"
    recipe = f'target = "{target}"\ntimeout = 1\nready = {{ seconds = 3 }}\n'
    (folder / "adapter.toml").write_text(recipe, encoding="utf-8")
    arguments = ["run", "--scenario", CASES, "-n", str(workers), "--report", str(folder / "report")]
    return run_hostile(folder, [*arguments, "--adapter", str(folder / "adapter.toml")])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("name", [*AT_START, *IN_ANSWER])
def test_a_hostile_command_gets_a_verdict_and_leaves_nothing(tmp_path: Path, name: str, workers: int) -> None:
    require_verdict_and_nothing_left(run_command(tmp_path, name, workers), tmp_path / "report")
