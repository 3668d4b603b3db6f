"""How many runs there are at once, and how many wait for one of them to end."""

import asyncio


class QueueFullError(RuntimeError):
    """As many runs wait as may."""


class Slots:
    """``running``: runs at once, at least 1. ``waiting``: how many more may wait, 0 for none."""

    def __init__(self, running: int, waiting: int) -> None:
        self._free = asyncio.Semaphore(running)
        self._running, self._limit = running, running + waiting
        self._taken = 0

    async def take(self) -> None:
        """Return when a run may start, first come first served; ``release`` after it. ``QueueFullError`` at once."""
        if self._taken >= self._limit:
            raise QueueFullError(
                f"gemini-cli is busy: {self._running} run and {self._limit - self._running} wait, which is the limit"
            )
        self._taken += 1
        try:
            await self._free.acquire()
        except BaseException:
            self._taken -= 1
            raise

    def release(self) -> None:
        self._taken -= 1
        self._free.release()
