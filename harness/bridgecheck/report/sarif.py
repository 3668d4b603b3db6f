"""SARIF 2.1.0, as code scanning services read it: a result per finding, a rule per check.

FAIL and ERROR are errors, WARN a warning. What is accepted or newer than the requirement set is a suppressed result. A
finding stands in the adapter's file, at its first line: which line converts wrongly nobody knows from outside. Source:
https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html (2026-11-24).
"""

import json
from collections.abc import Sequence
from typing import Final

from bridgecheck import __version__
from bridgecheck.checks.table import CHECKS
from bridgecheck.model.verdict import Status
from bridgecheck.report.findings import Finding
from bridgecheck.report.model import ERRORED, Report
from bridgecheck.wire import JsonObject

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT: Final = "bridgecheck/v1"

_LEVELS: Final[dict[Status, str]] = {"FAIL": "error", "ERROR": "error", "WARN": "warning"}
_REQUIREMENTS: Final = {check.id: check.requirement for check in CHECKS}


def to_sarif(report: Report, adapter_file: str) -> str:
    """Return the log as text. ``adapter_file``: of the adapter, relative to the folder of the run."""
    info, every = report.info, (*report.findings, *report.accepted_findings, *report.newer_findings)
    rules = sorted({finding.check for finding in every})
    results = [_result(finding, rules, adapter_file) for finding in report.findings]
    for finding in report.accepted_findings:
        results.append(_suppress(_result(finding, rules, adapter_file), "accepted in deviations.toml"))
    for finding in report.newer_findings:
        results.append(_suppress(_result(finding, rules, adapter_file), f"newer than {info.requirements}"))
    run = {
        "tool": {"driver": {"name": "bridgecheck", "version": __version__, "rules": [_rule(check) for check in rules]}},
        "automationDetails": {"id": f"bridgecheck/{info.adapter}/"},
        "invocations": [
            {"executionSuccessful": not info.partial and report.exit_code != ERRORED, "exitCode": report.exit_code}
        ],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def _rule(check: str) -> JsonObject:
    return {"id": check, "shortDescription": {"text": _REQUIREMENTS.get(check) or check}}


def _result(finding: Finding, rules: Sequence[str], adapter_file: str) -> JsonObject:
    place = {"artifactLocation": {"uri": adapter_file}, "region": {"startLine": 1}}
    return {
        "ruleId": finding.check,
        "ruleIndex": rules.index(finding.check),
        "level": _LEVELS.get(finding.status, "note"),
        "message": {"text": f"{finding.one_line_summary or finding.check}\nRepeat: {finding.command_line}"},
        "locations": [{"physicalLocation": place, "logicalLocations": [{"fullyQualifiedName": finding.example}]}],
        "occurrenceCount": len(finding.cases),
        "partialFingerprints": {FINGERPRINT: finding.first_fingerprint},
    }


def _suppress(result: JsonObject, reason: str) -> JsonObject:
    return {**result, "suppressions": [{"kind": "external", "status": "accepted", "justification": reason}]}
