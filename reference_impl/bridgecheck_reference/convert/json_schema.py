"""Facts about JSON Schema that converters of several dialects need."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import arr, obj, text

DEEPEST: Final = 200
"""Schemas nested deeper are refused: no provider takes them, and they would exhaust the stack."""
LIST_KEYWORDS: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
MAP_KEYWORDS: Final = frozenset({"properties", "patternProperties", "$defs", "definitions", "defs"})
_SINGLE_KEYWORDS: Final = frozenset({"items", "additionalProperties", "not"})
_UNIONS_OF_ONE: Final = ("anyOf", "oneOf", "allOf")


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


def move_references_from_siblings(schema: JsonObject) -> JsonObject:
    """Return a schema in which nothing stands beside a reference but keys that begin with ``$``.

    A reference with a description or a bound moves into an ``anyOf`` of its own, which means the same; that of the
    whole schema gives way to what it names, because the parameters of a function have to be an object. The input is not
    changed. Google takes nothing else: https://ai.google.dev/api/generate-content#generationconfig, responseJsonSchema
    (read 2026-11-23); su-kaka/gcli2api#374 has its refusal.
    """
    moved = obj(_move_references(schema, 0))
    if not (schema.get("$ref") and "$ref" not in moved):
        return moved
    target = obj(_move_references(_find_schema(text(schema["$ref"]), schema), 0))
    siblings = {key: value for key, value in _move_in_members(schema, 0).items() if key != "$ref"}
    is_mergeable = target and "$ref" not in target and target.keys().isdisjoint(siblings)
    return {**target, **siblings} if is_mergeable else moved


def _move_references(schema: object, depth: int) -> object:
    """Return the same object where nothing changes."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return schema
    result = _move_in_members(schema, depth)
    if not isinstance(schema.get("$ref"), str) or all(key.startswith("$") for key in schema):
        return result
    union = next((key for key in _UNIONS_OF_ONE if key not in schema), None)
    if union is None:
        return result
    return {**{key: value for key, value in result.items() if key != "$ref"}, union: [{"$ref": schema["$ref"]}]}


def _move_in_members(schema: JsonObject, depth: int) -> JsonObject:
    changed: JsonObject = {}
    for key, value in schema.items():
        if key in MAP_KEYWORDS and isinstance(value, dict):
            members = {name: _move_references(item, depth + 1) for name, item in value.items()}
            if any(members[name] is not item for name, item in value.items()):
                changed[key] = members
        elif key in LIST_KEYWORDS and isinstance(value, list):
            items = [_move_references(item, depth + 1) for item in value]
            if any(moved is not item for moved, item in zip(items, value, strict=True)):
                changed[key] = items
        elif key in _SINGLE_KEYWORDS and (moved := _move_references(value, depth + 1)) is not value:
            changed[key] = moved
    return {**schema, **changed} if changed else schema


def _find_schema(reference: str, root: JsonObject) -> object:
    """Return what a local reference names, None for nothing."""
    if not reference.startswith("#/"):
        return None
    target: object = root
    for key in reference[2:].split("/"):
        target = obj(target).get(key.replace("~1", "/").replace("~0", "~"))
    return target
