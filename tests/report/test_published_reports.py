"""The files in reports/: no local path, no credential, and a limited size."""

import gzip
import re
from pathlib import Path
from typing import Final

from bridgecheck.secrets import mask_text

REPORTS: Final = Path(__file__).resolve().parents[2] / "reports"
MAX_BYTES: Final = 3_000_000
"""Bytes of one file."""

SKIPPED: Final = frozenset({".venv", "node_modules", "__pycache__", "local"})
MACHINE: Final = re.compile(r"(?<![\w.~/-])/(?:root|work|tmp|home/(?!mo/))[/\w.-]*/\w")
"""Folders of the machine that made a report. ``/home/mo`` is part of a recorded conversation."""


def _published_files() -> list[Path]:
    every = (path for path in sorted(REPORTS.glob("*/**/*")) if path.is_file() and not SKIPPED & set(path.parts))
    return [
        path for path in every if path.name not in ("report.html", "junit.xml", "findings.sarif", "annotations.txt")
    ]  # git ignores them


def _lines(path: Path) -> set[str]:
    """The different lines of a file, with each member of an object and each line of an embedded document on its own:
    most of them are repeated many times."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    return set(text.replace("\\n", "\n").replace('", "', '"\n"').split("\n"))


def test_published_reports_hold_no_credential_or_local_path() -> None:
    known: set[str] = set()
    faults: list[str] = []
    for path in _published_files():
        lines = _lines(path) - known
        fresh = "\n".join(sorted(lines))
        known |= lines
        faults += [f"{path}: names {match[0]}" for match in MACHINE.finditer(fresh)]
        faults += [f"{path}: too large, gzip --best --no-name"] if path.stat().st_size >= MAX_BYTES else []
        faults += [f"{path}: holds a credential"] if mask_text(fresh) != fresh else []
    assert not faults


def test_every_folder_holds_a_recipe_its_report_and_what_is_published_of_it() -> None:
    folders = [path for path in sorted(REPORTS.iterdir()) if path.is_dir() and path.name not in SKIPPED]
    names = ("adapter.toml", "findings.toml", "report.json.gz", "summary.md")
    assert [str(folder / name) for folder in folders for name in names if not (folder / name).is_file()] == []


def test_a_planted_credential_and_folder_are_found(tmp_path: Path) -> None:
    path = tmp_path / "report.json.gz"
    path.write_bytes(
        gzip.compress(b'{"view": "{\\n \\"file\\": \\"/root/me/x.py\\",\\n \\"key\\": \\"AIza' + b"x" * 35 + b'\\"}"}')
    )
    lines = "\n".join(_lines(path))
    assert MACHINE.search(lines)
    assert mask_text(lines) != lines
