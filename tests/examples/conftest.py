"""The documented example in its own folder, with bridgecheck installed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "adapter_author"

Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A writable copy."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "tiny-bridge", ignore=shutil.ignore_patterns("__pycache__", ".*")))


@pytest.fixture
def call(example: Path) -> Call:
    """``call("pytest", "-n", "2")``: a module run as a command in the example, finished."""

    def run(*arguments: str, folder: Path = example) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=folder, env=surroundings(str(ROOT / "harness"), str(ROOT / "reference_impl")), capture_output=True,
            text=True, timeout=300, check=False,
        )  # fmt: skip

    return run


def surroundings(*sources: str) -> dict[str, str]:
    """Return an environment that names the plugins, independent of how this checkout is installed."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "BRIDGECHECK_"))
    }
    plugins = "-p xdist.plugin -p bridgecheck.pytest_plugin -p no:cacheprovider"
    own = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": plugins, "COLUMNS": "200", "CI": ""}
    return {**environment, "PYTHONPATH": os.pathsep.join(sources), **own}
