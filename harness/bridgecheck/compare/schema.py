"""Schemas: brought to JSON Schema, then compared by structure, then by instances.

Gemini's ``parameters`` are OpenAPI 3.0 objects (upper-case types, ``nullable``, ``propertyOrdering``, ``format:
enum``, int64 bounds as text); the others take JSON Schema. Source: https://ai.google.dev/api/caching#Schema,
stored copy read 2026-11-21."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bridgecheck.compare.diff import ABSENT, differences
from bridgecheck.compare.schema_contents import Outline, candidate_instances, candidate_near_misses, outline_schema
from bridgecheck.model.jsonvalue import arr, canonical, obj
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import JsonObject

WHOLE_SCHEMA_LOST: Final = "nothing of the schema is left"
"""What a difference says of a schema without the properties that the client declared: the model has to guess."""

MAX_DEPTH: Final = 60
"""Levels of nesting that are rewritten; deeper schemas are left unchanged."""

_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_DROPPED: Final = frozenset({"propertyOrdering", "property_ordering", "$schema", "nullable", "$id"})
_RENAMED: Final = {
    "defs": "$defs", "definitions": "$defs", "ref": "$ref", "any_of": "anyOf", "one_of": "oneOf", "all_of": "allOf",
    "max_items": "maxItems", "min_items": "minItems", "max_length": "maxLength", "min_length": "minLength",
    "min_properties": "minProperties", "max_properties": "maxProperties",
    "additional_properties": "additionalProperties",
}  # fmt: skip
_NUMBERS: Final = frozenset({
    "maxItems", "minItems", "maxLength", "minLength", "minProperties", "maxProperties", "maximum", "minimum",
    "exclusiveMaximum", "exclusiveMinimum", "multipleOf",
})  # fmt: skip
_SUBSCHEMA: Final = frozenset(
    {"items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"}
)
_SCHEMA_LISTS: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SCHEMA_MAPS: Final = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
_DEFAULTS: Final[dict[str, tuple[object, ...]]] = {
    "properties": ({},), "required": ([],), "additionalProperties": (True, {}), "description": ("",), "$defs": ({},),
}  # fmt: skip
"""keyword -> values that mean the same as its absence."""


@dataclass(frozen=True, slots=True)
class SchemaReport:
    """``narrowed``: something the client's schema allows is refused now, or all of it is lost (FAIL). ``lost``: names,
    descriptions, enum members or required marks that are lost (WARN). ``loosened``: something it refuses is allowed now
    (listed)."""

    narrowed: tuple[Difference, ...] = ()
    lost: tuple[Difference, ...] = ()
    loosened: tuple[Difference, ...] = ()
    rules: tuple[str, ...] = ()


def normal_schema(schema: JsonObject | None) -> JsonObject:
    """Return the schema as JSON Schema, one spelling per meaning. None (no parameters): an object without any."""
    if not schema:
        return {"type": "object"}
    return obj(_normalise_node(schema, 0))


def compare_schemas(
    expected: JsonObject | None,
    actual: JsonObject | None,
    path: str = "schema",
    *,
    may_close_objects: bool = False,
    is_of_tool: bool = False,
) -> SchemaReport:
    """Compare the schema that an adapter sent with the client's. Schemas too deep to be walked are not judged: the rule
    ``schema.too_deep`` says so. ``may_close_objects``: the provider takes only objects that forbid further properties
    (recorded of Anthropic: maruel-genai/0053). ``is_of_tool``: it describes arguments."""
    try:
        return _normalise_and_compare(expected, actual, path, may_close_objects, is_of_tool)
    except RecursionError:
        return SchemaReport(rules=("schema.too_deep",))


def _normalise_and_compare(
    expected_schema: JsonObject | None,
    actual_schema: JsonObject | None,
    path: str,
    may_close_objects: bool,
    is_of_tool: bool,
) -> SchemaReport:
    expected, actual = normal_schema(expected_schema), normal_schema(actual_schema)
    if canonical(expected) == canonical(actual):
        same_text = canonical(expected_schema or {}) == canonical(actual_schema or {})
        return SchemaReport(rules=() if same_text else ("schema_equiv",))
    relaxed, rules = _relax_strict_nulls_in_actual(expected, actual)
    filled = _restore_blank_enum_members_in_actual(expected, relaxed, 0)
    rules = (*rules, "schema.blank_member") if filled != relaxed else rules
    relaxed = filled
    if may_close_objects:
        opened = _open_objects(relaxed, 0)
        rules = (*rules, "schema.closed") if opened != relaxed else rules
        relaxed = opened
    if is_of_tool and relaxed.get("additionalProperties") is False and _takes_no_arguments(expected):
        relaxed = {key: item for key, item in relaxed.items() if key != "additionalProperties"}
        rules = (*rules, "schema.closed")
    narrowed = _find_narrowing(expected, relaxed, path)
    outlines = outline_schema(expected), outline_schema(relaxed)
    if not narrowed and len(outlines[0]) > 1 and len(outlines[1]) <= 1:
        narrowed = (Difference(path, "declared", ABSENT, WHOLE_SCHEMA_LOST),)
    return SchemaReport(
        narrowed,
        () if narrowed else _find_lost_facts(*outlines, path),
        () if narrowed else _find_loosening(expected, relaxed, path),
        ("schema_equiv", *rules),
    )


def _takes_no_arguments(schema: JsonObject) -> bool:
    """Return whether a whole schema is an object of which nothing is said: a function that takes none
    (https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools: "an empty parameter list")."""
    return schema.get("type") == "object" and not schema.keys() & {
        "properties", "additionalProperties", "$ref", "anyOf",
    }  # fmt: skip


def _normalise_node(value: object, depth: int) -> object:
    if not isinstance(value, dict) or depth > MAX_DEPTH:
        return value
    node: JsonObject = {}
    for key, item in obj(value).items():
        name = _RENAMED.get(key, key)
        if name not in _DROPPED:
            node[name] = _normalise_keyword(name, item, depth)
    if isinstance(node.get("$ref"), str):
        node["$ref"] = str(node["$ref"]).replace("#/definitions/", "#/$defs/").replace("#/defs/", "#/$defs/")
    _normalise_types(node, value.get("nullable") is True)
    _normalise_enum(node)
    _merge_nullable_branch(node)
    return {key: item for key, item in node.items() if not any(item == same for same in _DEFAULTS.get(key, ()))}


def _normalise_keyword(name: str, item: object, depth: int) -> object:
    if name in _SUBSCHEMA:
        return _normalise_node(item, depth + 1)
    if name in _SCHEMA_LISTS:
        return [_normalise_node(entry, depth + 1) for entry in arr(item)]
    if name in _SCHEMA_MAPS and isinstance(item, dict):
        return {key: _normalise_node(entry, depth + 1) for key, entry in item.items()}
    if name == "required" and isinstance(item, list):
        return sorted({entry for entry in item if isinstance(entry, str)})
    if name in _NUMBERS and isinstance(item, str):
        return _parse_number(item)
    return item


def _parse_number(text: str) -> object:
    try:
        return float(text) if "." in text or "e" in text.lower() else int(text)
    except ValueError:
        return text


def _normalise_types(node: JsonObject, nullable: bool) -> None:
    """Write types in lower case: one as a string, several as a sorted list, unspecified ones as no type at all."""
    stated = node.get("type")
    if stated is None and not nullable:
        return
    names = {name.lower() for name in (stated if isinstance(stated, list) else [stated]) if isinstance(name, str)}
    types = sorted(names & _TYPES)
    if nullable and types and "null" not in types:
        types = sorted([*types, "null"])
    if nullable and not types and "anyOf" in node:
        node["anyOf"] = [*arr(node["anyOf"]), {"type": "null"}]
    node.pop("type", None)
    if types:
        node["type"] = types[0] if len(types) == 1 else types


def _normalise_enum(node: JsonObject) -> None:
    if "const" in node and "enum" not in node:
        node["enum"] = [node.pop("const")]
    if "enum" not in node:
        return
    members = arr(node["enum"])
    types = node.get("type")
    if isinstance(types, list) and "null" in types and None not in members:
        members = [*members, None]
    node["enum"] = sorted(members, key=canonical)
    if node.get("format") == "enum":
        node.pop("format")


def _merge_nullable_branch(node: JsonObject) -> None:
    """Write ``anyOf: [X, null]`` with a plain X as X with null among its types."""
    branches = arr(node.get("anyOf"))
    rest = [obj(branch) for branch in branches if obj(branch) != {"type": "null"}]
    if len(branches) == 2 and len(rest) == 1 and isinstance(rest[0].get("type"), str) and "enum" not in rest[0]:
        merged = {**rest[0], **{key: item for key, item in node.items() if key != "anyOf"}}
        merged["type"] = sorted([str(rest[0]["type"]), "null"])
        node.clear()
        node.update(merged)


def _relax_strict_nulls_in_actual(expected: JsonObject, actual: JsonObject) -> tuple[JsonObject, tuple[str, ...]]:
    """Return the actual schema without requirements on properties that became required and nullable (OpenAI's strict
    mode), and the rule if there were any."""
    relaxed = _drop_added_nullables_from_required(expected, actual, 0)
    return relaxed, () if canonical(relaxed) == canonical(actual) else ("schema.strict_null",)


def _drop_added_nullables_from_required(expected: JsonObject, actual: JsonObject, depth: int) -> JsonObject:
    if depth > MAX_DEPTH:
        return actual
    node = _convert_subschemas(expected, actual, _drop_added_nullables_from_required, depth + 1)
    found = obj(actual.get("properties"))
    if found:
        node["required"] = [
            name
            for name in arr(actual.get("required"))
            if name in arr(expected.get("required")) or "null" not in _all_types(obj(found.get(str(name))))
        ]
    return {key: item for key, item in node.items() if not (key == "required" and not item)}


def _convert_subschemas(
    expected: JsonObject, actual: JsonObject, convert: Callable[[JsonObject, JsonObject, int], JsonObject], depth: int
) -> JsonObject:
    """Return the actual schema with its properties, definitions and items converted, each beside the expected one."""
    node = dict(actual)
    for key in ("properties", "$defs"):
        if isinstance(node.get(key), dict):
            known, found = obj(expected.get(key)), obj(node[key])
            node[key] = {name: convert(obj(known.get(name)), obj(item), depth) for name, item in found.items()}
    if isinstance(node.get("items"), dict):
        node["items"] = convert(obj(expected.get("items")), obj(node["items"]), depth)
    return node


def _restore_blank_enum_members_in_actual(expected: JsonObject, actual: JsonObject, depth: int) -> JsonObject:
    """Restore "" among the members of an enum that has it in the expected schema: Gemini refuses a blank member
    (https://github.com/router-for-me/CLIProxyAPI/pull/4545), and to keep the others is the best that can be done."""
    if depth > MAX_DEPTH:
        return actual
    node = _convert_subschemas(expected, actual, _restore_blank_enum_members_in_actual, depth + 1)
    members = arr(node.get("enum"))
    names = [name for name in arr(expected.get("required")) if name not in obj(expected.get("properties"))]
    if names:
        node["required"] = sorted({*map(str, arr(node.get("required"))), *map(str, names)})
    if not members and all(item == "" or isinstance(item, int) for item in arr(expected.get("enum"))):
        node |= {"enum": expected["enum"]} if "enum" in expected else {}
    if members and "" in arr(expected.get("enum")) and "" not in members:
        node["enum"] = sorted([*members, ""], key=canonical)
    return node


def _open_objects(node: JsonObject, depth: int) -> JsonObject:
    """Return the schema without ``additionalProperties: false``."""
    if depth > MAX_DEPTH:
        return node
    opened: JsonObject = {}
    for key, item in node.items():
        if key in _SUBSCHEMA and isinstance(item, dict):
            opened[key] = _open_objects(obj(item), depth + 1)
        elif key in _SCHEMA_LISTS:
            opened[key] = [_open_objects(obj(entry), depth + 1) for entry in arr(item)]
        elif key in _SCHEMA_MAPS and isinstance(item, dict):
            opened[key] = {name: _open_objects(obj(entry), depth + 1) for name, entry in item.items()}
        elif key != "additionalProperties" or item is not False:
            opened[key] = item
    return opened


def _all_types(node: JsonObject) -> list[object]:
    branches = [kind for branch in arr(node.get("anyOf")) for kind in _all_types(obj(branch))]
    stated = node.get("type")
    return [*(stated if isinstance(stated, list) else [stated]), *branches]


def _is_valid(schema: JsonObject, value: object) -> bool | None:
    """Return whether the value is valid; None where the schema itself cannot be read."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from referencing.exceptions import Unresolvable

    try:
        return bool(Draft202012Validator(schema).is_valid(value))
    except (SchemaError, Unresolvable, RecursionError, TypeError, ValueError, AttributeError):
        return None


def _find_narrowing(expected: JsonObject, actual: JsonObject, path: str) -> tuple[Difference, ...]:
    rows: list[Difference] = []
    for value in candidate_instances(expected):
        if _is_valid(expected, value) and _is_valid(actual, value) is False:
            rows.append(Difference(path, f"accepts {canonical(value)[:300]}", "refuses it", "narrowed"))
        if len(rows) == 3:
            break
    return tuple(rows)


def _find_loosening(expected: JsonObject, actual: JsonObject, path: str) -> tuple[Difference, ...]:
    valid = [value for value in candidate_instances(expected) if _is_valid(expected, value)]
    for value in candidate_near_misses(expected, valid):
        if _is_valid(expected, value) is False and _is_valid(actual, value):
            return (Difference(path, f"refuses {canonical(value)[:300]}", "accepts it", "loosened"),)
    return ()


def _find_lost_facts(expected: Outline, actual: Outline, path: str) -> tuple[Difference, ...]:
    """Return what the outline of the client's schema holds and the sent one's does not; what was added is no loss."""
    rows: list[Difference] = []
    for part, facts in expected.items():
        found = actual.get(part)
        part_path = f"{path}.{part}" if part else path
        if found is None:
            rows.append(Difference(part_path, "declared", "(absent)"))
        else:
            rows += differences(facts, {key: found.get(key) for key in facts}, part_path)
    return tuple(rows[:20])
