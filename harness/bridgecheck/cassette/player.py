"""Playing a cassette in this process: to real SDK clients, or as documents with no HTTP at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bridgecheck.cassette.recorded import Cassette
from bridgecheck.model.exchange import Response
from bridgecheck.wire import Dialect, Mode

if TYPE_CHECKING:
    from bridgecheck.cassette.playback import Playback


@contextmanager
def playing(cassette: Cassette) -> "Iterator[Playback]":
    """While this is open, what httpx or httpx2 clients of this task (and tasks it starts) send is answered from the
    cassette; nothing reaches a network."""
    from bridgecheck.cassette import stub
    from bridgecheck.cassette.playback import Playback

    stub.install()
    playback = Playback(cassette)
    token = stub.CURRENT.set(playback)
    try:
        yield playback
    finally:
        stub.CURRENT.reset(token)


def documents(cassette: Cassette, dialect: Dialect, mode: Mode) -> tuple[Response, ...]:
    """The recorded answers, decoded, in order."""
    return tuple(recorded.response(dialect, mode) for recorded in cassette.interactions)
