"""The example of a library with types of its own, run as its README says over a real socket: its known faults are found,
and so are planted ones."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "own_types"
EXPECTED_FINDINGS = {
    ("request.acceptable", "tools[0].function.name differs"),
    ("response.tool_calls", "tool_calls[0].name differs"),
    ("response.tool_calls", "tool_calls[0].args.input lost"),
    ("response.tool_calls", "tool_calls[0] lost"),
}
"""Warnings all of them: what shows them is rare."""


def findings(folder: Path, report: Path, *scenarios: str) -> set[tuple[str, str]]:
    """Return (check, headline) of every finding in these scenarios, by default those of the README's command."""
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    (line,) = (line for line in text.splitlines() if line.startswith("bridgecheck run"))
    arguments = line if not scenarios else line.partition(" --scenario")[0]
    chosen = [word for scenario in scenarios for word in ("--scenario", scenario)]
    command = [sys.executable, "-m", *shlex.split(arguments), *chosen, "--path", "bridged", "--report", str(report)]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    assert result.returncode == (1 if scenarios else 0), result.stdout + result.stderr
    found = json.loads((report / "report.json").read_text(encoding="utf-8"))
    assert scenarios or found["totals"]["PASS"] > 30
    assert found["totals"]["ERROR"] == 0
    return {(finding["check"], headline(finding)) for finding in found["findings"]}


def headline(finding: dict[str, object]) -> str:
    first = next(iter(finding["differences"]), None)
    if first is None:
        return str(finding["message"])
    return f"{first['path']} {'lost' if first['actual'] == '(absent)' else 'differs'}"


@pytest.mark.slow
def test_the_faults_of_the_example_are_found(tmp_path: Path) -> None:
    assert findings(EXAMPLE, tmp_path / "report") == EXPECTED_FINDINGS


FAULTS = [
    ("pilot.py", 'setdefault(piece["index"],', "setdefault(0,", "response.tool_calls"),
    ("conformance.py", '"length": "length"', '"length": "stop"', "response.finish"),
]
"""File, text in it, faulty text in its place, and the check that finds it."""


def test_planted_faults_are_found(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(EXAMPLE, copy)
    for file, right, wrong, _ in FAULTS:
        text = (copy / file).read_text(encoding="utf-8")
        (copy / file).write_text(text.replace(right, wrong), encoding="utf-8")
        assert text.count(right) == 1
    found = findings(copy, tmp_path / "report", "tools/parallel-separate*", "finish/length")
    assert {check for check, _ in found} >= {check for *_, check in FAULTS}


@pytest.mark.parametrize(
    ("target", "case"),
    [
        pytest.param(
            "conformance:adapter",
            "tools/names-made-legal::bridged-outcome-to-openai-chat-unary-sdk",
            marks=pytest.mark.slow,
        ),
        ("tests.own_types.library:adapter", "signatures/signed-part-stays-apart::bridged-outcome-to-gemini-unary-wire"),
    ],
)
def test_a_reproduction_shows_the_fault_without_bridgecheck(target: str, case: str, tmp_path: Path) -> None:
    """One case has one turn, the other two: its second request holds what was received when the finding was made."""
    folder = EXAMPLE if target.startswith("conformance") else EXAMPLE.parents[2]
    command = [sys.executable, "-m", "bridgecheck", "repro", case, "--adapter", f"python:{target}"]
    written = subprocess.run(
        [*command, "--output", str(tmp_path / "finding.md")],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert written.returncode == 0, written.stdout + written.stderr
    assert "outcome" in (tmp_path / "finding.md").read_text(encoding="utf-8")
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    shown = subprocess.run(
        [sys.executable, str(tmp_path / "finding.py")],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False, env=paths,
    )  # fmt: skip
    assert shown.returncode == 1, shown.stdout + shown.stderr
    assert "The fault shows." in shown.stdout
