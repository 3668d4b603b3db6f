"""What lies in reports/: nothing of the machine it was made on, no credential, and not too much of it."""

import gzip
import re
from pathlib import Path
from typing import Final

import pytest

from bridgecheck.cassette.redact import mask_secrets

REPORTS: Final = Path(__file__).resolve().parents[2] / "reports"
MOST: Final = 3_000_000
"""Bytes of one file."""

SKIPPED: Final = frozenset({".venv", "node_modules", "__pycache__", "local"})
MACHINE: Final = re.compile(r"(?<![\w.~/-])/(?:root|work|tmp|home/(?!mo/))[/\w.-]*/\w")
"""Folders of whoever made a report. ``/home/mo`` stands in a recorded conversation."""


def _kept(folder: Path) -> list[Path]:
    return [place for place in sorted(folder.rglob("*")) if place.is_file() and not SKIPPED & set(place.parts)]


def _text(place: Path) -> str:
    data = place.read_bytes()
    return (gzip.decompress(data) if place.suffix == ".gz" else data).decode("utf-8")


@pytest.mark.parametrize("name", sorted(one.name for one in REPORTS.glob("*/") if one.name != "local"))
def test_what_is_kept_of_an_adapter(name: str) -> None:
    for place in _kept(REPORTS / name):
        if place.name in ("report.html", "junit.xml"):  # git ignores them
            continue
        text = _text(place)
        assert not MACHINE.search(text), (place.name, MACHINE.search(text))
        assert place.stat().st_size < MOST, f"{place.name}: gzip --best --no-name"
        assert mask_secrets(text) == text, place.name
