"""``bridgecheck merge``: reports of shards as one report."""

import sys
from collections.abc import Sequence
from pathlib import Path

from bridgecheck.cli.run_command import publish
from bridgecheck.files.writable import make_folder_writable
from bridgecheck.report.merge import merge_reports, missing_shards
from bridgecheck.report.read import read_report


def print_merged(places: Sequence[Path], folder: Path) -> int:
    """Writes and shows the report; gives its exit code. Raises BadReport before anything is written."""
    parts = [read_report(place) for place in places]
    merged = merge_reports(parts)
    make_folder_writable(folder)
    publish(merged, folder)
    absent = missing_shards(parts)
    if absent:
        sys.stderr.write(f"[merge] not given: shard {', '.join(absent)}\n")
    return merged.exit_code
