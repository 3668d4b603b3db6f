"""expect.wire: literal expectations on documents as they went over the wire. They pass through no normaliser, so they
hold also where judge and adapter share an error."""

from collections.abc import Iterator, Sequence
from typing import Final

from bridgecheck.checks.operators import broken, show
from bridgecheck.checks.paths import select
from bridgecheck.checks.unsaid import asked_unsaid
from bridgecheck.checks.verdicts import result
from bridgecheck.checks.view import is_blocked
from bridgecheck.compare.results import WRAPPERS
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.scenario import WirePredicate
from bridgecheck.model.verdict import Difference, Verdict

_OUTPUT: Final = "functionResponse.response.output"
"""Callers may use any keys that suit the function's syntax, output and result are examples
(https://ai.google.dev/api/caching#FunctionResponse, read 2026-11-22): the other recorded wrappers say the same."""


def wire(evidence: Evidence) -> list[Verdict]:
    """Every literal expectation of the scenario that speaks of this case's dialects and mode holds."""
    if evidence.scenario is None or is_blocked(evidence):
        return []
    by_kind: dict[str, list[Difference]] = {}
    bound: dict[str, tuple[str, str]] = {}
    for predicate in evidence.scenario.expect.wire:
        if not _applies(predicate, evidence):
            continue
        rows = by_kind.setdefault(f"{predicate.on} {predicate.operator}", [])
        rows += _bind(predicate, evidence, bound) if predicate.operator == "bind" else _judge(predicate, evidence)
    level = evidence.scenario.level
    return [result("expect.wire", rows, level=level, rules=[kind]) for kind, rows in by_kind.items()]


def _applies(predicate: WirePredicate, evidence: Evidence) -> bool:
    key = evidence.key
    dialect = key.upstream if predicate.on == "upstream_request" else key.client
    if dialect == "outcome" or asked_unsaid(evidence):  # what the client receives is expected of wire formats only
        return False
    if predicate.dialect not in (None, dialect) or predicate.mode not in (None, key.mode):
        return False
    if predicate.on == "client_events":
        return key.mode == "stream"
    return predicate.on != "client_response" or key.mode == "unary"


def _documents(predicate: WirePredicate, evidence: Evidence) -> list[object]:
    """The document that the predicate speaks of; [] if it is not there. Events are one list."""
    seen = evidence.transcript
    if predicate.on == "upstream_request":
        sent = seen.upstream[predicate.index].request if predicate.index < len(seen.upstream) else None
        return [] if sent is None else [sent.body]
    if predicate.turn >= len(seen.client):
        return []
    received = seen.client[predicate.turn].response.documents
    return [list(received)] if predicate.on == "client_events" else list(received[:1])


def _reached(predicate: WirePredicate, evidence: Evidence) -> Iterator[tuple[str, object]]:
    """Paths on events may begin with an index (``[0].choices``) or, without one, speak of every event."""
    path = predicate.path
    if predicate.on == "client_events" and path and not path.startswith("["):
        path = f"[].{path}"
    either = predicate.on == "upstream_request" and evidence.key.upstream == "gemini"
    for document in _documents(predicate, evidence):
        tried = (list(select(document, one, either_casing=either)) for one in _spellings(path))
        yield from next((found for found in tried if found), [])


def _spellings(path: str) -> Sequence[str]:
    """The path, and the others that lead to the same where it leads nowhere."""
    if not path.endswith(_OUTPUT):
        return (path,)
    return (path, *(f"{path.removesuffix('output')}{key}" for key in sorted(WRAPPERS - {"output"})))


def _judge(predicate: WirePredicate, evidence: Evidence) -> list[Difference]:
    values = [value for _, value in _reached(predicate, evidence)]
    wrong = broken(predicate.operator, predicate.operand, values)
    if not wrong:
        return []
    return [Difference(place(predicate), f"{predicate.operator} {canonical(predicate.operand)}", wrong)]


def _bind(predicate: WirePredicate, evidence: Evidence, bound: dict[str, tuple[str, str]]) -> list[Difference]:
    """The first value under a name binds it; every other has to be the same."""
    name, at = str(predicate.operand), place(predicate)
    values = [value for _, value in _reached(predicate, evidence)]
    if not values:
        return [Difference(at, f"a value for {name}", show(values))]
    rows: list[Difference] = []
    for value in values:
        where, first = bound.setdefault(name, (at, canonical(value)))
        if canonical(value) != first:
            rows.append(Difference(at, f"{first}, as at {where}", canonical(value), f"bound to {name}"))
    return rows


def place(predicate: WirePredicate) -> str:
    """Where it looks, as a difference names it."""
    number = predicate.index if predicate.on == "upstream_request" else predicate.turn
    return f"{predicate.on}[{number}] {predicate.path}"
