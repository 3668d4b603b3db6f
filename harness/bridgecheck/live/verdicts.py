"""What an adapter comes to over old recordings and over new ones: two runs of the same scenarios.

TMP/before/cassettes   those of FOLDER, in place of the corpus's
TMP/after/cassettes    those of FOLDER.new
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bridgecheck.errors import RefusedAtStart
from bridgecheck.model.corpus_variables import RECORDINGS_VARIABLE
from bridgecheck.report.compare import Comparison, compare_reports
from bridgecheck.report.read import StoredReport, read_report

JUDGED: Final = (0, 1, 3, 4)
"""Exit codes of ``run`` that leave a report."""
_LAST: Final = 2000
"""Characters of what a run printed that are repeated where it made no report."""


class NotJudged(RefusedAtStart):
    """The adapter could not be run over the recordings."""

    code = "not-judged"


def judge_before_and_after(names: Sequence[str], old: Path, new: Path, adapter: str, keys: Sequence[str]) -> Comparison:
    """Run the scenarios of these cassettes (TOPIC/SLUG/DIALECT.MODE.yaml) with the old and with the new ones.
    ``adapter``: as --adapter of run, "" for the project's. ``keys``: variables that the runs do not get. Raises
    NotJudged, and BadReport where there is no case that both judged."""
    environment = {name: value for name, value in os.environ.items() if name not in keys}
    with TemporaryDirectory(prefix="bridgecheck-live-") as folder:
        before, after = (
            _run(names, source, Path(folder) / when, adapter, environment)
            for when, source in (("before", old), ("after", new))
        )
        return compare_reports(before, after)


def _run(names: Sequence[str], source: Path, folder: Path, adapter: str, environment: dict[str, str]) -> StoredReport:
    """Run in a process of its own, with its progress on this terminal; return its report."""
    cassettes, report = folder / "cassettes", folder / "report"
    cassettes.mkdir(parents=True)
    for name in names:
        if (source / name).is_file():
            (cassettes / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, cassettes / name)
    of_adapter = ["--adapter", adapter] if adapter else []
    command = [sys.executable, "-m", "bridgecheck", "run", "--report", str(report), *of_adapter]
    for scenario in dict.fromkeys(name.rpartition("/")[0] for name in names):
        command += ["--scenario", scenario]
    sys.stderr.write(f"verdicts {folder.name} the change ...\n")
    sys.stderr.flush()
    run = subprocess.run(
        command, env={**environment, RECORDINGS_VARIABLE: str(cassettes)}, stdout=subprocess.PIPE, text=True,
        check=False,
    )  # fmt: skip
    if run.returncode not in JUDGED:
        what = f"the adapter was not judged over the recordings {folder.name} the change: {run.stdout[-_LAST:].strip()}"
        shown = shlex.join(["bridgecheck", "run", *of_adapter])
        raise NotJudged(what.strip(": "), adapter or "[tool.bridgecheck]", "an adapter that can be run", shown)
    return read_report(report)
