"""What the scenario expects literally, tried on what came out."""

import json
import re
from collections.abc import Callable
from typing import Any

from bridgecheck.repro.parts.data import EXPECTED

TOKEN = re.compile(r'\.?"((?:[^"\\]|\\.)*)"|\[(-?\d*)\]|\.?([^.\[\]"]+)')


def shows(seen: dict[str, Any]) -> bool:
    """Prints each expectation with what is there; whether one of them is not met."""
    bound: dict[str, str] = {}
    wrong = [one for one in EXPECTED if not met(one, seen, bound)]
    for one in EXPECTED:
        print(f"EXPECTED {place(one)}: {one['operator']} {json.dumps(one['operand'])}")
        print(f"ACTUAL   {' | '.join(map(json.dumps, values(one, seen))) or '(nothing is there)'}")
    return bool(wrong) or bool(seen["raised"])


def met(one: dict[str, Any], seen: dict[str, Any], bound: dict[str, str]) -> bool:
    found = values(one, seen)
    if one["operator"] != "bind":  # the same value wherever the same name stands
        return OPERATORS[one["operator"]](found, one["operand"])
    first = [bound.setdefault(one["operand"], plain(value)) for value in found]
    return bool(found) and first == [plain(value) for value in found]


def place(one: dict[str, Any]) -> str:
    return f"{one['on']}[{one['index']}] {one['path']}"


def values(one: dict[str, Any], seen: dict[str, Any]) -> list[Any]:
    """Everything that the path reaches: a.b[0].c, [] for every item, * for every key."""
    path, documents = one["path"], seen["sent" if one["on"] == "upstream_request" else "received"]
    if one["index"] >= len(documents):
        return []
    document = documents[one["index"]]
    if one["on"] == "client_response":
        document = document[0] if document else {}
    elif one["on"] == "client_events" and path and not path.startswith("["):
        path = f"[].{path}"
    found = [document]
    for quoted, index, key in TOKEN.findall(path):
        step = quoted or key
        found = [child for value in found for child in children(value, step, index)]
    return found


def children(value: Any, key: str, index: str) -> list[Any]:
    if isinstance(value, list) and not key:
        if not index:
            return value
        return value[int(index) :][:1] if -len(value) <= int(index) < len(value) else []
    if isinstance(value, dict) and key:
        if key == "*":
            return list(value.values())
        snake = re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: "_" + match[0].lower(), key)
        return [value[name] for name in dict.fromkeys((key, snake)) if name in value][:1]
    return []


def plain(value: Any) -> str:
    """As JSON, the same for 1 and 1.0."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{plain(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(plain, value)) + "]"
    whole = isinstance(value, float) and value.is_integer()
    return json.dumps(int(value) if whole else value)


def contains(value: Any, operand: Any) -> bool:
    if isinstance(value, str):
        return isinstance(operand, str) and operand in value
    if isinstance(value, list):
        return plain(operand) in map(plain, value)
    return isinstance(value, dict) and all(key in value and plain(value[key]) == plain(operand[key]) for key in operand)


def members(found: list[Any]) -> list[Any]:
    """Of a single list its members, else the values."""
    return found[0] if len(found) == 1 and isinstance(found[0], list) else found


def nested(operand: Any, found: list[Any]) -> bool:
    if isinstance(operand, dict) and operand and all(name in OPERATORS for name in operand):
        return all(OPERATORS[name](found, inner) for name, inner in operand.items())
    return OPERATORS["equals"](found, operand)


def every(test: Callable[[Any, Any], bool]) -> Callable[[list[Any], Any], bool]:
    return lambda found, operand: bool(found) and all(test(value, operand) for value in found)


OPERATORS: dict[str, Callable[[list[Any], Any], bool]] = {
    "equals": every(lambda value, operand: plain(value) == plain(operand)),
    "one_of": every(lambda value, operand: plain(value) in map(plain, operand)),
    "none_of": lambda found, operand: not any(plain(value) in list(map(plain, operand)) for value in found),
    "contains": every(contains),
    "matches": every(lambda value, operand: isinstance(value, str) and bool(re.search(operand, value))),
    "absent": lambda found, operand: not found or operand is False,
    "present": lambda found, operand: bool(found) or operand is False,
    "count": lambda found, operand: (
        operand in (len(found), len(found[0]) if len(found) == 1 and isinstance(found[0], (list, dict)) else len(found))
    ),
    "each": lambda found, operand: bool(members(found)) and all(nested(operand, [one]) for one in members(found)),
    "last": lambda found, operand: bool(members(found)) and nested(operand, members(found)[-1:]),
    "unordered": lambda found, operand: sorted(map(plain, members(found))) == sorted(map(plain, operand)),
}
