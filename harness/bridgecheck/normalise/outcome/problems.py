"""Finds what is wrong with documents of ``outcome``, in sentences: such documents are written by shims.

Documents are closed and the tables of ``wire.own_types_documents`` are all there is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Final

from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import integer, obj
from bridgecheck.normalise.outcome.stream import fold
from bridgecheck.wire.own_types_documents import EXACTLY_ONE, NOT_BOTH, OBJECTS, Member

_TYPES: Final[Mapping[str, tuple[str, Callable[[object], bool]]]] = {
    "any": ("any value", lambda value: True), "text": ("text", lambda value: isinstance(value, str)),
    "object": ("an object", lambda value: isinstance(value, dict)),
    "flag": ("true or false", lambda value: isinstance(value, bool)),
    "integer": ("a whole number", lambda value: integer(value) is not None),
    "number": ("a number", lambda value: isinstance(value, int | float) and not isinstance(value, bool)),
}  # fmt: skip


def find_response_problems(response: Response) -> list[str]:
    """Return what is wrong with a response, ``path: expected, got``; [] if nothing is. Of a stream every event is
    looked at, and the document that they amount to."""
    if response.mode == "unary" or response.status >= 400:
        return [line for document in response.documents for line in find_object_problems("answer", document)]
    found = [
        line
        for at, event in enumerate(response.documents)
        for line in find_object_problems("event", event, f"events[{at}]")
    ]
    return found or find_object_problems("answer", fold(response.documents))


def find_object_problems(name: str, value: object, path: str = "") -> list[str]:
    """Return the same of one object of ``OBJECTS``. ``path``: where it stands, "" for the document itself."""
    return list(_object_problems(name, value, path))


def _object_problems(name: str, value: object, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield _wrong_value_problem(path, _type_name(name), value)
        return
    present = {key: item for key, item in obj(value).items() if item is not None}
    members = {member.name: member for member in OBJECTS[name]}
    for key, item in present.items():
        if key in members:
            yield from _member_problems(members[key], item, _join_path(path, key))
        else:
            yield _unknown_member_problem(_join_path(path, key), name, key, list(members))
    for member in members.values():
        if member.required and member.name not in present:
            yield f"{_join_path(path, member.name)}: expected {_type_name(member.type)}, it is missing"
    yield from _exclusive_member_problems(name, present, path)


def _exclusive_member_problems(name: str, present: Mapping[str, object], path: str) -> Iterator[str]:
    one_of = EXACTLY_ONE.get(name, ())
    found_keys = [key for key in one_of if key in present]
    if one_of and len(found_keys) != 1:
        found = " and ".join(found_keys) or "none"
        yield f"{path or 'document'}: expected exactly one of {', '.join(one_of)}, got {found}"
    for first, second in NOT_BOTH.get(name, ()):
        if first in present and second in present:
            yield f"{path or 'document'}: expected {first} or {second}, got both"


def _member_problems(member: Member, value: object, path: str) -> Iterator[str]:
    if member.type.startswith("["):
        yield from _list_problems(member.type.strip("[]"), value, path)
        return
    wrong = list(_value_problems(member.type, value, path))
    yield from wrong
    if not wrong and member.values and value not in member.values:
        yield f"{path}: expected one of {', '.join(member.values)}, got {_describe_value(value)}"


def _list_problems(kind: str, value: object, path: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield _wrong_value_problem(path, f"a list, each {_type_name(kind)}", value)
        return
    for at, item in enumerate(value):
        yield from _value_problems(kind, item, f"{path}[{at}]")


def _value_problems(kind: str, value: object, path: str) -> Iterator[str]:
    if kind in OBJECTS:
        yield from _object_problems(kind, value, path)
    elif not _TYPES[kind][1](value):
        yield _wrong_value_problem(path, _TYPES[kind][0], value)


def _unknown_member_problem(path: str, name: str, key: str, members: Sequence[str]) -> str:
    near = get_close_matches(key, members, n=1)
    hint = f" (did you mean {near[0]}?)" if near else f"; it has {', '.join(members)}"
    return f"{path}: no member of {_type_name(name)}{hint}"


def _wrong_value_problem(path: str, expected: str, value: object) -> str:
    return f"{path or 'document'}: expected {expected}, got {_describe_value(value)}"


def _describe_value(value: object) -> str:
    if isinstance(value, str):
        return f"the text {value[:40]!r}{'…' if len(value) > 40 else ''}"
    kinds = {dict: "an object", list: "a list", bool: str(value).lower(), int: str(value), float: str(value)}
    return "null" if value is None else kinds.get(type(value), type(value).__name__)


def _type_name(kind: str) -> str:
    """Return the name of a type for a sentence: ``an event part`` for ``event_part``."""
    if kind.startswith("["):
        return f"a list, each {_type_name(kind.strip('[]'))}"
    if kind in _TYPES:
        return _TYPES[kind][0]
    name = kind.replace("_", " ")
    return f"an {name}" if name[0] in "aeio" else f"a {name}"


def _join_path(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
