"""Collects the tests that carry a marker, as pytest itself does: a generated table cannot name a test that is none."""

import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLUGIN = Path(__file__).stem
OUTPUT = "BRIDGECHECK_MARKS"
"""The environment variable that tells the collecting pytest where to write."""


def collect_marks(marker: str, tests: Path = ROOT / "tests") -> dict[str, list[str]]:
    """{id: [test, ...]} of ``@pytest.mark.<marker>("id", ...)``; each test once, as a node id without parameters.

    An id that no test names is absent. Raises RuntimeError with pytest's output if the tests cannot be collected.
    """
    return _collect_all(tests).get(marker, {})


@cache
def _collect_all(tests: Path) -> dict[str, dict[str, list[str]]]:
    """Return what one ``pytest --collect-only`` over the files that use any of MARKERS finds, for each of them."""
    files = [str(path) for path in sorted(tests.rglob("test_*.py")) if _uses_markers(path)]
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "marks.json"
        path = os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH"))))
        command = [
            sys.executable,
            "-m",
            "pytest",
            "--collect-only",
            "-qq",
            "-p",
            "collect_marks",
            "-p",
            "no:cacheprovider",
        ]
        environment = {**os.environ, "PYTHONPATH": path, OUTPUT: str(output), "PYTEST_ADDOPTS": ""}
        process = subprocess.run(
            [*command, *(files or [str(tests)])], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        if process.returncode != 0:
            raise RuntimeError(f"the tests cannot be collected:\n{process.stdout[-3000:]}{process.stderr[-3000:]}")
        document: dict[str, dict[str, list[str]]] = json.loads(output.read_text(encoding="utf-8"))
        return document


MARKERS = ("row", "proposal")


def _uses_markers(path: Path) -> bool:
    source = path.read_text(encoding="utf-8")
    return any(f"mark.{marker}" in source for marker in MARKERS)


def pytest_collection_finish(session: pytest.Session) -> None:
    """The plugin's side: writes {marker: {id: [test, ...]}} to the file that OUTPUT names, if it names one."""
    output = os.environ.get(OUTPUT)
    if output:
        found = {marker: _tests_by_id(session.items, marker) for marker in MARKERS}
        Path(output).write_text(json.dumps(found), encoding="utf-8")


def _tests_by_id(items: list[pytest.Item], marker: str) -> dict[str, list[str]]:
    tests: dict[str, set[str]] = {}
    for item in items:
        for mark in item.iter_markers(marker):
            for name in mark.args:
                tests.setdefault(str(name), set()).add(item.nodeid.partition("[")[0])
    return {name: sorted(tests[name]) for name in sorted(tests)}
