"""``bridgecheck badge``: what the last report says, in two words."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bridgecheck.files import write_json, write_text
from bridgecheck.files.writable import make_folder_writable
from bridgecheck.report.badge import make_badge, to_shields_endpoint, to_svg
from bridgecheck.report.read import read_report

ENDPOINT: Final = "badge.json"
PICTURE: Final = "badge.svg"


def write_badge(place: Path, folder: Path | None) -> None:
    """Writes both files, beside the report or into ``folder``, and says what stands in them. Raises BadReport."""
    path, report = read_report(place)
    where = folder or path.parent
    make_folder_writable(where, "--output")
    made = make_badge(report, datetime.now(UTC).date())
    write_json(where / ENDPOINT, to_shields_endpoint(made))
    write_text(where / PICTURE, to_svg(made))
    sys.stdout.write(f"{made.label}: {made.message}\nWritten: {where / ENDPOINT}, {where / PICTURE}\n")
