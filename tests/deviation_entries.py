"""Entries of deviations.toml that accept what fails in the given cases."""

from collections.abc import Sequence
from dataclasses import replace

from bridgecheck.deviations import Deviation
from bridgecheck.model.verdict import CaseResult
from bridgecheck.report.deviation_changes import accept_failures
from bridgecheck.report.deviation_use import collect_failures
from bridgecheck.report.gate import GATING_STATUSES


def accept(cases: Sequence[CaseResult], check: str = "", **fields: object) -> tuple[Deviation, ...]:
    """Return an entry for each failure, only those of the ``check`` if one is named. ``fields``: of the entries."""
    failures = collect_failures(cases, GATING_STATUSES)
    added = accept_failures([], failures, failures, "known").added
    return tuple(replace(entry, **fields) for entry in added if check in ("", entry.check))
