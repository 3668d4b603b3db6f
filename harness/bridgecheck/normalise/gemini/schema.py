"""Keywords of Gemini's own schema type in one spelling.

google-genai sends the members of a schema in snake_case (``max_length``) inside a request in camelCase; the API takes
both. Names of properties, and values the user wrote (default, enum, example), are left as they are.
"""

from typing import Final

from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import JsonObject
from bridgecheck.wire.gemini import SCHEMA_TYPES

KEYWORDS: Final[dict[str, str]] = {
    "any_of": "anyOf",
    "max_items": "maxItems",
    "min_items": "minItems",
    "max_length": "maxLength",
    "min_length": "minLength",
    "max_properties": "maxProperties",
    "min_properties": "minProperties",
    "property_ordering": "propertyOrdering",
    "additional_properties": "additionalProperties",
}
"""snake_case -> camelCase, for https://ai.google.dev/api/caching#Schema (stored copy read 2026-11-21)."""

_MAPS: Final = frozenset({"properties", "defs", "$defs"})
_NESTED: Final = frozenset({"items", "anyOf", "additionalProperties"})
DEEPEST: Final = 200
"""Levels that are read; below them a schema stays as it is."""


def spelled(schema: JsonObject, depth: int = 0) -> JsonObject:
    """The same schema with its keywords in camelCase; the input is not changed."""
    if depth > DEEPEST:
        return schema
    return {KEYWORDS.get(key, key): _value(KEYWORDS.get(key, key), value, depth) for key, value in schema.items()}


def _value(key: str, value: object, depth: int) -> object:
    if key == "type" and isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(SCHEMA_TYPES):
        return SCHEMA_TYPES[value]
    if key in _MAPS and isinstance(value, dict):
        return {name: spelled(inner, depth + 1) if isinstance(inner, dict) else inner for name, inner in value.items()}
    if key in _NESTED and isinstance(value, list):
        return [spelled(inner, depth + 1) if isinstance(inner, dict) else inner for inner in value]
    return spelled(obj(value), depth + 1) if key in _NESTED and isinstance(value, dict) else value
