"""Facts about JSON Schema that converters of several dialects need."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import arr, obj

DEEPEST: Final = 200
"""Schemas nested deeper are refused: no provider takes them, and they would exhaust the stack."""
LIST_KEYWORDS: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
MAP_KEYWORDS: Final = frozenset({"properties", "patternProperties", "$defs", "definitions", "defs"})


def meets_strict_mode(schema: object, depth: int = 0) -> bool:
    """Return whether OpenAI would take a schema as strict: every object closed, and all of its properties required.

    Source: https://developers.openai.com/api/docs/guides/structured-outputs.
    """
    if not isinstance(schema, dict) or depth > DEEPEST:
        return False
    properties = schema.get("properties")
    if schema.get("type") == "object" or isinstance(properties, dict):
        names = set(obj(properties))
        required = {name for name in arr(schema.get("required")) if isinstance(name, str)}
        if schema.get("additionalProperties") is not False or names != required:
            return False
    return all(meets_strict_mode(inner, depth + 1) for inner in _subschemas(schema))


def _subschemas(schema: JsonObject) -> list[object]:
    found: list[object] = [item for key in MAP_KEYWORDS for item in obj(schema.get(key)).values()]
    found += [item for key in LIST_KEYWORDS for item in arr(schema.get(key))]
    return found + ([schema["items"]] if isinstance(schema.get("items"), dict) else [])
