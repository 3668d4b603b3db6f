"""The terminal: progress while cases run, and the report at the end.

    with Progress(console, total) as progress:
        progress.advance(result)
    show(console, report)

Where the console is no terminal (a pipe, a CI log) there is no bar, no spinner and no colour: a line for every tenth of
the run. ``NO_COLOR`` and ``TERM=dumb`` are honoured by rich's Console itself.
"""

from types import TracebackType
from typing import Final, Self

from rich import progress as bars
from rich.console import Console
from rich.table import Column
from rich.text import Text

from bridgecheck.model.verdict import CaseResult, Status
from bridgecheck.report import blocks, words
from bridgecheck.report.model import Report
from bridgecheck.report.sidebyside import visible

FINDINGS: Final = 20
"""How many findings are shown in full; all of them are in report.json."""
STEPS: Final = 10
"""How many progress lines a run writes where there is no terminal."""


class Progress:
    """Counts and the current scenario. ``total``: planned cases, 0 if not known."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._done = 0
        self._counts: dict[Status, int] = {"FAIL": 0, "ERROR": 0, "WARN": 0}
        self._bar = _bar(console)
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
        """One more case is done."""
        self._done += 1
        if result.status in self._counts:
            self._counts[result.status] += 1
        if self._console.is_terminal:
            self._bar.update(self._task, advance=1, counts=self._tally(), current=visible(result.key.scenario))
        elif self._at_step():
            self._console.print(Text(f"{self._done}/{self._total} cases  {self._tally()}".rstrip()))

    def _at_step(self) -> bool:
        return self._total > 0 and self._done * STEPS // self._total > (self._done - 1) * STEPS // self._total

    def _tally(self) -> str:
        return ", ".join(f"{count} {status}" for status, count in self._counts.items() if count)


def show(console: Console, report: Report) -> None:
    """The whole report: table by topic, findings, losses, sources, totals, and the verdict as the last line."""
    console.print()
    console.print(Text.assemble("bridgecheck: ", (visible(words.subject(report)), "bold")))
    tables = list(blocks.topics(report.topics, console.width))
    for table in tables:
        console.print()
        console.print(table)
    if tables:
        console.print(blocks.legend(report.topics.judged.columns))
    for number, finding in enumerate(report.findings[:FINDINGS], 1):
        console.print()
        for line in blocks.finding(number, finding, min(console.width, blocks.WIDEST)):
            console.print(line, soft_wrap=bool(line.no_wrap))
    more = words.also(len(report.findings), FINDINGS)
    if more:
        console.print(Text(f"\n... {more} findings in report.json", style="dim"))
    if report.losses:
        console.print()
        console.print(blocks.losses(report.losses, console.width))
    console.print()
    for said in (*words.newer_lines(report), *words.deviation_lines(report)):
        console.print(Text(visible(said)))
    console.print(Text(words.sources_line(report)))
    if words.relations_line(report):
        console.print(Text(words.relations_line(report)))
    console.print(Text(words.findings_line(report)))
    console.print(Text(words.totals_line(report)))
    console.print(Text(words.verdict_line(report), style=blocks.verdict_style(report)))


def _bar(console: Console) -> bars.Progress:
    return bars.Progress(
        bars.SpinnerColumn(),
        bars.BarColumn(bar_width=20),
        bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[counts]}", style="bold red", markup=False),
        bars.TextColumn("{task.fields[current]}", style="dim", markup=False, table_column=_rest()),
        bars.TimeElapsedColumn(),
        console=console,
        transient=True,
        expand=True,
    )


def _rest() -> Column:
    """All the width that is left, on one line."""
    return Column(no_wrap=True, overflow="ellipsis", ratio=1)
