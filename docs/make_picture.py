"""Draws the report of a finished run as the SVG picture of the README.

    bridgecheck run --report reports/local
    python docs/make_picture.py reports/local/report.json docs/report.svg

The picture is the real terminal output: the report is read back and shown once more, on a console that records.
"""

import argparse
import io
import json
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

from bridgecheck.report.jsonfile import from_json
from bridgecheck.report.terminal import print_report

UNIQUE = "bridgecheck-report"
"""Fixed, so that the same report gives the same bytes."""

# The fonts that rich names would be fetched from another host by whoever looks at the picture: they are left out.


def draw(report: object, width: int, title: str) -> str:
    """The SVG text of a report document. Raises ValueError if it is none."""
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    print_report(console, from_json(report))
    picture = console.export_svg(title=title, theme=MONOKAI, unique_id=UNIQUE)
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL).replace("Fira Code", "DejaVu Sans Mono")


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw a report as SVG.")
    parser.add_argument("report", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--width", type=int, default=100)
    parser.add_argument("--title", default="bridgecheck run")
    options = parser.parse_args()
    document = json.loads(options.report.read_text(encoding="utf-8"))
    options.picture.write_text(draw(document, options.width, options.title), encoding="utf-8")
    print(f"{options.picture}: {options.picture.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
