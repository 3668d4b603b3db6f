"""``bridgecheck fuzz``: generate scenarios, judge them, write the smallest that fails into a corpus of its own."""

import secrets
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich import progress as bars
from rich.console import Console

from bridgecheck.drivers.configured import load_converter
from bridgecheck.files import load_scenario, write_json
from bridgecheck.regenerate import regenerate
from bridgecheck.report import blocks, words
from bridgecheck.wire import DIALECTS, Dialect

if TYPE_CHECKING:
    from bridgecheck.fuzz.search import Failure

FOUND: Final = 1
STEPS: Final = 10
"""How many lines of progress are written where there is no terminal."""


@dataclass(frozen=True, slots=True)
class Hunt:
    """The command line of ``fuzz``. ``seed`` None: any. ``client``, ``upstream`` None: every dialect. ``max_fail``:
    different failures that end it."""

    adapter: str = ""
    examples: int = 500
    seed: int | None = None
    client: Dialect | None = None
    upstream: Dialect | None = None
    max_fail: int = 10
    folder: Path = Path("reports/local/fuzz")


def fuzz(hunt: Hunt) -> int:
    """The exit code: 1 if anything was found, else 0. Raises RefusedAtStart."""
    from bridgecheck.fuzz.play import Bounds
    from bridgecheck.fuzz.search import Search

    driver = load_converter(hunt.adapter)
    seed = secrets.randbelow(2**32) if hunt.seed is None else hunt.seed
    bounds = Bounds(_only(hunt.client), _only(hunt.upstream))
    console = Console(file=sys.stdout)
    console.print(f"bridgecheck fuzz: {driver.info.name}, {hunt.examples} examples, --seed {seed}", highlight=False)
    found = 0
    with _bar() as bar:
        task = bar.add_task("", total=hunt.examples)
        told = bar.console.is_terminal

        def progress(tried: int) -> None:
            bar.update(task, completed=tried)
            if not told and tried * STEPS // hunt.examples > (tried - 1) * STEPS // hunt.examples:
                sys.stderr.write(f"{tried}/{hunt.examples} examples\n")

        search = Search(driver, bounds, hunt.examples, seed, hunt.max_fail, progress)
        for found, failure in enumerate(search.failures(), 1):
            _show(console, found, failure, hunt.folder)
    failures = words.plural(found, "different failure") if found else "No failure"
    console.print(f"{failures} in {words.plural(search.tried, 'example')}", highlight=False)
    return FOUND if found else 0


def _only(dialect: Dialect | None) -> tuple[Dialect, ...]:
    return (dialect,) if dialect else DIALECTS


def _show(console: Console, number: int, failure: "Failure", folder: Path) -> None:
    path = _write(failure, folder)
    again = (f"BRIDGECHECK_CORPUS={folder}", *failure.finding.command)
    console.print()
    for line in blocks.finding(number, replace(failure.finding, command=again), min(console.width, blocks.WIDEST)):
        console.print(line, soft_wrap=bool(line.no_wrap))
    console.print(f"  written: {path}", soft_wrap=True, highlight=False, markup=False)


def _write(failure: "Failure", folder: Path) -> Path:
    """The scenario and its cassette, in a corpus of their own."""
    place = folder / "scenarios" / f"{failure.document['id']}.json"
    write_json(place, failure.document)
    regenerate([load_scenario(place)], folder / "cassettes")
    return place


def _bar() -> bars.Progress:
    return bars.Progress(
        bars.SpinnerColumn(),
        bars.BarColumn(bar_width=20),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        console=Console(file=sys.stderr),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
