"""What a recorded conversation becomes before it is written, by whoever records or imports it. Pure.

Headers are kept by allow-list, keys in addresses are masked (redact), and what tells who recorded it gets a stand-in
(stand_ins): the same one wherever it stands in the conversation, in requests and responses, also split over two chunks
or two events. Whoever is live keeps the true ids: nothing here changes what is passed on. Scripted cassettes are not
prepared: their ids are invented.
"""

import zlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from bridgecheck.cassette import redact
from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.cassette.stand_ins import IdPairs, StandIns, find_ids_in_bytes, replace_ids_in_bytes
from bridgecheck.codec.unpack import ENCODINGS, Unpacker


def prepare_for_writing(
    recorded: Sequence[RecordedInteraction], stand_ins: StandIns
) -> tuple[RecordedInteraction, ...]:
    """Return interactions of one conversation as they may be written. ``stand_ins``: its map, which grows. Credentials
    are not looked for: whoever saves a cassette refuses those (redact)."""
    return tuple(_prepare(item, stand_ins) for item in recorded)


def ids_of(recorded: Sequence[RecordedInteraction]) -> set[str]:
    """Return the ids that stand in interactions."""
    sent = {true for item in recorded for true in find_ids_in_bytes(item.request.body)}
    return sent.union(*(find_ids_in_bytes(item.body, is_response=True) for item in recorded))


def restore_ids(recorded: RecordedInteraction, pairs: IdPairs) -> RecordedInteraction:
    """Return a recorded response with the ids that its client sends."""
    if not pairs.sent_of:
        return recorded
    return _with_body(recorded, replace_ids_in_bytes(recorded.body, pairs.restore, is_response=True))


def _prepare(recorded: RecordedInteraction, stand_ins: StandIns) -> RecordedInteraction:
    recorded = redact.mask_interaction(recorded)
    request = recorded.request
    path = redact.replace_project_ids(request.path, stand_ins.stand_in)
    body = replace_ids_in_bytes(request.body, stand_ins.stand_in)
    request = replace(request, path=stand_ins.replace_in(path), body=body)
    unpacked = _unpack(recorded)
    written = replace_ids_in_bytes(unpacked.body, stand_ins.stand_in, is_response=True)
    replaced = recorded if written == unpacked.body else _with_body(unpacked, written)
    return replace(replaced, request=request)


def _with_body(recorded: RecordedInteraction, body: bytes) -> RecordedInteraction:
    """Return the interaction with another body of the same length, in the same chunks."""
    borders = [0, *accumulate(map(len, recorded.chunks))]
    return replace(recorded, chunks=tuple(body[start:end] for start, end in pairwise(borders)))


def _unpack(recorded: RecordedInteraction) -> RecordedInteraction:
    """Return a compressed response without its encoding, chunk by chunk; one that does not unpack as it is."""
    encoding = next((value.lower() for name, value in recorded.headers if name.lower() == "content-encoding"), "")
    if encoding not in ENCODINGS:
        return recorded
    unpacker = Unpacker(encoding)
    try:
        chunks = tuple(b"".join(unpacker.feed(chunk)) for chunk in recorded.chunks)
    except zlib.error:
        return recorded
    headers = tuple(pair for pair in recorded.headers if pair[0].lower() not in ("content-encoding", "content-length"))
    return replace(recorded, headers=headers, chunks=chunks)
