"""The Markdown summary of a CI step: the verdict, the totals, the table by topic, the findings, the losses.

CI services cut a summary off at a size of their own; a reader gives up long before. Findings behind the worst three are
folded to a line each, and it is clipped below 60 kB, between findings, and says so.
"""

import re
from collections.abc import Iterator
from html import escape
from typing import Final

from bridgecheck.model.counts import plural
from bridgecheck.report import sentences
from bridgecheck.report.findings import Finding
from bridgecheck.report.model import Report, trace_rules
from bridgecheck.report.rests_on import group_alike_scenarios, name_scenarios
from bridgecheck.report.side_by_side import clip, diff_rows, escape_invisible, pad_to_width
from bridgecheck.report.table import letter_legend
from bridgecheck.wire import DIALECTS

MAX_BYTES: Final = 60_000
"""Bytes of UTF-8."""
HALF_WIDTH: Final = 44
"""Width of one half of a diff."""
MAX_UNFOLDED: Final = 3
"""How many findings are shown in full; of the others one sees the headline, until it is clicked."""
MAX_DIFFERENCES: Final = 3
MAX_LOSSES: Final = 30
MAX_RULES: Final = 50
MAX_REQUIREMENTS: Final = 120
MAX_RESTS_ON: Final = 60
MAX_CASES: Final = 5
MAX_EXCUSE_LINES: Final = 40
MAX_HEADLINE: Final = 300
MAX_CRASH_LINES: Final = 8
LEGEND: Final = (
    "Cases without a failure / judged; `a` accepted or newer, `w` warnings, `-` none apply. "
    "Bridged, client>upstream: {letters}."
)
_HEAD_ROOM: Final = 400


def to_markdown(report: Report) -> str:
    """Return the summary, smaller than ``MAX_BYTES`` bytes."""
    start = "\n".join((*_title_verdict_and_count_lines(report), *_topic_table(report)))
    tables = (*_folded_tables(report), *_excuse_section(report))
    notes = "\n\n".join(filter(None, (sentences.recordings_line(report), sentences.chosen_relations_line(report))))
    end = "\n".join(("", *tables, notes, ""))
    room = MAX_BYTES - _HEAD_ROOM - _utf8_size(start + end)
    return "\n".join((start, *_fit_findings(report, room), end))


def _title_verdict_and_count_lines(report: Report) -> Iterator[str]:
    yield f"## bridgecheck: {escape_markdown(sentences.adapter_line(report))}\n"
    yield f"**{escape_markdown(sentences.verdict_line(report))}**\n"
    yield f"{escape_markdown(sentences.findings_by_status_line(report))}\n"
    yield f"{escape_markdown(sentences.cases_by_status_line(report))}\n"
    for line in filter(None, (sentences.unclaimed_line(report), sentences.missing_sdk_line(report))):
        yield f"{escape_markdown(line)}\n"


def _topic_table(report: Report) -> Iterator[str]:
    table = report.topics.judged_columns
    if not table.rows:
        return
    yield ""
    rows = [[name, *map(str, cells)] for name, cells in table.rows]
    yield from table_lines(["topic", *table.columns], [*rows, ["**all**", *map(str, table.totals)]])
    yield "\n" + LEGEND.format(letters=letter_legend(table.columns))


def _fit_findings(report: Report, room: int) -> Iterator[str]:
    """Yield as many findings as fit; then how many did not."""
    every = report.findings
    for position, finding in enumerate(every):
        text = "\n".join(_finding_lines(position + 1, finding, sentences.acceptance_line(report, finding)))
        room -= _utf8_size(text) + 1
        if room < 0:
            total = plural(len(every), "finding")
            yield f"\n*Clipped: {len(every) - position} more of {total} in report.json.*"
            return
        yield text


def _finding_lines(number: int, finding: Finding, accepted: str) -> Iterator[str]:
    headline = clip(finding.one_line_summary, MAX_HEADLINE)
    is_folded = number > MAX_UNFOLDED
    if is_folded:  # in a block of HTML nothing is read as Markdown up to the empty line
        title = f"{number}. <b>{finding.status}</b> <code>{finding.check}</code>: {escape(escape_invisible(headline))}"
        yield f"\n<details><summary>{title}</summary>\n"
    else:
        yield f"\n### {number}. {finding.status} `{finding.check}`: {escape_markdown(headline)}\n"
    shown = ", ".join(f"`{case}`" for case in finding.cases[:MAX_CASES])
    remarks = filter(None, (sentences.finding_cells_line(finding), sentences.explained_checks_line(finding), accepted))
    yield escape_markdown(". ".join(remarks)) + "\n"
    yield f"{shown} {sentences.remainder_note(len(finding.cases), MAX_CASES)}".rstrip()
    body = list(_difference_lines(finding)) or [
        clip(escape_invisible(line), MAX_HEADLINE) for line in finding.crash_or_message_rest[-MAX_CRASH_LINES:]
    ]
    if body:
        yield from fence_code("\n".join(body))
    yield from fence_code(escape_invisible(finding.command_line), "sh")
    if is_folded:
        yield "\n</details>"


def _difference_lines(finding: Finding) -> Iterator[str]:
    for difference in finding.differences[:MAX_DIFFERENCES]:
        yield f"{escape_invisible(difference.path)}  {escape_invisible(difference.note)}".rstrip()
        yield f"  {pad_to_width('expected', HALF_WIDTH)} | actual"
        for row in diff_rows(difference.expected, difference.actual, HALF_WIDTH, limit=12):
            yield f"{row.mark} {pad_to_width(row.left, HALF_WIDTH)} | {row.right}".rstrip()
    more = sentences.remainder_note(len(finding.differences), MAX_DIFFERENCES, "difference")
    if more:
        yield f"... {more}"


def _folded_tables(report: Report) -> Iterator[str]:
    """Yield the tables that are folded up: losses, rules used, and of the requirements those that were judged."""
    losses = [[f"`{row.rule}`", str(row.count), str(row.cases), escape_markdown(row.reason)] for row in report.losses]
    yield from _folded_table("Declared losses, by rule", ["rule", "times", "cases", "reason"], losses, MAX_LOSSES)
    rules = [[f"`{rule}`", str(count)] for rule, count in report.rule_use_counts.items()]
    yield from _folded_table("Rules used", ["rule", "times"], rules, MAX_RULES)
    requirements: list[list[str]] = []
    for trace in trace_rules(report.checks):
        counts = ", ".join(f"{count} {status}" for status, count in trace.counts.items())
        rule = trace.rule
        if counts:
            source = escape_markdown(rule.basis.ref)
            requirements.append([f"`{rule.id}`", f"`{rule.check}`", rule.level, counts, source])
    heads = ["rule", "check", "level", "verdicts", "source"]
    yield from _folded_table("Requirements judged", heads, requirements, MAX_REQUIREMENTS)
    yield from _folded_table("What scenarios rest on", ["scenarios", *DIALECTS], _rests_on_rows(report), MAX_RESTS_ON)


def _rests_on_rows(report: Report) -> list[list[str]]:
    """Return a row for the scenarios of a topic that rest on the same; what is not scripted alone first."""
    groups = group_alike_scenarios(report.rests_on, report.info.start_date)
    return [[escape_markdown(name_scenarios(row)), *map(escape_markdown, row.by_dialect)] for row in groups]


def _folded_table(title: str, heads: list[str], rows: list[list[str]], limit: int) -> Iterator[str]:
    if rows:
        yield f"<details><summary>{title}: {len(rows)}</summary>\n"
        yield from table_lines(heads, rows[:limit])
        yield f"\n{sentences.remainder_note(len(rows), limit)}\n</details>\n"


def _excuse_section(report: Report) -> Iterator[str]:
    """Yield what does not gate, what became of the deviations, and the recordings that are not as the run demands."""
    lines = [*sentences.newer_finding_lines(report), *sentences.accepted_finding_lines(report)]
    lines += sentences.deviation_lines(report)
    lines += sentences.unmet_demand_lines(report)
    if lines:
        yield from fence_code("\n".join(map(escape_invisible, lines[:MAX_EXCUSE_LINES])))
        yield f"{sentences.remainder_note(len(lines), MAX_EXCUSE_LINES)}\n"


def table_lines(heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Yield a table; ``|`` in a cell is escaped where it is not."""
    for cells in (heads, ["---"] * len(heads), *rows):
        yield "| " + " | ".join(re.sub(r"(?<!\\)\|", r"\|", cell) for cell in cells) + " |"


def fence_code(text: str, language: str = "text") -> Iterator[str]:
    """Yield the text in a fence longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"\n{fence}{language}\n{text}\n{fence}"


def escape_markdown(text: str) -> str:
    """Escape text so that it does not turn into markup."""
    return re.sub(r"([\\`*_<>\[\]#|])", r"\\\1", escape_invisible(text))


def _utf8_size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))
