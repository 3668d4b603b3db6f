"""The Markdown summary of a CI step: the verdict, the totals, the table by topic, the findings, the losses.

CI services cut a summary off at a size of their own; a reader gives up long before. It is clipped below 60 kB, between
findings, and says so.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from bridgecheck.report import sidebyside, words
from bridgecheck.report.findings import Finding
from bridgecheck.report.model import Report
from bridgecheck.report.table import letters
from bridgecheck.report.traceability import Trace, traces

LIMIT: Final = 60_000
"""Bytes of UTF-8."""
WIDTH: Final = 44
"""Width of one half of a diff."""
DIFFERENCES: Final = 3
LOSSES: Final = 30
RULES: Final = 50
TRACES: Final = 120
CASES: Final = 5
EXCUSED: Final = 40
HEADLINE: Final = 300
CRASH_LINES: Final = 8
LEGEND: Final = (
    "Cases without a failure / judged; `a` accepted or newer, `w` warnings, `-` none apply. "
    "Bridged, client>upstream: {letters}."
)
_HEAD_ROOM: Final = 400


def to_markdown(report: Report) -> str:
    """The summary, smaller than ``LIMIT`` bytes."""
    start = "\n".join((*_head(report), *_topics(report)))
    tables = (*_losses(report), *_rules(report), *_traces(report), *_excused(report))
    said = "\n\n".join(filter(None, (words.sources_line(report), words.relations_line(report))))
    end = "\n".join(("", *tables, said, ""))
    room = LIMIT - _HEAD_ROOM - _size(start + end)
    return "\n".join((start, *_fitting(report.findings, room), end))


def _head(report: Report) -> Iterator[str]:
    yield f"## bridgecheck: {escaped(words.subject(report))}\n"
    yield f"**{escaped(words.verdict_line(report))}**\n"
    yield f"{escaped(words.findings_line(report))}\n"
    yield f"{escaped(words.totals_line(report))}\n"


def _topics(report: Report) -> Iterator[str]:
    table = report.topics.judged
    if not table.rows:
        return
    yield ""
    rows = [[name, *map(str, cells)] for name, cells in table.rows]
    yield from _table(["topic", *table.columns], [*rows, ["**all**", *map(str, table.total)]])
    yield "\n" + LEGEND.format(letters=letters(table.columns))


def _fitting(findings: Iterable[Finding], room: int) -> Iterator[str]:
    """As many findings as fit; then how many did not."""
    every = list(findings)
    for position, finding in enumerate(every):
        text = "\n".join(_finding(position + 1, finding))
        room -= _size(text) + 1
        if room < 0:
            yield f"\n*Clipped: {len(every) - position} more of {words.plural(len(every), 'finding')} in report.json.*"
            return
        yield text


def _finding(number: int, finding: Finding) -> Iterator[str]:
    headline = escaped(sidebyside.clipped(finding.headline, HEADLINE))
    yield f"\n### {number}. {finding.status} `{finding.check}`: {headline}\n"
    shown = ", ".join(f"`{case}`" for case in finding.cases[:CASES])
    yield escaped(". ".join(filter(None, (words.cells_line(finding), words.also_line(finding))))) + "\n"
    yield f"{shown} {words.also(len(finding.cases), CASES)}".rstrip()
    body = list(_differences(finding)) or [
        sidebyside.clipped(sidebyside.visible(line), HEADLINE) for line in finding.body[-CRASH_LINES:]
    ]
    if body:
        yield from fenced("\n".join(body))
    yield from fenced(sidebyside.visible(finding.command_line), "sh")


def _differences(finding: Finding) -> Iterator[str]:
    for difference in finding.differences[:DIFFERENCES]:
        yield f"{sidebyside.visible(difference.path)}  {sidebyside.visible(difference.note)}".rstrip()
        yield f"  {sidebyside.pad('expected', WIDTH)} | got"
        for row in sidebyside.rows(difference.expected, difference.actual, WIDTH, limit=12):
            yield f"{row.mark} {sidebyside.pad(row.left, WIDTH)} | {row.right}".rstrip()
    more = words.also(len(finding.differences), DIFFERENCES)
    if more:
        yield f"... {more} differences"


def _losses(report: Report) -> Iterator[str]:
    if not report.losses:
        return
    yield f"<details><summary>Declared losses, by rule: {len(report.losses)}</summary>\n"
    rows = [[f"`{row.rule}`", str(row.count), str(row.cases), escaped(row.reason)] for row in report.losses[:LOSSES]]
    yield from _table(["rule", "times", "cases", "reason"], rows)
    yield f"\n{words.also(len(report.losses), LOSSES)}\n</details>\n"


def _excused(report: Report) -> Iterator[str]:
    """What does not gate, and what became of the deviations."""
    lines = [*words.newer_lines(report), *words.deviation_lines(report)]
    if lines:
        yield from fenced("\n".join(map(sidebyside.visible, lines[:EXCUSED])))
        yield f"{words.also(len(lines), EXCUSED)}\n"


def _rules(report: Report) -> Iterator[str]:
    if not report.rules:
        return
    yield f"<details><summary>Rules used: {len(report.rules)}</summary>\n"
    yield from _table(["rule", "times"], [[f"`{rule}`", str(count)] for rule, count in [*report.rules.items()][:RULES]])
    yield f"\n{words.also(len(report.rules), RULES)}\n</details>\n"


def _traces(report: Report) -> Iterator[str]:
    """Only what was judged: a page of its own lists them all."""
    judged = [trace for trace in traces(report.checks) if trace.counts]
    if not judged:
        return
    yield f"<details><summary>Requirements judged: {len(judged)}</summary>\n"
    yield from _table(["rule", "check", "level", "verdicts", "source"], [*map(_trace, judged[:TRACES])])
    yield f"\n{words.also(len(judged), TRACES)}\n</details>\n"


def _trace(trace: Trace) -> list[str]:
    rule = trace.rule
    return [f"`{rule.id}`", f"`{rule.check}`", rule.level, _counts(trace), escaped(rule.basis.ref)]


def _counts(trace: Trace) -> str:
    return ", ".join(f"{count} {status}" for status, count in trace.counts.items())


def _table(heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    for cells in (heads, ["---"] * len(heads), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def fenced(text: str, language: str = "text") -> Iterator[str]:
    """A fence longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"\n{fence}{language}\n{text}\n{fence}"


def escaped(text: str) -> str:
    """Text that must not turn into markup."""
    return re.sub(r"([\\`*_<>\[\]#|])", r"\\\1", sidebyside.visible(text))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))
