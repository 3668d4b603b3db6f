"""The relations above the wire layer: real clients over a recording whose answers are sent in another way."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bridgecheck import normalise
from bridgecheck.cassette.recorded import Cassette, Recorded
from bridgecheck.codec import sse
from bridgecheck.drivers import Driver
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.verdict import CaseKey, Verdict
from bridgecheck.relations import TWO_STREAMS, Relation
from bridgecheck.relations.choose import Relating
from bridgecheck.relations.partner import WORD, partner
from bridgecheck.run.record import Record, Turn
from bridgecheck.run.relations import Again, Heard, varied, verdicts, whole_stream
from bridgecheck.run.ways import Way
from bridgecheck.wire import Dialect


def on_sdk(
    found: Evidence, plays: Sequence[Turn], cassette: Cassette, driver: Driver, relating: Relating, way: Way
) -> Iterator[Verdict]:
    """``found``: the case as it was played, of these turns and this recording; ``way``: how to play it again. Not where
    the client leaves after so many events: it sees another part of an answer that comes in other events."""
    if not any(turn.leaves_after for turn in plays):
        yield from verdicts(found, driver, relating, lambda one: _sdk(one, found.key, cassette, way))


def recorded_otherwise(relation: Relation, recorded: Recorded, dialect: Dialect) -> Recorded:
    """The recorded answer sent in another way; the same one where the relation changes nothing."""
    response = recorded.response(dialect, "stream")
    if response.status >= 400 or any(name == "content-encoding" for name, _ in recorded.headers):
        return recorded
    recut, other = relation.chunks.get(dialect), varied(relation, response)
    chunks = recut(recorded.chunks) if recut else framed(other) if other else recorded.chunks
    return recorded if chunks == recorded.chunks else replace(recorded, chunks=chunks, t_ms=())


def framed(response: Response) -> tuple[bytes, ...]:
    """One write an event, and the terminator if there was one."""
    end = sse.terminator(response.dialect) if response.terminated else b""
    return tuple(sse.frame(response.dialect, document) for document in response.documents) + ((end,) if end else ())


def _sdk(relation: Relation, key: CaseKey, cassette: Cassette, way: Way) -> Again | None:
    if relation is TWO_STREAMS:
        return _two_calls(key, cassette, way)
    recorded = tuple(recorded_otherwise(relation, one, key.upstream) for one in cassette.interactions)
    if recorded == cassette.interactions:
        return None
    other = replace(cassette, interactions=recorded)
    return lambda: _heard(way.play(other))


def _heard(record: Record) -> Heard:
    return Heard(dict(enumerate(record.received)), record.crash or record.refused)


def _two_calls(key: CaseKey, cassette: Cassette, way: Way) -> Again | None:
    """Of a case with one call. Which of the two requests comes first is the adapter's affair."""
    twice = way.twice
    if twice is None or len(cassette.interactions) != 1:
        return None
    recorded = cassette.interactions[0]
    if whole_stream(recorded.response(key.upstream, "stream")) is None:
        return None
    other = replace(recorded, chunks=framed(replace(partner(key.upstream), terminated=True)), end="complete", t_ms=())
    both = replace(cassette, interactions=(recorded, other))

    def again() -> Heard:
        one, two = twice(both)
        return _heard(two if not one.crash and _is_other(one) else one)

    return again


def _is_other(record: Record) -> bool:
    """Whether a call got the other stream's words."""
    return any(WORD in normalise.response(answer).first.joined_text for answer in record.received)
