"""Each import contract is broken on purpose, in a copy, and has to be reported by name."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")

BREACHES = [
    ("the judge's layers, top to bottom", "bridgecheck/model/outcome.py", "import bridgecheck.checks"),
    ("no circle among the modules of a package", "bridgecheck/report/read.py", "import bridgecheck.report.folder"),
    ("the core does no IO and reads no clock", "bridgecheck/normalise/__init__.py", "import socket"),
    ("the core does no IO and reads no clock", "bridgecheck_reference/convert/__init__.py", "import time"),
    ("vcr lives in bridgecheck.cassette", "bridgecheck/drivers/__init__.py", "import vcr"),
    ("deepdiff lives in bridgecheck.compare.diff", "bridgecheck/report/__init__.py", "import deepdiff"),
    (
        "pydantic lives in bridgecheck.files and bridgecheck.validate",
        "bridgecheck/report/__init__.py",
        "import pydantic",
    ),
    ("jinja2 lives in bridgecheck.report.html", "bridgecheck/report/__init__.py", "import jinja2"),
    ("SDKs live in drivers, providers and google_wire", "bridgecheck/run/__init__.py", "import openai"),
    ("the judge never imports the judged", "bridgecheck/drivers/__init__.py", "import bridgecheck_reference"),
    (
        "the judged imports nothing of the judge but its wire types",
        "bridgecheck_reference/convert/__init__.py",
        "import bridgecheck.model.outcome",
    ),
    (
        "normalisers do not know each other",
        "bridgecheck/normalise/gemini/response.py",
        "import bridgecheck.normalise.anthropic.response",
    ),
    ("wire dialects do not know each other", "bridgecheck/wire/gemini.py", "import bridgecheck.wire.openai_chat"),
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contracts")
    for source in ("harness/bridgecheck", "reference_impl/bridgecheck_reference"):
        shutil.copytree(ROOT / source, folder / Path(source).name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", folder / ".importlinter")
    return folder


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT_IMPORTS, "--config", ".importlinter"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_tree_keeps_every_contract(copy: Path) -> None:
    result = lint(copy)
    assert result.returncode == 0, result.stdout
    assert " 0 broken" in result.stdout


@pytest.mark.parametrize(("contract", "file", "line"), BREACHES, ids=[f"{b[1]}:{b[2]}" for b in BREACHES])
def test_a_breach_is_reported_by_name(copy: Path, contract: str, file: str, line: str) -> None:
    path = copy / file
    before = path.read_text(encoding="utf-8")
    path.write_text(before + f"\n{line}\n", encoding="utf-8")
    try:
        result = lint(copy)
    finally:
        path.write_text(before, encoding="utf-8")
    assert result.returncode == 1, result.stdout
    assert f"{contract} BROKEN" in " ".join(result.stdout.split()), result.stdout
