"""Every gateway of hostile_gateways, run as users run one: a verdict or exit code 2, and nothing of it is left."""

import sys
from pathlib import Path
from typing import Final

import pytest

from . import hostile_gateways
from .hostile_gateways import IN_ANSWER
from .hostile_runs import FinishedRun, require_verdict_and_nothing_left, run_hostile

CASES: Final = "messages/plain-text::bridged-openai-chat-to-gemini-*"
"""Both modes, with a client that reads bytes and with an SDK."""
RECIPE: Final = """
target = "http:http://127.0.0.1:{{port}}"
command = ["{{python}}", "{script}", "{name}", "{{port}}", "{{upstream_url}}"]
timeout = 1
routes = [["openai-chat", "gemini"]]
"""


def run_gateway(folder: Path, name: str, workers: int) -> FinishedRun:
    recipe = RECIPE.format(script=hostile_gateways.__file__, name=name)
    (folder / "adapter.toml").write_text(recipe, encoding="utf-8")
    arguments = ["run", "--scenario", CASES, "-n", str(workers), "--report", str(folder / "report")]
    return run_hostile(folder, [*arguments, "--adapter", str(folder / "adapter.toml")])


# In one process the gateway ends five times before the last cases, and is not started again then.
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("name", IN_ANSWER)
def test_a_hostile_gateway_gets_a_verdict_and_leaves_nothing(tmp_path: Path, name: str, workers: int) -> None:
    require_verdict_and_nothing_left(run_gateway(tmp_path, name, workers), tmp_path / "report")
