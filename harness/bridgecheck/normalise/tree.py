"""Reading a document field by field without losing a leaf: known fields are taken out, the rest goes to ``other``.

A reader takes what it understands *and can use*; a field of a surprising shape stays, and so ends in ``other``. null is
absent everywhere: no dialect gives it a meaning of its own."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from bridgecheck.model.jsonvalue import arr, canonical, integer, obj, objs, parse_json
from bridgecheck.wire import JsonObject

Leaves = tuple[tuple[str, str], ...]


class Fields:
    """The fields of one object, taken one by one. ``rest``: what nobody took. What is no object reads as empty."""

    __slots__ = ("rest",)

    def __init__(self, value: object) -> None:
        self.rest: JsonObject = dict(obj(value))

    def take(self, name: str) -> object:
        """Take the value, of whatever type; None if absent or null."""
        return self.rest.pop(name, None)

    def take_text(self, name: str) -> str:
        """Take the string, or "" if there is none."""
        value = self._peek_dropping_null(name)
        return str(self.rest.pop(name)) if isinstance(value, str) else ""

    def take_integer(self, name: str) -> int | None:
        value = integer(self._peek_dropping_null(name))
        if value is not None:
            del self.rest[name]
        return value

    def take_flag(self, name: str) -> bool | None:
        value = self._peek_dropping_null(name)
        return bool(self.rest.pop(name)) if isinstance(value, bool) else None

    def take_list(self, name: str) -> list[object]:
        """Take the list's members, or none if there is no list."""
        value = self._peek_dropping_null(name)
        if not isinstance(value, list):
            return []
        del self.rest[name]
        return value

    def _peek_dropping_null(self, name: str) -> object:
        """Return the value and leave it; a null is dropped, since it means absent."""
        value = self.rest.get(name)
        if value is None:
            self.rest.pop(name, None)
        return value

    def has(self, name: str) -> bool:
        """Return whether the field is there and not null."""
        return self.rest.get(name) is not None

    def take_child(self, name: str) -> "Fields":
        """Take the object in this field, an empty one if there is none."""
        return Fields(self.rest.pop(name) if isinstance(self._peek_dropping_null(name), dict) else None)

    @contextmanager
    def child(self, name: str) -> Iterator["Fields"]:
        """Open the object in this field; what it leaves is put back at the end."""
        child = self.take_child(name)
        yield child
        self.put_back(name, child.rest)

    def members(self, name: str) -> Iterator["Fields"]:
        """Yield the members of a list, one by one; what they leave is put back after the last.

        A member that is no object leaves itself, as ``unread``."""
        members = [Fields(item if isinstance(item, dict) else {"unread": item}) for item in self.take_list(name)]
        yield from members
        self.put_back(name, [member.rest for member in members if member.rest])

    def take_whole(self) -> JsonObject:
        """Take all fields that are left."""
        whole, self.rest = self.rest, {}
        return whole

    def put_back(self, name: str, rest: object) -> None:
        """Put back what a reader of this field left, if anything."""
        if rest:
            self.rest[name] = rest

    def drop_expected(self, name: str, *values: object) -> None:
        """Drop a structural field if it has one of these values; any other value stays in the rest."""
        value = self.rest.get(name)
        if any(value is item or (type(value) is type(item) and value == item) for item in values):
            self.rest.pop(name, None)


def find_leaves(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield (path, canonical JSON) of every leaf; list indices are ``[]``; an empty list or object is a leaf."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from find_leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for item in value:
            yield from find_leaves(item, f"{path}[]")
    elif value is not None:
        yield path, canonical(value)


def other_leaves(rest: JsonObject) -> Leaves:
    """Return all leaves of what was left, sorted by path; leaves of one path stay in document order."""
    return tuple(sorted(find_leaves(rest), key=lambda leaf: leaf[0])) if rest else ()


def merge_fields(
    into: JsonObject, new: JsonObject, joined: frozenset[str] = frozenset(), path: str = "", *, lists_grow: bool = False
) -> None:
    """Fold one event's fields into those before it: objects by key, everything else last non-null.

    ``joined``: paths whose lists and strings come in pieces and are put together; written as in ``find_leaves``.
    ``lists_grow``: a list is put behind the one before it, unless it begins with that and so repeats it; entries that
    carry an ``index`` are pieces of the one with that index."""
    for key, value in new.items():
        here = f"{path}.{key}" if path else key
        old = into.get(key)
        if value is None:
            into.setdefault(key, None)
        elif isinstance(old, dict) and isinstance(value, dict):
            merge_fields(old, value, joined, here, lists_grow=lists_grow)
        elif lists_grow and isinstance(old, list | None) and _is_indexed(value):
            into[key] = _merge_by_index([*objs(old)], [*objs(value)])
        elif isinstance(old, list) and isinstance(value, list) and (here in joined or lists_grow):
            repeats = here not in joined and value[: len(old)] == old
            into[key] = value if repeats else [*old, *value]
        elif here in joined and isinstance(old, str) and isinstance(value, str):
            into[key] = old + value
        else:
            into[key] = deep_copy(value)


def _is_indexed(value: object) -> bool:
    """Return whether a value is a list of objects that say which entry they are a piece of."""
    indexes = [obj(entry).get("index") for entry in arr(value)]
    return bool(indexes) and all(isinstance(index, int) for index in indexes)


def _merge_by_index(entries: list[JsonObject], pieces: list[JsonObject]) -> list[JsonObject]:
    """Return the entries with each piece added to the one of its index: texts are continued, as ``accumulate_delta`` of
    openai 3.52.0 does (openai/lib/streaming/_deltas.py)."""
    merged = list(entries)
    for piece in pieces:
        entry = next((known for known in merged if known["index"] == piece["index"]), None)
        if entry is None:
            merged.append(obj(deep_copy(piece)))
            continue
        texts = frozenset(key for key, value in piece.items() if isinstance(value, str)) - _WHOLE_MEMBERS
        merge_fields(entry, piece, texts, lists_grow=True)
    return merged


_WHOLE_MEMBERS: Final = frozenset({"id", "type"})
"""Members of an entry that comes in pieces which each piece repeats."""


def deep_copy(value: object) -> object:
    """Return a deep copy of JSON objects and lists, so that merging never changes the document of a caller."""
    if isinstance(value, dict):
        return {key: deep_copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [deep_copy(item) for item in value]
    return value


def non_empty_rests(rests: Iterable[JsonObject]) -> list[object]:
    """Return the non-empty rests of a list's members."""
    return [rest for rest in rests if rest]


EMPTY_ARGUMENTS = ("", "null")


def decode_arguments(raw: str) -> tuple[JsonObject, str | None]:
    """Return (arguments, None), or ({}, the text) if it is no JSON object; "", white space and null are no arguments.

    A key that stands twice counts as its last value, as every JSON parser of the SDKs has it."""
    if raw.strip() in EMPTY_ARGUMENTS:
        return {}, None
    try:
        value = parse_json(raw)
    except ValueError:
        return {}, raw
    return (obj(value), None) if isinstance(value, dict) else ({}, raw)
