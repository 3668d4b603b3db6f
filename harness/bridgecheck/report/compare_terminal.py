"""A comparison on the terminal: the two reports, what changed, and the verdict as the last line."""

from collections import Counter
from collections.abc import Iterator
from textwrap import wrap
from typing import Final

from rich.console import Console
from rich.text import Text

from bridgecheck.report import apart, blocks, words
from bridgecheck.report.compare import Change, Comparison, State
from bridgecheck.report.findings import Finding
from bridgecheck.report.read import Read
from bridgecheck.report.sidebyside import clipped, visible

SHOWN: Final = 20
"""Findings of one state that are shown; all of them are in the file that --json names."""
CASES: Final = 3
HEADLINE: Final = 300

HEADS: Final[dict[State, str]] = {
    "regressed": "Regressed",
    "new": "New: not judged before",
    "fixed": "Fixed",
    "gone": "Gone: no longer judged",
}
"""In the order in which they are shown."""

IN_FULL: Final = ("regressed", "new")
"""With differences and the command; of what no longer fails there is nothing to look at."""


def show(console: Console, found: Comparison) -> None:
    """All of it, in lines that fit the console."""
    width = min(console.width, blocks.WIDEST)
    for line in _head(found):
        _say(console, line)
    for state in HEADS:
        for text in _state(found, state, width):
            console.print(text, soft_wrap=bool(text.no_wrap))
    console.print()
    if found.findings["same"]:
        cases = len({str(change.case.key) for change in found.of("same")})
        _say(console, f"Failing in both: {words.plural(len(found.findings['same']), 'finding')} {_in(cases)}")
    console.print(Text(verdict_line(found), style="bold red" if found.exit_code else "bold green"))


def verdict_line(found: Comparison) -> str:
    """``REGRESSED: 2 findings in 7 cases; 1 fixed, none new, none gone``."""
    counts = {state: len(found.findings[state]) for state in HEADS}
    others = ", ".join(f"{counts[state] or 'none'} {state}" for state in ("fixed", "new", "gone"))
    gating = {str(change.case.key) for change in found.changes if change.gates}
    if gating:
        return f"REGRESSED: {words.plural(counts['regressed'], 'finding')} {_in(len(gating))}; {others}"
    accepted = f"{counts['regressed']} regressed without gating, " if counts["regressed"] else ""
    return f"NO REGRESSION in {words.plural(found.judged, 'case')} that both judged; {accepted}{others}"


def _head(found: Comparison) -> Iterator[str]:
    yield f"bridgecheck compare: {words.plural(found.judged, 'case')} that both reports judged"
    yield from _report("old", found.old)
    yield from _report("new", found.new)
    for why in found.others:
        yield f"Compared over what both judged alone: the reports are {why}."
    for name, read in (("old", found.old), ("new", found.new)):
        missing = apart.partial(read.report)
        if missing:
            yield f"The {name} report is partial ({missing}): what is missing in it counts as nothing."
    judges = [apart.judge(read.report.info) for read in (found.old, found.new)]
    if judges[0] != judges[1]:
        yield f"Made by bridgecheck {judges[0]} and {judges[1]}: cases may demand more than they did."
    for name, other, count in (("old", "new", found.alone[0]), ("new", "old", found.alone[1])):
        if count:
            yield f"Judged in the {name} report, not in the {other} one: {words.plural(count, 'case')}."
    untold = found.of("untold")
    if untold:
        cases = len({str(change.case.key) for change in untold})
        yield f"Failing in one report, and the other cannot tell: {words.plural(cases, 'case')}."


def _report(name: str, read: Read) -> Iterator[str]:
    info = read.report.info
    said = (words.subject(read.report), info.started[:10], info.requirements and f"requirements {info.requirements}")
    yield f"  {name}  {', '.join(filter(None, said))}: {read.path}"


def _state(found: Comparison, state: State, width: int) -> Iterator[Text]:
    findings = found.findings[state]
    if findings:
        cases = len({str(change.case.key) for change in found.of(state)})
        yield Text(f"\n{HEADS[state]}: {words.plural(len(findings), 'finding')} {_in(cases)}", style="bold")
    for number, finding in enumerate(findings[:SHOWN], 1):
        yield from _finding(found, state, number, finding, width)
    if len(findings) > SHOWN:
        yield Text(f"... {words.also(len(findings), SHOWN)} with --json FILE", style="dim")


def _finding(found: Comparison, state: State, number: int, finding: Finding, width: int) -> Iterator[Text]:
    beside = ", ".join((finding.fingerprint, *_beside(found, state, finding)))
    if state in IN_FULL:
        first, *rest = blocks.finding(number, finding, width)
        yield from (first, Text(f"  finding {beside}", style="dim"), *rest)
        return
    style = blocks.STYLE[finding.status]
    headline = clipped(visible(finding.headline), HEADLINE)
    yield Text.assemble(f"{number}. ", (finding.check, style), f"  {headline}")
    yield Text(f"  finding {beside}", style="dim")
    yield Text(f"  {words.cells_line(finding)}")
    for case in finding.cases[:CASES]:
        yield Text(f"  in {visible(case)}", style="dim", no_wrap=True)
    if len(finding.cases) > CASES:
        yield Text(f"  {words.also(len(finding.cases), CASES)}", style="dim")


def _beside(found: Comparison, state: State, finding: Finding) -> Iterator[str]:
    """What else is to be known of a finding."""
    if state in IN_FULL:
        before = sum(len(set(one.fingerprints) & set(finding.fingerprints)) > 0 for one in found.findings["same"])
        if before:
            yield "fails elsewhere in both reports"
        quiet = Counter(filter(None, map(_quiet, found.changes_of(state, finding))))
        yield from (f"{why} in {words.plural(count, 'case')}" for why, count in quiet.items())


def _quiet(change: Change) -> str:
    """Why a change does not gate, "" if it does."""
    if change.gates:
        return ""
    for verdict in change.case.verdicts:
        if verdict.check == change.check and verdict.excuse:
            return words.excused(verdict.excuse)
    return "a warning" if change.new == "WARN" else ""


def _in(cases: int) -> str:
    return f"in {words.plural(cases, 'case')}"


def _say(console: Console, line: str) -> None:
    for part in wrap(visible(line), console.width, subsequent_indent="    ", break_on_hyphens=False):
        console.print(Text(part), soft_wrap=True)
