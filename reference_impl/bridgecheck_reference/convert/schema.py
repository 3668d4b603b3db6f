"""Gemini's schema type (OpenAPI style) -> JSON Schema. The other way is convert/schema_openapi.

Types become lower case, ``nullable`` a type of null, snake_case keywords camelCase, and numbers written as text
numbers. What a user wrote (property names, default, enum, example, const) is never touched, and the input never
changed. Source: https://ai.google.dev/api/caching#Schema (stored copy read 2026-11-21).
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.casing import camel_key
from bridgecheck_reference.convert.read import arr, obj
from bridgecheck_reference.errors import ConversionError

DEEPEST: Final = 200
"""Schemas nested deeper are refused: no provider takes them, and they would exhaust the stack."""

_KEYWORDS: Final = frozenset({
    "any_of", "min_items", "max_items", "min_length", "max_length", "min_properties", "max_properties",
    "property_ordering", "additional_properties", "prefix_items",
})  # fmt: skip
_NUMBERS: Final = frozenset({
    "minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "minProperties", "maxProperties",
})  # fmt: skip
_LISTS: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_MAPS: Final = frozenset({"properties", "patternProperties", "$defs", "definitions", "defs"})
_SINGLE: Final = frozenset({"items", "additionalProperties", "not"})
_NUMBERED: Final[dict[int, str]] = {
    0: "", 1: "string", 2: "number", 3: "integer", 4: "boolean", 5: "array", 6: "object", 7: "null",
}  # fmt: skip
"""google.ai.generativelanguage.v1beta.Type, by number."""

_DROPPED: Final = frozenset({"nullable", "propertyOrdering"})


def to_json_schema(schema: object, depth: int = 0) -> object:
    """The JSON Schema; anything but an object comes back as it is. Raises ConversionError past ``DEEPEST`` levels."""
    if not isinstance(schema, dict):
        return schema
    if depth > DEEPEST:
        raise ConversionError(f"parameters: schema nested deeper than {DEEPEST} levels", "parameters")
    result: JsonObject = {}
    for key, value in schema.items():
        name = camel_key(key) if key in _KEYWORDS else key
        if name not in _DROPPED:
            _keyword(name, value, result, depth)
    if schema.get("nullable") is True:
        _allow_null(result)
    return result


def meets_strict(schema: object, depth: int = 0) -> bool:
    """Whether OpenAI would take a schema as strict: every object closed, and all of its properties required.

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
    return all(meets_strict(inner, depth + 1) for inner in _inner(schema))


def _inner(schema: JsonObject) -> list[object]:
    found: list[object] = [item for key in _MAPS for item in obj(schema.get(key)).values()]
    found += [item for key in _LISTS for item in arr(schema.get(key))]
    return found + ([schema["items"]] if isinstance(schema.get("items"), dict) else [])


def _keyword(name: str, value: object, result: JsonObject, depth: int) -> None:
    if name == "type":
        kind = _type(value)
        if kind:
            result["type"] = kind
    elif name in _NUMBERS:
        result[name] = _number(value)
    elif name in _LISTS and isinstance(value, list):
        result[name] = [to_json_schema(item, depth + 1) for item in value]
    elif name in _MAPS and isinstance(value, dict):
        result["$defs" if name == "defs" else name] = {
            key: to_json_schema(item, depth + 1) for key, item in value.items()
        }
    elif name in _SINGLE:
        result[name] = to_json_schema(value, depth + 1)
    elif name == "ref":
        result["$ref"] = value
    elif not (name == "format" and value == "enum"):
        result[name] = value


def _type(value: object) -> object:
    """Lower-case type or list of types; "" for TYPE_UNSPECIFIED. Older SDKs say the number of the enum."""
    if isinstance(value, list):
        return [kind for kind in map(_type, value) if kind]
    if isinstance(value, int) and not isinstance(value, bool):
        return _NUMBERED.get(value, value)
    word = value.lower() if isinstance(value, str) else value
    return "" if word == "type_unspecified" else word


def _number(value: object) -> object:
    """int64 fields come as text in proto JSON."""
    if not isinstance(value, str):
        return value
    try:
        return int(value)
    except ValueError:
        pass
    try:
        return float(value)
    except ValueError:
        return value


def _allow_null(schema: JsonObject) -> None:
    kind = schema.get("type")
    if isinstance(kind, str):
        schema["type"] = [kind, "null"]
    elif isinstance(kind, list):
        schema["type"] = kind if "null" in kind else [*kind, "null"]
    elif isinstance(schema.get("anyOf"), list):
        schema["anyOf"] = [*arr(schema["anyOf"]), {"type": "null"}]
    choices = schema.get("enum")
    if isinstance(choices, list) and None not in choices:
        schema["enum"] = [*choices, None]
