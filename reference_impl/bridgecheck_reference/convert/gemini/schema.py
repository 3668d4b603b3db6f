"""Gemini's schema type (OpenAPI style) -> JSON Schema, and back.

To JSON Schema: types become lower case, ``nullable`` a type of null, snake_case keywords camelCase, and numbers written
as text numbers. What a user wrote (property names, default, enum, example, const) is never touched, and the input never
changed.

To Gemini's own schema type, for models without parametersJsonSchema (profile.schema_mode "openapi"): references are put
in place (a cycle is cut to a plain object), unions of a type with null become ``nullable``, keywords that Gemini
refuses are dropped. What is dropped only loosens the schema; the model still gets names, types and descriptions.
Source: https://ai.google.dev/api/caching#Schema (stored copy read 2026-11-21).
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_schema import DEEPEST, LIST_KEYWORDS, MAP_KEYWORDS
from bridgecheck_reference.convert.json_values import arr, camel_key, obj, objs, text, unknown_keys
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

_KEYWORDS: Final = frozenset({
    "any_of", "min_items", "max_items", "min_length", "max_length", "min_properties", "max_properties",
    "property_ordering", "additional_properties", "prefix_items",
})  # fmt: skip
_NUMBERS: Final = frozenset({
    "minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "minProperties", "maxProperties",
})  # fmt: skip
_SINGLE: Final = frozenset({"items", "additionalProperties", "not"})
_NUMBERED: Final[dict[int, str]] = {
    0: "", 1: "string", 2: "number", 3: "integer", 4: "boolean", 5: "array", 6: "object", 7: "null",
}  # fmt: skip
"""google.ai.generativelanguage.v1beta.Type, by number."""

_DROPPED: Final = frozenset({"nullable", "propertyOrdering"})


def to_json_schema(schema: object, depth: int = 0) -> object:
    """Return the JSON Schema; anything but an object comes back as it is. Raises ConversionError past ``DEEPEST``
    levels."""
    if not isinstance(schema, dict):
        return schema
    if depth > DEEPEST:
        raise ConversionError(f"parameters: schema nested deeper than {DEEPEST} levels", "parameters")
    result: JsonObject = {}
    for key, value in schema.items():
        name = camel_key(key) if key in _KEYWORDS else key
        if name not in _DROPPED:
            _convert_keyword(name, value, result, depth)
    if schema.get("nullable") is True:
        _allow_null(result)
    return result


def _convert_keyword(name: str, value: object, result: JsonObject, depth: int) -> None:
    if name == "type":
        kind = _json_schema_type(value)
        if kind:
            result["type"] = kind
    elif name in _NUMBERS:
        result[name] = _parse_number(value)
    elif name in LIST_KEYWORDS and isinstance(value, list):
        result[name] = [to_json_schema(item, depth + 1) for item in value]
    elif name in MAP_KEYWORDS and isinstance(value, dict):
        result["$defs" if name == "defs" else name] = {
            key: to_json_schema(item, depth + 1) for key, item in value.items()
        }
    elif name in _SINGLE:
        result[name] = to_json_schema(value, depth + 1)
    elif name == "ref":
        result["$ref"] = value
    elif not (name == "format" and value == "enum"):
        result[name] = value


def _json_schema_type(value: object) -> object:
    """Return the lower-case type or list of types; "" for TYPE_UNSPECIFIED. Older SDKs write the number of the enum."""
    if isinstance(value, list):
        return [kind for kind in map(_json_schema_type, value) if kind]
    if isinstance(value, int) and not isinstance(value, bool):
        return _NUMBERED.get(value, value)
    lowered = value.lower() if isinstance(value, str) else value
    return "" if lowered == "type_unspecified" else lowered


def _parse_number(value: object) -> object:
    """Return a number that came as text, as int64 fields do in proto JSON."""
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


_PRESERVED_KEYWORDS: Final = frozenset({
    "title", "description", "default", "minItems", "maxItems", "minProperties", "maxProperties", "minLength",
    "maxLength", "pattern", "minimum", "maximum", "example", "propertyOrdering",
})  # fmt: skip
_KNOWN_KEYWORDS: Final = _PRESERVED_KEYWORDS | {
    "type", "properties", "required", "items", "enum", "const", "anyOf", "oneOf", "allOf", "format", "nullable", "$ref",
    "$defs", "definitions", "prefixItems",
}  # fmt: skip
_FORMATS: Final[dict[str, frozenset[str]]] = {
    "string": frozenset({"enum", "date-time"}),
    "number": frozenset({"float", "double"}),
    "integer": frozenset({"int32", "int64"}),
}


_MOST_IN_PLACE: Final = 5_000
"""Schemas that references may put in place. Definitions that share each other twice a level, or all name all others,
would come to more than any memory holds; no provider takes a schema of this size."""


def to_gemini_schema(schema: object, losses: Losses) -> JsonObject:
    """Return the Gemini schema. The input is not changed. Raises ConversionError for endless nesting."""
    return _SchemaCleaner(obj(schema), losses).clean(obj(schema), (), 0)


class _SchemaCleaner:
    def __init__(self, root: JsonObject, losses: Losses) -> None:
        self._root = root
        self._losses = losses
        self._in_place = 0

    def clean(self, schema: JsonObject, inside: tuple[str, ...], depth: int) -> JsonObject:
        """Return the Gemini schema of a part. ``inside``: references being put in place on the way here."""
        if depth > DEEPEST:
            raise ConversionError(f"parameters: schema nested deeper than {DEEPEST} levels", "parameters")
        self._in_place += bool(inside)
        reference = text(schema.get("$ref"))
        if reference:
            if reference in inside:
                self._losses.add("parameters.$ref", "a recursive schema, cut to a plain object")
                return {"type": "OBJECT", **self._copied_description_member(schema)}
            if self._in_place >= _MOST_IN_PLACE:
                self._losses.add("parameters.$ref", "references that come to too much, cut to plain objects")
                return {"type": "OBJECT", **self._copied_description_member(schema)}
            target = {
                **self._resolve_reference(reference),
                **{key: value for key, value in schema.items() if key != "$ref"},
            }
            return self.clean(target, (*inside, reference), depth + 1)
        if isinstance(schema.get("allOf"), list):
            return self.clean(self._merge_all_of(schema), inside, depth + 1)
        for key in unknown_keys(schema, _KNOWN_KEYWORDS):
            self._losses.add(f"parameters.{key}", "Gemini's schema type has no such keyword", "info")
        result = {key: value for key, value in schema.items() if key in _PRESERVED_KEYWORDS}
        self._convert_types(schema, result, inside, depth)
        self._convert_properties_and_items(schema, result, inside, depth)
        return result

    def _copied_description_member(self, schema: JsonObject) -> JsonObject:
        """Return the description as a member of a schema, {} without one."""
        return {"description": schema["description"]} if "description" in schema else {}

    def _resolve_reference(self, reference: str) -> JsonObject:
        """Return the target of a local JSON pointer, {} if there is none."""
        found: object = self._root
        for step in reference.lstrip("#").split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, dict) else None
        return obj(found)

    def _merge_all_of(self, schema: JsonObject) -> JsonObject:
        """Merge ``allOf`` into one schema: properties and required names joined, other keywords by the last branch."""
        result: JsonObject = {}
        properties: JsonObject = {}
        required: list[object] = []
        for branch in (*objs(schema["allOf"]), {key: value for key, value in schema.items() if key != "allOf"}):
            whole = {**self._resolve_reference(text(branch.get("$ref"))), **branch} if "$ref" in branch else branch
            properties.update(obj(whole.get("properties")))
            required += [name for name in arr(whole.get("required")) if name not in required]
            result.update((key, value) for key, value in whole.items() if key != "$ref")
        joined: JsonObject = {"properties": properties} if properties else {}
        return {**result, **joined, **({"required": required} if required else {})}

    def _convert_types(self, schema: JsonObject, result: JsonObject, inside: tuple[str, ...], depth: int) -> None:
        """Convert type, enum, format and unions."""
        types = [kind for kind in _list_or_list_of_one(schema.get("type")) if isinstance(kind, str)]
        union = [*objs(schema.get("anyOf")), *objs(schema.get("oneOf"))]
        inner = [branch for branch in union if branch.get("type") != "null"]
        if "null" in types or len(inner) < len(union) or schema.get("nullable") is True:
            result["nullable"] = True
        types = [kind for kind in types if kind != "null"]
        if len(inner) == 1 and not types:
            result.update({**self.clean(inner[0], inside, depth + 1), **result})
            return
        if inner:
            result["anyOf"] = [self.clean(branch, inside, depth + 1) for branch in inner]
        elif len(types) > 1:
            result["anyOf"] = [
                self.clean({**_without_type_and_annotations(schema), "type": kind}, inside, depth + 1) for kind in types
            ]
            return
        self._convert_enum_of_strings_alone(schema, types, result)
        if types:
            result["type"] = types[0].upper()
        elif "anyOf" not in result:
            result["type"] = _guess_type(schema)
        form = text(schema.get("format"))
        if form and form in _FORMATS.get(text(result.get("type")).lower(), ()):
            result["format"] = form

    def _convert_enum_of_strings_alone(self, schema: JsonObject, types: list[str], result: JsonObject) -> None:
        """Convert an enum; Gemini's is a list of non-empty strings."""
        choices = [schema["const"]] if "const" in schema else arr(schema.get("enum"))
        if None in choices:
            result["nullable"] = True
        strings = [choice for choice in choices if isinstance(choice, str) and choice]
        if strings and types in ([], ["string"]):
            result["enum"] = strings
            types[:] = ["string"]
        elif any(choice is not None for choice in choices):
            self._losses.add("parameters.enum", "Gemini's enum holds strings only")

    def _convert_properties_and_items(
        self, schema: JsonObject, result: JsonObject, inside: tuple[str, ...], depth: int
    ) -> None:
        properties = schema.get("properties")
        if isinstance(properties, dict):
            result["properties"] = {
                name: self.clean(obj(inner), inside, depth + 1) for name, inner in properties.items()
            }
            required = [name for name in arr(schema.get("required")) if name in properties]
            if required:
                result["required"] = required
        if result.get("type") == "ARRAY":
            result["items"] = self.clean(_items_schema_or_any_of_prefix_items(schema), inside, depth + 1)


def _list_or_list_of_one(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _without_type_and_annotations(schema: JsonObject) -> JsonObject:
    """Return a schema without what stays on the union itself."""
    return {key: value for key, value in schema.items() if key not in ("description", "title", "default", "type")}


def _items_schema_or_any_of_prefix_items(schema: JsonObject) -> JsonObject:
    """Return the schema of an array's items.

    Of one that lists them by position any of those, of one without any a string.
    """
    items = schema.get("items")
    if isinstance(items, dict):
        return items
    listed = list(objs(schema.get("prefixItems")))
    different = [item for at, item in enumerate(listed) if item not in listed[:at]]
    return {"anyOf": different} if different else {"type": "string"}


def _guess_type(schema: JsonObject) -> str:
    if "properties" in schema:
        return "OBJECT"
    return "ARRAY" if "items" in schema else "STRING"
