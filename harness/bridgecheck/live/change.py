"""A refresh as the text of a change that somebody reviews: what the providers changed, what was recorded and what it
cost, the verdicts before and after. Markdown; its first line is the title. Pure."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bridgecheck.drift.finding import SEVERITIES, TITLES, Finding
from bridgecheck.live.ledger_file import LedgerRow
from bridgecheck.live.plan import Tokens
from bridgecheck.live.spending import Spent
from bridgecheck.model.counts import plural
from bridgecheck.report.compare import Comparison, State
from bridgecheck.report.compare_terminal import STATE_TITLES, comparison_verdict_line
from bridgecheck.report.findings import Finding as VerdictFinding
from bridgecheck.report.markdown import escape_markdown, fence_code, table_lines
from bridgecheck.report.sentences import adapter_line, verdict_line
from bridgecheck.report.side_by_side import clip

MAX_BYTES: Final = 60_000
"""Bytes of UTF-8: GitHub refuses a text of more than 65,536 characters for a pull request.
Source: https://github.com/renovatebot/renovate/issues/2032 (2026-11-28)."""
_MAX_ROWS: Final = 40
_MAX_NAMES: Final = 4
_MAX_TEXT: Final = 160


@dataclass(frozen=True, slots=True)
class LiveChange:
    """``drift``: between old and new recordings, worst first. ``compared``: how many recordings have an older one;
    ``added``: names of those that have none. ``rows``: the ledger of what was recorded now. ``left``: cases that were
    planned and are not done. ``verdicts``: None where nothing was judged. ``folder``: where the recordings stand, as
    commands name it. ``date``: of the last attempt, YYYY-MM-DD, "" where the ledger is not there."""

    date: str
    drift: Sequence[Finding]
    compared: int
    added: Sequence[str]
    rows: Sequence[LedgerRow]
    left: Sequence[str]
    verdicts: Comparison | None
    folder: str = ""


def change_title(change: LiveChange) -> str:
    """Return ``Refresh live recordings: 2 breaking, 1 notable``, or ``...: no drift``; where nothing is older,
    ``Record live answers: 12 recordings``."""
    if not change.compared:
        return f"Record live answers: {plural(len(change.added), 'recording')}"
    counts = Counter(finding.severity for finding in change.drift if finding.is_drift)
    stated = ", ".join(f"{counts[severity]} {severity}" for severity in SEVERITIES if counts[severity])
    return f"Refresh live recordings: {stated or 'no drift'}"


def change_text(change: LiveChange) -> str:
    """Return the whole text, at most ``MAX_BYTES`` bytes: what is longer is cut, and says so."""
    sections = (_drift_lines(change), _recording_lines(change), _verdict_lines(change), _NEXT)
    text = "\n".join([f"# {change_title(change)}", "", *(line for section in sections for line in section)]) + "\n"
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= MAX_BYTES:
        return text
    cut = data[: MAX_BYTES - 200].decode("utf-8", "ignore").rpartition("\n")[0]
    return f"{cut}\n\n*Cut at {MAX_BYTES:,} bytes: `bridgecheck drift` and `bridgecheck run` show all of it.*\n"


_NEXT: Final = (
    "## To review",
    "",
    "1. A breaking row says what a client or a converter relied on. Run the scenarios that it touches, and repair the",
    "   adapter or the scenario before this is merged.",
    "2. A regressed finding is the adapter's with the provider's answer of today; the command repeats one case.",
    "3. Merging accepts the new recordings; closing this keeps the old ones.",
)


def _drift_lines(change: LiveChange) -> Iterator[str]:
    yield "## What the providers changed"
    yield ""
    if not change.compared:
        yield f"{plural(len(change.added), 'recording')} of what had none: nothing to compare with."
        yield ""
        return
    added = f"; {len(change.added)} of what was not recorded live before" if change.added else ""
    yield f"{plural(change.compared, 'recording')} compared with the one before{added}."
    drift = [finding for finding in change.drift if finding.is_drift]
    cosmetic = [finding for finding in change.drift if not finding.is_drift]
    yield ""
    if not drift:
        yield "No drift: nothing that a client or a converter relies on differs."
    else:
        heads = ["", "provider", "change", "where", "before", "now", "touches"]
        yield from table_lines(heads, [_drift_row(finding) for finding in drift[:_MAX_ROWS]])
        if len(drift) > _MAX_ROWS:
            yield f"\n... and {len(drift) - _MAX_ROWS} more: `bridgecheck drift OLD NEW`"
    if cosmetic:
        yield ""
        yield f"<details><summary>Cosmetic, as between any two answers of one model: {len(cosmetic)}</summary>"
        yield ""
        heads = ["provider", "change", "where", "before", "now"]
        yield from table_lines(heads, [_drift_row(finding)[1:-1] for finding in cosmetic[:_MAX_ROWS]])
        yield ""
        yield "</details>"
    yield ""


def _drift_row(finding: Finding) -> list[str]:
    where = ", ".join(f"`{path}`" for path in finding.paths[:_MAX_NAMES]) or "the whole answer"
    touched = [plural(len(finding.scenarios), "scenario")] if finding.scenarios else []
    touched += [", ".join(f"`{check}`" for check in finding.checks[:_MAX_NAMES])] if finding.checks else []
    touched += [plural(len(finding.losses), "declared loss", "declared losses")] if finding.losses else []
    old, new = (escape_markdown(clip(text, _MAX_TEXT)) for text in (finding.old, finding.new))
    provider = f"{finding.dialect} ({', '.join(finding.modes)})"
    return [f"**{finding.severity}**", provider, TITLES[finding.change], where, old, new, "; ".join(touched)]


def _recording_lines(change: LiveChange) -> Iterator[str]:
    yield "## What was recorded, and what it cost"
    yield ""
    spent: dict[tuple[str, str], Spent] = {}
    total = Spent()
    recorded: Counter[tuple[str, str]] = Counter()
    for row in change.rows:
        key = row.dialect, row.model
        for cost in (spent.setdefault(key, Spent()), total):
            cost.add(row.calls, Tokens(row.input, row.output), row.dollars)
        recorded[key] += row.state == "recorded"
    rows = [_cost_row(*key, recorded[key], cost) for key, cost in spent.items()]
    rows.append(_cost_row("**all**", "", sum(recorded.values()), total))
    if change.date:
        yield f"Last attempt: {change.date}. List prices: `bridgecheck refresh --dry-run` says of which day."
        yield ""
    yield from table_lines(["provider", "model", "recorded", "calls", "tokens, in + out", "US$"], rows)
    yield ""
    last = {row.case: row for row in change.rows}
    missing = [f"{row.state}: `{row.case}`: {_short(row.why)}" for row in last.values() if row.state != "recorded"]
    missing += [f"not attempted: `{case}`" for case in change.left if case not in last]
    if missing:
        yield f"Not recorded, so their old recordings stay: {len(missing)}"
        yield ""
        yield from (f"- {line}" for line in missing[:_MAX_ROWS])
        if len(missing) > _MAX_ROWS:
            yield f"- and {len(missing) - _MAX_ROWS} more: `live.ledger` lists them"
        yield ""


def _cost_row(dialect: str, model: str, recorded: int, spent: Spent) -> list[str]:
    tokens = f"{spent.input:,} + {spent.output:,}"
    return [dialect, model, str(recorded), str(spent.calls), tokens, f"{spent.dollars:.4f}"]


def _verdict_lines(change: LiveChange) -> Iterator[str]:
    yield "## Verdicts before and after"
    yield ""
    comparison = change.verdicts
    if comparison is None:
        yield "Not judged."
        yield ""
        return
    before, after = comparison.old.report, comparison.new.report
    rows = [["before", verdict_line(before)], ["now", verdict_line(after)]]
    yield escape_markdown(adapter_line(after))
    yield ""
    yield from table_lines(["recordings", "verdict"], [[name, escape_markdown(line)] for name, line in rows])
    yield ""
    yield f"**{escape_markdown(comparison_verdict_line(comparison))}**"
    for state, title in STATE_TITLES.items():
        found = comparison.findings[state]
        if found:
            yield ""
            yield f"### {title}: {plural(len(found), 'finding')}"
            for finding in found[:_MAX_ROWS]:
                yield from _finding_lines(finding, state, change.folder)
            if len(found) > _MAX_ROWS:
                yield f"\n... and {len(found) - _MAX_ROWS} more"
    yield ""


def _finding_lines(finding: VerdictFinding, state: State, folder: str) -> Iterator[str]:
    cases = plural(len(finding.cases), "case")
    summary = escape_markdown(clip(finding.one_line_summary, _MAX_TEXT))
    yield ""
    yield f"{finding.status} `{finding.check}` in {cases}: {summary}"
    if state in ("regressed", "new"):
        yield from fence_code(f"{finding.command_line} --recordings {shlex.quote(folder)}", "sh")


def _short(text: str) -> str:
    return escape_markdown(clip(text.partition("\n")[0], _MAX_TEXT))
