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
from bridgecheck.report.folder import PAGE_NAME, escape_surrogates
from bridgecheck.report.html import index_page, report_page
from bridgecheck.report.published import read_published_files
from bridgecheck.report.read import DEFAULT_FOLDER, StoredReport, find_report, find_reports, read_report

INDEX: Final = "index.html"


def write_pages(places: Sequence[Path], output: Path | None) -> None:
    """One page for each place, beside its report or in ``output``; for a folder of reports theirs, and one over them.
    Raises BadReport and MissingPath."""
    wanted = places or (DEFAULT_FOLDER,)
    if output is not None and len(wanted) > 1:
        what = f"--output names one file for {len(wanted)} reports"
        raise MissingPath(what, str(output), "one report, or no --output: each page stands beside its report")
    today = datetime.now(UTC).date()
    for place in wanted:
        if _reports_in(place):
            _write_index(place, output or place / INDEX, today)
        else:
            _write_page(read_report(place), output, today)


def _write_page(found: StoredReport, output: Path | None, today: date) -> Path:
    place = output or found.path.with_name(PAGE_NAME)
    folder = found.path.parent
    _write(
        place,
        report_page.to_html(found.report.with_rationales(), today, read_published_files(folder), _way(folder, place)),
    )
    return place


def _write_index(folder: Path, output: Path, today: date) -> None:
    """Every report is read before a page is written."""
    found = [read_report(place) for place in _reports_in(folder)]
    entries = [_entry(one, _write_page(one, None, today), output) for one in found]
    _write(output, index_page.to_html(entries, today))


def _entry(found: StoredReport, place: Path, output: Path) -> index_page.IndexEntry:
    link = os.path.relpath(place.resolve(), output.resolve().parent)
    folder = found.path.parent
    return index_page.IndexEntry(
        found.report, quote(Path(link).as_posix()), folder.name, _way(folder, output), read_published_files(folder)
    )


def _way(folder: Path, page: Path) -> str:
    """From a page to the folder, as the beginning of an address: "" or with a slash behind it."""
    way = Path(os.path.relpath(folder.resolve(), page.resolve().parent)).as_posix()
    return "" if way == "." else f"{quote(way)}/"


def _reports_in(place: Path) -> list[Path]:
    """Of a folder that is not a report's own; without what ``run`` left there last."""
    if not place.is_dir() or find_report(place).is_file():
        return []
    return [path for path in find_reports(place) if path.parent.name != DEFAULT_FOLDER.name]


def _write(place: Path, text: str) -> None:
    """Raises MissingPath where that is not possible."""
    try:
        write_text(place, escape_surrogates(text))
    except OSError as wrong:
        raise MissingPath(f"the page cannot be written: {wrong.strerror}", str(place), "a place for a file") from wrong
    sys.stdout.write(f"Written: {place} ({max(1, place.stat().st_size // 1024)} KiB)\n")
