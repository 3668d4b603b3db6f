"""Whether what comes out is what came out when the fault was found."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from bridgecheck.repro.parts.data import EXPECTED, FAULTY, LOOKED_AT, VARYING


def shows(seen: dict[str, Any]) -> bool:
    """Prints what was expected, and what came out; whether it is what came out when this was written."""
    for one in EXPECTED:
        print(f"EXPECTED {one['path']}: {one['expected']}\n  it was {one['got']}")
    for path, value in looked_at(seen):
        print(f"ACTUAL   {path}: {json.dumps(value)}")
    if seen["raised"]:
        print(seen["raised"])
    return digest(seen) == FAULTY


def digest(seen: dict[str, Any]) -> str:
    """Of everything looked at; values that differ from run to run count by the order in which they come."""
    order: dict[str, int] = {}
    rows = [[path, json.dumps(value)] for path, value in looked_at(seen)]
    rows = [[path, str(order.setdefault(told, len(order))) if path in VARYING else told] for path, told in rows]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def looked_at(seen: dict[str, Any]) -> list[tuple[str, Any]]:
    """The places on which the fault hangs, with their values."""
    places = [place for name in seen for place in leaves(seen[name], name)]
    return [place for place in places if (place[0] + ".").startswith(tuple(LOOKED_AT))]


def leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from leaves(value[key], f"{path}.{key}")
    elif isinstance(value, list) and value:
        for item in value:
            yield from leaves(item, f"{path}[]")
    else:
        yield path, value
