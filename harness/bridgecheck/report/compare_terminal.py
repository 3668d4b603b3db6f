"""A comparison on the terminal: the two reports, what changed, and the verdict as the last line."""

from collections import Counter
from collections.abc import Iterable, Iterator
from textwrap import wrap
from typing import Final

from rich.console import Console
from rich.text import Text

from bridgecheck.model.counts import plural
from bridgecheck.report import compare, sentences, terminal
from bridgecheck.report.compare import Change, Comparison, State
from bridgecheck.report.findings import Finding
from bridgecheck.report.read import StoredReport
from bridgecheck.report.side_by_side import clip, escape_invisible

MAX_FINDINGS: Final = 20
"""Findings of one state that are shown; all of them are in the file that --json names."""
MAX_CASES: Final = 3
MAX_HEADLINE: Final = 300

STATE_TITLES: Final[dict[State, str]] = {
    "regressed": "Regressed", "new": "New: not judged before", "fixed": "Fixed", "gone": "Gone: no longer judged",
}  # fmt: skip
"""In the order in which they are shown."""

STATES_IN_FULL: Final = ("regressed", "new")
"""With differences and the command; of what no longer fails there is nothing to look at."""


def print_comparison(console: Console, comparison: Comparison) -> None:
    """Print the comparison in lines that fit the console."""
    width = min(console.width, terminal.MAX_DIFF_WIDTH)
    for line in _header_lines(comparison):
        _print_wrapped(console, line)
    for state in STATE_TITLES:
        for text in _state_section(comparison, state, width):
            console.print(text, soft_wrap=bool(text.no_wrap))
    console.print()
    if comparison.findings["same"]:
        findings = plural(len(comparison.findings["same"]), "finding")
        _print_wrapped(console, f"Failing in both: {findings} in {_count_cases(comparison.changes_in('same'))}")
    style = "bold red" if comparison.regression_exit_code else "bold green"
    console.print(Text(comparison_verdict_line(comparison), style=style))


def comparison_verdict_line(comparison: Comparison) -> str:
    """Return ``REGRESSED: 2 findings in 7 cases; 1 fixed, none new, none gone``."""
    counts = {state: len(comparison.findings[state]) for state in STATE_TITLES}
    rest = ", ".join(f"{counts[state] or 'none'} {state}" for state in ("fixed", "new", "gone"))
    gating = [change for change in comparison.changes if change.gates]
    if gating:
        return f"REGRESSED: {plural(counts['regressed'], 'finding')} in {_count_cases(gating)}; {rest}"
    accepted = f"{counts['regressed']} regressed without gating, " if counts["regressed"] else ""
    return f"NO REGRESSION in {plural(comparison.judged, 'case')} that both judged; {accepted}{rest}"


def _header_lines(comparison: Comparison) -> Iterator[str]:
    yield f"bridgecheck compare: {plural(comparison.judged, 'case')} that both reports judged"
    yield from _report_lines("old", comparison.old)
    yield from _report_lines("new", comparison.new)
    for mismatch in comparison.mismatches:
        yield f"Compared over what both judged alone: the reports are {mismatch}."
    for name, read in (("old", comparison.old), ("new", comparison.new)):
        missing = compare.describe_partial(read.report)
        if missing:
            yield f"The {name} report is partial ({missing}): what is missing in it counts as nothing."
    judges = [compare.bridgecheck_version(read.report.info) for read in (comparison.old, comparison.new)]
    if judges[0] != judges[1]:
        yield f"Made by bridgecheck {judges[0]} and {judges[1]}: cases may demand more than they did."
    sides = ("old report, not in the new", "new report, not in the old")
    for names, count in zip(sides, comparison.judged_in_one, strict=True):
        if count:
            yield f"Judged in the {names} one: {plural(count, 'case')}."
    undecided = comparison.changes_in("untold")
    if undecided:
        yield f"Failing in one report, and the other cannot tell: {_count_cases(undecided)}."


def _report_lines(name: str, read: StoredReport) -> Iterator[str]:
    info = read.report.info
    requirements = info.requirements and f"requirements {info.requirements}"
    facts = (sentences.adapter_line(read.report), info.started[:10], requirements)
    yield f"  {name}  {', '.join(filter(None, facts))}: {read.path}"


def _state_section(comparison: Comparison, state: State, width: int) -> Iterator[Text]:
    findings = comparison.findings[state]
    if findings:
        count = f"{plural(len(findings), 'finding')} in {_count_cases(comparison.changes_in(state))}"
        yield Text(f"\n{STATE_TITLES[state]}: {count}", style="bold")
    for number, finding in enumerate(findings[:MAX_FINDINGS], 1):
        yield from _finding_section(comparison, state, number, finding, width)
    if len(findings) > MAX_FINDINGS:
        yield Text(f"... {sentences.remainder_note(len(findings), MAX_FINDINGS)} with --json FILE", style="dim")


def _finding_section(comparison: Comparison, state: State, number: int, finding: Finding, width: int) -> Iterator[Text]:
    remarks = ", ".join((finding.first_fingerprint, *_finding_remarks(comparison, state, finding)))
    if state in STATES_IN_FULL:
        first, *rest = terminal.finding_lines(number, finding, width)
        yield from (first, Text(f"  finding {remarks}", style="dim"), *rest)
        return
    style = terminal.STATUS_STYLE[finding.status]
    headline = clip(escape_invisible(finding.one_line_summary), MAX_HEADLINE)
    yield Text.assemble(f"{number}. ", (finding.check, style), f"  {headline}")
    yield Text(f"  finding {remarks}", style="dim")
    yield Text(f"  {sentences.finding_cells_line(finding)}")
    for case in finding.cases[:MAX_CASES]:
        yield Text(f"  in {escape_invisible(case)}", style="dim", no_wrap=True)
    if len(finding.cases) > MAX_CASES:
        yield Text(f"  {sentences.remainder_note(len(finding.cases), MAX_CASES)}", style="dim")


def _finding_remarks(comparison: Comparison, state: State, finding: Finding) -> Iterator[str]:
    """Yield remarks on a finding: where else it fails, and why it does not gate."""
    if state in STATES_IN_FULL:
        if any(set(both.fingerprints) & set(finding.fingerprints) for both in comparison.findings["same"]):
            yield "fails elsewhere in both reports"
        quiet = Counter(filter(None, map(_excuse_or_warning, comparison.changes_of_finding(state, finding))))
        yield from (f"{mismatch} in {plural(count, 'case')}" for mismatch, count in quiet.items())


def _excuse_or_warning(change: Change) -> str:
    """Return why a change does not gate, "" if it does."""
    if change.gates:
        return ""
    for verdict in change.case.verdicts:
        if verdict.check == change.check and verdict.excuse:
            return sentences.name_excuse(verdict.excuse)
    return "a warning" if change.new == "WARN" else ""


def _count_cases(changes: Iterable[Change]) -> str:
    return plural(len({str(change.case.key) for change in changes}), "case")


def _print_wrapped(console: Console, line: str) -> None:
    for part in wrap(escape_invisible(line), console.width, subsequent_indent="    ", break_on_hyphens=False):
        console.print(Text(part), soft_wrap=True)
