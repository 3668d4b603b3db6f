"""Checking the reasons in deviations.toml of a published adapter: each names the cause of its own failure, a finding
that is published, another entry with the same cause, or says that nobody looked.

    reason = "published: two-calls-in-one-chunk"      # ids of findings.toml, with commas; text behind a semicolon
    reason = "same cause as 944f8b74e2"               # an entry of this file, which names the cause
    reason = "not traced"                             # nobody looked for the cause
    reason = "Converter.finish knows STOP and MAX_TOKENS alone"
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from bridgecheck.checks import CHECKS
from bridgecheck.deviations import Deviation, KnownIds, read_deviations
from bridgecheck.deviations.entries import find_entry_headers
from bridgecheck.errors import BadDeviations, BridgecheckError
from bridgecheck.files import scenario_ids
from bridgecheck.files.findings_toml import FILE as FINDINGS_FILE
from bridgecheck.files.findings_toml import read_published
from bridgecheck.model.counts import plural
from bridgecheck.model.published_finding import Published
from bridgecheck.report.deviations_file import DEVIATIONS_FILE

NOT_TRACED: Final = "not traced"
MistakeAndExpected: TypeAlias = tuple[str, str]

_PUBLISHED: Final = re.compile(r"published: ([a-z0-9-]+(?:, [a-z0-9-]+)*)(?:; \S.*)?", re.DOTALL)
_LOOKS_PUBLISHED: Final = re.compile(r"published\b", re.IGNORECASE)
_SAME_CAUSE: Final = re.compile(r"same cause as ([0-9a-f]{10})(?:; \S.*)?", re.DOTALL)
_FORMS: Final = f'the cause in this adapter, "published: ID", "same cause as FINGERPRINT" or "{NOT_TRACED}"'


def lint_reasons(root: Path) -> tuple[str, list[str]]:
    """Over every ``deviations.toml`` that has a ``findings.toml`` beside it, in a folder of ``root``: what was checked,
    in words ("" if there is none), and every problem, with its place. A file without ``findings.toml`` is of an adapter
    of which nothing is published, and its owner's."""
    paths = [path for path in sorted(root.glob(f"*/{DEVIATIONS_FILE}")) if path.with_name(FINDINGS_FILE).is_file()]
    problems: list[str] = []
    count = 0
    known = KnownIds([check.id for check in CHECKS], scenario_ids()) if paths else KnownIds((), ())
    for path in paths:
        try:
            entries = read_deviations(path, known)
            count += len(entries)
            problems += map(str, _find_problems(path, entries, read_published(path.with_name(FINDINGS_FILE))))
        except BridgecheckError as wrong:
            problems.append(str(wrong))
    return plural(count, "accepted failure") if paths else "", problems


def _find_problems(path: Path, entries: Sequence[Deviation], findings: Sequence[Published]) -> Iterator[BadDeviations]:
    lines = find_entry_headers(path.read_text(encoding="utf-8").split("\n"))
    for entry, line in zip(entries, lines, strict=True):
        for what, expected in find_reason_mistakes(entry, entries, findings):
            yield BadDeviations(f"{entry.name}: {what}", f"{path}:{line + 1}", expected)


def find_reason_mistakes(
    entry: Deviation, entries: Sequence[Deviation], findings: Sequence[Published]
) -> Iterator[MistakeAndExpected]:
    """Yield what is wrong with the reason of one of the ``entries``, and what was expected."""
    if entry.is_unexplained:
        yield "nobody has given its reason yet", _FORMS
    elif _LOOKS_PUBLISHED.match(entry.reason):
        yield from _find_published_mistakes(entry, findings)
    elif found := _SAME_CAUSE.fullmatch(entry.reason):
        if not any(item.fingerprint == found[1] and _names_a_cause(item) for item in entries):
            yield f"no entry {found[1]} names a cause", "the fingerprint of an entry of this file whose reason does"
    elif entry.reason != NOT_TRACED:
        same = [item.name for item in entries if item.reason == entry.reason and item.check != entry.check]
        if same:
            yield f"the reason of {same[0]}, which fails another check, again: {entry.reason!r}", _FORMS


def _names_a_cause(entry: Deviation) -> bool:
    return entry.reason != NOT_TRACED and not _SAME_CAUSE.fullmatch(entry.reason) and not entry.is_unexplained


def _find_published_mistakes(entry: Deviation, findings: Sequence[Published]) -> Iterator[MistakeAndExpected]:
    found = _PUBLISHED.fullmatch(entry.reason)
    if found is None:
        yield f"no id of a finding: {entry.reason!r}", 'reason = "published: ID", with text behind a semicolon'
        return
    by_id = {finding.id: finding for finding in findings}
    ids = found[1].split(", ")
    unknown = [name for name in ids if name not in by_id]
    if unknown:
        yield (
            f"no finding {unknown[0]!r} is published",
            f"an id of {FINDINGS_FILE}: {', '.join(by_id) or 'it has none'}",
        )
    elif entry.fingerprint and not any(entry.fingerprint in by_id[name].fingerprints for name in ids):
        yield f"not among the fingerprints of {', '.join(ids)}", f"{entry.fingerprint} in {FINDINGS_FILE} too"
