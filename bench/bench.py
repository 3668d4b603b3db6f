"""Speed against the floor, as ratios measured in one process: ``make bench``.

Prints a table and writes reports/local/bench.json. Exit code 1 if a figure is beyond its limit, or could not be
measured; a figure between target and limit is told as "close". ``bench.py NAME...`` measures only those of converting,
anthropic, two-legs, recorded, growing, doubling, comparing, playing, recording,
starting.
"""

import json
import platform
import sys
from pathlib import Path

import comparing
import converting
import converting_anthropic
import converting_in_two_legs
import doubling
import growing
import playing
import recorded_streams
import recording
import starting
from figures import Figure, Measurement, table
from rich.console import Console

WIDE = 125
"""Terminal columns from which on the details are shown too; they are always in the file."""
OUTPUT = Path(__file__).resolve().parents[1] / "reports" / "local" / "bench.json"
MEASUREMENTS: dict[str, Measurement] = {
    "converting": converting.measure,
    "anthropic": converting_anthropic.measure,
    "two-legs": converting_in_two_legs.measure,
    "recorded": recorded_streams.measure,
    "growing": growing.measure,
    "doubling": doubling.measure,
    "comparing": comparing.measure,
    "playing": playing.measure,
    "recording": recording.measure,
    "starting": starting.measure,
}


def main(names: list[str]) -> int:
    unknown = set(names) - set(MEASUREMENTS)
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(MEASUREMENTS)}", file=sys.stderr)
        return 2
    figures: list[Figure] = []
    failures: dict[str, str] = {}
    for name in names or list(MEASUREMENTS):
        print(f"measuring: {name}", file=sys.stderr)
        try:
            figures += MEASUREMENTS[name]()
        except ImportError as error:
            failures[name] = str(error)
    _show(figures, failures)
    _save(figures, failures)
    missed = [figure for figure in figures if figure.verdict == "missed"]
    return 1 if missed or failures else 0


def _show(figures: list[Figure], failures: dict[str, str]) -> None:
    console = Console()
    console.print(table(figures, details=console.width >= WIDE))
    for name, reason in failures.items():
        console.print(f"{name}: could not be measured: {reason}", markup=False)
    verdicts = [figure.verdict for figure in figures]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in ("met", "close", "missed", "untargeted"))
    console.print(f"{len(figures)} figures: {counts}; written to {OUTPUT.relative_to(OUTPUT.parents[2])}")


def _save(figures: list[Figure], failures: dict[str, str]) -> None:
    document = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "figures": [figure.as_json() for figure in figures],
        "not_measured": failures,
    }
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    OUTPUT.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
