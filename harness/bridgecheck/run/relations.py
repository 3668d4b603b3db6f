"""Playing what the relations vary: the answers of a case again, with their streams sent in another way.

layer  what is varied                              played by
wire   the documents of every streamed answer      the converter (it sees no bytes)
sdk    the bytes, or documents framed anew         real SDK clients (``run/relations_sdk``)
http   the same                                    the wire client, through a gateway
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from bridgecheck import normalise
from bridgecheck.checks.relations import invariant
from bridgecheck.drivers import Driver, inprocess
from bridgecheck.drivers.inprocess import Answered
from bridgecheck.drivers.supervise import Crashed, Refused
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.verdict import Verdict
from bridgecheck.relations import TWO_STREAMS, Documents, Relation
from bridgecheck.relations.choose import Relating
from bridgecheck.relations.partner import partner
from bridgecheck.run import laws


@dataclass(frozen=True, slots=True)
class Heard:
    """What the client received of varied streams, by turn. ``broke``: what ended the play early, "" if nothing did."""

    answers: dict[int, Response]
    broke: str = ""


Again: TypeAlias = Callable[[], Heard | None]
"""The varied play, still to be made; None if it turns out that it says nothing."""


def on_wire(found: Evidence, driver: Driver, relating: Relating) -> Iterator[Verdict]:
    """``found``: the case as this driver played it. Requests are not converted again: they do not depend on how their
    answers come. Stream against unary is ``law.fold_square``, which recorded traffic is always judged by."""
    if found.key.mode == "stream" and relating.how_many != "none" and found.scenario is not None:
        yield from laws.of_answers(found, driver)
    yield from verdicts(found, driver, relating, lambda relation: _wire(relation, found, driver))


def verdicts(
    found: Evidence, driver: Driver, relating: Relating, vary: Callable[[Relation], Again | None]
) -> Iterator[Verdict]:
    """One verdict for each relation that changes something. A crash or refusal is the case's own finding."""
    seen = found.transcript
    if seen.crash or seen.refused or found.key.mode != "stream":
        return
    left = relating.most(found.key.layer)
    for relation in relating.order(found.key):
        again = vary(relation)
        heard = again() if again else None
        if heard is None:
            continue
        outcomes = {turn: normalise.response(answer) for turn, answer in heard.answers.items()}
        yield invariant(relation, found, outcomes, heard.broke, identity=driver.identity)
        left -= 1
        if not left:
            return


def whole_stream(response: Response) -> Documents | None:
    """The events of a stream that was understood to its end; None for anything else."""
    if response.mode != "stream" or response.status >= 400 or response.text:
        return None
    documents = [document for document in response.documents if isinstance(document, dict)]
    return tuple(documents) if documents and len(documents) == len(response.documents) else None


def varied(relation: Relation, response: Response) -> Response | None:
    """The answer sent in another way; None where the relation changes nothing."""
    documents = whole_stream(response)
    vary = relation.documents.get(response.dialect)
    changed = vary(documents) if vary and documents else documents
    return None if changed is None or changed == documents else replace(response, documents=changed, chunks=None)


def _wire(relation: Relation, found: Evidence, driver: Driver) -> Again | None:
    if relation is TWO_STREAMS:
        return None if driver.identity else lambda: _beside(found, driver)
    changed = {turn: other for turn, answer in _answers(found).items() if (other := varied(relation, answer))}
    if not changed:
        return None
    return lambda: Heard(changed) if driver.identity else _heard(found, changed, driver, inprocess.from_upstream)


def _answers(found: Evidence) -> dict[int, Response]:
    """The provider's answer of each turn that had one."""
    upstream = found.transcript.upstream
    turns = {turn: found.upstream_call(turn) for turn in range(len(found.transcript.client))}
    return {turn: upstream[at].response for turn, at in turns.items() if at >= 0}


def _heard(
    found: Evidence,
    answers: dict[int, Response],
    driver: Driver,
    convert: Callable[[Driver, Response, Request], Answered],
) -> Heard:
    heard: dict[int, Response] = {}
    try:
        for turn, answer in answers.items():
            request = found.transcript.client[turn].request
            if request is not None:
                heard[turn] = convert(driver, answer, request).response
    except (Crashed, Refused) as wrong:
        return Heard(heard, str(wrong))
    return Heard(heard)


def _beside(found: Evidence, driver: Driver) -> Heard | None:
    """Each streamed answer beside another; None if the adapter cannot take that one even by itself."""
    other = partner(found.key.upstream)
    streams = {turn: answer for turn, answer in _answers(found).items() if whole_stream(answer)}

    def convert(acting: Driver, response: Response, request: Request) -> Answered:
        return inprocess.beside(acting, other, response, request)

    heard = _heard(found, streams, driver, convert)
    if heard.broke and _heard(found, dict.fromkeys(streams, other), driver, inprocess.from_upstream).broke:
        return None
    return heard if streams else None
