"""``bridgecheck doctor``: what a run would find here, and what would stop it."""

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from shlex import quote
from typing import Final

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from bridgecheck.cassette.redact import masked
from bridgecheck.cli.doctor.adapter import adapter
from bridgecheck.cli.doctor.corpus import corpus, reports
from bridgecheck.cli.doctor.fact import Fact, Level, exit_code
from bridgecheck.cli.doctor.installed import installed
from bridgecheck.cli.doctor.machine import machine
from bridgecheck.report import words
from bridgecheck.report.sidebyside import visible

_NAME: Final = len("BRIDGECHECK_CORPUS")

STYLE: Final[dict[Level, str]] = {"ok": "", "note": "yellow", "stop": "bold red"}


def doctor(target: str, as_json: bool) -> int:
    """Shows what there is; gives the exit code."""
    if as_json:
        facts = list(_facts(target))
        sys.stdout.write(json.dumps(to_json(facts), indent=2) + "\n")
    else:
        facts = show(_facts(target), Console(file=sys.stdout, highlight=False), target)
    return exit_code(facts)


def _facts(target: str) -> Iterator[Fact]:
    yield from installed()
    yield from machine()
    yield from corpus()
    yield from reports()
    yield from adapter(target)


def to_json(facts: list[Fact]) -> dict[str, object]:
    """``{"exit_code": 0, "facts": [{"section", "name", "value", "level", "next"}]}``."""
    rows = [
        {
            "section": fact.section,
            "name": fact.name,
            "value": masked(fact.value),
            "level": fact.level,
            "next": fact.next_step,
        }
        for fact in facts
    ]
    return {"exit_code": exit_code(facts), "facts": rows}


def show(found: Iterable[Fact], console: Console, target: str = "") -> list[Fact]:
    """A block a section as it is found, since an adapter may end the process that looks at it; then what to do. Gives
    what was shown."""
    facts: list[Fact] = []
    for section, rows in groupby(found, lambda fact: fact.section):
        table = Grid(box=None, show_header=False, padding=(0, 1, 0, 0), pad_edge=False)
        for fact in rows:
            facts.append(fact)
            table.add_row(f"  {fact.name.ljust(_NAME)}", Text(_said(fact), style=STYLE[fact.level]))
        console.print(Text(section, style="bold"))
        console.print(table)
        sys.stdout.flush()
    console.print()
    for fact in facts:
        if fact.level != "ok":
            line = f"{fact.level}: {fact.section}, {fact.name}: {fact.next_step or 'see above'}"
            console.print(visible(line), soft_wrap=True, markup=False, highlight=False)
    stopped = exit_code(facts) != 0
    style = STYLE["stop"] if stopped else "bold green"
    console.print(Text(visible(_verdict(facts, target)), style=style), soft_wrap=True)
    return facts


def _said(fact: Fact) -> str:
    return visible(masked(fact.value))


def _verdict(facts: list[Fact], target: str) -> str:
    stopping = sum(fact.level == "stop" for fact in facts)
    if stopping:
        return f"A run would not start: {words.plural(stopping, 'thing')} to mend"
    return f"Nothing here stops a run. Next: bridgecheck smoke {quote(target) if target else ''}".rstrip()
