"""Faults planted in the reference: the script shows each, and none in the unchanged reference."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faulty_adapters"))

from all_mutants import ALL_MUTANTS
from planting import plant

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SOURCES = os.pathsep.join([str(ROOT / "harness"), str(ROOT / "reference_impl")])

PLANTED = [
    ("tool-index-stuck-at-0", "tools/parallel-one-chunk::bridged-openai-chat-to-gemini-stream-wire", "ACTUAL   received[][].choices[].delta.tool_calls[].index: 0 | 0"),
    ("signature-dropped", "signatures/base64-signs::bridged-gemini-to-gemini-unary-wire", "thoughtSignature: (nothing)"),
    ("executed-code-dropped", "multimodal/code-execution-parts::bridged-gemini-to-gemini-unary-wire", "executableCode.code: (nothing)"),
    ("stream-held-to-its-end", "chunks/candidates-by-turns::bridged-openai-chat-to-gemini-stream-wire", "ACTUAL   steps[][]: true"),
    ("empty-chunk-crashes", "chunks/done-inside-text::bridged-gemini-to-anthropic-stream-wire", "IndexError: list index out of range"),
    ("provider-called-twice", "messages/plain-text::bridged-anthropic-to-openai-chat-unary-sdk", "ACTUAL   sent[]: 2"),
    ("named-events-for-a-gemini-client", "messages/plain-text::bridged-gemini-to-anthropic-stream-sdk", "ACTUAL   raw: \"event\""),
]  # fmt: skip
"""A fault, the case, and what its script prints: changed, lost, in time, a crash, calls, bytes."""


def _run(folder: Path, path: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": path, "BRIDGECHECK_CORPUS": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )  # fmt: skip


@pytest.mark.parametrize(("name", "case", "message"), PLANTED, ids=[row[0] for row in PLANTED])
def test_the_script_shows_the_planted_fault(tmp_path: Path, name: str, case: str, message: str) -> None:
    packages, project = tmp_path / "planted", tmp_path / "away"
    project.mkdir()
    plant(next(mutant for mutant in ALL_MUTANTS if mutant.name == name), packages)
    result = _run(project, str(packages), "-m", "bridgecheck", "repro", case, "--output", "issue.md")
    assert result.returncode == 0, result.stdout + result.stderr
    shown = _run(project, str(packages), "issue.py")
    assert shown.returncode == 1, shown.stdout + shown.stderr
    assert message in shown.stdout + shown.stderr
    healthy = _run(project, SOURCES, "issue.py")
    assert healthy.returncode == 0, healthy.stdout + healthy.stderr
    again = _run(project, SOURCES, "-m", "bridgecheck", "repro", case)
    assert (again.returncode, "there is no failure to reproduce" in again.stderr) == (2, True)
