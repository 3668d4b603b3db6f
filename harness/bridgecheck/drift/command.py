"""``bridgecheck drift``: what a provider changed between two recordings, on the terminal or as JSON."""

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Final

from bridgecheck.drift.finding import SEVERITIES, TITLES, Finding
from bridgecheck.drift.folders import Comparison, accept_new, compare_paths
from bridgecheck.drift.touches import add_touches, read_corpus
from bridgecheck.files.jsonfile import dump_json
from bridgecheck.model.counts import plural
from bridgecheck.report.side_by_side import escape_invisible
from bridgecheck.wire import JsonObject

VERSION: Final = 1
"""Of the JSON."""
_MAX_WIDTH: Final = 100
_MAX_COSMETIC: Final = 8
_MAX_NAMES: Final = 4
_LABEL: Final = 9


def run_drift(old: Path, new: Path, *, as_json: bool, accept: bool) -> int:
    """Compare, print, and with ``accept`` replace the old cassettes; return the exit code: 1 for drift that was not
    accepted, else 0. Raises RefusedAtStart; then no file has changed."""
    comparison, findings = compare_with_touches(old, new)
    replaced = accept_new(comparison) if accept else None
    if as_json:
        sys.stdout.write(dump_json(comparison_to_json(old, new, comparison, findings, replaced)))
    else:
        print_drift(old, new, comparison, findings, replaced)
    return int(any(finding.is_drift for finding in findings) and not accept)


def compare_with_touches(old: Path, new: Path) -> tuple[Comparison, tuple[Finding, ...]]:
    """Return the comparison, and its findings with the scenarios, checks and losses that they touch. Raises what
    ``compare_paths`` does."""
    comparison = compare_paths(old, new)
    return comparison, tuple(add_touches(comparison.findings, read_corpus() if comparison.findings else {}))


def print_drift(
    old: Path, new: Path, comparison: Comparison, findings: Sequence[Finding], replaced: int | None
) -> None:
    """Print what ``compare_with_touches`` gave. ``replaced``: how many files have changed, None where none was to."""
    width = min(shutil.get_terminal_size().columns, _MAX_WIDTH)
    for line in _lines(old, new, comparison, findings, replaced, width):
        sys.stdout.write(f"{escape_invisible(line)}\n")


def comparison_to_json(
    old: Path, new: Path, comparison: Comparison, findings: Sequence[Finding], replaced: int | None
) -> JsonObject:
    """Return everything as one object. ``replaced``: how many files have changed, None where none was to."""
    counts = Counter(finding.severity for finding in findings)
    return {
        "version": VERSION, "old": str(old), "new": str(new), "compared": len(comparison.pairs),
        "only_old": list(comparison.only_old), "only_new": list(comparison.only_new), "replaced": replaced,
        "counts": {severity: counts[severity] for severity in SEVERITIES},
        "findings": [finding.as_json() for finding in findings],
    }  # fmt: skip


def verdict_line(findings: Sequence[Finding]) -> str:
    """Return ``DRIFT: 2 breaking, 1 notable, 3 cosmetic`` or ``NO DRIFT: 3 cosmetic``."""
    counts = Counter(finding.severity for finding in findings)
    stated = ", ".join(f"{counts[severity]} {severity}" for severity in SEVERITIES if counts[severity])
    return f"{'DRIFT' if any(finding.is_drift for finding in findings) else 'NO DRIFT'}: {stated or 'nothing differs'}"


def _lines(
    old: Path, new: Path, comparison: Comparison, findings: Sequence[Finding], replaced: int | None, width: int
) -> Iterator[str]:
    yield from wrap(f"bridgecheck drift: {old} -> {new}, {plural(len(comparison.pairs), 'recording')} compared", width,
                    subsequent_indent="  ", break_on_hyphens=False)  # fmt: skip
    for side, names in (("old", comparison.only_old), ("new", comparison.only_new)):
        if names:
            yield from wrap(f"{len(names)} only in the {side} one, not compared: {_shorten(names)}", width,
                            subsequent_indent="  ", break_on_hyphens=False)  # fmt: skip
    for finding in findings:
        if finding.is_drift:
            yield ""
            yield from finding_lines(finding, width)
    cosmetic = [finding for finding in findings if not finding.is_drift]
    if cosmetic:
        yield ""
        yield "cosmetic: what varies between two answers of one model"
        for finding in cosmetic[:_MAX_COSMETIC]:
            line = f"{TITLES[finding.change]}: {', '.join(finding.paths)}: {finding.old} -> {finding.new}"
            yield from wrap(line, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
        if len(cosmetic) > _MAX_COSMETIC:
            yield f"  and {len(cosmetic) - _MAX_COSMETIC} more: --json lists them"
    yield ""
    yield verdict_line(findings)
    if replaced is not None:
        yield f"accepted: {plural(replaced, 'cassette')} replaced"
    elif any(finding.is_drift for finding in findings):
        yield f"accept it: bridgecheck drift {old} {new} --accept"


def finding_lines(finding: Finding, width: int) -> Iterator[str]:
    """Yield a finding as lines no longer than ``width``."""
    yield f"{finding.severity.upper()}  {TITLES[finding.change]}  ({finding.dialect}, {', '.join(finding.modes)})"
    rows = (
        ("at", _shorten(finding.paths)), ("old", finding.old), ("new", finding.new), ("why", finding.reason),
        ("types", "; ".join(filter(None, (finding.sdk, finding.wire and f"wire types: {finding.wire}")))),
        ("in", _shorten(finding.recordings)), ("checks", ", ".join(finding.checks)),
        ("losses", ", ".join(finding.losses)), ("touches", _count_scenarios(finding.scenarios)),
    )  # fmt: skip
    for label, value in rows:
        if value:
            yield from wrap(f"{label:{_LABEL}}{value}", width, initial_indent="  ", break_on_hyphens=False,
                            subsequent_indent=" " * (_LABEL + 2))  # fmt: skip


def _count_scenarios(scenarios: Sequence[str]) -> str:
    return f"{plural(len(scenarios), 'scenario')}: {_shorten(scenarios)}" if scenarios else ""


def _shorten(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return f"{', '.join(names[:_MAX_NAMES])}{more}"
