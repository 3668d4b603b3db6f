"""Whether the finding still shows, told from what went over the wire: one function for each kind of ``oracle``."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from bridgecheck.repro.parts.data import EXPECTED, FAULTY_DIGEST, VARYING_PATHS, WATCHED_PATHS


def still_raises(traffic: dict[str, Any]) -> bool:
    """Return whether the adapter still breaks."""
    print("EXPECTED a response")
    print(f"ACTUAL   {traffic['raised'] or 'a response'}")
    return bool(traffic["raised"])


def is_expectation_unmet(traffic: dict[str, Any]) -> bool:
    """Print each expectation with the actual values; whether one of them is not met."""
    bound: dict[str, str] = {}
    unmet = [row for row in EXPECTED if not is_met(row, traffic, bound)]
    for row in EXPECTED:
        print(f"EXPECTED {row['on']}[{row['index']}] {row['path']}: {row['operator']} {json.dumps(row['operand'])}")
        print(f"ACTUAL   {' | '.join(map(json.dumps, actual_values(row, traffic))) or '(nothing is there)'}")
    return bool(unmet) or bool(traffic["raised"])


def is_met(row: dict[str, Any], traffic: dict[str, Any], bound: dict[str, str]) -> bool:
    values = actual_values(row, traffic)
    if row["operator"] != "bind":  # the same value wherever the same name stands
        return OPERATORS[row["operator"]](values, row["operand"])
    first = [bound.setdefault(row["operand"], plain_json(value)) for value in values]
    return bool(values) and first == [plain_json(value) for value in values]


PATH_STEP = re.compile(r'\.?"((?:[^"\\]|\\.)*)"|\[(-?\d*)\]|\.?([^.\[\]"]+)')


def actual_values(row: dict[str, Any], traffic: dict[str, Any]) -> list[Any]:
    """Return everything that the path reaches: a.b[0].c, [] for every item, * for every key."""
    path, documents = row["path"], traffic["sent" if row["on"] == "upstream_request" else "received"]
    if row["index"] >= len(documents):
        return []
    document = documents[row["index"]]
    if row["on"] == "client_response":
        document = document[0] if document else {}
    elif row["on"] == "client_events" and path and not path.startswith("["):
        path = f"[].{path}"
    values = [document]
    for quoted, index, key in PATH_STEP.findall(path):
        values = [child for value in values for child in children(value, quoted or key, index)]
    return values


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


def plain_json(value: Any) -> str:
    """Return the value as JSON text, the same for 1 and 1.0."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{plain_json(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(plain_json, value)) + "]"
    whole = isinstance(value, float) and value.is_integer()
    return json.dumps(int(value) if whole else value)


def contains(value: Any, operand: Any) -> bool:
    if isinstance(value, str):
        return isinstance(operand, str) and operand in value
    if isinstance(value, list):
        return plain_json(operand) in map(plain_json, value)
    if not isinstance(value, dict):
        return False
    return all(key in value and plain_json(value[key]) == plain_json(operand[key]) for key in operand)


def meets_operand(operand: Any, values: list[Any]) -> bool:
    """Return whether the values meet the operators in the operand; without operators, whether they equal it."""
    if isinstance(operand, dict) and operand and all(name in OPERATORS for name in operand):
        return all(OPERATORS[name](values, inner) for name, inner in operand.items())
    return OPERATORS["equals"](values, operand)


def for_every(test: Callable[[Any, Any], bool]) -> Callable[[list[Any], Any], bool]:
    return lambda values, operand: bool(values) and all(test(value, operand) for value in values)


def in_one_list(test: Callable[[list[Any], Any], bool]) -> Callable[[list[Any], Any], bool]:
    """Return a test of the members where the only value is a list, else of the values."""
    return lambda items, operand: test(items[0] if len(items) == 1 and isinstance(items[0], list) else items, operand)


def has_value_or_member_count(values: list[Any], operand: Any) -> bool:
    counts = [len(values)]
    if len(values) == 1 and isinstance(values[0], (list, dict)):
        counts.append(len(values[0]))
    return operand in counts


OPERATORS: dict[str, Callable[[list[Any], Any], bool]] = {
    "equals": for_every(lambda value, operand: plain_json(value) == plain_json(operand)),
    "one_of": for_every(lambda value, operand: plain_json(value) in map(plain_json, operand)),
    "none_of": lambda values, operand: not {plain_json(value) for value in values} & set(map(plain_json, operand)),
    "contains": for_every(contains),
    "matches": for_every(lambda value, operand: isinstance(value, str) and bool(re.search(operand, value))),
    "absent": lambda values, operand: not values or operand is False,
    "present": lambda values, operand: bool(values) or operand is False,
    "count": has_value_or_member_count,
    "each": in_one_list(for_every(lambda value, operand: meets_operand(operand, [value]))),
    "last": in_one_list(lambda values, operand: bool(values) and meets_operand(operand, values[-1:])),
    "unordered": in_one_list(lambda items, operand: sorted(map(plain_json, items)) == sorted(map(plain_json, operand))),
}


def is_unchanged(traffic: dict[str, Any]) -> bool:
    """Print what was expected and what came out; whether it is what came out when this was written."""
    for row in EXPECTED:
        print(f"EXPECTED {row['path']}: {row['expected']}\n  it was {row['actual']}")
    for path, value in watched_values(traffic):
        print(f"ACTUAL   {path}: {json.dumps(value)}")
    if traffic["raised"]:
        print(traffic["raised"])
    return digest(traffic) == FAULTY_DIGEST


def digest(traffic: dict[str, Any]) -> str:
    """Return a digest of all watched values; those that differ between runs count by the order in which they come."""
    order: dict[str, int] = {}
    rows = [[path, json.dumps(value)] for path, value in watched_values(traffic)]
    rows = [
        [path, str(order.setdefault(value, len(order))) if path in VARYING_PATHS else value] for path, value in rows
    ]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def watched_values(traffic: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the paths on which the finding depends, with their values."""
    found = [leaf for name in traffic for leaf in leaves(traffic[name], name)]
    return [leaf for leaf in found if (leaf[0] + ".").startswith(tuple(WATCHED_PATHS))]


def leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from leaves(value[key], f"{path}.{key}")
    elif isinstance(value, list) and value:
        for item in value:
            yield from leaves(item, f"{path}[]")
    else:
        yield path, value
