"""Files that the real tools made, and the environments in which these tools are installed."""

import os
import shutil
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
RECORDINGS = FOLDER / "recordings"
TOOLS = FOLDER / "tools"
ENVIRONMENTS = ROOT / ".venv-recorders"

sys.path.append(str(TOOLS))


def require(is_there: bool, what: str, how: str) -> None:
    """Skip a test whose tool is not installed; where CI is set, fail."""
    if not is_there:
        message = f"{what} is not installed: {how}"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)


def tool_python(name: str) -> Path:
    """Return the interpreter of a tool's environment."""
    python = ENVIRONMENTS / name / "bin" / "python"
    require(python.is_file(), name, "run `make recorders`")
    return python


@pytest.fixture
def node() -> str:
    found = shutil.which("node")
    require(found is not None, "Node.js", "install it")
    return found or ""
