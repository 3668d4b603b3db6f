"""The native path at sdk level: the provider's own SDK over the recorded traffic, asynchronous and synchronous."""

import asyncio
from collections.abc import Sequence

from bridgecheck import normalise
from bridgecheck.cassette import player
from bridgecheck.cassette.recorded import Cassette
from bridgecheck.drivers import sdk_clients
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.outcome import Outcome
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.record import Record, Turn
from bridgecheck.run.sdk import API_KEY, close
from bridgecheck.wire import Dialect, Mode
from bridgecheck.wire.facts import RECORDS


def play(key: CaseKey, turns: Sequence[Turn], cassette: Cassette) -> tuple[Record, tuple[Outcome, ...]]:
    """What the asynchronous client received, and what the synchronous one says of the same traffic: they must agree."""
    record = called(turns, cassette)
    asked_for = [interaction.request for interaction in record.client if interaction.request]
    return record, _outcomes(asked_for, first_answers(cassette, turns))


def called(turns: Sequence[Turn], cassette: Cassette) -> Record:
    """What the asynchronous client received."""
    record = Record()
    with player.playing(cassette) as playback:
        for turn in turns:
            request = record.ask(turn, headers=True)
            if request is None:
                break
            before = len(playback.exchanges)
            response = asyncio.run(_answered(request))
            record.answer(request, response, playback.last_since(before))
        close(record, turns, playback)
    return record


def first_answers(cassette: Cassette, turns: Sequence[Turn]) -> Cassette:
    """One answer a turn: what a client that does not retry gets."""
    starts = [sum(len(turn.answers) for turn in turns[:number]) for number in range(len(turns))]
    recorded = tuple(cassette.interactions[start] for start in starts)
    return Cassette(cassette.metadata, recorded, cassette.where)


class NativeOutcomes:
    """What the upstream's own SDK makes of a cassette, worked out once for all clients that are bridged to it."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, Dialect, Mode], tuple[Outcome, ...]] = {}

    def of(self, key: CaseKey, turns: Sequence[Turn], cassette: Cassette) -> tuple[Outcome, ...]:
        """The cassette's own requests are sent again: the upstream dialect need not be one the scenario states."""
        place = (key.scenario, key.upstream, key.mode)
        if place not in self._known:
            trimmed = first_answers(cassette, turns)
            decoded = trimmed.decoded(key.upstream, key.mode)
            requests = [interaction.request for interaction in decoded if interaction.request]
            self._known[place] = _outcomes(requests, trimmed)
        return self._known[place]


async def _answered(request: Request) -> Response:
    answer = await sdk_clients.call(
        request.dialect,
        request.mode,
        RECORDS[request.dialect].base_url,
        API_KEY,
        request.body,
        request.model,
        request.headers,
    )
    return answer.response(request.dialect, request.mode)


def _outcomes(requests: Sequence[Request], cassette: Cassette) -> tuple[Outcome, ...]:
    """What the synchronous client gives for these requests, one after another."""
    with player.playing(cassette):
        answers = [
            sdk_clients.call_sync(
                one.dialect, one.mode, RECORDS[one.dialect].base_url, API_KEY, one.body, one.model
            ).response(one.dialect, one.mode)
            for one in requests
        ]
    return tuple(map(normalise.response, answers))
