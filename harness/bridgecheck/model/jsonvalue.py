"""Readers for decoded JSON that never raise on a surprising shape, and the canonical text of a value.

A reader returns the value if it has the wanted shape and the empty value of that shape otherwise; whoever must tell
"absent" from "wrong shape" looks at the raw value instead."""

import json
from collections.abc import Callable, Iterator
from typing import Final, cast

from bridgecheck.wire import JsonObject

MAX_NESTING: Final = 200
"""Levels of objects and lists in a document: three times what the deepest of the corpus has. Deeper ones are no use to
clients: openai 3.52.0 raises at 300 levels (measured 2026-11-23). Whoever compares documents goes down into them."""


def parse_json(source: str | bytes, parse_constant: Callable[[str], object] | None = None) -> object:
    """Return the value in a JSON text. Raises ValueError, also for one that nests deeper than ``MAX_NESTING``."""
    try:
        value = json.loads(source, parse_constant=parse_constant)
    except RecursionError:
        raise ValueError(f"it nests deeper than {MAX_NESTING} levels") from None
    if _count_openings(source) > MAX_NESTING and _nests_too_deeply(value):
        raise ValueError(f"it nests deeper than {MAX_NESTING} levels")
    return value


def _count_openings(source: str | bytes) -> int:
    if isinstance(source, bytes):
        return source.count(b"{") + source.count(b"[")
    return source.count("{") + source.count("[")


def _nests_too_deeply(value: object) -> bool:
    """Whether objects and lists stand in each other more than ``MAX_NESTING`` times."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_NESTING):
        if not level:
            return False
        inner = (item for holder in level for item in (holder.values() if isinstance(holder, dict) else holder))
        level = [item for item in inner if isinstance(item, dict | list)]
    return bool(level)


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
