"""``bridgecheck fuzz``: generate scenarios, judge them, write the smallest that fails into a corpus of its own."""

import secrets
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from rich import progress as bars
from rich.console import Console

from bridgecheck.drivers.resolve import load_converter
from bridgecheck.files import load_scenario, write_json
from bridgecheck.fuzz.play import DialectBounds
from bridgecheck.fuzz.search import MAX_HANGS, Failure, Search
from bridgecheck.model.counts import plural
from bridgecheck.regenerate import regenerate
from bridgecheck.report import terminal
from bridgecheck.wire import DIALECTS, Dialect

FAILURES_FOUND: Final = 1
PROGRESS_LINES: Final = 10
"""How many lines of progress are written where there is no terminal."""


@dataclass(frozen=True, slots=True)
class FuzzOptions:
    """The command line of ``fuzz``. ``seed`` None: a random one. ``client``, ``upstream`` None: every dialect.
    ``max_fail``: different failures that end it."""

    adapter: str = ""
    examples: int = 500
    seed: int | None = None
    client: Dialect | None = None
    upstream: Dialect | None = None
    max_fail: int = 10
    folder: Path = Path("reports/local/fuzz")


def run_fuzz(options: FuzzOptions) -> int:
    """Return the exit code: 1 if any failure was found, else 0. Raises RefusedAtStart."""
    driver = load_converter(options.adapter)
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    clients, upstreams = ((dialect,) if dialect else DIALECTS for dialect in (options.client, options.upstream))
    bounds = DialectBounds(clients, upstreams)
    console = Console(file=sys.stdout, emoji=False)
    examples = plural(options.examples, "example")
    console.print(f"bridgecheck fuzz: {driver.info.name}, {examples}, --seed {seed}", highlight=False)
    count = 0
    with _progress_bar() as bar:
        task = bar.add_task("", total=options.examples)
        has_terminal = bar.console.is_terminal

        def progress(tried: int) -> None:
            bar.update(task, completed=tried)
            steps, before = (number * PROGRESS_LINES // options.examples for number in (tried, tried - 1))
            if not has_terminal and steps > before:
                sys.stderr.write(f"{tried}/{examples}\n")

        search = Search(driver, bounds, options.examples, seed, options.max_fail, progress)
        for count, failure in enumerate(search.failures(), 1):
            _write_and_print_failure(console, count, failure, options.folder)
    if search.hangs >= MAX_HANGS:
        console.print(f"Ended early: the adapter gave no answer in time, {MAX_HANGS} times", highlight=False)
    failures = plural(count, "different failure") if count else "No failure"
    console.print(f"{failures} in {plural(search.tried, 'example')}", highlight=False)
    return FAILURES_FOUND if count else 0


def _write_and_print_failure(console: Console, number: int, failure: Failure, folder: Path) -> None:
    path = _write_scenario(failure, folder)
    command = (f"BRIDGECHECK_CORPUS={folder}", *failure.finding.command)
    console.print()
    finding, width = replace(failure.finding, command=command), min(console.width, terminal.MAX_DIFF_WIDTH)
    for line in terminal.finding_lines(number, finding, width):
        console.print(line, soft_wrap=bool(line.no_wrap))
    console.print(f"  written: {path}", soft_wrap=True, highlight=False, markup=False)


def _write_scenario(failure: Failure, folder: Path) -> Path:
    """Write the scenario and its cassette into a corpus of their own, and return the path of the scenario."""
    path = folder / "scenarios" / f"{failure.document['id']}.json"
    write_json(path, failure.document)
    regenerate([load_scenario(path)], folder / "cassettes")
    return path


def _progress_bar() -> bars.Progress:
    columns = (bars.SpinnerColumn(), bars.BarColumn(bar_width=20), bars.MofNCompleteColumn(), bars.TimeElapsedColumn())
    return bars.Progress(
        *columns, console=Console(file=sys.stderr, emoji=False), transient=True, disable=not sys.stderr.isatty()
    )
