"""What a provider's own live answer contradicts: no adapter is failed by it.

On the native control path the identity hands on what the provider sent, so what fails there about an answer, the
provider fails. Of a script that is a mistake in the script; of a live answer it is one in what we expect of it. The
scenario or rule is DISPUTED then, for the native case and for what adapters make of the same answer
(docs/decisions/0047)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from bridgecheck.checks.check import Side, describe_difference
from bridgecheck.checks.expect_outcome import EXPECT_OUTCOME
from bridgecheck.checks.expect_wire import EXPECT_WIRE
from bridgecheck.checks.table import CHECKS
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.wire import Dialect

_OF_ANSWERS: Final[frozenset[Side]] = frozenset({"response", "stream"})
_ON_REQUEST: Final = "upstream_request"
_CHECKS: Final = frozenset(
    {check.id for check in CHECKS if check.side in _OF_ANSWERS} | {EXPECT_OUTCOME.id, EXPECT_WIRE.id}
)
"""The checks that tell something of an answer. What a request holds is the client's, whatever a provider answers."""


@dataclass(frozen=True, slots=True)
class Contradictions:
    """What a live answer in ``dialect`` fails by itself. ``rows``: (check, place, expected value); ``outcome_keys``: of
    expect.outcome; ``literals``: kinds of literal expectations, ``client_response distinct``. ``verdicts``: all of it,
    as the native case has it."""

    dialect: Dialect
    verdicts: tuple[Verdict, ...] = ()
    rows: frozenset[tuple[str, str, str]] = frozenset()
    outcome_keys: frozenset[str] = frozenset()
    literals: frozenset[str] = frozenset()


def find_contradictions_by_provider(dialect: Dialect, native: Iterable[Verdict]) -> Contradictions:
    """``native``: the verdicts of the native case at the wire layer, played with a live answer. Only what is a MUST
    can be contradicted: a provider may leave a SHOULD undone."""
    found = tuple(
        verdict
        for verdict in native
        if verdict.status == "FAIL" and verdict.check in _CHECKS and not _is_about_request(verdict)
    )
    rows = frozenset((verdict.check, row.path, row.expected) for verdict in found for row in _rows(verdict))
    keys = frozenset(_key(row) for verdict in found if verdict.check == EXPECT_OUTCOME.id for row in _rows(verdict))
    literals = frozenset(kind for verdict in found if verdict.check == EXPECT_WIRE.id for kind in verdict.rules)
    return Contradictions(dialect, found, rows, keys, literals)


def dispute(verdicts: Iterable[Verdict], contradictions: Contradictions, client: Dialect, by: str) -> Iterator[Verdict]:
    """Yield the verdicts of a case that is played with this answer; of a FAIL the differences that the answer itself
    makes as a verdict of their own, DISPUTED. ``by``: whose answer it is, for the message."""
    for verdict in verdicts:
        if verdict.status != "FAIL" or verdict.check not in _CHECKS or not contradictions.verdicts:
            yield verdict
            continue
        disputed = [row for row in _rows(verdict) if _is_disputed(verdict, row, contradictions, client)]
        rest = [row for row in _rows(verdict) if row not in disputed]
        if disputed:
            what = describe_difference(disputed[0]) if verdict.differences else verdict.message
            explanation = f"the live answer of {by} is not so either: {what}"
            shown = tuple(disputed) if verdict.differences else ()
            yield replace(verdict, status="DISPUTED", message=explanation, differences=shown)
        if rest:
            message = describe_difference(rest[0]) if disputed else verdict.message
            yield replace(verdict, message=message, differences=tuple(rest) if verdict.differences else ())


def _is_disputed(verdict: Verdict, row: Difference, contradictions: Contradictions, client: Dialect) -> bool:
    """Return whether the provider's answer differs in the same: at the same place for a client of its dialect, else in
    the same key of the outcome or the same kind of literal, which another dialect spells at another place."""
    if client == contradictions.dialect:
        return (verdict.check, row.path, row.expected) in contradictions.rows
    if verdict.check == EXPECT_OUTCOME.id:
        return _key(row) in contradictions.outcome_keys
    return verdict.check == EXPECT_WIRE.id and not contradictions.literals.isdisjoint(verdict.rules)


def _rows(verdict: Verdict) -> tuple[Difference, ...]:
    """Return the differences of a verdict; its message where it has none."""
    return verdict.differences or (Difference("", verdict.message, verdict.message),)


def _key(row: Difference) -> str:
    return row.path.partition(".")[0].partition("[")[0]


def _is_about_request(verdict: Verdict) -> bool:
    return verdict.check == EXPECT_WIRE.id and any(kind.startswith(_ON_REQUEST) for kind in verdict.rules)
