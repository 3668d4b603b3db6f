"""The JSON schemas of the documents of ``outcome``, from the tables of ``wire.outcome``.

``make schema`` writes them to docs/schemas/.
"""

from collections.abc import Iterator
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck.wire.outcome import EXACTLY_ONE, NOT_BOTH, OBJECTS, VERSION, Member

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
    """JSON Schema (2020-12) of one of DOCUMENTS. null is allowed wherever a member may be absent. One rule stands in no
    schema: what the events of a stream amount to has to be an answer."""
    used = [name, *dict.fromkeys(_below(name))]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"bridgecheck outcome {name}",
        **_object(name),
        "$defs": {one: _object(one) for one in sorted(set(used) - {name})},
    }


def _below(name: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Every object that one of this name may hold."""
    for member in OBJECTS[name]:
        kind = member.type.strip("[]")
        if kind in OBJECTS and kind not in seen:
            yield kind
            yield from _below(kind, seen | {kind})


def _object(name: str) -> JsonObject:
    members = OBJECTS[name]
    made: JsonObject = {
        "type": "object",
        "additionalProperties": False,
        "properties": {member.name: _member(name, member) for member in members},
    }
    required = [member.name for member in members if member.required]
    if required:
        made["required"] = required
    rules = [*_exactly_one(name), *_not_both(name)]
    return made | ({"allOf": rules} if rules else {})


def _member(owner: str, member: Member) -> JsonObject:
    told: JsonObject = {"description": member.meaning.replace("`", "'")}
    if owner == "request" and member.name == "version":
        return {**told, "const": VERSION}
    if member.words:
        words: list[object] = [*member.words, *([] if member.required else [None])]
        return {**told, "enum": words}
    inner = _type(member.type)
    if member.required or member.type == "any":
        return {**told, **inner}
    return {**told, "anyOf": [inner, {"type": "null"}]}


def _type(kind: str) -> JsonObject:
    if kind.startswith("["):
        return {"type": "array", "items": _type(kind.strip("[]"))}
    return _PLAIN.get(kind, {"$ref": f"#/$defs/{kind}"})


def _there(name: str) -> JsonObject:
    """That a member is there and not null."""
    return {"required": [name], "properties": {name: {"not": {"type": "null"}}}}


def _exactly_one(name: str) -> list[JsonObject]:
    return [{"oneOf": [_there(one) for one in EXACTLY_ONE[name]]}] if name in EXACTLY_ONE else []


def _not_both(name: str) -> list[JsonObject]:
    return [{"not": {"allOf": [_there(one), _there(other)]}} for one, other in NOT_BOTH.get(name, ())]
