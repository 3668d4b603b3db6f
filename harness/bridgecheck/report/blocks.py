"""The pieces of the terminal report, as rich renderables. Outside text is never read as markup or control codes."""

import shlex
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final

from rich import box
from rich.table import Column
from rich.table import Table as RichTable
from rich.text import Text

from bridgecheck.model.verdict import Difference, Status
from bridgecheck.report import sidebyside, words
from bridgecheck.report.findings import Finding
from bridgecheck.report.model import LossCount, Report
from bridgecheck.report.sidebyside import Mark, Row, clipped, pad, visible
from bridgecheck.report.table import Cell, Table, letters

WIDEST: Final = 160
"""A diff is not drawn wider than this however wide the terminal is."""
GAP: Final = 3
"""Columns of a table are this far apart; one of it is the box's own divider."""
CASES: Final = 4
HEADLINE: Final = 300
"""Characters of a finding's message; all of it is in report.json."""
DIFFERENCES: Final = 4
LOSSES: Final = 12
RULE_WIDTH: Final = 34
CRASH_LINES: Final = 6
_INDENT: Final = "  "

STYLE: Final[dict[Status, str]] = {
    "ERROR": "bold magenta",
    "FAIL": "bold red",
    "WARN": "bold yellow",
}
MARK_STYLE: Final[dict[Mark, tuple[str, str]]] = {
    "!": ("green", "red"),
    "<": ("green", ""),
    ">": ("", "red"),
    "=": ("dim", "dim"),
    "…": ("dim", "dim"),
}
"""Colours of the expected and the got half."""


def topics(table: Table, width: int) -> Iterator[RichTable]:
    """Topics down, paths across; in several tables below one another where one would be too wide."""
    judged = table.judged
    longest = max((len(name) for name, _ in judged.rows), default=0)
    room = width - max(longest, len("topic")) - GAP
    columns: list[str] = []
    used = 0
    for head, size in zip(judged.columns, _widths(judged), strict=True):
        if columns and used + size + GAP > room:
            yield _drawn(judged.only(columns))
            columns, used = [], 0
        columns.append(head)
        used += size + GAP
    if columns:
        yield _drawn(judged.only(columns))


def _widths(table: Table) -> list[int]:
    totals = table.total
    columns = zip(*(cells for _, cells in table.rows), strict=True)
    return [
        max(len(head), len(str(total)), *(len(str(cell)) for cell in cells))
        for head, total, cells in zip(table.columns, totals, columns, strict=True)
    ]


def _drawn(table: Table) -> RichTable:
    drawn = RichTable(
        Column("topic", no_wrap=True, overflow="ellipsis"),
        *(Column(head, justify="right", no_wrap=True) for head in table.columns),
        box=box.SIMPLE_HEAD,
        padding=(0, GAP - 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    for name, cells in table.rows:
        if any(cell != Cell() for cell in cells):
            drawn.add_row(Text(visible(name)), *map(_cell, cells))
    drawn.add_section()
    drawn.add_row(Text("all", style="bold"), *map(_cell, table.total))
    return drawn


def legend(columns: Sequence[str]) -> Text:
    """What the cells and heads of the table mean."""
    cells = "Cases without a failure / judged; a accepted or newer, w warnings, - none apply."
    return Text(f"{cells}\nBridged, client>upstream: {letters(columns)}.", style="dim")


def finding(number: int, item: Finding, width: int) -> Iterator[Text]:
    """The lines of one finding: what, where, expected | got, and the command that repeats it.

    Lines with ``no_wrap`` are to be copied or are as wide as they should be; the others may be wrapped.
    """
    headline = clipped(visible(item.headline), HEADLINE)
    yield Text.assemble((f"{number}. {item.status} ", STYLE[item.status]), (item.check, "bold"), f"  {headline}")
    for line in _details(item, width):
        line.no_wrap = True
        yield line


def _details(item: Finding, width: int) -> Iterator[Text]:
    yield from _cases(item)
    for difference in item.differences[:DIFFERENCES]:
        yield from _difference(difference, width)
    more = words.also(len(item.differences), DIFFERENCES)
    if more:
        yield Text(f"{_INDENT}... {more} differences", style="dim")
    if not item.differences:
        lines = [line for line in item.body if line.strip(" ~^")]  # the marks under a line of code are no line
        yield from (Text(_INDENT + clipped(visible(line), HEADLINE), style="dim") for line in lines[-CRASH_LINES:])
    yield from _command(item.command, width)


def losses(rows: Sequence[LossCount], width: int) -> RichTable:
    """What the dialects cannot say, by rule; the reason on one line, as far as it goes."""
    shown = rows[:LOSSES]
    head = "declared loss"
    name = min(RULE_WIDTH, max(len(head), *(len(row.rule) for row in shown)))
    reason = width - name - len("times") - 2 * GAP
    drawn = RichTable(
        Column(head, no_wrap=True, overflow="ellipsis", min_width=name, max_width=name),
        Column("times", justify="right", min_width=len("times")),
        Column("reason", no_wrap=True, overflow="ellipsis", max_width=max(reason, GAP)),
        box=box.SIMPLE_HEAD,
        padding=(0, GAP - 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    for row in shown:
        drawn.add_row(Text(visible(row.rule)), str(row.count), Text(visible(row.reason)))
    more = words.also(len(rows), LOSSES)
    if more:
        drawn.add_row(Text(more, style="dim"), "", "")
    return drawn


def verdict_style(report: Report) -> str:
    if report.exit_code == 0:
        return "bold yellow" if report.totals["WARN"] else "bold green"
    return "bold red"


def _cell(cell: Cell) -> Text:
    if cell.failed:
        style = "bold red"
    elif cell.warned or cell.deviations:
        style = "yellow"
    else:
        style = "green" if cell.judged else "dim"
    return Text(str(cell), style=style)


def _cases(item: Finding) -> Iterator[Text]:
    yield from (Text(f"{_INDENT}{line}") for line in (words.cells_line(item), words.also_line(item)) if line)
    shown = [item.example, *(case for case in item.cases if case != item.example)][:CASES]
    for case in shown:
        yield Text(f"{_INDENT}in {visible(case)}", style="dim" if case != item.example else "")
    more = words.also(len(item.cases), CASES)
    if more:
        yield Text(f"{_INDENT}{more}", style="dim")
    if item.where:
        yield Text(f"{_INDENT}at {visible(item.where)}", style="dim")


def _difference(difference: Difference, width: int) -> Iterator[Text]:
    half = max(12, (width - len(_INDENT) - 5) // 2)
    yield from _place(visible(difference.path), visible(difference.note), width)
    yield Text(f"{_INDENT}  {pad('expected', half)} │ got", style="dim")
    for row in sidebyside.rows(difference.expected, difference.actual, half):
        yield _row(row, half)


def _place(path: str, note: str, width: int) -> Iterator[Text]:
    """The path, and in brackets what is said of it: behind it, or below it where it would be too long."""
    said = f"({note})" if note else ""
    if len(_INDENT) + len(path) + 2 + len(said) <= width:
        yield Text.assemble(_INDENT, (path, "cyan"), (f"  {said}" if said else "", "dim"))
        return
    yield Text.assemble(_INDENT, (path, "cyan"))
    indent = _INDENT * 2
    for line in wrap(said, max(width - len(indent), len(indent)), break_long_words=False, break_on_hyphens=False):
        yield Text(indent + line, style="dim")


def _row(row: Row, half: int) -> Text:
    left, right = MARK_STYLE[row.mark]
    mark = {"=": " ", "…": " "}.get(row.mark, row.mark)
    return Text.assemble(_INDENT, (f"{mark} ", "bold"), (pad(row.left, half), left), (" │ ", "dim"), (row.right, right))


def _command(command: Sequence[str], width: int) -> Iterator[Text]:
    """The command, broken between its arguments with a backslash so that it can be pasted as it stands."""
    line = f"{_INDENT}$"
    for word in _options(command):
        if len(line) + len(word) + 3 > width and line.strip() not in ("", "$"):
            yield Text(line + " \\", style="bold")
            line = f"{_INDENT}   "
        line += f" {word}"
    yield Text(line, style="bold")


def _options(command: Sequence[str]) -> Iterator[str]:
    """An option and its value stay on one line."""
    held = ""
    for word in map(shlex.quote, command):
        if word.startswith("--"):
            held = word
        else:
            yield f"{held} {word}" if held else word
            held = ""
