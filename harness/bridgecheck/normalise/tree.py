"""Taking a document apart without losing a leaf: known fields are taken out, and what is left names itself.

A reader takes what it understands *and can use*; a field of a surprising shape stays, and so ends in ``other``. null is
absent everywhere: no dialect gives it a meaning of its own.
"""

from collections.abc import Iterable, Iterator

from bridgecheck.model.jsonvalue import canonical, integer, obj
from bridgecheck.wire import JsonObject

Leaves = tuple[tuple[str, str], ...]


class Fields:
    """The fields of one object, taken one by one. ``left``: what nobody took. What is no object reads as empty."""

    __slots__ = ("left",)

    def __init__(self, value: object) -> None:
        self.left: JsonObject = dict(obj(value))

    def raw(self, name: str) -> object:
        """The value, whatever it is; None if absent or null."""
        return self.left.pop(name, None)

    def text(self, name: str) -> str:
        """The string, or "" if there is none."""
        value = self._peek(name)
        return str(self.left.pop(name)) if isinstance(value, str) else ""

    def integer(self, name: str) -> int | None:
        value = integer(self._peek(name))
        if value is not None:
            del self.left[name]
        return value

    def flag(self, name: str) -> bool | None:
        value = self._peek(name)
        return bool(self.left.pop(name)) if isinstance(value, bool) else None

    def items(self, name: str) -> list[object]:
        """The list's members, or none if there is no list."""
        value = self._peek(name)
        if not isinstance(value, list):
            return []
        del self.left[name]
        return value

    def _peek(self, name: str) -> object:
        """The value, still there; a null is taken out, since it says nothing."""
        value = self.left.get(name)
        if value is None:
            self.left.pop(name, None)
        return value

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self.left.get(name) is not None

    def child(self, name: str) -> "Fields":
        """The object in this field; give back what it leaves with ``put``."""
        return Fields(self.left.pop(name) if isinstance(self._peek(name), dict) else None)

    def put(self, name: str, rest: object) -> None:
        """Put back what a reader of this field left, if anything."""
        if rest:
            self.left[name] = rest

    def expect(self, name: str, *values: object) -> None:
        """Drop a structural field if it says one of what it must say; anything else is left to be seen."""
        value = self.left.get(name)
        if any(value is wanted or (type(value) is type(wanted) and value == wanted) for wanted in values):
            self.left.pop(name, None)


def leaves(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, canonical JSON) of every leaf; list indices are written ``[]``; an empty list or object is a leaf."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for item in value:
            yield from leaves(item, f"{path}[]")
    elif value is not None:
        yield path, canonical(value)


def other(rest: JsonObject) -> Leaves:
    """All leaves of what was left, sorted by path; leaves of one path stay in document order."""
    return tuple(sorted(leaves(rest), key=lambda leaf: leaf[0])) if rest else ()


def merge(into: JsonObject, new: JsonObject, joined: frozenset[str] = frozenset(), path: str = "") -> None:
    """Fold one event's fields into those before it: objects by key, everything else last non-null.

    ``joined``: paths whose lists and strings come in pieces and are put together; they are written as in ``leaves``.
    """
    for key, value in new.items():
        here = f"{path}.{key}" if path else key
        old = into.get(key)
        if value is None:
            into.setdefault(key, None)
        elif isinstance(old, dict) and isinstance(value, dict):
            merge(old, value, joined, here)
        elif here in joined and isinstance(old, list) and isinstance(value, list):
            into[key] = [*old, *value]
        elif here in joined and isinstance(old, str) and isinstance(value, str):
            into[key] = old + value
        else:
            into[key] = copied(value)


def copied(value: object) -> object:
    """A deep copy of JSON objects and lists, so that merging never touches a document that was given to us."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return value


def without_empty(rests: Iterable[JsonObject]) -> list[object]:
    """The non-empty rests of a list's members."""
    return [rest for rest in rests if rest]
