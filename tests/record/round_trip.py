"""Recordings that the stand-in serves, recorded through the edge by a client and replayed to it: bodies and borders are
those that were served, and what the client receives is the same twice. Ids may have stand-ins in a cassette.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from string import ascii_letters, digits
from typing import Final

import trustme

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.record.exchange_log import REFUSED_KEY
from bridgecheck.record.folder import load_folder
from bridgecheck.record.grouping import ConversationKey
from bridgecheck.record.summary import RecorderResult

from .clients import Client, Received
from .conftest import Start
from .gate import Gate
from .served_recordings import NAME, ServedRecording
from .stand_in import Answer, StandIn, serve

_WORD: Final = re.compile(rb"[A-Za-z0-9@/._%+-]+")
_ID: Final = re.compile(rb"[@/]|[0-9][^@/]*[A-Za-z]|[A-Za-z][^@/]*[0-9]|[0-9]{10}")
_BLANK: Final = bytes.maketrans((digits + ascii_letters).encode(), b"0" * 10 + b"a" * 26 + b"A" * 26)


@dataclass
class RoundTrip:
    """One recording. ``sent``: what the provider was sent. ``confirmed``: events that the client confirmed before the
    next chunk left. ``recorded``: () where it was not; ``replayed``: None until it was."""

    sample: ServedRecording
    sent: list[HttpRequest]
    live: Received
    confirmed: int
    recorded: tuple[RecordedInteraction, ...] = ()
    replayed: Received | None = None


class Provider:
    """The stand-in answers each request with the recording that its client is at."""

    def __init__(self, http: str, authority: trustme.CA) -> None:
        self.stand_in = StandIn(self._answer, http, authority, gate=lambda number: self._gate.wait(number))

    def serve_next(self, sample: ServedRecording) -> Gate:
        self._sample, self._gate = sample, Gate(sample.answer.chunks)
        return self._gate

    def _answer(self, request: HttpRequest, number: int) -> Answer:
        return self._sample.answer


def record_and_replay(
    start: Start, authority: trustme.CA, out: Path, http: str, samples: Sequence[ServedRecording], client: Client
) -> list[RoundTrip]:
    """Record and replay recordings of one dialect. What is not recorded is of a refused key, or holds what looks like a
    credential."""
    trips, result = _record(start, authority, out, http, samples, client)
    cassettes = {name_of(key, cassette): cassette for key, cassette in load_folder(out).items()}
    for trip in trips:
        if trip.sample.name in cassettes:
            trip.recorded = cassettes.pop(trip.sample.name).interactions
            check_recorded(trip)
    unrecorded = [trip for trip in trips if not trip.recorded]
    refused = [trip for trip in unrecorded if trip.sample.answer.status in REFUSED_KEY]
    assert len(unrecorded) == len(refused) + len(result.not_saved), result
    assert not cassettes
    _replay(start, out, client, [trip for trip in trips if trip.recorded])
    return trips


def _record(
    start: Start, authority: trustme.CA, out: Path, http: str, samples: Sequence[ServedRecording], client: Client
) -> tuple[list[RoundTrip], RecorderResult]:
    provider, trips = Provider(http, authority), list[RoundTrip]()
    with serve(provider.stand_in), start([f"{samples[0].dialect}={provider.stand_in.url}"], out=out) as recorder:
        for sample in samples:
            gate, before = provider.serve_next(sample), len(provider.stand_in.requests)
            received = client(recorder.origin, sample, gate)
            trips.append(RoundTrip(sample, provider.stand_in.requests[before:], received, gate.confirmed))
            assert trips[-1].sent, f"{sample.item.id}: {received.error}"
    counts = recorder.result.counts
    assert not (counts.refused or counts.problems or counts.broken or recorder.result.errors), recorder.result
    assert all("credential" in reason for reason in recorder.result.not_saved), recorder.result.not_saved
    return trips, recorder.result


def _replay(start: Start, out: Path, client: Client, trips: Sequence[RoundTrip]) -> None:
    with start(mode="replay", out=out, unplayed="fail") as recorder:
        for trip in trips:
            trip.replayed = client(recorder.origin, trip.sample, Gate(trip.sample.answer.chunks))
    assert recorder.result.exit_code == 0, recorder.result


def name_of(key: ConversationKey, cassette: Cassette) -> str:
    """Return the name of the recording: of the conversation where the client could name it, else in its request."""
    found = NAME.search(key.name) or NAME.search(cassette.interactions[0].request.body.decode())
    assert found, key
    return found[0]


def check_recorded(trip: RoundTrip) -> None:
    answer, where = trip.sample.answer, trip.sample.item.id
    assert len(trip.recorded) == len(trip.sent), where
    for recorded, sent in zip(trip.recorded, trip.sent, strict=True):
        assert (recorded.status, recorded.end) == (answer.status, "complete"), where
        assert list(map(len, recorded.chunks)) == list(map(len, answer.chunks)), where
        assert blank_ids(recorded.body) == blank_ids(trip.sample.body), where
        assert blank_ids(recorded.request.body) == blank_ids(sent.body), where


def blank_ids(text: bytes) -> bytes:
    """Return a text in which words that may be ids are blank, and as long as before: those with a digit and a letter,
    with many digits, and addresses and paths."""
    return _WORD.sub(lambda word: word[0].translate(_BLANK) if _ID.search(word[0]) else word[0], text)


def check_received(trip: RoundTrip) -> None:
    """Check that a client received the same twice; bytes as they were served, then in the chunks that were recorded.
    Live, a chunk longer than a read goes on in pieces."""
    live, replayed, where = trip.live, trip.replayed, trip.sample.item.id
    assert replayed is not None
    if any(isinstance(document, bytes) for document in live.documents):
        status, *chunks = live.documents
        assert (status, b"".join(chunks), live.error) == (trip.sample.answer.status, trip.sample.body, ""), where
        assert replayed == ([status, *trip.recorded[-1].chunks], ""), where
    else:
        assert blank_ids(json.dumps(live).encode()) == blank_ids(json.dumps(replayed).encode()), where


def count_figures(trips: Sequence[RoundTrip]) -> Counter[str]:
    """Return the figures of a run. Those of borders and events are of what was recorded."""
    recorded = [trip for trip in trips if trip.recorded]
    answers = [trip.sample.answer for trip in recorded]
    borders = [pair for answer in answers for pair in pairwise(answer.chunks)]
    unrecorded = Counter(trip.sample.answer.status in REFUSED_KEY for trip in trips if not trip.recorded)
    return Counter({
        "served": len(trips), "recorded and replayed": len(recorded), "refused keys": unrecorded[True],
        "looked like a credential": unrecorded[False],
        "with stand-ins for ids": sum(trip.sample.body != trip.recorded[-1].body for trip in recorded),
        "chunks": sum(len(answer.chunks) for answer in answers),
        "bytes": sum(len(trip.sample.body) for trip in recorded),
        "borders inside a character": sum(0x80 <= after[0] < 0xC0 for _, after in borders),
        "inside a data:": sum(before.endswith(b"dat") and after.startswith(b"a:") for before, after in borders),
        "events confirmed before the next chunk": sum(trip.confirmed for trip in recorded),
    })  # fmt: skip


def figures_line(figures: Counter[str]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in figures.items())
