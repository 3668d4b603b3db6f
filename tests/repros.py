"""``make repros``: run the script of every published finding with the adapter it is about.

Each script is run as a reader of reports/README.md runs it: from the top of the checkout, with the Python of the
adapter's own environment, without bridgecheck. It must end with exit code 1 and print that the fault shows. Otherwise
the finding is fixed or was never valid, and must not stay published.
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

from bridgecheck.files.findings_toml import FILE, read_published
from bridgecheck.model.published_finding import Published

ROOT: Final = Path(__file__).resolve().parents[1]
AT_ONCE: Final = 3
LIMIT_S: Final = 120
SHOWN: Final = "The fault shows."
LAST: Final = 1500
"""Characters of what a script printed that are worth reading where it does not show its fault."""


@dataclass(frozen=True)
class Shown:
    """The result of one script. ``wrong``: why the finding is not reproduced, "" if it is."""

    name: str
    wrong: str
    seconds: float

    def __str__(self) -> str:
        return f"{'BROKEN' if self.wrong else 'shows '}  {self.name}  {self.seconds:.1f} s" + (
            f"\n{self.wrong}" if self.wrong else ""
        )


def read_all_published(root: Path) -> Iterator[tuple[Path, Published]]:
    """Yield every published finding with its folder. Raises BadFindings."""
    for path in sorted((root / "reports").glob(f"*/{FILE}")):
        yield from ((path.parent, finding) for finding in read_published(path))


def python_of(folder: Path) -> str:
    """Return the adapter's own Python; this one where it pins no packages; "" where it is not installed."""
    own = folder / ".venv/bin/python"
    if own.exists():
        return str(own)
    return "" if (folder / "requirements.txt").is_file() else sys.executable


def show(folder: Path, finding: Published, root: Path = ROOT) -> Shown:
    """Run the script of a finding."""
    started = time.monotonic()
    python = python_of(folder)
    wrong = (
        _run(python, folder / finding.repro_path_in_folder, root)
        if python
        else "its environment is missing: make repros"
    )
    return Shown(f"{folder.name}/{finding.id}", wrong, time.monotonic() - started)


def _run(python: str, script: Path, root: Path) -> str:
    """Return the problem, "" for none."""
    with TemporaryDirectory(prefix="bridgecheck-repros-") as home:
        environment = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "HOME": home, "TMPDIR": home}
        try:
            result = subprocess.run(
                [python, str(script)],
                cwd=root, env=environment, capture_output=True, text=True, errors="replace",
                timeout=LIMIT_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"it did not end within {LIMIT_S} s"
    if result.returncode == 1 and result.stdout.rstrip().endswith(SHOWN):
        return ""
    return f"exit code {result.returncode}, expected 1 and {SHOWN!r}:\n{(result.stdout + result.stderr)[-LAST:]}"


def main() -> int:
    """Return 1 if any script does not show its finding."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        count = broken = 0
        for shown in pool.map(lambda pair: show(*pair), read_all_published(ROOT)):
            print(shown, flush=True)
            count, broken = count + 1, broken + bool(shown.wrong)
    print(f"{count} published findings: {f'{broken} not shown' if broken else 'all shown'}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
