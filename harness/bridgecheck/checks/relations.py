"""relation.*: a stream that the provider could have sent in another way says the same to the client.

What ``laws.said`` says of both ends is compared, turn by turn: ids and names that are made anew each time are not.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from bridgecheck.checks.bases import READ
from bridgecheck.checks.check import Check
from bridgecheck.checks.laws import played_apart, said
from bridgecheck.compare.diff import differences
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.outcome import Outcome
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Status, Verdict
from bridgecheck.relations import RELATIONS, Relation
from bridgecheck.wire import JsonObject

_SAYS: Final = "the client receives something else"


def checks(blocked_by: tuple[str, ...]) -> Iterator[Check]:
    """One check a relation. What is wrong without any variation explains what is wrong with one."""
    for one in RELATIONS:
        yield Check(one.check, "relations", "MUST", _basis(one), one.rule, played_apart, "relation", blocked_by)


def _basis(relation: Relation) -> Basis:
    """Where such streams were seen; of what an intermediary or a second client does, where it is said or reported."""
    if len(set(relation.realistic.values())) == 1:
        refs = next(iter(relation.realistic.values()))
    else:
        refs = "; ".join(f"{dialect}: {where}" for dialect, where in relation.realistic.items())
    if refs.startswith("https://github.com/"):
        return Basis("client-breaks", refs, READ)
    return Basis("documented" if refs.startswith("https://") else "recorded", refs, READ)


def invariant(
    relation: Relation, found: Evidence, varied: Mapping[int, Outcome], broke: str, *, identity: bool
) -> Verdict:
    """``found``: the case as it was played; ``varied``: turn -> what the client received of the varied stream.
    ``broke``: what ended the varied play early, "" if nothing did. The identity has nothing of its own to get wrong: a
    difference there is a mistake of the judge."""
    status = _status(relation, found, identity=identity)
    if broke:
        return Verdict(relation.check, status, f"{relation.done}, the adapter breaks off:\n{broke}")
    for turn, outcome in varied.items():
        rows = differences(*_compared(found.client_outcomes[turn], outcome))
        if rows:
            return Verdict(relation.check, status, f"{relation.done}, {_SAYS}", rows, turn=turn)
    return Verdict(relation.check, "PASS")


def _compared(plain: Outcome, varied: Outcome) -> tuple[JsonObject, JsonObject]:
    """What both say. Counts of an answer that ended in an error are those that happened to come before it."""
    if plain.error is not None and varied.error is not None:
        plain, varied = replace(plain, usage=None), replace(varied, usage=None)
    return said(plain), said(varied)


def _status(relation: Relation, found: Evidence, *, identity: bool) -> Status:
    """FAIL where a provider is known to send such streams."""
    if found.scenario is not None and found.scenario.level == "MAY":
        return "NOTE"
    if found.key.upstream not in relation.realistic:
        return "NOTE"
    return "ERROR" if identity else "FAIL"
