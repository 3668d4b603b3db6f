"""expect.wire: literal expectations on documents as they went over the wire. They pass through no normaliser, so they
hold also where judge and adapter share an error."""

from collections.abc import Iterator, Sequence
from typing import Final

from bridgecheck.checks.bases import OWN, REQUEST, RESPONSE
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.expect_prompt import has_inexpressible_request
from bridgecheck.checks.predicates import find_violation, select, show_values
from bridgecheck.checks.view import is_blocked
from bridgecheck.compare.tool_results import WRAPPERS
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.scenario import WirePredicate
from bridgecheck.model.verdict import Difference

_OUTPUT: Final = "functionResponse.response.output"
"""Callers may use any keys that suit the function's syntax, output and result are examples
(https://ai.google.dev/api/caching#FunctionResponse, read 2026-11-22): the other recorded wrappers mean the same."""


def check_wire_expectations(evidence: Evidence) -> list[Result]:
    """Every literal expectation of the scenario on this case's dialects and mode holds."""
    if evidence.scenario is None or is_blocked(evidence):
        return []
    rows_by_kind: dict[str, list[Difference]] = {}
    bindings: dict[str, tuple[str, str]] = {}
    for predicate in evidence.scenario.expect.wire:
        if not applies(predicate, evidence):
            continue
        rows = rows_by_kind.setdefault(f"{predicate.on} {predicate.operator}", [])
        if predicate.operator == "bind":
            rows += _compare_binding(predicate, evidence, bindings)
        else:
            rows += _test_predicate(predicate, evidence)
    level = evidence.scenario.level
    return [Result(rows, level=level, rules=[kind]) for kind, rows in rows_by_kind.items()]


EXPECT_WIRE: Final = Check(
    "expect.wire", "expectations", "MUST", OWN,
    "Literal expectations on the wire hold.",
    check_wire_expectations, "expectation", (*RESPONSE, *REQUEST),
    rules=(Rule("scenario.literal", "MUST", "Documents hold literally what the scenario expects.", OWN),),
)  # fmt: skip


def applies(predicate: WirePredicate, evidence: Evidence) -> bool:
    """Return whether a predicate is about the dialects and the mode of this case."""
    key = evidence.key
    dialect = key.upstream if predicate.on == "upstream_request" else key.client
    if dialect == "outcome" or has_inexpressible_request(evidence):  # expectations are about wire formats only
        return False
    if predicate.dialect not in (None, dialect) or predicate.mode not in (None, key.mode):
        return False
    if predicate.on == "client_events":
        return key.mode == "stream"
    return predicate.on != "client_response" or key.mode == "unary"


def _find_documents(predicate: WirePredicate, evidence: Evidence) -> list[object]:
    """Return the document that the predicate is about; [] if it is not there. Events are one list."""
    transcript = evidence.transcript
    if predicate.on == "upstream_request":
        index = predicate.index
        request = transcript.upstream[index].request if index < len(transcript.upstream) else None
        return [] if request is None else [request.body]
    if predicate.turn >= len(transcript.client):
        return []
    documents = transcript.client[predicate.turn].response.documents
    return [list(documents)] if predicate.on == "client_events" else list(documents[:1])


def _select_values(predicate: WirePredicate, evidence: Evidence) -> Iterator[object]:
    """Yield the values at the predicate's path. Paths on events may begin with an index (``[0].choices``) or, without
    one, are about every event."""
    path = predicate.path
    if predicate.on == "client_events" and path and not path.startswith("["):
        path = f"[].{path}"
    either_casing = predicate.on == "upstream_request" and evidence.key.upstream == "gemini"
    for document in _find_documents(predicate, evidence):
        selections = (select(document, spelling, either_casing=either_casing) for spelling in _path_spellings(path))
        yield from (value for _, value in next(filter(None, selections), []))


def _path_spellings(path: str) -> Sequence[str]:
    """Return the path, and those with the same meaning to try where it leads nowhere."""
    if not path.endswith(_OUTPUT):
        return (path,)
    return (path, *(f"{path.removesuffix('output')}{key}" for key in sorted(WRAPPERS - {"output"})))


def _test_predicate(predicate: WirePredicate, evidence: Evidence) -> list[Difference]:
    violation = find_violation(predicate.operator, predicate.operand, list(_select_values(predicate, evidence)))
    if not violation:
        return []
    return [
        Difference(predicate_location(predicate), f"{predicate.operator} {canonical(predicate.operand)}", violation)
    ]


def _compare_binding(
    predicate: WirePredicate, evidence: Evidence, bindings: dict[str, tuple[str, str]]
) -> list[Difference]:
    """Bind the first value under a name; every later one has to be the same. ``bindings``: name -> (location, value as
    JSON)."""
    name, location = str(predicate.operand), predicate_location(predicate)
    values = list(_select_values(predicate, evidence))
    if not values:
        return [Difference(location, f"a value for {name}", show_values(values))]
    rows: list[Difference] = []
    for value in values:
        first_location, first = bindings.setdefault(name, (location, canonical(value)))
        if canonical(value) != first:
            rows.append(Difference(location, f"{first}, as at {first_location}", canonical(value), f"bound to {name}"))
    return rows


def predicate_location(predicate: WirePredicate) -> str:
    """Return where a predicate applies, as the path of a difference: document[number] and path."""
    number = predicate.index if predicate.on == "upstream_request" else predicate.turn
    return f"{predicate.on}[{number}] {predicate.path}"
