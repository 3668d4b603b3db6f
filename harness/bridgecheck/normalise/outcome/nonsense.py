"""What is no document of this dialect: said in words, since every such document is written by a shim under way.

Documents are closed and the tables of ``wire.outcome`` are all there is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Final

from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import integer, obj
from bridgecheck.normalise.outcome.fold import fold
from bridgecheck.wire.outcome import EXACTLY_ONE, NOT_BOTH, OBJECTS, Member

_IS: Final[Mapping[str, tuple[str, Callable[[object], bool]]]] = {
    "any": ("any value", lambda value: True),
    "text": ("text", lambda value: isinstance(value, str)),
    "object": ("an object", lambda value: isinstance(value, dict)),
    "flag": ("true or false", lambda value: isinstance(value, bool)),
    "integer": ("a whole number", lambda value: integer(value) is not None),
    "number": ("a number", lambda value: isinstance(value, int | float) and not isinstance(value, bool)),
}


def nonsense(answer: Response) -> list[str]:
    """What is wrong with an answer, ``place: expected, got``; [] if nothing is. Of a stream every event is looked at,
    and the document that they amount to."""
    if answer.mode == "unary" or answer.status >= 400:
        return [line for document in answer.documents for line in problems("answer", document)]
    found = [line for at, event in enumerate(answer.documents) for line in problems("event", event, f"events[{at}]")]
    return found or problems("answer", fold(answer.documents))


def problems(name: str, value: object, place: str = "") -> list[str]:
    """The same of one object of ``OBJECTS``. ``place``: where it stands, "" for the document itself."""
    return list(_object(name, value, place))


def _object(name: str, value: object, place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield _wrong(place, _shown(name), value)
        return
    given = {key: item for key, item in obj(value).items() if item is not None}
    members = {member.name: member for member in OBJECTS[name]}
    for key, item in given.items():
        if key in members:
            yield from _member(members[key], item, _below(place, key))
        else:
            yield _unknown(_below(place, key), name, key, list(members))
    for member in members.values():
        if member.required and member.name not in given:
            yield f"{_below(place, member.name)}: expected {_shown(member.type)}, it is missing"
    yield from _together(name, given, place)


def _together(name: str, given: Mapping[str, object], place: str) -> Iterator[str]:
    one_of = EXACTLY_ONE.get(name, ())
    there = [key for key in one_of if key in given]
    if one_of and len(there) != 1:
        yield f"{place or 'document'}: expected exactly one of {', '.join(one_of)}, got {' and '.join(there) or 'none'}"
    for first, second in NOT_BOTH.get(name, ()):
        if first in given and second in given:
            yield f"{place or 'document'}: expected {first} or {second}, got both"


def _member(member: Member, value: object, place: str) -> Iterator[str]:
    if member.type.startswith("["):
        yield from _list(member.type.strip("[]"), value, place)
        return
    wrong = list(_value(member.type, value, place))
    yield from wrong
    if not wrong and member.words and value not in member.words:
        yield f"{place}: expected one of {', '.join(member.words)}, got {_quoted(value)}"


def _list(kind: str, value: object, place: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield _wrong(place, f"a list, each {_shown(kind)}", value)
        return
    for at, item in enumerate(value):
        yield from _value(kind, item, f"{place}[{at}]")


def _value(kind: str, value: object, place: str) -> Iterator[str]:
    if kind in OBJECTS:
        yield from _object(kind, value, place)
    elif not _IS[kind][1](value):
        yield _wrong(place, _IS[kind][0], value)


def _unknown(place: str, name: str, key: str, members: Sequence[str]) -> str:
    near = get_close_matches(key, members, n=1)
    hint = f" (did you mean {near[0]}?)" if near else f"; it has {', '.join(members)}"
    return f"{place}: no member of {_shown(name)}{hint}"


def _wrong(place: str, expected: str, value: object) -> str:
    return f"{place or 'document'}: expected {expected}, got {_quoted(value)}"


def _quoted(value: object) -> str:
    if isinstance(value, str):
        return f"the text {value[:40]!r}{'…' if len(value) > 40 else ''}"
    kinds = {dict: "an object", list: "a list", bool: str(value).lower(), int: str(value), float: str(value)}
    return "null" if value is None else kinds.get(type(value), type(value).__name__)


def _shown(kind: str) -> str:
    """``event_part`` as one says it; ``text`` as it is."""
    if kind.startswith("["):
        return f"a list, each {_shown(kind.strip('[]'))}"
    if kind in _IS:
        return _IS[kind][0]
    words = kind.replace("_", " ")
    return f"an {words}" if words[0] in "aeio" else f"a {words}"


def _below(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
