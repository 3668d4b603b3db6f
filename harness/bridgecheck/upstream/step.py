"""Keeping an answer in step with the client behind the adapter, so that it can be seen who holds back what.

A socket takes a whole stream at once: whatever the adapter does, all of it has left before the client has heard a
word. So the next write waits until the client has been given something since the last one, or for a moment: an adapter
need not make an event of each. The last words wait longer if the client has heard nothing at all, and once the client
has gone away there is time to notice.
"""

import asyncio
from typing import Final

from bridgecheck.checks.relay import AHEAD
from bridgecheck.checks.stream_flow import ENOUGH, chunks_of_text
from bridgecheck.codec.body import decode_response
from bridgecheck.upstream.script import Answer
from bridgecheck.wire import Dialect

MOMENT_S: Final = 0.05
"""How long a write waits for the client to be given something."""
LAST_S: Final = 0.3
"""How long the last words do."""
PATIENCE_S: Final = 1.0
"""How long the last words do where the client has been given nothing at all."""
LEAVING_S: Final = 0.3
"""How long a write waits for the adapter to hang up, once its client is gone."""


class Step:
    """``last_words``: the number, from 0, of the write up to which is waited; -1: only where the client goes away."""

    def __init__(self, last_words: int = -1) -> None:
        self._last_words = last_words
        self._heard = asyncio.Event()
        self._heard_once = False
        self._left = False
        self._since = 0

    def heard(self) -> None:
        """The client was given something. In the loop of the server, as everything here."""
        self._heard_once = True
        self._heard.set()

    def left(self) -> None:
        """The client went away."""
        self._left = True
        self._heard.set()

    async def ready(self, write: int) -> None:
        """Returns when write ``write`` may go."""
        if self._left:
            self._since += 1
            await asyncio.sleep(LEAVING_S if self._since <= AHEAD + 1 else 0)
        elif 0 < write <= self._last_words:
            last = LAST_S if self._heard_once else PATIENCE_S
            await self._wait(last if write == self._last_words else MOMENT_S)
        self._heard.clear()

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._heard.wait()
        except TimeoutError:
            pass


def step_for(answer: Answer, dialect: Dialect) -> Step:
    """Waits for nobody where nobody asks when the answer came: whole ones, and streams of few words."""
    found = decode_response(dialect, "stream", answer.status, answer.headers, answer.writes, answer.end)
    words = chunks_of_text(found)
    return Step(words[-1] - 1) if len(words) >= ENOUGH else Step()
