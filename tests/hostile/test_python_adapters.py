"""Every adapter of hostile_adapters, run as users run one: a verdict or exit code 2, and nothing of it is left."""

import json
import shutil
import sys
from pathlib import Path
from typing import Final

import pytest
from _pytest.mark import ParameterSet

from .hostile_adapters import AT_IMPORT, IN_CALL
from .hostile_runs import LIMIT_S, PEAK_BYTES, FinishedRun, run_hostile

CASE: Final = "messages/plain-text::bridged-openai-chat-to-gemini-unary-wire"
TARGET: Final = "python:under_test:adapter"
NEEDS_LINUX: Final = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def run_python_adapter(folder: Path, name: str, *arguments: str, **variables: str) -> FinishedRun:
    module = f"from tests.hostile.hostile_adapters import make_adapter\nadapter = make_adapter({name!r})\n"
    (folder / "under_test.py").write_text(module, encoding="utf-8")
    recipe = folder / "adapter.toml"
    return run_hostile(folder, [*arguments, "--adapter", str(recipe) if recipe.exists() else TARGET], **variables)


SOME: Final = frozenset({
    "exits-at-import", "patches-json-at-import",  # an import that ends the process, one that harms what others use
    "exits", "interrupt",  # a call that ends its process, one that ends what called it
    "loops", "long-list",  # the limits of time and of memory
    "deep", "cycle",  # answers that cannot be read
    "fork", "thread", "writes", "clears-environment",  # what it leaves, and what it does to its process
})  # fmt: skip
"""One of each kind, tried on every change; `make slow` tries all."""


def names(some: frozenset[str]) -> list[ParameterSet]:
    """Return every adapter's name; all but ``some`` are slow."""
    return [pytest.param(name, marks=() if name in some else pytest.mark.slow) for name in (*AT_IMPORT, *IN_CALL)]


@NEEDS_LINUX
@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", names(SOME))
def test_hostile_adapter_gets_a_verdict_and_leaves_nothing(tmp_path: Path, name: str, workers: int) -> None:
    (tmp_path / "adapter.toml").write_text(f'target = "{TARGET}"\ntimeout = 2\n', encoding="utf-8")
    run = run_python_adapter(
        tmp_path, name, "run", "--scenario", CASE, "-n", str(workers), "--report", str(tmp_path / "report")
    )
    assert run.seconds < LIMIT_S, run.output
    assert run.left == [], run.output
    assert run.code in (1, 2), f"exit code {run.code}\n{run.output}"
    assert run.peak < PEAK_BYTES, f"{run.peak / 1024**2:.0f} MiB"
    if run.code == 1:
        report = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
        assert report["totals"].get("FAIL") == 1, report["totals"]


ANSWERS_WRONGLY: Final = frozenset({
    "exits-at-end", "thread-at-import", "daemon-at-import", "patches-json-at-import", "daemon", "fork", "thread", "writes",
    "patches-json", "chdir", "clears-environment",
})  # fmt: skip
"""These answer, if wrongly: their failures are accepted. Nobody sees more of the others than their end."""


@pytest.fixture(scope="module")
def corpus_of_one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with the plain text alone."""
    root, folder = Path(__file__).resolve().parents[2], tmp_path_factory.mktemp("corpus")
    scenario = Path("scenarios") / "messages" / "plain-text.json"
    (folder / scenario).parent.mkdir(parents=True)
    shutil.copy(root / scenario, folder / scenario)
    shutil.copytree(root / "cassettes/messages/plain-text", folder / "cassettes/messages/plain-text")
    return folder


@NEEDS_LINUX
@pytest.mark.parametrize("name", names(frozenset({"exits-at-import", "fork"})))
def test_init_of_a_hostile_adapter_ends(tmp_path: Path, corpus_of_one: Path, name: str) -> None:
    run = run_python_adapter(tmp_path, name, "init", BRIDGECHECK_CORPUS=str(corpus_of_one))
    assert run.seconds < LIMIT_S, run.output
    assert run.left == [], run.output
    assert run.peak < PEAK_BYTES, f"{run.peak / 1024**2:.0f} MiB"
    assert run.code == (0 if name in ANSWERS_WRONGLY else 2), f"exit code {run.code}\n{run.output}"
    assert "Traceback" not in run.output
    written = [path.name for path in (tmp_path / "reports").rglob("*.toml")]
    assert sorted(written) == (["adapter.toml", "deviations.toml"] if name in ANSWERS_WRONGLY else []), run.output
