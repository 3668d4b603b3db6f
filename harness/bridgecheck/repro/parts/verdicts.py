"""Whether the finding still shows, told from what went over the wire: one function for each kind of ``oracle``."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from bridgecheck.model.literals import find_violation, is_refusal, plain_json, select
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
    if row["operator"] != "bind":
        document, turn = document_of(row, traffic), row["index"]
        is_refused = is_refusal(row["on"], turn, document is not None, traffic["received"])
        return not find_violation(row["operator"], row["operand"], document, row["path"], row["on"], is_refused)
    values = actual_values(row, traffic)  # the same value wherever the same name stands
    first = [bound.setdefault(row["operand"], plain_json(value)) for value in values]
    return bool(values) and first == [plain_json(value) for value in values]


def actual_values(row: dict[str, Any], traffic: dict[str, Any]) -> list[Any]:
    """Return everything that the path of an expectation selects."""
    return select(document_of(row, traffic), row["path"], row["on"])


def document_of(row: dict[str, Any], traffic: dict[str, Any]) -> Any:
    """Return the document that an expectation is about, None if it is not there. Events are one list."""
    documents = traffic["sent" if row["on"] == "upstream_request" else "received"]
    if row["index"] >= len(documents):
        return None
    document = documents[row["index"]]
    return next(iter(document), None) if row["on"] == "client_response" else document


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
