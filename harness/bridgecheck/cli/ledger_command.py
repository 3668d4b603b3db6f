"""``bridgecheck ledger``: every documented field of a dialect, one at a time, and where it ended."""

import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Final

from rich.console import Console

from bridgecheck.drivers.resolve import load_converter
from bridgecheck.files.jsonfile import dump_json, write_text
from bridgecheck.ledger.entry import Entry, Unrun
from bridgecheck.ledger.fate import Fate
from bridgecheck.report.folder import escape_surrogates
from bridgecheck.report.ledger import Ledger, counted, line, stale_lines, to_json, to_markdown, weighed
from bridgecheck.report.side_by_side import escape_invisible
from bridgecheck.run.ledger import Wanted, ledger

JSON: Final = "ledger.json"
PAGE: Final = "ledger.md"


@dataclass(frozen=True, slots=True)
class Asked:
    """``fate``: the entries to list, None those that fail. ``folder``: where the report goes, None nowhere."""

    adapter: str
    wanted: Wanted
    fate: Fate | None
    folder: Path | None


def print_ledger(asked: Asked) -> int:
    """Runs and shows it; gives the exit code. Raises RefusedAtStart for a target that is no converter."""
    found = run(asked.adapter, asked.wanted)
    _show(found, asked.fate)
    if asked.folder is not None:
        write_text(asked.folder / JSON, escape_surrogates(dump_json(to_json(found))))
        write_text(asked.folder / PAGE, to_markdown(found))
        _say(f"Report: {asked.folder / JSON}, {asked.folder / PAGE}")
    return found.exit_code


def run(target: str, wanted: Wanted) -> Ledger:
    """The whole ledger of an adapter, or the part that is wanted."""
    driver = load_converter(target)
    entries: list[Entry] = []
    unrun: list[Unrun] = []
    for one in ledger(driver, wanted):
        if isinstance(one, Entry):
            entries.append(one)
        else:
            unrun.append(one)
    return Ledger(driver.info.name, driver.info.version, tuple(entries), tuple(dict.fromkeys(unrun)))


def _show(found: Ledger, fate: Fate | None) -> None:
    _say(f"Where every field ends: {found.adapter} {found.version}".rstrip())
    for table in (counted(found), weighed(found)):
        _say("")
        _columns(table)
    listed = [one for one in found.entries if (one.bad if fate is None else one.ruling.fate == fate)]
    _listed("Failing:" if fate is None else f"{fate}:", [line(one) for one in listed])
    _listed("Declared losses that do not happen (stale):", stale_lines(found))
    _listed("Fields that could not be run:", [f"{one.leaf.side} {one.leaf.path}: {one.why}" for one in found.unrun])


def _listed(title: str, lines: list[str]) -> None:
    if lines:
        _say(f"\n{title}")
        for one in lines:
            _say("\n".join(_wrapped(one, Console(file=sys.stdout).width)))


def _wrapped(line: str, width: int) -> list[str]:
    """Broken between words, or inside one that is wider than a line. What an adapter said has no control codes."""
    return wrap(escape_invisible(line), width, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)


def _columns(rows: list[list[str]]) -> None:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for first, *rest in rows:
        figures = "  ".join(f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True))
        _say(f"  {first:{widths[0]}}  {figures}".rstrip())


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
