"""The JSON schema of report.json, as a table. reports/schema.json is this text (a test keeps them equal).

Derived maps are open in their keys (checks, topics and rules come and go); objects of fixed shape are closed.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Final, TypeAlias, get_args

from bridgecheck.deviations.entries import FORMER_KEYS
from bridgecheck.model.jsonvalue import arr, integer, obj, text
from bridgecheck.model.provenance import Recording
from bridgecheck.model.verdict import EXCUSES, STATUSES
from bridgecheck.report.deviation_use import DeviationState
from bridgecheck.report.jsonfile import FORMAT, VERSION
from bridgecheck.report.scenario_rationales import KINDS, LEVELS
from bridgecheck.wire import CLIENT_DIALECTS, DIALECTS, MODES, JsonObject

TEXT: Final[JsonObject] = {"type": "string"}
COUNT: Final[JsonObject] = {"type": "integer", "minimum": 0}
FLAG: Final[JsonObject] = {"type": "boolean"}


def list_of(item: JsonObject) -> JsonObject:
    """Return the schema of a list of these."""
    return {"type": "array", "items": item}


def map_of(value: JsonObject) -> JsonObject:
    """Return the schema of an object open in its keys, with values of one shape."""
    return {"type": "object", "additionalProperties": value}


def closed_object(properties: Mapping[str, object], *optional: str) -> JsonObject:
    """Return the schema of an object with exactly these members, all required but the optional ones."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "additionalProperties": False, "required": required, "properties": dict(properties)}


Predicate: TypeAlias = Callable[[object], bool]

_KINDS: Final[dict[object, tuple[type, ...]]] = {
    "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float),
}  # fmt: skip


def compile_predicate(schema: JsonObject, definitions: JsonObject) -> Predicate:
    """Return a function that tells whether a value fits a schema made of the pieces above. It reports nothing else, and
    is many times faster than a general validator: a report holds a hundred thousand verdicts."""
    if "$ref" in schema:
        return compile_predicate(obj(definitions[text(schema["$ref"]).removeprefix("#/$defs/")]), definitions)
    if "const" in schema or "enum" in schema:
        allowed = arr(schema["enum"]) if "enum" in schema else [schema["const"]]
        return lambda value: any(type(value) is type(member) and value == member for member in allowed)
    if schema["type"] == "object":
        return _compile_object_predicate(schema, definitions)
    if schema["type"] == "array":
        return _compile_array_predicate(schema, definitions)
    kinds, minimum, pattern = _KINDS[schema["type"]], schema.get("minimum"), schema.get("pattern")
    if isinstance(pattern, str):
        return lambda value: isinstance(value, str) and re.search(pattern, value) is not None
    if isinstance(minimum, int):
        return lambda value: isinstance(value, (int, float)) and type(value) in kinds and value >= minimum
    return lambda value: isinstance(value, kinds)


def _compile_object_predicate(schema: JsonObject, definitions: JsonObject) -> Predicate:
    members = {name: compile_predicate(obj(part), definitions) for name, part in obj(schema.get("properties")).items()}
    required = frozenset(arr(schema.get("required")))
    extra = obj(schema["additionalProperties"])
    rest: Predicate = compile_predicate(extra, definitions) if extra else lambda value: False
    return lambda value: (
        isinstance(value, dict)
        and required <= value.keys()
        and all(members.get(name, rest)(member) for name, member in value.items())
    )


def _compile_array_predicate(schema: JsonObject, definitions: JsonObject) -> Predicate:
    first = [compile_predicate(obj(part), definitions) for part in arr(schema.get("prefixItems"))]
    item: Predicate = compile_predicate(obj(schema["items"]), definitions) if "items" in schema else lambda value: True
    least, most = integer(schema.get("minItems")) or 0, integer(schema.get("maxItems"))
    return lambda value: (
        isinstance(value, list)
        and least <= len(value)
        and (most is None or len(value) <= most)
        and all(matches(member) for matches, member in zip(first, value, strict=False))
        and all(map(item, value[len(first) :]))
    )


_SECONDS: Final[JsonObject] = {"type": "number", "minimum": 0}
_FINGERPRINT: Final[JsonObject] = {"type": "string", "pattern": "^[0-9a-f]{10}$"}
_STATUS: Final[JsonObject] = {"enum": list(STATUSES)}


def _ref(name: str) -> JsonObject:
    return {"$ref": f"#/$defs/{name}"}


def text_properties(*names: str) -> JsonObject:
    """Return the properties of an object that are all texts, by name."""
    return dict.fromkeys(names, TEXT)


_RECORDING: Final = tuple(field.name for field in fields(Recording))

_PAIRS: Final = list_of({"type": "array", "prefixItems": [TEXT, TEXT], "minItems": 2, "maxItems": 2})

_DEFS: Final[JsonObject] = {
    "run": closed_object(
        text_properties("adapter", "version", "target")
        | {"versions": map_of(TEXT), "started": TEXT, "seconds": _SECONDS, "planned": COUNT, "partial": FLAG}
        | {"strict": FLAG, "stale": {"enum": ["warn", "fail"]}, "requirements": TEXT}
        | {"selection": _PAIRS}
        | {"argv": list_of(TEXT), "max_age": COUNT, "require": list_of(TEXT), "folders": _PAIRS},
        *("max_age", "require", "folders"),
    ),
    "totals": closed_object(dict.fromkeys([*STATUSES, *EXCUSES, "loss"], COUNT)),
    "cell": closed_object(dict.fromkeys(["good", "warned", "failed", "deviations", "unjudged"], COUNT)),
    "difference": closed_object(text_properties("path", "expected", "actual", "note")),
    "applied_loss": closed_object(text_properties("rule", "path", "reason")),
    "loss": closed_object({"rule": TEXT, "reason": TEXT, "count": COUNT, "cases": COUNT}),
    "trace": closed_object(
        {"check": TEXT, "level": {"enum": list(LEVELS)}}
        | text_properties("text", "basis", "source")
        | {"verdicts": map_of(COUNT)}
    ),
    "source": closed_object({"recordings": COUNT, "cases": COUNT}),
    "recording": closed_object(text_properties(*_RECORDING)),
    "provenance": closed_object(
        {"source": TEXT, "age_in_days": {"type": "integer", "minimum": 0}, "fails": list_of(TEXT)}
        | text_properties(*_RECORDING),
        *("age_in_days", "fails", *_RECORDING),
    ),
    "deviation": closed_object(
        text_properties("reason", "fingerprint", "check", "scenario", "direction", "issue", "version")
        | text_properties(*FORMER_KEYS)
        | {"seen": list_of(TEXT)}
        | {"accepts": list_of(TEXT), "stale": list_of(TEXT), "expires": {"type": "string", "format": "date"}}
        | {"state": {"enum": list(get_args(DeviationState))}, "cases": COUNT},
        *("fingerprint", "check", "scenario", "direction", "issue", "version", "accepts", "expires", "state", "cases"),
        *("stale", *FORMER_KEYS),
    ),
    "finding": closed_object(
        {"fingerprint": _FINGERPRINT, "fingerprints": {"type": "array", "items": _FINGERPRINT, "minItems": 1}}
        | {"status": {"enum": ["ERROR", "FAIL", "WARN"]}, "check": TEXT, "message": TEXT}
        | {"differences": list_of(_ref("difference"))}
        | {"cells": list_of(closed_object({"column": TEXT, "mode": {"enum": list(MODES)}, "cases": COUNT}))}
        | {"also": map_of(COUNT), "cases": {"type": "array", "items": TEXT, "minItems": 1}}
        | text_properties("example", "command", "where")
    ),
    "ground": closed_object(
        text_properties("title", "description", "why")
        | {"level": {"enum": list(LEVELS)}}
        | {"basis": closed_object({"kind": {"enum": list(KINDS)}, "ref": TEXT, "date": TEXT, "duty": TEXT}, "duty")}
        | {"sources": list_of(closed_object(text_properties("ref", "url", "note"))), "evidence": list_of(TEXT)}
    ),
    "key": closed_object(
        {"scenario": TEXT, "path": {"enum": ["native", "bridged"]}, "client": {"enum": list(CLIENT_DIALECTS)}}
        | {"upstream": {"enum": list(DIALECTS)}, "mode": {"enum": list(MODES)}}
        | {"layer": {"enum": ["wire", "sdk", "http", "chat"]}}
    ),
    "verdict": closed_object(
        {"check": TEXT, "status": _STATUS, "turn": COUNT, "message": TEXT, "differences": list_of(_ref("difference"))}
        | {"rules": list_of(TEXT), "losses": list_of(_ref("applied_loss"))}
        | {"excuse": closed_object({"kind": {"enum": list(EXCUSES)}, "by": TEXT})},
        *("turn", "message", "differences", "rules", "losses", "excuse"),
    ),
    "case": closed_object(
        {"key": _ref("key"), "id": TEXT, "status": _STATUS}
        | text_properties("adapter", "title", "topic", "source")
        | {"recording": _ref("recording"), "seconds": _SECONDS, "crash": TEXT, "where": TEXT}
        | {"verdicts": list_of(_ref("verdict")), "views": map_of(TEXT)},
        *("adapter", "title", "topic", "source", "recording", "seconds", "crash", "where", "verdicts", "views"),
    ),
}


_DERIVED: Final = (
    "exit_code", "totals", "checks", "topics", "losses", "rules", "traceability", "sources", "findings", "newer",
    "accepted",
)  # fmt: skip
"""What follows from the cases. The report of a run that was killed does not have it."""


def report_schema() -> JsonObject:
    """Return the JSON Schema 2020-12 of what ``jsonfile.to_json`` gives."""
    properties: JsonObject = {
        "format": {"const": FORMAT}, "version": {"const": VERSION}, "complete": FLAG,
        "exit_code": {"enum": [0, 1, 3, 4]}, "run": _ref("run"), "totals": _ref("totals"),
        "checks": map_of(map_of(COUNT)), "topics": map_of(map_of(_ref("cell"))), "losses": list_of(_ref("loss")),
        "rules": map_of(COUNT), "traceability": map_of(_ref("trace")), "sources": map_of(_ref("source")),
        "rests_on": map_of(map_of(map_of(_ref("provenance")))),
        "findings": list_of(_ref("finding")), "newer": list_of(_ref("finding")), "accepted": list_of(_ref("finding")),
        "deviations": list_of(_ref("deviation")), "scenarios": map_of(_ref("ground")), "cases": list_of(_ref("case")),
    }  # fmt: skip
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "bridgecheck report",
        **closed_object(properties, *_DERIVED, "scenarios", "rests_on"),
        "if": {"properties": {"complete": {"const": True}}},
        "then": {"required": list(_DERIVED)}, "$defs": _DEFS,
    }  # fmt: skip


def report_schema_text() -> str:
    return json.dumps(report_schema(), indent=2) + "\n"
