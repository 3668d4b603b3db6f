"""Journals -> cassettes: chunks with their borders, decoded bodies, metadata. Pure.

Of a body that came compressed with gzip the cassette holds the decoded bytes and, per chunk as it arrived, how far they
reach; the header that names the encoding stays, and a player compresses anew. A chunk that decodes to nothing (the head
of a gzip file) has no border. Other encodings stay as they came.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence

from bridgecheck import __version__, normalise
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction, decode_recorded_request
from bridgecheck.cassette.prepare import ids_of, prepare_for_writing
from bridgecheck.cassette.stand_ins import StandIns
from bridgecheck.codec.body import header_value
from bridgecheck.codec.unpack import Unpacker
from bridgecheck.errors import BridgecheckError
from bridgecheck.model.jsonvalue import integer, obj, text
from bridgecheck.record.grouping import ConversationKey
from bridgecheck.record.journal import JournalledExchange, Piece
from bridgecheck.wire import JsonObject

_FACTS = ("recorded_at", "endpoint", "api_version", "model", "sdk", "http")
"""Members of the metadata that exchanges bring with them; the first that has one decides."""


def recorded_interaction(exchange: JournalledExchange) -> RecordedInteraction:
    """Return an exchange as a cassette holds it."""
    chunks, times = _split_at_borders(_decode_pieces(exchange))
    return RecordedInteraction(
        exchange.request, exchange.status, exchange.headers, chunks, exchange.end, times, exchange.origin
    )


def extend_cassette(
    key: ConversationKey,
    earlier: Cassette | None,
    exchanges: Sequence[JournalledExchange],
    volatile: Sequence[str] = (),
) -> Cassette:
    """Return the cassette of a conversation, as it may be written. ``earlier``: what was recorded of it before and
    stays; stand-ins that its replay showed to belong to the client's ids are those of the new exchanges too."""
    before = earlier.interactions if earlier else ()
    stand_ins = StandIns(_known_stand_ins(exchanges), ids_of(before))
    recorded = prepare_for_writing(list(map(recorded_interaction, exchanges)), stand_ins)
    base: JsonObject = earlier.metadata if earlier else {}
    attempts = [*_earlier_attempts(earlier), *(integer(exchange.facts.get("attempt")) or 1 for exchange in exchanges)]
    facts = {
        name: value
        for name in _FACTS
        if (value := next((fact for exchange in exchanges if (fact := exchange.facts.get(name))), None))
    }
    modes = {mode for exchange in exchanges if (mode := text(exchange.facts.get("mode")))}
    metadata: JsonObject = {
        "scenario": key.name, "dialect": key.dialect, **({"mode": modes.pop()} if len(modes) == 1 else {}),
        "source": "live", **facts, "recorder": f"bridgecheck {__version__}", **base, "attempts": attempts,
    }  # fmt: skip
    if volatile:
        metadata["volatile"] = list(volatile)
    return Cassette(metadata, (*before, *recorded))


def _known_stand_ins(exchanges: Sequence[JournalledExchange]) -> dict[str, str]:
    known: dict[str, str] = {}
    for exchange in exchanges:
        known |= {true: text(stand_in) for true, stand_in in obj(exchange.facts.get("stand_ins")).items()}
    return known


def reply_of(recorded: RecordedInteraction) -> tuple[str, ...]:
    """Return what a client repeats of an answer in its next request: texts and ids of calls; () if it has none."""
    try:
        request = decode_recorded_request(recorded.request)
        outcome = normalise.response(recorded.response(request.dialect, request.mode))
    except BridgecheckError:
        return ()
    choice = outcome.choices[0] if outcome.choices else None
    if choice is None:
        return ()
    calls = [call.id for call in choice.tool_calls if call.id]
    return tuple(calls) or tuple(segment for segment in choice.text if segment)


def _earlier_attempts(earlier: Cassette | None) -> list[object]:
    if earlier is None:
        return []
    attempts = earlier.metadata.get("attempts")
    count = len(earlier.interactions)
    return attempts if isinstance(attempts, list) and len(attempts) == count else [1] * count


def _decode_pieces(exchange: JournalledExchange) -> Iterable[Piece]:
    if header_value(exchange.headers, "content-encoding").lower() != "gzip":
        return exchange.pieces
    try:
        return list(_unpack_pieces(exchange.pieces))
    except zlib.error:
        return exchange.pieces  # it is not what its header says


def _unpack_pieces(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Raises zlib.error."""
    unpacker = Unpacker("gzip")
    for piece in pieces:
        yield Piece(b"".join(unpacker.feed(piece.data)), piece.t_ms, piece.is_border)


def _split_at_borders(pieces: Iterable[Piece]) -> tuple[tuple[bytes, ...], tuple[int, ...]]:
    """Return chunks and their times: a chunk has arrived when its last byte has."""
    chunks: list[bytes] = []
    times: list[int] = []
    waiting = b""
    moment = 0
    for piece in pieces:
        waiting, moment = waiting + piece.data if waiting else piece.data, piece.t_ms
        if piece.is_border and waiting:
            chunks.append(waiting)
            times.append(moment)
            waiting = b""
    if waiting:
        chunks.append(waiting)
        times.append(moment)
    return tuple(chunks), tuple(times)
