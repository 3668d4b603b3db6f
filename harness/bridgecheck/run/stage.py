"""Where an adapter with SDK clients plays: how a recording is put before it, and what base URL it is told.

in process   the player catches what the httpx clients of this task send; no socket, a millisecond a call
over edge    the edge server of this process, a real socket: for every other HTTP client, and every other process
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from bridgecheck.cassette import player
from bridgecheck.cassette.recorded import Cassette
from bridgecheck.drivers import Driver
from bridgecheck.model.verdict import CaseKey
from bridgecheck.wire.facts import RECORDS, base_url

if TYPE_CHECKING:
    from bridgecheck.cassette.playback import Playback
    from bridgecheck.run.library import Library

SETTLE_S: Final = 1.0
"""Seconds an adapter may take to let go of the provider once its client has all, or has left."""


async def _at_once() -> None:
    """In this process what is over is seen at once."""


@dataclass(frozen=True, slots=True)
class Scene:
    """``base_url``: as the SDK of the provider's dialect takes it. ``settled``: awaited after each turn, until all that
    it set off on the provider's side was seen."""

    playback: "Playback"
    base_url: str
    settled: Callable[[], Awaitable[object]] = _at_once


Stage: TypeAlias = Callable[[Cassette, CaseKey], AbstractContextManager[Scene]]


@contextmanager
def in_process(cassette: Cassette, key: CaseKey) -> Iterator[Scene]:
    with player.playing(cassette) as playback:
        yield Scene(playback, RECORDS[key.upstream].base_url)


def stage_for(driver: Driver, library: "Library", *, in_step: bool = True) -> Stage:
    """The one that the adapter wants. ``in_step``: a stream waits for the client, so that it can be told who holds back
    what; where nobody asks that, it need not."""

    @contextmanager
    def over_edge(cassette: Cassette, key: CaseKey) -> Iterator[Scene]:
        from bridgecheck.upstream.play import Manner

        edge = library.edge
        with edge.playing(cassette, key.upstream, key.mode, manner=Manner(in_step=in_step)) as playback:
            where = base_url(key.upstream, edge.base_url)
            yield Scene(playback, where, lambda: asyncio.to_thread(playback.settled, SETTLE_S))

    return over_edge if driver.over_socket else in_process
