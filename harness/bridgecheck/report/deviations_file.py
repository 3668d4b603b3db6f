"""Loading the gate of a run from the adapter's deviations.toml and a requirement set, and updating that file."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from bridgecheck.checks import CHECKS
from bridgecheck.deviations import KnownIds, read_deviations, update_deviations
from bridgecheck.errors import MissingPath
from bridgecheck.files import requirement_set, scenario_ids, write_text
from bridgecheck.model.verdict import Status
from bridgecheck.report.deviation_changes import DeviationChanges, accept_failures
from bridgecheck.report.deviation_use import Failure, collect_failures
from bridgecheck.report.findings import Finding
from bridgecheck.report.gate import GATING_STATUSES, Gate
from bridgecheck.report.model import Report

DEVIATIONS_FILE = "deviations.toml"


def default_deviations_path(adapter: str) -> Path:
    """Return ``reports/<adapter>/deviations.toml``, without characters that a folder name cannot have."""
    return Path("reports") / (re.sub(r"[^A-Za-z0-9._-]+", "-", adapter).strip("-.") or "adapter") / DEVIATIONS_FILE


def load_gate(deviations: Path | None, requirements: str, version: str, today: date) -> Gate:
    """Load deviations and requirement set. ``deviations``: None for none; a file that is not there has no entries.
    ``version``: of the adapter. Raises BadDeviations and BadRequirements."""
    known = KnownIds([check.id for check in CHECKS], scenario_ids())
    listed = read_deviations(deviations, known) if deviations and deviations.exists() else ()
    return Gate(listed, requirement_set(requirements) if requirements else None, version, today)


def require_file_unless_written(path: Path, to_be_written: bool) -> Path:
    """Return the path. Raises MissingPath where there is no file and none will be written."""
    if path.is_dir() or not (path.exists() or to_be_written):
        raise MissingPath("--deviations names no file", str(path), "a deviations.toml, or --update-deviations too")
    return path


def accept_failures_and_remove_stale(
    report: Report, gate: Gate, path: Path, command: str = "--update-deviations"
) -> tuple[Report, DeviationChanges]:
    """Update the deviations file and return the report with the new excuses, and what changed. ``command``: what was
    called, which new entries name until somebody gives their reason. Raises OSError."""
    statuses: tuple[Status, ...] = ("FAIL", "WARN") if report.info.strict else ("FAIL",)
    reason = f"accepted on {report.info.start_date} by {command}; say why"
    failures, gating = (collect_failures(report.cases, which) for which in (GATING_STATUSES, statuses))
    failures = {mark: _describe_as_reported(mark, failure, report.findings) for mark, failure in failures.items()}
    is_whole = report.coverage.is_complete
    changes = accept_failures(report.deviation_uses, failures, gating, reason, is_whole=is_whole)
    source = path.read_text(encoding="utf-8") if path.exists() else ""
    write_text(path, update_deviations(source, gate.deviations, changes.added, changes.removed, changes.changed))
    after = replace(gate, deviations=changes.apply(gate.deviations))
    cases = map(after.excuse_failures, report.cases)
    return Report.from_results(report.info, cases, after.deviations), changes


def _describe_as_reported(mark: str, failure: Failure, findings: Sequence[Finding]) -> Failure:
    """Return the failure with the words that the report has for it, so that an entry reads as its finding; as it is
    where the report shows a case of another direction."""
    for finding in findings:
        is_shown = f"::bridged-{failure.direction}-" in finding.example
        if is_shown and mark in finding.fingerprints and finding.check == failure.check:
            return replace(failure, message=f"{finding.check}: {finding.one_line_summary}".partition("\n")[0])
    return failure
