"""A stream of events with a result: pushed on one side, iterated on the other.

Source: pi-ai 0.73.1, AssistantMessageEventStream, by its behaviour (2026-11-20).
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from bridgecheck_reference.cli_bridge.assistant_events import Event


class StreamEndedError(RuntimeError):
    """The stream was ended without a result."""


class AssistantMessageEventStream:
    """``push`` events; iterate over them, by one reader or several that share them; ``result()`` is the last message.

    A ``done`` or ``error`` event completes it, and so does ``end``; what is pushed after that is ignored.
    """

    def __init__(self) -> None:
        self._ready: deque[Event] = deque()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._completed = False
        self._result: Event | None = None

    def push(self, event: Event) -> None:
        if self._completed:
            return
        self._ready.append(event)
        if event.get("type") in ("done", "error"):
            message = event.get("message" if event["type"] == "done" else "error")
            self.end(message if isinstance(message, dict) else None)
        else:
            self._wake()

    def end(self, result: Event | None = None) -> None:
        """Complete the stream. The first call counts."""
        if not self._completed:
            self._completed, self._result = True, result
            self._wake()

    async def result(self) -> Event:
        """Return the last message, that of a failure too. ``StreamEndedError`` if there was none."""
        while not self._completed:
            await self._wait()
        if self._result is None:
            raise StreamEndedError("the stream was ended without a result")
        return self._result

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        while not self._ready:
            if self._completed:
                raise StopAsyncIteration
            await self._wait()
        return self._ready.popleft()

    async def _wait(self) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        await waiter

    def _wake(self) -> None:
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)
