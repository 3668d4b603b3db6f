"""The JSON schema of report.json, as a table. reports/schema.json is this text (a test keeps them equal).

Derived maps are open in their keys (checks, topics and rules come and go); objects of fixed shape are closed.
"""

import json
from typing import Final, get_args

from bridgecheck.model.verdict import EXCUSES, STATUSES
from bridgecheck.report.deviations import State
from bridgecheck.report.grounds import KINDS, LEVELS
from bridgecheck.report.jsonfile import FORMAT, VERSION
from bridgecheck.report.schema_parts import COUNT as _COUNT
from bridgecheck.report.schema_parts import FLAG as _FLAG
from bridgecheck.report.schema_parts import TEXT as _TEXT
from bridgecheck.report.schema_parts import closed as _closed
from bridgecheck.report.schema_parts import listed as _list
from bridgecheck.report.schema_parts import mapped as _map
from bridgecheck.wire import CLIENT_DIALECTS, DIALECTS, MODES, JsonObject

_SECONDS: Final[JsonObject] = {"type": "number", "minimum": 0}
_FINGERPRINT: Final[JsonObject] = {"type": "string", "pattern": "^[0-9a-f]{10}$"}
_STATUS: Final[JsonObject] = {"enum": list(STATUSES)}


def _ref(name: str) -> JsonObject:
    return {"$ref": f"#/$defs/{name}"}


_DEFS: Final[JsonObject] = {
    "run": _closed(
        {
            "adapter": _TEXT,
            "version": _TEXT,
            "target": _TEXT,
            "versions": _map(_TEXT),
            "started": _TEXT,
            "seconds": _SECONDS,
            "planned": _COUNT,
            "partial": _FLAG,
            "strict": _FLAG,
            "stale": {"enum": ["warn", "fail"]},
            "requirements": _TEXT,
            "selection": _list({"type": "array", "prefixItems": [_TEXT, _TEXT], "minItems": 2, "maxItems": 2}),
            "argv": _list(_TEXT),
        }
    ),
    "totals": _closed(dict.fromkeys([*STATUSES, *EXCUSES, "loss"], _COUNT)),
    "cell": _closed(dict.fromkeys(["good", "warned", "failed", "deviations", "unjudged"], _COUNT)),
    "difference": _closed(dict.fromkeys(["path", "expected", "actual", "note"], _TEXT)),
    "applied_loss": _closed(dict.fromkeys(["rule", "path", "reason"], _TEXT)),
    "loss": _closed({"rule": _TEXT, "reason": _TEXT, "count": _COUNT, "cases": _COUNT}),
    "trace": _closed(
        {
            "check": _TEXT,
            "level": {"enum": list(LEVELS)},
            "text": _TEXT,
            "basis": _TEXT,
            "source": _TEXT,
            "verdicts": _map(_COUNT),
        }
    ),
    "source": _closed({"recordings": _COUNT, "cases": _COUNT}),
    "deviation": _closed(
        {
            **dict.fromkeys(["reason", "fingerprint", "check", "scenario", "example", "issue", "version"], _TEXT),
            "seen": _list(_TEXT),
            "expires": {"type": "string", "format": "date"},
            "state": {"enum": list(get_args(State))},
            "cases": _COUNT,
        },
        *("fingerprint", "check", "scenario", "example", "issue", "version", "seen", "expires", "state", "cases"),
    ),
    "finding": _closed(
        {
            "fingerprint": _FINGERPRINT,
            "fingerprints": {"type": "array", "items": _FINGERPRINT, "minItems": 1},
            "status": {"enum": ["ERROR", "FAIL", "WARN"]},
            "check": _TEXT,
            "message": _TEXT,
            "differences": _list(_ref("difference")),
            "cells": _list(_closed({"column": _TEXT, "mode": {"enum": list(MODES)}, "cases": _COUNT})),
            "also": _map(_COUNT),
            "cases": {"type": "array", "items": _TEXT, "minItems": 1},
            "example": _TEXT,
            "command": _TEXT,
            "where": _TEXT,
        }
    ),
    "ground": _closed(
        {
            **dict.fromkeys(["title", "description", "why"], _TEXT),
            "level": {"enum": list(LEVELS)},
            "basis": _closed({"kind": {"enum": list(KINDS)}, "ref": _TEXT, "date": _TEXT}),
            "sources": _list(_closed(dict.fromkeys(["ref", "url", "note"], _TEXT))),
            "evidence": _list(_TEXT),
        }
    ),
    "key": _closed(
        {
            "scenario": _TEXT,
            "path": {"enum": ["native", "bridged"]},
            "client": {"enum": list(CLIENT_DIALECTS)},
            "upstream": {"enum": list(DIALECTS)},
            "mode": {"enum": list(MODES)},
            "layer": {"enum": ["wire", "sdk", "http"]},
        }
    ),
    "verdict": _closed(
        {
            "check": _TEXT,
            "status": _STATUS,
            "turn": _COUNT,
            "message": _TEXT,
            "differences": _list(_ref("difference")),
            "rules": _list(_TEXT),
            "losses": _list(_ref("applied_loss")),
            "excuse": _closed({"kind": {"enum": list(EXCUSES)}, "by": _TEXT}),
        },
        "turn",
        "message",
        "differences",
        "rules",
        "losses",
        "excuse",
    ),
    "case": _closed(
        {
            "key": _ref("key"),
            "id": _TEXT,
            "status": _STATUS,
            "adapter": _TEXT,
            "title": _TEXT,
            "topic": _TEXT,
            "source": _TEXT,
            "seconds": _SECONDS,
            "crash": _TEXT,
            "where": _TEXT,
            "verdicts": _list(_ref("verdict")),
            "views": _map(_TEXT),
        },
        "adapter",
        "title",
        "topic",
        "source",
        "seconds",
        "crash",
        "where",
        "verdicts",
        "views",
    ),
}


_DERIVED: Final = (
    "exit_code", "totals", "checks", "topics", "losses", "rules", "traceability", "sources", "findings", "newer",
)  # fmt: skip
"""What follows from the cases. The report of a run that was killed does not have it."""


def report_schema() -> JsonObject:
    """JSON Schema 2020-12 of what ``jsonfile.to_json`` gives."""
    properties: JsonObject = {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "complete": _FLAG,
        "exit_code": {"enum": [0, 1, 3, 4]},
        "run": _ref("run"),
        "totals": _ref("totals"),
        "checks": _map(_map(_COUNT)),
        "topics": _map(_map(_ref("cell"))),
        "losses": _list(_ref("loss")),
        "rules": _map(_COUNT),
        "traceability": _map(_ref("trace")),
        "sources": _map(_ref("source")),
        "findings": _list(_ref("finding")),
        "newer": _list(_ref("finding")),
        "deviations": _list(_ref("deviation")),
        "scenarios": _map(_ref("ground")),
        "cases": _list(_ref("case")),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "bridgecheck report",
        **_closed(properties, *_DERIVED, "scenarios"),
        "if": {"properties": {"complete": {"const": True}}},
        "then": {"required": list(_DERIVED)},
        "$defs": _DEFS,
    }


def schema_text() -> str:
    """The text of reports/schema.json."""
    return json.dumps(report_schema(), indent=2) + "\n"
