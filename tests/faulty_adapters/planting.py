"""Plants one mutant in a copy of both packages and runs ``bridgecheck run`` over it, as a user would."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from mutants import Mutant

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (ROOT / "harness" / "bridgecheck", ROOT / "reference_impl" / "bridgecheck_reference")


@dataclass(frozen=True, slots=True)
class Caught:
    """How a run over a mutant ended: its exit code and the checks that failed."""

    exit_code: int
    failed: frozenset[str]
    output: str


def plant(mutant: Mutant, folder: Path) -> Path:
    """A copy of both packages in ``folder`` with the mutant's edits. AssertionError if an edit does not fit exactly once."""
    for source in SOURCES:
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    for file, old, new in mutant.edits:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{mutant.name}: {old!r} stands {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new), encoding="utf-8")
    return folder


def run(packages: Path, scenarios: tuple[str, ...], jobs: int = 0) -> Caught:
    """``bridgecheck run`` with the packages of that folder over these scenarios; () for all."""
    report = packages / "report"
    arguments = [part for glob in scenarios for part in ("--scenario", glob)]
    result = subprocess.run(
        [sys.executable, "-m", "bridgecheck", "run", *arguments, "-n", str(jobs), "--report", str(report)],
        env={
            **os.environ,
            "PYTHONPATH": str(packages),
            "BRIDGECHECK_CORPUS": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        cwd=packages,
        capture_output=True,
        text=True,
        check=False,
    )
    output = result.stdout + result.stderr
    try:
        document = json.loads((report / "report.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Caught(result.returncode, frozenset(), output)
    failed = {
        verdict["check"]
        for case in document["cases"]
        for verdict in case["verdicts"]
        if verdict["status"] in ("FAIL", "ERROR")
    }
    return Caught(result.returncode, frozenset(failed), output)
