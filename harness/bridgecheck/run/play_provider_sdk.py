"""Plays the native path at sdk level: the provider's own SDK over the recorded traffic, asynchronous and synchronous.

``SDK_LIMITS`` are streams that the SDK cannot read, though they can be read: nothing to hold against an adapter that is
built on it, and nothing to compare with. Measured of google-genai 3.4.0, openai 3.52.0 and anthropic 2.11.0,
2026-11-21. Scenarios that are about such bytes are played at the other levels.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from bridgecheck import normalise
from bridgecheck.cassette import player
from bridgecheck.cassette.interactions import Cassette
from bridgecheck.drivers import sdk_clients
from bridgecheck.model.exchange import Request
from bridgecheck.model.outcome import Outcome
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.play_sdk import API_KEY
from bridgecheck.run.record import NotPlayable, Record, Turn, first_answer_positions
from bridgecheck.wire import Dialect, Mode
from bridgecheck.wire.facts import RECORDS


def play(turns: Sequence[Turn], cassette: Cassette) -> tuple[Record, tuple[Outcome, ...]]:
    """Return what the asynchronous client received, and what the synchronous one makes of it: they must agree."""
    record = call_async_client(turns, cassette)
    requests = [interaction.request for interaction in record.client if interaction.request]
    return record, _call_sync_client(requests, _take_first_answers(cassette, turns))


def call_async_client(turns: Sequence[Turn], cassette: Cassette) -> Record:
    """Return what the asynchronous client received."""
    record = Record()
    with player.play_cassette(cassette) as playback:
        for turn in turns:
            request = record.start_turn(turn, headers=True)
            if request is None:
                break
            before = len(playback.exchanges)
            dialect, mode, url = request.dialect, request.mode, RECORDS[request.dialect].base_url
            call = sdk_clients.call_sdk(dialect, mode, url, API_KEY, request.body, request.model, request.headers)
            response = asyncio.run(call).response(dialect, mode)
            record.add_client_answer(request, response, playback.last_exchange_index_since(before))
        record.add_upstream_calls_and_misses(turns, playback)
    return record


def _call_sync_client(requests: Sequence[Request], cassette: Cassette) -> tuple[Outcome, ...]:
    """Return what the synchronous client makes of the answers to these requests, one after another."""
    outcomes = []
    with player.play_cassette(cassette):
        for request in requests:
            dialect, mode, url = request.dialect, request.mode, RECORDS[request.dialect].base_url
            answer = sdk_clients.call_sdk_sync(dialect, mode, url, API_KEY, request.body, request.model)
            outcomes.append(normalise.response(answer.response(dialect, mode)))
    return tuple(outcomes)


def _take_first_answers(cassette: Cassette, turns: Sequence[Turn]) -> Cassette:
    """Return the cassette with one answer a turn: what a client that does not retry gets."""
    recorded = tuple(cassette.interactions[start] for start in first_answer_positions(turns))
    return Cassette(cassette.metadata, recorded, cassette.where)


class NativeOutcomes:
    """What the upstream's own SDK makes of each cassette, worked out once for all clients that are bridged to it."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, Dialect, Mode], tuple[Outcome, ...]] = {}

    def find_outcomes(self, key: CaseKey, turns: Sequence[Turn], cassette: Cassette) -> tuple[Outcome, ...]:
        """Return each turn's outcome, of the cassette's own requests: the scenario need not state this dialect."""
        name = (key.scenario, key.upstream, key.mode)
        if name not in self._known:
            trimmed = _take_first_answers(cassette, turns)
            decoded = trimmed.decode_interactions(key.upstream, key.mode)
            requests = [interaction.request for interaction in decoded if interaction.request]
            self._known[name] = _call_sync_client(requests, trimmed)
        return self._known[name]


_BOM: Final = b"\xef\xbb\xbf"
_LINE_ENDS: Final = (b"\n\n", b"\r\r", b"\r\n\r\n")


def _has_byte_order_mark(body: bytes) -> bool:
    return body.startswith(_BOM)


def _starts_as_json(body: bytes) -> bool:
    return body.lstrip().startswith((b"{", b"["))


def _has_lines_other_than_data(body: bytes) -> bool:
    """Whether there are lines besides ``data: `` and empty ones; the events of a cut stream do not count."""
    return any(line and not line.startswith(b"data: ") for line in body.splitlines()[:-1])


SDK_LIMITS: Final[dict[Dialect, tuple[tuple[Callable[[bytes], bool], str], ...]]] = {
    "gemini": (
        (_starts_as_json, "google-genai takes no JSON document for a stream"),
        (_has_lines_other_than_data, "google-genai takes every line of a stream for data"),
    ),
    "openai-chat": (
        (_has_byte_order_mark, "openai-python loses the event behind a byte order mark"),
        (_starts_as_json, "openai-python makes no events of a JSON document"),
        (
            lambda body: bool(body) and not body.endswith(_LINE_ENDS),
            "openai-python drops a last event without its empty line",
        ),
    ),
    "anthropic": (
        (_has_byte_order_mark, "anthropic loses the event behind a byte order mark"),
        (_starts_as_json, "anthropic makes no events of a JSON document"),
    ),
}
"""Dialect of the provider -> (whether its SDK fails on such a body, the reason)."""


def refuse_unreadable(dialect: Dialect, mode: Mode, cassette: Cassette) -> None:
    """Raise NotPlayable if the SDK of this dialect cannot read an answer that came to its end."""
    for recorded in cassette.interactions if mode == "stream" else ():
        is_whole = recorded.status < 400 and recorded.end == "complete"
        for fails, reason in SDK_LIMITS[dialect] if is_whole else ():
            if fails(recorded.body):
                raise NotPlayable(f"{reason}: a matter of HTTP, not of its clients")
