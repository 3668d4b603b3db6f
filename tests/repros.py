"""``make repros``: make the script of every published finding, and run it with the adapter it is about.

Each script is made as ``bridgecheck html reports/`` makes it, of findings.toml, the recipe, the report and the corpus,
and its oracle tried over a right transcript, an empty one and the one with the finding. It is then run as whoever gets
it runs it: alone in a folder of its own, with the Python of the adapter's own environment, without bridgecheck. It must
end with exit code 1 and print that the fault shows. Otherwise the finding is fixed, was never valid, or is told apart
wrongly, and must not stay published as it is.

    python tests/repros.py               # all
    python tests/repros.py aisuite       # of these adapters
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bridgecheck.files.findings_toml import FILE
from bridgecheck.report.read import read_report
from bridgecheck.repro.report_scripts import PublishedScript, write_published_scripts

ROOT: Final = Path(__file__).resolve().parents[1]
AT_ONCE: Final = 2
LIMIT_S: Final = 400
SHOWN: Final = "The fault shows."
LAST: Final = 1500
"""Characters of what a script printed that are worth reading where it does not show its fault."""


@dataclass(frozen=True)
class Shown:
    """The result of one script. ``oracle``: why none was handed out, "" if it says the right thing of transcripts that
    are known. ``wrong``: why the finding is not shown on its adapter, "" if it is."""

    name: str
    oracle: str = ""
    wrong: str = ""
    seconds: float = 0.0

    def __str__(self) -> str:
        if self.oracle:
            return f"NO SCRIPT  {self.name}\n{self.oracle}"
        shown = "NOT SHOWN" if self.wrong else "shown    "
        text = f"{shown}  {self.name}  oracle green on the right transcript, {self.seconds:.1f} s"
        return f"{text}\n{self.wrong}" if self.wrong else text


def published_folders(root: Path, names: list[str]) -> list[Path]:
    """Return the folders of adapters with a findings.toml; ``names``: of these alone, [] for all."""
    folders = [path.parent for path in sorted((root / "reports").glob(f"*/{FILE}"))]
    return [folder for folder in folders if not names or folder.name in names]


def python_of(folder: Path) -> str:
    """Return the adapter's own Python; this one where it pins no packages; "" where it is not installed."""
    own = folder / ".venv/bin/python"
    if own.exists():
        return str(own.absolute())
    return "" if (folder / "requirements.txt").is_file() else sys.executable


def show(folder: Path, made: PublishedScript) -> Shown:
    """Run the script of a finding."""
    name = f"{folder.name}/{made.finding.id}"
    if made.path is None:
        return Shown(name, made.why)
    started = time.monotonic()
    python = python_of(folder)
    wrong = _run(python, made.path, folder) if python else "its environment is missing: make repros"
    return Shown(name, "", wrong, time.monotonic() - started)


def _run(python: str, script: Path, folder: Path) -> str:
    """Return the problem, "" for none."""
    with TemporaryDirectory(prefix="bridgecheck-repros-") as home:
        environment = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "HOME": home, "TMPDIR": home}
        if (folder / "node_modules").is_dir():
            environment["NODE_MODULES"] = str((folder / "node_modules").absolute())
        try:
            result = subprocess.run(
                [python, str(script)],
                cwd=home, env=environment, capture_output=True, text=True, errors="replace",
                timeout=LIMIT_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"it did not end within {LIMIT_S} s"
    if result.returncode == 1 and result.stdout.rstrip().endswith(SHOWN):
        return ""
    return f"exit code {result.returncode}, expected 1 and {SHOWN!r}:\n{(result.stdout + result.stderr)[-LAST:]}"


def show_all(root: Path, names: list[str]) -> Iterator[Shown]:
    """Make and run the scripts of all published findings, in order."""
    with TemporaryDirectory(prefix="bridgecheck-scripts-") as output, ThreadPoolExecutor(AT_ONCE) as pool:
        pairs = [
            (folder, made)
            for folder in published_folders(root, names)
            for made in write_published_scripts(folder, read_report(folder).report, Path(output) / folder.name)
        ]
        yield from pool.map(lambda pair: show(*pair), pairs)


def main() -> int:
    """Return 1 if any finding has no script, or one that does not show it."""
    os.chdir(ROOT)
    count = broken = 0
    for shown in show_all(Path(), sys.argv[1:]):
        print(shown, flush=True)
        count, broken = count + 1, broken + bool(shown.oracle or shown.wrong)
    print(f"{count} published findings: {f'{broken} not shown' if broken else 'all shown'}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
