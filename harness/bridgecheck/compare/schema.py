"""Schemas: brought to JSON Schema, then compared by structure, then by instances.

Gemini's ``parameters`` are OpenAPI 3.0 objects (upper-case types, ``nullable``, ``propertyOrdering``, ``format:
enum``, int64 bounds as text); the others take JSON Schema. Source: https://ai.google.dev/api/caching#Schema,
stored copy read 2026-11-21.
"""

from dataclasses import dataclass
from typing import Final

from bridgecheck.compare.diff import differences
from bridgecheck.compare.instances import instances, near_misses
from bridgecheck.compare.schema_outline import Outline, outline
from bridgecheck.model.jsonvalue import arr, canonical, obj
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import JsonObject

DEEPEST: Final = 60
"""Levels of nesting that are rewritten; deeper schemas are left as they stand there."""

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
_ONE: Final = frozenset({"items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"})
_LIST: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_MAP: Final = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
_DEFAULTS: Final[dict[str, tuple[object, ...]]] = {
    "properties": ({},), "required": ([],), "additionalProperties": (True, {}), "description": ("",), "$defs": ({},),
}  # fmt: skip
"""keyword -> values that say as much as its absence."""


@dataclass(frozen=True, slots=True)
class SchemaReport:
    """``narrowed``: something the client's schema allows is refused now (FAIL). ``lost``: names, descriptions, enum
    members or required marks that are gone (WARN). ``loosened``: something it refuses is allowed now (listed)."""

    narrowed: tuple[Difference, ...] = ()
    lost: tuple[Difference, ...] = ()
    loosened: tuple[Difference, ...] = ()
    rules: tuple[str, ...] = ()


def normal_schema(schema: JsonObject | None) -> JsonObject:
    """The schema as JSON Schema with one spelling per meaning. None (no parameters given) is an object without
    properties."""
    if not schema:
        return {"type": "object"}
    return obj(_node(schema, 0))


def compare_schemas(
    asked: JsonObject | None, sent: JsonObject | None, path: str = "schema", *, closed: bool = False
) -> SchemaReport:
    """How the schema an adapter sent relates to the one the client asked for. Schemas too deep to be walked are not
    judged: the rule ``schema.too_deep`` says so. ``closed``: the provider takes only objects that forbid further
    properties (recorded of Anthropic: maruel-genai/0053)."""
    try:
        return _compare(asked, sent, path, closed)
    except RecursionError:
        return SchemaReport(rules=("schema.too_deep",))


def _compare(asked: JsonObject | None, sent: JsonObject | None, path: str, closed: bool) -> SchemaReport:
    ours, theirs = normal_schema(asked), normal_schema(sent)
    if canonical(ours) == canonical(theirs):
        same_text = canonical(asked or {}) == canonical(sent or {})
        return SchemaReport(rules=() if same_text else ("schema_equiv",))
    relaxed, rules = _strict_null(ours, theirs)
    filled = _with_blanks(ours, relaxed, 0)
    rules = (*rules, "schema.blank_member") if filled != relaxed else rules
    relaxed = filled
    if closed:
        opened = _opened(relaxed, 0)
        rules = (*rules, "schema.closed") if opened != relaxed else rules
        relaxed = opened
    narrowed = _narrowed(ours, relaxed, path)
    return SchemaReport(
        narrowed,
        () if narrowed else _lost(outline(ours), outline(theirs), path),
        () if narrowed else _loosened(ours, relaxed, path),
        ("schema_equiv", *rules),
    )


def _node(value: object, depth: int) -> object:
    if not isinstance(value, dict) or depth > DEEPEST:
        return value
    node: JsonObject = {}
    for key, item in obj(value).items():
        name = _RENAMED.get(key, key)
        if name not in _DROPPED:
            node[name] = _keyword(name, item, depth)
    if isinstance(node.get("$ref"), str):
        node["$ref"] = str(node["$ref"]).replace("#/definitions/", "#/$defs/").replace("#/defs/", "#/$defs/")
    _types(node, value.get("nullable") is True)
    _enum(node)
    _merge_nullable(node)
    return {key: item for key, item in node.items() if not any(item == same for same in _DEFAULTS.get(key, ()))}


def _keyword(name: str, item: object, depth: int) -> object:
    if name in _ONE:
        return _node(item, depth + 1)
    if name in _LIST:
        return [_node(entry, depth + 1) for entry in arr(item)]
    if name in _MAP and isinstance(item, dict):
        return {key: _node(entry, depth + 1) for key, entry in item.items()}
    if name == "required" and isinstance(item, list):
        return sorted({entry for entry in item if isinstance(entry, str)})
    if name in _NUMBERS and isinstance(item, str):
        return _number(item)
    return item


def _number(text: str) -> object:
    try:
        return float(text) if "." in text or "e" in text.lower() else int(text)
    except ValueError:
        return text


def _types(node: JsonObject, nullable: bool) -> None:
    """Lower-case types; one of them as a word, several as a sorted list; unspecified ones as no type at all."""
    given = node.get("type")
    if given is None and not nullable:
        return
    names = {str(name).lower() for name in (given if isinstance(given, list) else [given]) if isinstance(name, str)}
    types = sorted(names & _TYPES)
    if nullable and types and "null" not in types:
        types = sorted([*types, "null"])
    if nullable and not types and "anyOf" in node:
        node["anyOf"] = [*arr(node["anyOf"]), {"type": "null"}]
    node.pop("type", None)
    if types:
        node["type"] = types[0] if len(types) == 1 else types


def _enum(node: JsonObject) -> None:
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


def _merge_nullable(node: JsonObject) -> None:
    """``anyOf: [X, null]`` with a plain X is X with null among its types."""
    branches = arr(node.get("anyOf"))
    others = [obj(branch) for branch in branches if obj(branch) != {"type": "null"}]
    if len(branches) == 2 and len(others) == 1 and isinstance(others[0].get("type"), str) and "enum" not in others[0]:
        merged = {**others[0], **{key: item for key, item in node.items() if key != "anyOf"}}
        merged["type"] = sorted([str(others[0]["type"]), "null"])
        node.clear()
        node.update(merged)


def _strict_null(ours: JsonObject, theirs: JsonObject) -> tuple[JsonObject, tuple[str, ...]]:
    """An optional property may become required and nullable (OpenAI's strict mode). Returns theirs with those
    requirements taken back, and the rule if there were any."""
    relaxed = _relax(ours, theirs, 0)
    return relaxed, () if canonical(relaxed) == canonical(theirs) else ("schema.strict_null",)


def _relax(ours: JsonObject, theirs: JsonObject, depth: int) -> JsonObject:
    if depth > DEEPEST:
        return theirs
    node = dict(theirs)
    mine, found = obj(ours.get("properties")), obj(theirs.get("properties"))
    wanted = arr(ours.get("required"))
    if found:
        node["properties"] = {key: _relax(obj(mine.get(key)), obj(item), depth + 1) for key, item in found.items()}
        node["required"] = [
            name
            for name in arr(theirs.get("required"))
            if name in wanted or "null" not in _type_list(obj(found.get(str(name))))
        ]
    if isinstance(theirs.get("items"), dict):
        node["items"] = _relax(obj(ours.get("items")), obj(theirs["items"]), depth + 1)
    return {key: item for key, item in node.items() if not (key == "required" and not item)}


def _with_blanks(ours: JsonObject, theirs: JsonObject, depth: int) -> JsonObject:
    """Theirs with "" back among the members of an enum that has it in ours: Gemini refuses a blank member
    (https://github.com/router-for-me/CLIProxyAPI/pull/4545), and to keep the others is the best that can be done."""
    if depth > DEEPEST:
        return theirs
    node = dict(theirs)
    members = arr(node.get("enum"))
    if members and "" in arr(ours.get("enum")) and "" not in members:
        node["enum"] = sorted([*members, ""], key=canonical)
    mine = obj(ours.get("properties"))
    if isinstance(node.get("properties"), dict):
        node["properties"] = {
            key: _with_blanks(obj(mine.get(key)), obj(item), depth + 1) for key, item in obj(node["properties"]).items()
        }
    if isinstance(node.get("items"), dict):
        node["items"] = _with_blanks(obj(ours.get("items")), obj(node["items"]), depth + 1)
    return node


def _opened(node: JsonObject, depth: int) -> JsonObject:
    """The schema without ``additionalProperties: false``."""
    if depth > DEEPEST:
        return node
    made: JsonObject = {}
    for key, item in node.items():
        if key == "additionalProperties" and item is False:
            continue
        if key in _ONE and isinstance(item, dict):
            made[key] = _opened(obj(item), depth + 1)
        elif key in _LIST:
            made[key] = [_opened(obj(entry), depth + 1) for entry in arr(item)]
        elif key in _MAP and isinstance(item, dict):
            made[key] = {name: _opened(obj(entry), depth + 1) for name, entry in item.items()}
        else:
            made[key] = item
    return made


def _type_list(node: JsonObject) -> list[object]:
    branches = [kind for branch in arr(node.get("anyOf")) for kind in _type_list(obj(branch))]
    given = node.get("type")
    return [*(given if isinstance(given, list) else [given]), *branches]


def _accepts(schema: JsonObject, value: object) -> bool | None:
    """Whether the value is valid; None where the schema itself cannot be read."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from referencing.exceptions import Unresolvable

    try:
        return bool(Draft202012Validator(schema).is_valid(value))
    except (SchemaError, Unresolvable, RecursionError, TypeError, ValueError, AttributeError):
        return None


def _narrowed(ours: JsonObject, theirs: JsonObject, path: str) -> tuple[Difference, ...]:
    rows: list[Difference] = []
    for value in instances(ours):
        if _accepts(ours, value) and _accepts(theirs, value) is False:
            rows.append(Difference(path, f"accepts {canonical(value)[:300]}", "refuses it", "narrowed"))
        if len(rows) == 3:
            break
    return tuple(rows)


def _loosened(ours: JsonObject, theirs: JsonObject, path: str) -> tuple[Difference, ...]:
    valid = [value for value in instances(ours) if _accepts(ours, value)]
    for value in near_misses(ours, valid):
        if _accepts(ours, value) is False and _accepts(theirs, value):
            return (Difference(path, f"refuses {canonical(value)[:300]}", "accepts it", "loosened"),)
    return ()


def _lost(ours: Outline, theirs: Outline, path: str) -> tuple[Difference, ...]:
    """What the outline of the client's schema says and the other's does not; what was added is no loss."""
    rows: list[Difference] = []
    for where, facts in ours.items():
        found = theirs.get(where)
        place = f"{path}.{where}" if where else path
        if found is None:
            rows.append(Difference(place, "declared", "(absent)"))
            continue
        kept = {key: found.get(key, None) for key in facts}
        rows += differences(facts, kept, place)
    return tuple(rows[:20])
