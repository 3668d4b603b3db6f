"""``bridgecheck html``: reports as pages, and a page over a folder of reports."""

import os
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote

from bridgecheck.errors import MissingPath
from bridgecheck.files import write_text
from bridgecheck.report.folder import PAGE, encodable
from bridgecheck.report.html import index, page
from bridgecheck.report.published import beside
from bridgecheck.report.read import LATEST, Read, read, report_in, reports_in

INDEX: Final = "index.html"


def write_pages(places: Sequence[Path], output: Path | None) -> None:
    """One page for each place, beside its report or in ``output``; for a folder of reports theirs, and one over them.
    Raises BadReport and MissingPath."""
    wanted = places or (LATEST,)
    if output is not None and len(wanted) > 1:
        what = f"--output names one file for {len(wanted)} reports"
        raise MissingPath(what, str(output), "one report, or no --output: each page stands beside its report")
    today = datetime.now(UTC).date()
    for place in wanted:
        if _reports_in(place):
            _write_index(place, output or place / INDEX, today)
        else:
            _write_page(read(place), output, today)


def _write_page(found: Read, output: Path | None, today: date) -> Path:
    place = output or found.path.with_name(PAGE)
    folder = found.path.parent
    _write(place, page.to_html(found.report.with_grounds(), today, beside(folder), _way(folder, place)))
    return place


def _write_index(folder: Path, output: Path, today: date) -> None:
    """Every report is read before a page is written."""
    found = [read(place) for place in _reports_in(folder)]
    entries = [_entry(one, _write_page(one, None, today), output) for one in found]
    _write(output, index.to_html(entries, today))


def _entry(found: Read, place: Path, output: Path) -> index.Entry:
    link = os.path.relpath(place.resolve(), output.resolve().parent)
    folder = found.path.parent
    return index.Entry(found.report, quote(Path(link).as_posix()), folder.name, _way(folder, output), beside(folder))


def _way(folder: Path, page: Path) -> str:
    """From a page to the folder, as the beginning of an address: "" or with a slash behind it."""
    way = Path(os.path.relpath(folder.resolve(), page.resolve().parent)).as_posix()
    return "" if way == "." else f"{quote(way)}/"


def _reports_in(place: Path) -> list[Path]:
    """Of a folder that is not a report's own; without what ``run`` left there last."""
    if not place.is_dir() or report_in(place).is_file():
        return []
    return [path for path in reports_in(place) if path.parent.name != LATEST.name]


def _write(place: Path, text: str) -> None:
    """Raises MissingPath where that is not possible."""
    try:
        write_text(place, encodable(text))
    except OSError as wrong:
        raise MissingPath(f"the page cannot be written: {wrong.strerror}", str(place), "a place for a file") from wrong
    sys.stdout.write(f"Written: {place} ({max(1, place.stat().st_size // 1024)} KiB)\n")
