"""``bridgecheck ledger``: every documented field of a dialect, one at a time, and where it ended."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Final

from rich.console import Console

from bridgecheck.drivers.resolve import load_converter
from bridgecheck.files.jsonfile import dump_json
from bridgecheck.files.output import write_text
from bridgecheck.ledger.fate import Fate
from bridgecheck.ledger.matrix import Entry, UnrunLeaf
from bridgecheck.ledger.play import LedgerDialectsAndSide, play_ledger
from bridgecheck.ledger.report import (
    Ledger,
    describe_entry,
    describe_stale_losses,
    direction_rows,
    importance_rows,
    ledger_to_json,
    ledger_to_markdown,
)
from bridgecheck.report.folder import escape_surrogates
from bridgecheck.report.side_by_side import escape_invisible

JSON: Final = "ledger.json"
PAGE: Final = "ledger.md"

MOST_PATHS: Final = 5
"""Leaves that a line names."""


@dataclass(frozen=True, slots=True)
class LedgerOptions:
    """``fate``: the entries to list, None those that fail. ``folder``: where the report goes, None nowhere."""

    adapter: str
    selection: LedgerDialectsAndSide
    fate: Fate | None
    folder: Path | None


def print_ledger(options: LedgerOptions) -> int:
    """Run the ledger, print it and return the exit code. Raises RefusedAtStart for a target that is no converter."""
    found = run_ledger(options.adapter, options.selection)
    _print_counts_and_problem_lists(found, options.fate)
    if options.folder is not None:
        write_text(options.folder / JSON, escape_surrogates(dump_json(ledger_to_json(found))))
        write_text(options.folder / PAGE, ledger_to_markdown(found))
        _write_line_unescaped(f"Report: {options.folder / JSON}, {options.folder / PAGE}")
    return found.exit_code_of_bad_or_unrun


def run_ledger(target: str, selection: LedgerDialectsAndSide) -> Ledger:
    """Return the ledger of an adapter, whole or the selected part."""
    driver = load_converter(target)
    entries: list[Entry] = []
    unrun: list[UnrunLeaf] = []
    for entry in play_ledger(driver, selection):
        if isinstance(entry, Entry):
            entries.append(entry)
        else:
            unrun.append(entry)
    return Ledger(driver.info.name, driver.info.version, tuple(entries), tuple(dict.fromkeys(unrun)))


def _print_counts_and_problem_lists(found: Ledger, fate: Fate | None) -> None:
    _write_line_unescaped(f"Where every field ends: {found.adapter} {found.version}".rstrip())
    for table in (direction_rows(found), importance_rows(found)):
        _write_line_unescaped("")
        _print_columns(table)
    listed = [entry for entry in found.entries if (entry.bad if fate is None else entry.ruling.fate == fate)]
    _print_list("Failing:" if fate is None else f"{fate}:", [describe_entry(entry) for entry in listed])
    _print_list("Declared losses that do not happen (stale):", describe_stale_losses(found))
    _print_list("Fields that could not be run:", list(_describe_unrun_leaves(found.unrun)))


def _describe_unrun_leaves(leaves: Sequence[UnrunLeaf]) -> Iterator[str]:
    """Yield a line for each leaf; one for many leaves with one reason."""
    paths: dict[str, list[str]] = {}
    for unrun in leaves:
        paths.setdefault(unrun.why, []).append(f"{unrun.leaf.side} {unrun.leaf.path}")
    for why, listed in paths.items():
        more = f" and {len(listed) - MOST_PATHS} more" if len(listed) > MOST_PATHS else ""
        yield f"{', '.join(listed[:MOST_PATHS])}{more}: {why}"


def _print_list(title: str, lines: list[str]) -> None:
    if lines:
        _write_line_unescaped(f"\n{title}")
        for line in lines:
            # Broken between words, or inside one that is wider than a line, without control codes.
            text, width = escape_invisible(line), Console(file=sys.stdout).width
            broken = wrap(text, width, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)
            _write_line_unescaped("\n".join(broken))


def _print_columns(rows: list[list[str]]) -> None:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for first, *rest in rows:
        figures = "  ".join(f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True))
        _write_line_unescaped(f"  {first:{widths[0]}}  {figures}".rstrip())


def _write_line_unescaped(text: str) -> None:
    sys.stdout.write(f"{text}\n")
