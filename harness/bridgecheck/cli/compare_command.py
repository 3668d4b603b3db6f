"""``bridgecheck compare``: what changed from one report to another."""

import sys
from pathlib import Path

from rich.console import Console

from bridgecheck.files import dump_json, write_text
from bridgecheck.files.writable import make_file_writable
from bridgecheck.report.compare import compare_reports, comparison_to_json
from bridgecheck.report.compare_terminal import print_comparison
from bridgecheck.report.folder import escape_surrogates
from bridgecheck.report.read import read_report


def print_compared(old: Path, new: Path, place: Path | None) -> int:
    """Shows it, and writes it where ``place`` says; gives the exit code. Raises BadReport, and MissingPath before
    anything is read."""
    if place is not None:
        make_file_writable(place, "--json")
    found = compare_reports(read_report(old), read_report(new))
    print_comparison(Console(file=sys.stdout), found)
    if place is not None:
        write_text(place, escape_surrogates(dump_json(comparison_to_json(found))))
        sys.stdout.write(f"Written: {place}\n")
    return found.exit_code
