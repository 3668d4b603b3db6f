"""relation.*: a stream that the provider could have sent in another way says the same to the client.

What ``laws.said`` says of both ends is compared, turn by turn: ids and names that are made anew each time are not.
"""

from collections.abc import Iterator, Mapping
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

_SAYS: Final = "the client receives something else"


def checks(blocked_by: tuple[str, ...]) -> Iterator[Check]:
    """One check a relation. What is wrong without any variation explains what is wrong with one."""
    for one in RELATIONS:
        yield Check(one.check, "relations", "MUST", _basis(one), one.rule, played_apart, "relation", blocked_by)


def _basis(relation: Relation) -> Basis:
    """Where such streams were seen; of what an intermediary or a second client does, where it is said or reported."""
    refs = "; ".join(dict.fromkeys(relation.realistic.values()))
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
        rows = differences(said(found.received[turn]), said(outcome))
        if rows:
            return Verdict(relation.check, status, f"{relation.done}, {_SAYS}", rows, turn=turn)
    return Verdict(relation.check, "PASS")


def _status(relation: Relation, found: Evidence, *, identity: bool) -> Status:
    """FAIL where a provider is known to send such streams."""
    if found.scenario is not None and found.scenario.level == "MAY":
        return "NOTE"
    if found.key.upstream not in relation.realistic:
        return "NOTE"
    return "ERROR" if identity else "FAIL"
