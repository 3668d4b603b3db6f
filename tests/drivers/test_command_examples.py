"""The documented examples: each is run as its README describes, and passes."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"


def has_node() -> bool:
    """A missing tool fails in CI, and skips elsewhere."""
    if shutil.which("node"):
        return True
    if os.environ.get("CI"):
        pytest.fail("Node is missing; install Node 20 or newer")
    pytest.skip("Node is missing; install Node 20 or newer")


def command_of(example: str) -> list[str]:
    """The command in its README."""
    text = (EXAMPLES / example / "README.md").read_text(encoding="utf-8")
    (line,) = (line for line in text.splitlines() if line.startswith("bridgecheck run"))
    return shlex.split(line)


def run(example: str, folder: Path, report: Path) -> dict[str, Counter[str]]:
    """Return the statuses of the bridged cases by layer."""
    command = [sys.executable, "-m", *command_of(example), "--path", "bridged", "--report", str(report)]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    cases = json.loads((report / "report.json").read_text(encoding="utf-8"))["cases"] if report.exists() else []
    assert cases, result.stdout + result.stderr
    layers: dict[str, Counter[str]] = {}
    for case in cases:
        layers.setdefault(case["key"]["layer"], Counter())[case["status"]] += 1
    assert result.returncode == (1 if any("FAIL" in found for found in layers.values()) else 0), result.stdout
    return layers


@pytest.mark.parametrize(("example", "layers"), [("command_python", {"wire"}), ("command_node", {"wire", "sdk"})])
def test_the_example_passes(example: str, layers: set[str], tmp_path: Path) -> None:
    if example == "command_node":
        has_node()
    found = run(example, EXAMPLES / example, tmp_path / "report")
    assert set(found) == layers
    for statuses in found.values():
        assert set(statuses) <= {"PASS", "INHERITED", "NOT_APPLICABLE"}
        assert statuses["PASS"] > 20


PLANTED = [
    ("command_python", "adapter.py", "return status, body", 'return status, {**body, "choices": []}'),
    ("command_node", "adapter.mjs", "feed: (event) => [event]", "feed: (event) => []"),
    ("command_node", "adapter.mjs", 'if (document === "[DONE]") return;', "if (1) return;"),
]


@pytest.mark.parametrize(("example", "file", "right", "wrong"), PLANTED)
def test_a_fault_in_the_example_is_noticed(example: str, file: str, right: str, wrong: str, tmp_path: Path) -> None:
    if example == "command_node":
        has_node()
    copy = tmp_path / "copy"
    shutil.copytree(EXAMPLES / example, copy)
    text = (copy / file).read_text(encoding="utf-8")
    (copy / file).write_text(text.replace(right, wrong), encoding="utf-8")
    assert text.count(right) == 1
    assert sum(statuses["FAIL"] for statuses in run(example, copy, tmp_path / "report").values()) > 5
