"""Plays one case at sdk level: real SDK clients inside the adapter, over the recorded traffic; at chat level a chat
above them.

in process   the player catches what the httpx clients of this task send; no socket, a millisecond a call
over edge    the edge server of this process, a real socket: for every other HTTP client, and every other process
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from bridgecheck.cassette import player
from bridgecheck.cassette.interactions import Cassette
from bridgecheck.drivers import Driver, session
from bridgecheck.drivers.chat_session import ChatSession
from bridgecheck.drivers.environment import scrubbed_environment
from bridgecheck.drivers.foreign_code import Crashed, Refused, classify_failure, run_foreign_code
from bridgecheck.model.adapter import Session
from bridgecheck.model.exchange import Response
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.record import NotPlayable, Record, Turn
from bridgecheck.secrets import UPSTREAM_KEY
from bridgecheck.wire.facts import RECORDS, base_url

if TYPE_CHECKING:
    from bridgecheck.cassette.playback import Playback
    from bridgecheck.upstream.edge import Edge

API_KEY: Final = UPSTREAM_KEY
"""What the SDKs get as their key: they insist on one."""

SETTLE_S: Final = 1.0
"""Seconds an adapter may take to let go of the provider once its client has all, or has left."""


async def _settle_in_process_at_once() -> None:
    """Do nothing: in this process the end of a call is noticed at once."""


@dataclass(frozen=True, slots=True)
class PlayedUpstream:
    """A recording that is being played as the provider. ``base_url``: as the SDK of its dialect takes it. ``settle``:
    awaited after each turn, until everything that the turn caused on the provider's side was recorded."""

    playback: "Playback"
    base_url: str
    settle: Callable[[], Awaitable[object]] = _settle_in_process_at_once


OpenUpstream: TypeAlias = Callable[[Cassette, CaseKey], AbstractContextManager[PlayedUpstream]]


@contextmanager
def open_in_process(cassette: Cassette, key: CaseKey) -> Iterator[PlayedUpstream]:
    """Play the recording to the httpx clients of this task."""
    with player.play_cassette(cassette) as playback:
        yield PlayedUpstream(playback, RECORDS[key.upstream].base_url)


def choose_upstream(driver: Driver, edge: "Callable[[], Edge]", group: str, *, in_step: bool = True) -> OpenUpstream:
    """Return how this adapter reaches its provider. ``group``: ``record.request_group`` of the case. ``in_step``: a
    stream waits for the client, which shows who holds back what; where nobody looks at that, it need not."""

    @contextmanager
    def open_over_edge(cassette: Cassette, key: CaseKey) -> Iterator[PlayedUpstream]:
        from bridgecheck.upstream.play import PlaySettings

        server, settings = edge(), PlaySettings(in_step=in_step)
        with server.play_cassette(
            cassette, key.upstream, key.mode, settings=settings, request_group=group, hangs_up=False
        ) as playback:
            url = base_url(key.upstream, server.base_url)
            yield PlayedUpstream(playback, url, lambda: asyncio.to_thread(playback.wait_until_idle, SETTLE_S))
            is_settled = playback.is_settled
        if not is_settled:
            driver.retire()

    return open_over_edge if driver.over_socket else open_in_process


def play(
    driver: Driver, key: CaseKey, turns: Sequence[Turn], cassette: Cassette,
    open_upstream: OpenUpstream = open_in_process,
) -> Record:  # fmt: skip
    """Play all turns in one session of the adapter. Raises NotPlayable if it makes none for this pair."""
    driver.ready()
    record = Record()
    with scrubbed_environment(), open_upstream(cassette, key) as upstream:
        play_turns = partial(_play_turns, driver, key, turns, record, upstream)
        try:
            run_foreign_code(lambda runner: runner.run(play_turns()), driver.timeout)
        except (Crashed, Refused) as failure:
            record.add_failure(failure)
        record.break_off_pending_turn()
        record.add_upstream_calls_and_misses(turns, upstream.playback)
    return record


def play_twice(
    driver: Driver, key: CaseKey, turn: Turn, cassette: Cassette, open_upstream: OpenUpstream = open_in_process
) -> tuple[Record, Record]:
    """Play the same turn twice at once in one session; the recording holds an answer for each. Raises NotPlayable."""
    driver.ready()
    records = Record(), Record()
    with scrubbed_environment(), open_upstream(cassette, key) as upstream:
        play_session = partial(_play_twice_in_one_session, driver, key, turn, records, upstream)
        try:
            run_foreign_code(lambda runner: runner.run(play_session()), driver.timeout)
        except (Crashed, Refused) as error:
            records[0].crash = str(error)
    return records


async def _play_twice_in_one_session(
    driver: Driver, key: CaseKey, turn: Turn, records: tuple[Record, Record], upstream: PlayedUpstream
) -> None:
    live = _connect(driver, key, upstream)
    try:
        await asyncio.gather(*(_record_client_side_once(live, turn, record, upstream.playback) for record in records))
    finally:
        await session.await_session_close(live)


async def _record_client_side_once(live: Session, turn: Turn, record: Record, playback: "Playback") -> None:
    request = record.start_turn(turn, headers=session.accepts_headers(live))
    if request is not None:
        record.add_client_answer(request, await session.call_session(live, request, playback.note), 0)


async def _play_turns(
    driver: Driver, key: CaseKey, turns: Sequence[Turn], record: Record, upstream: PlayedUpstream
) -> None:
    live, playback = _connect(driver, key, upstream), upstream.playback
    try:
        for turn in turns:
            request = record.start_turn(turn, headers=session.accepts_headers(live))
            if request is None:
                return
            if turn.leaves_after and not session.lets_client_cancel(live):
                raise NotPlayable(f"{driver.info.name} has no way to learn that its client went away")
            before = len(playback.exchanges)
            playback.begin_turn(turn.leaves_after > 0)
            response: Response | None = None
            try:
                response = await session.call_session(live, request, playback.note, turn.leaves_after)
            except Exception as error:
                _add_failure_or_reraise(error, record)
            await upstream.settle()
            upstream_call = playback.last_exchange_index_since(before)
            if response is not None:
                record.add_client_answer(request, response, upstream_call, "".join(playback.arrivals))
                if upstream_call < 0:
                    record.add_own_error(response)
            record.break_off_pending_turn(upstream_call)
            if upstream_call < 0 and record.unanswered:  # the next call would get the answer of this turn
                return
    finally:
        await session.await_session_close(live)


def _add_failure_or_reraise(error: Exception, record: Record) -> None:
    """Add what ended a turn; an error of the harness ends the case."""
    failure = classify_failure(error)
    if not isinstance(failure, Crashed | Refused):
        raise failure
    record.add_failure(failure)


def _connect(driver: Driver, key: CaseKey, upstream: PlayedUpstream) -> Session:
    if key.layer == "chat":
        if driver.converses is None:
            raise NotPlayable(f"{driver.info.name} has no chat")
        bridged = key.path == "bridged"
        return ChatSession(driver.converses, key.upstream, upstream.base_url, API_KEY, bridged)
    if driver.connects is None:
        raise NotPlayable(f"{driver.info.name} makes no sessions")
    try:
        return driver.connects.connect(
            client=key.client, upstream=key.upstream, base_url=upstream.base_url, api_key=API_KEY
        )
    except NotImplementedError as refusal:
        raise NotPlayable(f"{driver.info.name} makes no session for this pair: {refusal}") from refusal
