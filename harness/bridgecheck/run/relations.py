"""Plays a case again as the relations vary it: the same answers, with their streams sent in another way.

layer  what is varied                              played by
wire   the documents of every streamed answer      the converter (it sees no bytes)
sdk    the bytes, or documents framed anew         real SDK clients over a varied recording
http   the same                                    the wire client, through a gateway
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from bridgecheck import normalise
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.checks.laws import judge_relation
from bridgecheck.codec import sse
from bridgecheck.codec.body import encode_array_stream
from bridgecheck.drivers import Driver, inprocess
from bridgecheck.drivers.foreign_code import Crashed, Refused
from bridgecheck.drivers.inprocess import ConvertedResponse
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.verdict import CaseKey, Verdict
from bridgecheck.relations import TWO_STREAMS, Documents, Relation
from bridgecheck.relations.choice import RelationChoice
from bridgecheck.relations.chunk import Recut
from bridgecheck.relations.concurrent_partner import PARTNER_TEXT, concurrent_partner_response
from bridgecheck.run import laws
from bridgecheck.run.longer_limits import HangCount
from bridgecheck.run.record import Record, Turn
from bridgecheck.run.strategy import Strategy
from bridgecheck.wire import Dialect


@dataclass(frozen=True, slots=True)
class ReplayedAnswers:
    """What the client received of varied streams, by turn. ``failure``: what ended the play early, "" if nothing."""

    answers: dict[int, Response]
    failure: str = ""


Replay: TypeAlias = Callable[[], ReplayedAnswers | None]
"""Plays the varied case; None if it turns out that it shows nothing."""


def relate_on_wire(
    evidence: Evidence, driver: Driver, relation_choice: RelationChoice, hangs: HangCount
) -> Iterator[Verdict]:
    """Judge a case of the wire layer by the relations. ``evidence``: of the case as this driver played it. ``hangs``:
    counts those of the adapter meanwhile.

    Requests are not converted again: they do not depend on how their answers come. Stream against unary is
    ``law.fold_square``, which recorded traffic is always judged by.
    """
    if evidence.key.mode == "stream" and relation_choice.how_many != "none" and evidence.scenario is not None:
        yield from laws.judge_fold_laws(evidence, driver, hangs)
    vary = partial(_make_wire_replay, evidence=evidence, driver=driver, hangs=hangs)
    yield from _judge_relations(evidence, driver, relation_choice, vary)


def relate_on_sdk(
    evidence: Evidence, turns: Sequence[Turn], cassette: Cassette, driver: Driver, relation_choice: RelationChoice,
    strategy: Strategy, hangs: HangCount,
) -> Iterator[Verdict]:  # fmt: skip
    """Judge a case of the sdk or http layer by the relations.

    ``evidence``: of the case as it was played with these turns and this recording; ``strategy``: how to play it again;
    ``hangs``: counts those of the adapter meanwhile.
    Not where the client leaves after so many events: it sees another part of an answer that comes in other events.
    """
    if any(turn.leaves_after for turn in turns):
        return
    vary = partial(_make_sdk_replay, key=evidence.key, cassette=cassette, strategy=strategy, hangs=hangs)
    yield from _judge_relations(evidence, driver, relation_choice, vary)


def _judge_relations(
    evidence: Evidence, driver: Driver, relation_choice: RelationChoice, vary: Callable[[Relation], Replay | None]
) -> Iterator[Verdict]:
    """Yield one verdict for each relation that changes something. A crash or refusal is the case's own finding."""
    transcript = evidence.transcript
    if transcript.crash or transcript.unanswered or evidence.key.mode != "stream":
        return
    left = relation_choice.needed_changing_relation_count(evidence.key.layer)
    for relation in relation_choice.relations_to_try(evidence.key):
        replay = vary(relation)
        replayed = replay() if replay else None
        if replayed is None:
            continue
        outcomes = {turn: normalise.response(answer) for turn, answer in replayed.answers.items()}
        yield judge_relation(relation, evidence, outcomes, replayed.failure, is_identity=driver.identity)
        left -= 1
        if not left:
            return


def readable_events(response: Response) -> Documents | None:
    """Return the events of a stream that was understood to its end; None for anything else."""
    if response.mode != "stream" or response.status >= 400 or response.text:
        return None
    documents = [document for document in response.documents if isinstance(document, dict)]
    return tuple(documents) if documents and len(documents) == len(response.documents) else None


def vary_response(relation: Relation, response: Response) -> Response | None:
    """Return the answer sent in another way; None where the relation changes nothing."""
    documents = readable_events(response)
    vary = relation.documents.get(response.dialect)
    changed = vary(documents) if vary and documents else documents
    return None if changed is None or changed == documents else replace(response, documents=changed, chunks=None)


def _make_wire_replay(relation: Relation, evidence: Evidence, driver: Driver, hangs: HangCount) -> Replay | None:
    if relation is TWO_STREAMS:
        return None if driver.identity else lambda: _replay_interleaved_with_partner(evidence, driver, hangs)
    answers = _upstream_answers_by_turn(evidence).items()
    changed = {turn: varied for turn, answer in answers if (varied := vary_response(relation, answer))}
    if not changed:
        return None
    if driver.identity:
        return lambda: ReplayedAnswers(changed)
    return lambda: _convert_answers(evidence, changed, driver, inprocess.convert_response, hangs)


def _upstream_answers_by_turn(evidence: Evidence) -> dict[int, Response]:
    """Return the provider's answer of each turn that had one."""
    upstream = evidence.transcript.upstream
    calls = {turn: evidence.answering_call_index(turn) for turn in range(len(evidence.transcript.client))}
    return {turn: upstream[call].response for turn, call in calls.items() if call >= 0}


def _convert_answers(
    evidence: Evidence, answers: dict[int, Response], driver: Driver,
    convert: Callable[[Driver, Response, Request], ConvertedResponse], hangs: HangCount,
) -> ReplayedAnswers:  # fmt: skip
    received: dict[int, Response] = {}
    try:
        for turn, answer in answers.items():
            request = evidence.transcript.client[turn].request
            if request is not None:
                received[turn] = convert(driver, answer, request).response
    except (Crashed, Refused) as error:
        hangs.note(error)
        return ReplayedAnswers(received, str(error))
    return ReplayedAnswers(received)


def _replay_interleaved_with_partner(evidence: Evidence, driver: Driver, hangs: HangCount) -> ReplayedAnswers | None:
    """Convert each streamed answer next to a second one; None if the adapter cannot take that one even by itself."""
    second = concurrent_partner_response(evidence.key.upstream)
    streams = {turn: answer for turn, answer in _upstream_answers_by_turn(evidence).items() if readable_events(answer)}

    def convert_interleaved_with_partner(acting: Driver, response: Response, request: Request) -> ConvertedResponse:
        return inprocess.convert_interleaved(acting, second, response, request)

    replayed = _convert_answers(evidence, streams, driver, convert_interleaved_with_partner, hangs)
    alone = dict.fromkeys(streams, second)
    if replayed.failure and _convert_answers(evidence, alone, driver, inprocess.convert_response, hangs).failure:
        return None
    return replayed if streams else None


def vary_recorded(relation: Relation, recorded: RecordedInteraction, dialect: Dialect) -> RecordedInteraction:
    """Return the recorded answer sent in another way; the same one where the relation changes nothing."""
    response = recorded.response(dialect, "stream")
    if response.status >= 400 or any(name == "content-encoding" for name, _ in recorded.headers):
        return recorded
    recut, varied = relation.chunks.get(dialect), vary_response(relation, response)
    if recorded.body.lstrip().startswith(b"["):
        chunks = _vary_array_stream(recorded, recut, varied)
    else:
        chunks = recut(recorded.chunks) if recut else frame_stream(varied) if varied else recorded.chunks
    return recorded if chunks == recorded.chunks else replace(recorded, chunks=chunks, t_ms=())


def _vary_array_stream(
    recorded: RecordedInteraction, recut: Recut | None, varied: Response | None
) -> tuple[bytes, ...]:
    """Return the chunks of a stream that is a JSON array in other cuts or with other members. It has neither comments
    nor lines: what would add or change those leaves it as it is."""
    if recut:
        chunks = recut(recorded.chunks)
        return chunks if b"".join(chunks) == recorded.body else recorded.chunks
    if varied is None:
        return recorded.chunks
    return encode_array_stream(varied.dialect, varied.documents, is_whole=recorded.end == "complete")


def frame_stream(response: Response) -> tuple[bytes, ...]:
    """Return one write an event, and the terminator if there was one."""
    end = sse.terminator(response.dialect) if response.terminated else b""
    events = (sse.frame_event(response.dialect, document) for document in response.documents)
    return (*events, end) if end else tuple(events)


def _make_sdk_replay(
    relation: Relation, key: CaseKey, cassette: Cassette, strategy: Strategy, hangs: HangCount
) -> Replay | None:
    if relation is TWO_STREAMS:
        return _make_concurrent_requests_replay(key, cassette, strategy, hangs)
    interactions = tuple(vary_recorded(relation, recorded, key.upstream) for recorded in cassette.interactions)
    if interactions == cassette.interactions:
        return None
    varied = replace(cassette, interactions=interactions)
    return lambda: _received_answers(strategy.play(varied), hangs)


def _received_answers(record: Record, hangs: HangCount) -> ReplayedAnswers:
    hangs.count += record.crash_kind == "hung"
    return ReplayedAnswers(dict(enumerate(record.received)), record.crash or record.refused)


def _make_concurrent_requests_replay(
    key: CaseKey, cassette: Cassette, strategy: Strategy, hangs: HangCount
) -> Replay | None:
    """Play a case of one call twice at once. Which of the two requests comes first is up to the adapter."""
    play_twice = strategy.play_twice
    if play_twice is None or len(cassette.interactions) != 1:
        return None
    recorded = cassette.interactions[0]
    if readable_events(recorded.response(key.upstream, "stream")) is None:
        return None
    chunks = frame_stream(replace(concurrent_partner_response(key.upstream), terminated=True))
    second = replace(recorded, chunks=chunks, end="complete", t_ms=())
    both = replace(cassette, interactions=(recorded, second))

    def replay_whichever_call_got_no_partner_answer() -> ReplayedAnswers:
        first_record, second_record = play_twice(both)
        texts = [normalise.response(answer).first.joined_text for answer in first_record.received]
        is_partner = not first_record.crash and any(PARTNER_TEXT in text for text in texts)
        return _received_answers(second_record if is_partner else first_record, hangs)

    return replay_whichever_call_got_no_partner_answer
