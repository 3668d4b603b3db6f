"""Readers for decoded JSON that never raise on a surprising shape, and the canonical text of a value.

A reader returns the value if it has the wanted shape and the empty value of that shape otherwise; whoever must tell
"absent" from "wrong shape" looks at the raw value instead."""

import json
from collections.abc import Iterator
from typing import Final, cast

from bridgecheck.wire import JsonObject

MAX_NESTING: Final = 200
"""Levels of objects and lists in a document: three times what the deepest of the corpus has. Deeper ones are no use to
clients: openai 3.52.0 raises at 300 levels (measured 2026-11-23). Whoever compares documents goes down into them."""


MAX_MEMBERS: Final = 10_000
"""Members of one object. No API has any that large; each would be a difference of its own."""


MAX_VALUES: Final = 1_000_000
"""Values of one document, by its commas and brackets: some hundred megabytes where it is read."""


class TooLargeToCompare(ValueError):
    """JSON that nobody can compare; ``str()`` says what is too large."""


class HoldsBareConstant(ValueError):
    """A text that is JSON to Python alone; ``str()`` names its NaN, Infinity or -Infinity."""


def parse_json(source: str | bytes) -> object:
    """Return the value in a JSON text. NaN and Infinity, which Python would read, are no JSON
    (https://www.rfc-editor.org/rfc/rfc8259#section-6, read 2026-11-23). Raises ValueError, HoldsBareConstant at one of
    these, and TooLargeToCompare beyond ``MAX_NESTING``, ``MAX_MEMBERS`` and ``MAX_VALUES``."""
    if len(source) > MAX_VALUES and count_values(source) > MAX_VALUES:
        raise TooLargeToCompare(f"it has more than {MAX_VALUES} values")
    try:
        value = json.loads(source, parse_constant=_refuse_constant)
    except RecursionError:
        raise TooLargeToCompare(f"it nests deeper than {MAX_NESTING} levels") from None
    if _may_be_too_large(source):
        _refuse_too_large(value)
    return value


def _refuse_constant(name: str) -> object:
    raise HoldsBareConstant(f"{name} is no JSON")


def reason_if_not_plain(error: ValueError) -> str:
    """Return why a text is refused that looks like JSON, "" for one that anybody sees is none."""
    return str(error) if isinstance(error, TooLargeToCompare | HoldsBareConstant) else ""


def count_values(source: str | bytes) -> int:
    """Return how many values a JSON text has, or some more: what looks like one in a string counts too."""
    if isinstance(source, str):
        return source.count(",") + source.count("[") + source.count("{")
    return source.count(b",") + source.count(b"[") + source.count(b"{")


def _may_be_too_large(source: str | bytes) -> bool:
    """Whether there are so many brackets or colons that the value has to be looked at."""
    if isinstance(source, bytes):
        return source.count(b"{") + source.count(b"[") > MAX_NESTING or source.count(b":") > MAX_MEMBERS
    return source.count("{") + source.count("[") > MAX_NESTING or source.count(":") > MAX_MEMBERS


def _refuse_too_large(value: object) -> None:
    """Raises TooLargeToCompare."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_NESTING):
        if any(isinstance(holder, dict) and len(holder) > MAX_MEMBERS for holder in level):
            raise TooLargeToCompare(f"an object in it has more than {MAX_MEMBERS} members")
        inner = (item for holder in level for item in (holder.values() if isinstance(holder, dict) else holder))
        level = [item for item in inner if isinstance(item, dict | list)]
        if not level:
            return
    raise TooLargeToCompare(f"it nests deeper than {MAX_NESTING} levels")


def obj(value: object) -> JsonObject:
    """The object, or {} if it is none."""
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def arr(value: object) -> list[object]:
    """The list, or [] if it is none."""
    return value if isinstance(value, list) else []


def objs(value: object) -> Iterator[JsonObject]:
    """The objects of a list, other members passed over."""
    return (cast(JsonObject, item) for item in arr(value) if isinstance(item, dict))


def text(value: object) -> str:
    """The string, or "" if it is none."""
    return value if isinstance(value, str) else ""


def integer(value: object) -> int | None:
    """The integer (a float with no fraction counts), or None; booleans are no integers."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else None


def canonical(value: object) -> str:
    """One text per JSON value: keys sorted, no white space, 1.0 written as 1, non-ASCII kept."""
    return json.dumps(_whole_floats_as_integers(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _whole_floats_as_integers(value: object) -> object:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {str(key): _whole_floats_as_integers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole_floats_as_integers(item) for item in value]
    return value
