"""The command ``bridgecheck doctor``: prints the facts, section by section, and what to do."""

import json
import sys
from collections.abc import Iterable
from itertools import chain, groupby
from shlex import quote
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bridgecheck.doctor.fact import Fact, Severity, refused_or_broken_exit_code
from bridgecheck.doctor.machine import inspect_cores_loopback_and_environment, inspect_installation
from bridgecheck.doctor.project import inspect_adapter, inspect_corpus, inspect_report_folder
from bridgecheck.model.counts import plural
from bridgecheck.report.side_by_side import escape_invisible
from bridgecheck.secrets import mask_text
from bridgecheck.wire import JsonObject

_NAME_WIDTH: Final = len("BRIDGECHECK_CORPUS")

STYLES: Final[dict[Severity, str]] = {"ok": "", "note": "yellow", "stop": "bold red"}


def run_doctor(target: str, as_json: bool, upstream_port: int = 0) -> int:
    """Print what there is; return the exit code. ``target`` "": what a run without ``--adapter`` takes.
    ``upstream_port``: where a running gateway calls its provider, 0 if that is not said."""
    facts = chain(
        inspect_installation(), inspect_cores_loopback_and_environment(), inspect_corpus(), inspect_report_folder(),
        inspect_adapter(target, upstream_port),
    )  # fmt: skip
    if not as_json:
        return refused_or_broken_exit_code(
            print_facts(facts, Console(file=sys.stdout, highlight=False, emoji=False), target)
        )
    found = list(facts)
    sys.stdout.write(json.dumps(facts_to_json(found), indent=2) + "\n")
    return refused_or_broken_exit_code(found)


def facts_to_json(facts: list[Fact]) -> JsonObject:
    """Return ``{"exit_code": 0, "facts": [{"section", "name", "value", "level", "next"}]}``."""
    rows = [
        {
            "section": fact.section, "name": fact.name, "value": mask_text(fact.value), "level": fact.level,
            "next": fact.next_step,
        }
        for fact in facts
    ]  # fmt: skip
    return {"exit_code": refused_or_broken_exit_code(facts), "facts": rows}


def print_facts(found: Iterable[Fact], console: Console, target: str = "") -> list[Fact]:
    """Print each section as soon as it is known, since an adapter may end the process that imports it; then what to
    do. Return what was printed."""
    facts: list[Fact] = []
    for section, rows in groupby(found, lambda fact: fact.section):
        table = Table(box=None, show_header=False, padding=(0, 1, 0, 0), pad_edge=False)
        for fact in rows:
            facts.append(fact)
            value = Text(escape_invisible(mask_text(fact.value)), STYLES[fact.level])
            table.add_row(f"  {fact.name.ljust(_NAME_WIDTH)}", value)
        console.print(Text(section, style="bold"))
        console.print(table)
        sys.stdout.flush()
    console.print()
    for fact in facts:
        if fact.level != "ok":
            line = f"{fact.level}: {fact.section}, {fact.name}: {fact.next_step or 'see above'}"
            console.print(escape_invisible(line), soft_wrap=True, markup=False, highlight=False)
    style = STYLES["stop"] if refused_or_broken_exit_code(facts) else "bold green"
    console.print(Text(escape_invisible(_conclusion(facts, target)), style=style), soft_wrap=True)
    return facts


def _conclusion(facts: list[Fact], target: str) -> str:
    if problems := sum(fact.level == "stop" for fact in facts):
        return f"A run would not start: {plural(problems, 'problem')} to solve"
    return f"Nothing here stops a run. Next: bridgecheck smoke {quote(target) if target else ''}".rstrip()
