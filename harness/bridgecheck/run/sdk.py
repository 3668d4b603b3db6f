"""Playing one case at sdk level: real SDK clients inside the adapter, over the recorded traffic (``stage`` says how it
is played)."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bridgecheck.cassette.recorded import Cassette
from bridgecheck.compare.secrets import UPSTREAM_KEY
from bridgecheck.drivers import Driver, session
from bridgecheck.drivers.environment import scrubbed
from bridgecheck.drivers.supervise import Crashed, Refused, supervised
from bridgecheck.model.adapter import Session
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.record import NotPlayable, Record, Turn
from bridgecheck.run.stage import Scene, Stage, in_process

if TYPE_CHECKING:
    from bridgecheck.cassette.playback import Playback

API_KEY: Final = UPSTREAM_KEY
"""What the SDKs are given: they insist on one."""


def play(driver: Driver, key: CaseKey, turns: Sequence[Turn], cassette: Cassette, stage: Stage = in_process) -> Record:
    """The adapter's session over all turns. Raises NotPlayable if it makes none for this pair."""
    driver.ready()
    record = Record()
    with scrubbed(), stage(cassette, key) as scene:
        try:
            supervised(lambda settle: settle.run(_converse(driver, key, turns, record, scene)), driver.timeout)
        except Crashed as crash:
            record.crash = str(crash)
        except Refused as refusal:
            record.refused = str(refusal)
        record.break_off()
        close(record, turns, scene.playback)
    return record


def side_by_side(
    driver: Driver, key: CaseKey, turn: Turn, cassette: Cassette, stage: Stage = in_process
) -> tuple[Record, Record]:
    """The same turn twice at once in one session; the recording holds an answer for each. Raises NotPlayable."""
    driver.ready()
    records = Record(), Record()
    with scrubbed(), stage(cassette, key) as scene:
        try:
            supervised(lambda settle: settle.run(_twice(driver, key, turn, records, scene)), driver.timeout)
        except (Crashed, Refused) as wrong:
            records[0].crash = str(wrong)
    return records


async def _twice(driver: Driver, key: CaseKey, turn: Turn, records: tuple[Record, Record], scene: Scene) -> None:
    live = _connect(driver, key, scene)
    try:
        await asyncio.gather(*(_once(live, turn, record, scene.playback) for record in records))
    finally:
        await session.close(live)


async def _once(live: Session, turn: Turn, record: Record, playback: "Playback") -> None:
    request = record.ask(turn, headers=session.takes_headers(live))
    if request is not None:
        record.answer(request, await session.answer(live, request, playback.note), 0)


def close(record: Record, turns: Sequence[Turn], playback: "Playback") -> None:
    """What the player saw. ``unasked`` counts turns whose first answer was never fetched: the others of a turn are
    there for clients that retry."""
    record.upstream += playback.interactions()
    record.misses = tuple(playback.misses)
    starts = [sum(len(turn.answers) for turn in turns[:number]) for number in range(len(turns))]
    record.unasked = len(set(starts) - set(playback.answered))


async def _converse(driver: Driver, key: CaseKey, turns: Sequence[Turn], record: Record, scene: Scene) -> None:
    live, playback = _connect(driver, key, scene), scene.playback
    try:
        for turn in turns:
            request = record.ask(turn, headers=session.takes_headers(live))
            if request is None:
                return
            if turn.leaves_after and not session.may_be_left(live):
                raise NotPlayable(f"{driver.info.name} cannot be told that its client went away")
            before = len(playback.exchanges)
            playback.arrivals.clear()
            response = await session.answer(live, request, playback.note, turn.leaves_after)
            await scene.settled()
            record.answer(request, response, playback.last_since(before), "".join(playback.arrivals))
            if record.crash:
                return
    finally:
        await session.close(live)


def _connect(driver: Driver, key: CaseKey, scene: Scene) -> Session:
    if driver.connects is None:
        raise NotPlayable(f"{driver.info.name} makes no sessions")
    try:
        return driver.connects.connect(
            client=key.client, upstream=key.upstream, base_url=scene.base_url, api_key=API_KEY
        )
    except NotImplementedError as refusal:
        raise NotPlayable(f"{driver.info.name} makes no session for this pair: {refusal}") from refusal
