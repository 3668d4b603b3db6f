"""Readers for decoded JSON that never raise on a surprising shape, and the canonical text of a value.

A reader returns the value if it has the wanted shape and the empty value of that shape otherwise; whoever must tell
"absent" from "wrong shape" looks at the raw value instead."""

import json
from collections.abc import Iterator
from typing import cast

from bridgecheck.wire import JsonObject


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
