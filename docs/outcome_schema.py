"""The JSON schemas of the documents of ``outcome``, from the tables of ``wire.own_types_documents``.

``make schema`` writes them to docs/schemas/.
"""

from collections.abc import Iterator
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck.wire.own_types_documents import EXACTLY_ONE, NOT_BOTH, OBJECTS, VERSION, Member

DOCUMENTS: Final = ("request", "answer", "event")
"""What goes between bridgecheck and a shim: a request; an answer, or the events of a stream."""

_PLAIN: Final[dict[str, JsonObject]] = {
    "any": {},
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "object": {"type": "object"},
}


def outcome_schema(name: str) -> JsonObject:
    """Return the JSON Schema (2020-12) of one of DOCUMENTS. null is allowed wherever a member may be absent. One rule
    stands in no schema: what the events of a stream amount to has to be an answer."""
    used = [name, *dict.fromkeys(_nested_objects(name))]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"bridgecheck outcome {name}",
        **_object_schema(name),
        "$defs": {used_name: _object_schema(used_name) for used_name in sorted(set(used) - {name})},
    }


def _nested_objects(name: str, known: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the name of every object that one of this name may hold."""
    for member in OBJECTS[name]:
        kind = member.type.strip("[]")
        if kind in OBJECTS and kind not in known:
            yield kind
            yield from _nested_objects(kind, known | {kind})


def _object_schema(name: str) -> JsonObject:
    members = OBJECTS[name]
    schema: JsonObject = {
        "type": "object",
        "additionalProperties": False,
        "properties": {member.name: _member_schema(name, member) for member in members},
    }
    required = [member.name for member in members if member.required]
    if required:
        schema["required"] = required
    rules = [*_exactly_one_rules(name), *_not_both_rules(name)]
    return schema | ({"allOf": rules} if rules else {})


def _member_schema(owner: str, member: Member) -> JsonObject:
    described: JsonObject = {"description": member.meaning.replace("`", "'")}
    if owner == "request" and member.name == "version":
        return {**described, "const": VERSION}
    if member.values:
        return {**described, "enum": [*member.values, *([] if member.required else [None])]}
    inner = _type_schema(member.type)
    if member.required or member.type == "any":
        return {**described, **inner}
    return {**described, "anyOf": [inner, {"type": "null"}]}


def _type_schema(kind: str) -> JsonObject:
    if kind.startswith("["):
        return {"type": "array", "items": _type_schema(kind.strip("[]"))}
    return _PLAIN.get(kind, {"$ref": f"#/$defs/{kind}"})


def _is_present(name: str) -> JsonObject:
    """Return the condition that a member is there and not null."""
    return {"required": [name], "properties": {name: {"not": {"type": "null"}}}}


def _exactly_one_rules(name: str) -> list[JsonObject]:
    return [{"oneOf": [_is_present(member) for member in EXACTLY_ONE[name]]}] if name in EXACTLY_ONE else []


def _not_both_rules(name: str) -> list[JsonObject]:
    return [{"not": {"allOf": [_is_present(first), _is_present(second)]}} for first, second in NOT_BOTH.get(name, ())]
