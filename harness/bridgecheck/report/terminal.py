"""The terminal: progress while cases run, and the report at the end.

    with Progress(console, total) as progress:
        progress.advance(result)
    show(console, report)

Where the console is no terminal (a pipe, a CI log) there is no bar, no spinner and no colour: a line for every tenth of
the run. ``NO_COLOR`` and ``TERM=dumb`` are honoured by rich's Console itself.
"""

import shlex
from collections.abc import Iterator, Sequence
from textwrap import wrap
from types import TracebackType
from typing import Final, Self

from rich import box
from rich import progress as bars
from rich.console import Console
from rich.table import Column
from rich.table import Table as RichTable
from rich.text import Text

from bridgecheck.model.counts import plural
from bridgecheck.model.verdict import CaseResult, Difference, ExcuseKind, Status
from bridgecheck.report import sentences
from bridgecheck.report.findings import Finding
from bridgecheck.report.model import LossCount, Report
from bridgecheck.report.side_by_side import DiffMark, DiffRow, clip, diff_rows, escape_invisible, pad_to_width
from bridgecheck.report.table import Cell, Table, letter_legend

MAX_FINDINGS: Final = 20
"""How many findings are shown in full; all of them are in report.json."""
PROGRESS_LINES: Final = 10
"""How many progress lines a run writes where there is no terminal."""


class Progress:
    """Progress of a run: counts and the current scenario. ``total``: planned cases, 0 if not known."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._finished = 0
        self._counts: dict[Status | ExcuseKind, int] = {"FAIL": 0, "ERROR": 0, "WARN": 0, "deviation": 0}
        self._bar = _make_progress_bar(console)
        self._task = self._bar.add_task("", total=total or None, counts="", current="")

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._bar.stop()

    def advance(self, result: CaseResult) -> None:
        """Count one finished case."""
        self._finished += 1
        if result.counted_as in self._counts:
            self._counts[result.counted_as] += 1
        counts = ", ".join(
            f"{count} {sentences.COUNT_NAMES.get(status, status)}" for status, count in self._counts.items() if count
        )
        if self._console.is_terminal:
            self._bar.update(self._task, advance=1, counts=counts, current=escape_invisible(result.key.scenario))
        elif self._has_finished_another_tenth():
            self._console.print(Text(f"{self._finished}/{plural(self._total, 'case')}  {counts}".rstrip()))

    def _has_finished_another_tenth(self) -> bool:
        now, before = self._finished * PROGRESS_LINES, (self._finished - 1) * PROGRESS_LINES
        return self._total > 0 and now // self._total > before // self._total


def print_report(console: Console, report: Report) -> None:
    """Print the report: table by topic, findings, losses, sources, totals, and the verdict as the last line."""
    console.print()
    console.print(Text.assemble("bridgecheck: ", (escape_invisible(sentences.adapter_line(report)), "bold")))
    tables = list(split_topic_table(report.topics, console.width))
    for table in tables:
        console.print()
        console.print(table)
    if tables:
        console.print(table_legend(report.topics.judged_columns.columns))
    for number, finding in enumerate(report.findings[:MAX_FINDINGS], 1):
        console.print()
        for line in finding_lines(number, finding, min(console.width, MAX_DIFF_WIDTH)):
            console.print(line, soft_wrap=bool(line.no_wrap))
        if accepted := sentences.acceptance_line(report, finding):
            console.print(Text(f"{_INDENT}{escape_invisible(accepted)}"), soft_wrap=True)
    more = sentences.remainder_note(len(report.findings), MAX_FINDINGS, "finding")
    if more:
        console.print(Text(f"\n... {more} in report.json", style="dim"))
    if report.losses:
        console.print()
        console.print(loss_table(report.losses, console.width))
    console.print()
    remarks = (
        *sentences.newer_finding_lines(report),
        *sentences.accepted_finding_lines(report),
        *sentences.deviation_lines(report),
        *sentences.unmet_demand_lines(report),
        *sentences.unjudged_lines(report),
    )
    for sentence in (*map(escape_invisible, remarks), *sentences.recording_relation_and_count_lines(report)):
        console.print(Text(sentence), soft_wrap=sentence.startswith("  next: "))
    console.print(Text(sentences.verdict_line(report), style=_verdict_style(report)))


def _verdict_style(report: Report) -> str:
    if report.exit_code:
        return "bold red"
    if report.accepted_findings:
        return ACCEPTED_STYLE
    return "bold yellow" if report.totals["WARN"] else "bold green"


def _make_progress_bar(console: Console) -> bars.Progress:
    rest = Column(no_wrap=True, overflow="ellipsis", ratio=1)  # all the width that is left, on one line
    return bars.Progress(
        bars.SpinnerColumn(), bars.BarColumn(bar_width=20), bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[counts]}", style="bold red", markup=False),
        bars.TextColumn("{task.fields[current]}", style="dim", markup=False, table_column=rest),
        bars.TimeElapsedColumn(), console=console, transient=True, expand=True,
    )  # fmt: skip


MAX_DIFF_WIDTH: Final = 160
"""A diff is not drawn wider than this however wide the terminal is."""
COLUMN_GAP: Final = 3
"""Columns of a table are this far apart; one of it is the box's own divider."""
MAX_CASES: Final = 4
MAX_HEADLINE: Final = 300
"""Characters of a finding's message; all of it is in report.json."""
MAX_DIFFERENCES: Final = 4
MAX_LOSSES: Final = 12
MAX_RULE_WIDTH: Final = 34
MAX_CRASH_LINES: Final = 6
_INDENT: Final = "  "

ACCEPTED_STYLE: Final = "bold blue"
STATUS_STYLE: Final[dict[Status, str]] = {"ERROR": "bold magenta", "FAIL": "bold red", "WARN": "bold yellow"}
MARK_STYLE: Final[dict[DiffMark, tuple[str, str]]] = {
    "!": ("green", "red"), "<": ("green", ""), ">": ("", "red"), "=": ("dim", "dim"), "…": ("dim", "dim"),
}  # fmt: skip
"""Colours of the expected and of the actual half."""


def split_topic_table(table: Table, width: int) -> Iterator[RichTable]:
    """Yield the table of topics: topics down, paths across; in several tables below one another where one would be too
    wide."""
    judged = table.judged_columns
    longest = max((len(name) for name, _ in judged.rows), default=0)
    room = width - max(longest, len("topic")) - COLUMN_GAP
    columns: list[str] = []
    used = 0
    for head, size in zip(judged.columns, _column_widths(judged), strict=True):
        if columns and used + size + COLUMN_GAP > room:
            yield _draw_table(judged.cut_rows_to_columns(columns))
            columns, used = [], 0
        columns.append(head)
        used += size + COLUMN_GAP
    if columns:
        yield _draw_table(judged.cut_rows_to_columns(columns))


def _column_widths(table: Table) -> list[int]:
    columns = zip(table.columns, table.totals, *(cells for _, cells in table.rows), strict=True)
    return [max(len(str(cell)) for cell in column) for column in columns]


def _draw_table(table: Table) -> RichTable:
    heads = (Column(head, justify="right", no_wrap=True) for head in table.columns)
    drawn = _make_table(Column("topic", no_wrap=True, overflow="ellipsis"), *heads)
    for name, cells in table.rows:
        if any(cell != Cell() for cell in cells):
            drawn.add_row(Text(escape_invisible(name)), *map(_cell_text, cells))
    drawn.add_section()
    drawn.add_row(Text("all", style="bold"), *map(_cell_text, table.totals))
    return drawn


def _make_table(*columns: Column) -> RichTable:
    """Return an empty table without outer borders."""
    gap = (0, COLUMN_GAP - 1, 0, 0)
    return RichTable(*columns, box=box.SIMPLE_HEAD, padding=gap, pad_edge=False, show_edge=False)


def table_legend(columns: Sequence[str]) -> Text:
    """Return what the cells and heads of the table mean."""
    cells = "Cases without a failure / judged; a accepted or newer, w warnings, - none apply."
    return Text(f"{cells}\nBridged, client>upstream: {letter_legend(columns)}.", style="dim")


def finding_lines(number: int, item: Finding, width: int) -> Iterator[Text]:
    """Yield the lines of one finding: what, where, expected and actual value, and the command that repeats it.

    Lines with ``no_wrap`` are to be copied or are as wide as they should be; the others may be wrapped.
    """
    headline = clip(escape_invisible(item.one_line_summary), MAX_HEADLINE)
    yield Text.assemble((f"{number}. {item.status} ", STATUS_STYLE[item.status]), (item.check, "bold"), f"  {headline}")
    for line in _finding_detail_lines(item, width):
        line.no_wrap = True
        yield line


def _finding_detail_lines(item: Finding, width: int) -> Iterator[Text]:
    yield from _cells_checks_and_cases_lines(item)
    for difference in item.differences[:MAX_DIFFERENCES]:
        yield from _difference_lines(difference, width)
    more = sentences.remainder_note(len(item.differences), MAX_DIFFERENCES, "difference")
    if more:
        yield Text(f"{_INDENT}... {more}", style="dim")
    if not item.differences:
        lines = [line for line in item.crash_or_message_rest if line.strip(" ~^")]  # not the marks under code
        yield from (
            Text(_INDENT + clip(escape_invisible(line), MAX_HEADLINE), style="dim") for line in lines[-MAX_CRASH_LINES:]
        )
    yield from _command_lines(item.command, width)


def loss_table(rows: Sequence[LossCount], width: int) -> RichTable:
    """Return the table of declared losses by rule; the reason on one line, as far as it goes."""
    shown = rows[:MAX_LOSSES]
    head = "declared loss"
    name = min(MAX_RULE_WIDTH, max(len(head), *(len(row.rule) for row in shown)))
    reason = width - name - len("times") - 2 * COLUMN_GAP
    drawn = _make_table(
        Column(head, no_wrap=True, overflow="ellipsis", min_width=name, max_width=name),
        Column("times", justify="right", min_width=len("times")),
        Column("reason", no_wrap=True, overflow="ellipsis", max_width=max(reason, COLUMN_GAP)),
    )
    for row in shown:
        drawn.add_row(Text(escape_invisible(row.rule)), str(row.count), Text(escape_invisible(row.reason)))
    more = sentences.remainder_note(len(rows), MAX_LOSSES)
    if more:
        drawn.add_row(Text(more, style="dim"), "", "")
    return drawn


def _cell_text(cell: Cell) -> Text:
    calm = "green" if cell.judged else "dim"
    accepted = ACCEPTED_STYLE if cell.deviations else calm
    return Text(str(cell), style="bold red" if cell.failed else "yellow" if cell.warned else accepted)


def _cells_checks_and_cases_lines(item: Finding) -> Iterator[Text]:
    lines = (sentences.finding_cells_line(item), sentences.explained_checks_line(item))
    yield from (Text(f"{_INDENT}{line}") for line in lines if line)
    shown = [item.example, *(case for case in item.cases if case != item.example)][:MAX_CASES]
    for case in shown:
        yield Text(f"{_INDENT}in {escape_invisible(case)}", style="dim" if case != item.example else "")
    more = sentences.remainder_note(len(item.cases), MAX_CASES)
    if more:
        yield Text(f"{_INDENT}{more}", style="dim")
    if item.where:
        yield Text(f"{_INDENT}at {escape_invisible(item.where)}", style="dim")


def _difference_lines(difference: Difference, width: int) -> Iterator[Text]:
    half = max(12, (width - len(_INDENT) - 5) // 2)
    yield from _path_lines(escape_invisible(difference.path), escape_invisible(difference.note), width)
    yield Text(f"{_INDENT}  {pad_to_width('expected', half)} │ actual", style="dim")
    for row in diff_rows(difference.expected, difference.actual, half):
        yield _diff_row_line(row, half)


def _path_lines(path: str, note: str, width: int) -> Iterator[Text]:
    """Yield the path with its note in brackets, below the path where one line would be too long."""
    remark = f"({note})" if note else ""
    if len(_INDENT) + len(path) + 2 + len(remark) <= width:
        yield Text.assemble(_INDENT, (path, "cyan"), (f"  {remark}" if remark else "", "dim"))
        return
    yield Text.assemble(_INDENT, (path, "cyan"))
    indent = _INDENT * 2
    for line in wrap(remark, max(width - len(indent), len(indent)), break_long_words=False, break_on_hyphens=False):
        yield Text(indent + line, style="dim")


def _diff_row_line(row: DiffRow, half: int) -> Text:
    left, right = MARK_STYLE[row.mark]
    mark = {"=": " ", "…": " "}.get(row.mark, row.mark)
    return Text.assemble(
        _INDENT, (f"{mark} ", "bold"), (pad_to_width(row.left, half), left), (" │ ", "dim"), (row.right, right)
    )


def _command_lines(command: Sequence[str], width: int) -> Iterator[Text]:
    """Yield the command, broken between its arguments with a backslash so that it can be pasted as it stands."""
    line = f"{_INDENT}$"
    for word in _group_options(command):
        if len(line) + len(word) + 3 > width and line.strip() not in ("", "$"):
            yield Text(line + " \\", style="bold")
            line = f"{_INDENT}   "
        line += f" {word}"
    yield Text(line, style="bold")


def _group_options(command: Sequence[str]) -> Iterator[str]:
    """Yield the arguments, an option and its value as one."""
    held = ""
    for word in map(shlex.quote, command):
        if word.startswith("--"):
            held = word
        else:
            yield f"{held} {word}" if held else word
            held = ""
