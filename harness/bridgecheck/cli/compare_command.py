"""``bridgecheck compare``: what changed from one report to another."""

import sys
from pathlib import Path

from rich.console import Console

from bridgecheck.files import dump_json, write_text
from bridgecheck.files.writable import make_file_writable
from bridgecheck.report.compare import compare
from bridgecheck.report.compare_json import to_json
from bridgecheck.report.compare_terminal import show
from bridgecheck.report.folder import encodable
from bridgecheck.report.read import read


def print_compared(old: Path, new: Path, place: Path | None) -> int:
    """Shows it, and writes it where ``place`` says; gives the exit code. Raises BadReport, and MissingPath before
    anything is read."""
    if place is not None:
        make_file_writable(place, "--json")
    found = compare(read(old), read(new))
    show(Console(file=sys.stdout), found)
    if place is not None:
        write_text(place, encodable(dump_json(to_json(found))))
        sys.stdout.write(f"Written: {place}\n")
    return found.exit_code
