"""``badge``, ``compare``, ``html`` and ``merge``: the commands that read reports."""

import os
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote

from rich.console import Console

from bridgecheck.cli.run_command import write_and_print_report
from bridgecheck.errors import MissingPath
from bridgecheck.files import dump_json, write_json, write_text
from bridgecheck.files.writable import create_writable_folder, require_writable_file
from bridgecheck.report import compare_terminal, merge
from bridgecheck.report.badge import make_badge, to_shields_endpoint, to_svg
from bridgecheck.report.compare import compare_reports, comparison_to_json
from bridgecheck.report.folder import PAGE_NAME, escape_surrogates
from bridgecheck.report.html import index_page, report_page
from bridgecheck.report.model import Report
from bridgecheck.report.publication import FindingsAndRecipe, read_findings_and_recipe
from bridgecheck.report.read import DEFAULT_FOLDER, StoredReport, read_report, report_or_gz_path, subfolder_report_paths

BADGE_JSON: Final = "badge.json"
BADGE_PICTURE: Final = "badge.svg"
INDEX: Final = "index.html"


def write_badge(source: Path, output: Path | None) -> None:
    """Write both badge files, beside the report or into ``output``, and print what they show. Raises BadReport."""
    path, report = read_report(source)
    folder = output or path.parent
    create_writable_folder(folder, "--output")
    made = make_badge(report, datetime.now(UTC).date())
    write_json(folder / BADGE_JSON, to_shields_endpoint(made))
    write_text(folder / BADGE_PICTURE, to_svg(made))
    sys.stdout.write(f"{made.label}: {made.message}\nWritten: {folder / BADGE_JSON}, {folder / BADGE_PICTURE}\n")


def print_comparison(old: Path, new: Path, output: Path | None) -> int:
    """Print what changed from one report to another, and write it to ``output``; return the exit code. Raises
    BadReport, and MissingPath before anything is read."""
    if output is not None:
        require_writable_file(output, "--json")
    comparison = compare_reports(read_report(old), read_report(new))
    compare_terminal.print_comparison(Console(file=sys.stdout, emoji=False), comparison)
    if output is not None:
        write_text(output, escape_surrogates(dump_json(comparison_to_json(comparison))))
        sys.stdout.write(f"Written: {output}\n")
    return comparison.regression_exit_code


def merge_reports(sources: Sequence[Path], folder: Path) -> int:
    """Merge the reports of shards into ``folder`` and print the result; return its exit code. Raises BadReport before
    anything is written."""
    parts = [read_report(source) for source in sources]
    merged = merge.merge_reports(parts)
    create_writable_folder(folder)
    write_and_print_report(merged, folder)
    absent = merge.missing_shards(parts)
    if absent:
        sys.stderr.write(f"[merge] missing: shard {', '.join(absent)}\n")
    return merged.exit_code


def write_pages_and_folder_indexes(sources: Sequence[Path], output: Path | None) -> None:
    """Write one HTML page for each source, beside its report or to ``output``; for a folder of reports one for each,
    and an index. Raises BadReport and MissingPath."""
    sources = sources or (DEFAULT_FOLDER,)
    if output is not None and len(sources) > 1:
        what = f"--output names one file for {len(sources)} reports"
        raise MissingPath(what, str(output), "one report, or no --output: each page stands beside its report")
    today = datetime.now(UTC).date()
    for source in sources:
        if _subfolder_reports_unless_report_folder(source):
            _write_pages_and_index(source, output or source / INDEX, today)
        else:
            _write_page(read_report(source), output, today)


def _write_page(source: StoredReport, output: Path | None, today: date) -> tuple[Path, FindingsAndRecipe]:
    """Write the page of a report with the scripts that it links; return it and what lies beside the report."""
    path = output or source.path.with_name(PAGE_NAME)
    folder = source.path.parent
    report, files = source.report.with_failing_scenario_rationales(), _files_with_scripts(folder, source.report)
    _write_html(path, report_page.to_html(report, today, files, _link_prefix_to_folder(folder, path)))
    return path, files


def _files_with_scripts(folder: Path, report: Report) -> FindingsAndRecipe:
    """Read the files beside a report, and write the scripts of its published findings there. Says which has none."""
    from bridgecheck.repro.report_scripts import write_published_scripts

    scripts: set[str] = set()
    scriptless: dict[str, str] = {}
    for made in write_published_scripts(folder, report):
        if made.path is not None:
            scripts.add(made.finding.id)
            sys.stdout.write(f"Written: {made.path} (the script of {made.finding.id})\n")
        else:
            scriptless[made.finding.id] = made.why.partition("\n")[0]
            sys.stderr.write(f"[repro] {folder.name}/{made.finding.id} has no script: {made.why}\n")
    return read_findings_and_recipe(folder, report)._replace(scripts=frozenset(scripts), scriptless=scriptless)


def _write_pages_and_index(folder: Path, output: Path, today: date) -> None:
    """Write the pages and the index, after every report was read."""
    sources = [read_report(path) for path in _subfolder_reports_unless_report_folder(folder)]
    entries = []
    for source in sources:
        (path, files), parent = _write_page(source, None, today), source.path.parent
        link = quote(Path(os.path.relpath(path.resolve(), output.resolve().parent)).as_posix())
        prefix = _link_prefix_to_folder(parent, output)
        entries.append(index_page.IndexEntry(source.report, link, parent.name, prefix, files))
    _write_html(output, index_page.to_html(entries, today))


def _link_prefix_to_folder(folder: Path, page: Path) -> str:
    """Return the beginning of links from a page to files of the folder: "" or an address that ends in a slash."""
    link = Path(os.path.relpath(folder.resolve(), page.resolve().parent)).as_posix()
    return "" if link == "." else f"{quote(link)}/"


def _subfolder_reports_unless_report_folder(folder: Path) -> list[Path]:
    """Return the reports in a folder that is not a report's own; without what ``run`` wrote last."""
    if not folder.is_dir() or report_or_gz_path(folder).is_file():
        return []
    return [path for path in subfolder_report_paths(folder) if path.parent.name != DEFAULT_FOLDER.name]


def _write_html(path: Path, text: str) -> None:
    """Raises MissingPath where the page cannot be written."""
    try:
        write_text(path, escape_surrogates(text))
    except OSError as error:
        raise MissingPath(f"the page cannot be written: {error.strerror}", str(path), "the path of a file") from error
    sys.stdout.write(f"Written: {path} ({max(1, path.stat().st_size // 1024)} KiB)\n")
