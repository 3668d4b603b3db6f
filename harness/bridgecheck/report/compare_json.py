"""A comparison as a versioned JSON document (schema: reports/comparison.schema.json).

    {"format": "bridgecheck-comparison", "version": 1, "exit_code": 1,
     "old": {"path": "...", "adapter": "...", "partial": false, ...}, "new": {...},
     "judged": 12, "others": ["of other selections: everything, --mode unary"], "alone": {"old": 4, "new": 0},
     "findings": {"regressed": [...], "fixed": [...], "new": [...], "gone": [...], "same": [...], "untold": [...]},
     "changes": [{"id": "...", "check": "response.text", "state": "regressed", "old": "PASS", "new": "FAIL", ...}]}

``old`` and ``new`` of a change are the worst status of the check in each report, "" where it has no verdict.
"""

import json
from typing import Final, cast

from bridgecheck.model.verdict import STATUSES
from bridgecheck.report.compare import STATES, Change, Comparison
from bridgecheck.report.jsonfile import finding_to_dict
from bridgecheck.report.read import Read
from bridgecheck.report.schema import report_schema
from bridgecheck.report.schema_parts import COUNT, FLAG, TEXT, closed, listed
from bridgecheck.wire import JsonObject

FORMAT: Final = "bridgecheck-comparison"
VERSION: Final = 1

_SIDE: Final = closed(
    {
        "path": TEXT,
        "adapter": TEXT,
        "version": TEXT,
        "target": TEXT,
        "started": TEXT,
        "requirements": TEXT,
        "bridgecheck": TEXT,
        "partial": FLAG,
        "cases": COUNT,
        "planned": COUNT,
        "selection": listed(listed(TEXT)),
    }
)
_STATUS: Final[JsonObject] = {"enum": ["", *STATUSES]}
_CHANGE: Final = closed(
    {
        "id": TEXT,
        "where": TEXT,
        "check": TEXT,
        "state": {"enum": list(STATES)},
        "old": _STATUS,
        "new": _STATUS,
        "gates": FLAG,
    }
)


def to_json(found: Comparison) -> JsonObject:
    """The whole document."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "exit_code": found.exit_code,
        "old": _side(found.old),
        "new": _side(found.new),
        "judged": found.judged,
        "others": list(found.others),
        "alone": dict(zip(("old", "new"), found.alone, strict=True)),
        "findings": {state: [finding_to_dict(one) for one in found.findings[state]] for state in STATES},
        "changes": [_change(change) for change in found.changes],
    }


def comparison_schema() -> JsonObject:
    """JSON Schema 2020-12 of what ``to_json`` gives."""
    shared = cast(JsonObject, report_schema()["$defs"])
    finding: JsonObject = {"$ref": "#/$defs/finding"}
    properties: JsonObject = {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "exit_code": {"enum": [0, 1]},
        "old": _SIDE,
        "new": _SIDE,
        "judged": COUNT,
        "others": listed(TEXT),
        "alone": closed({"old": COUNT, "new": COUNT}),
        "findings": closed(dict.fromkeys(STATES, listed(finding))),
        "changes": listed(_CHANGE),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "bridgecheck comparison of two reports",
        **closed(properties),
        "$defs": {name: shared[name] for name in ("finding", "difference")},
    }


def schema_text() -> str:
    """The text of reports/comparison.schema.json."""
    return json.dumps(comparison_schema(), indent=2) + "\n"


def _side(read: Read) -> JsonObject:
    info = read.report.info
    return {
        "path": str(read.path),
        "adapter": info.adapter,
        "version": info.version,
        "target": info.target,
        "started": info.started,
        "requirements": info.requirements,
        "bridgecheck": dict(info.versions).get("bridgecheck", ""),
        "partial": info.partial,
        "cases": len(read.report.cases),
        "planned": info.planned,
        "selection": [list(pair) for pair in info.selection],
    }


def _change(change: Change) -> JsonObject:
    return {
        "id": str(change.case.key),
        "where": change.case.where,
        "check": change.check,
        "state": change.state,
        "old": change.old or "",
        "new": change.new or "",
        "gates": change.gates,
    }
