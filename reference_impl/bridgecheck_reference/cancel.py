"""CancelToken: ends calls from outside, and with them their connections to the provider.

Where a token is put: ``params["abort_signal"]`` of a provider's call, ``request["config"]["abortSignal"]`` of a content
generator's, as google-genai and gemini-cli name it. Cancelling the asyncio task that waits has the same effect; it then
ends with ``asyncio.CancelledError`` as usual.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from bridgecheck.wire import JsonObject
from bridgecheck_reference.errors import CallCancelled, ConversionError
from bridgecheck_reference.types.conversion import EventStream

T = TypeVar("T")


class CancelToken:
    """Cancelled once, for good. One token may be given to any number of calls.

    Not safe between threads: call ``cancel`` on the thread of the event loop (``loop.call_soon_threadsafe``).
    """

    def __init__(self) -> None:
        self.cancelled = False
        self.reason = ""
        self._watchers: dict[object, Callable[[], None]] = {}

    def __repr__(self) -> str:
        return f"CancelToken({'cancelled' if self.cancelled else 'open'})"

    def cancel(self, reason: str = "cancelled by the caller") -> None:
        """End every call that has this token; the first reason given stays."""
        if self.cancelled:
            return
        self.cancelled, self.reason = True, reason
        for watcher in list(self._watchers.values()):
            watcher()

    def add_watcher_for_later_cancel(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call ``watcher`` when the token is cancelled. Return what takes it back, which may be called again."""
        key = object()
        self._watchers[key] = watcher

        def forget() -> None:
            self._watchers.pop(key, None)

        return forget

    async def run(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return the call's result; ``CallCancelled`` if the token is cancelled before, with the call ended."""
        if self.cancelled:
            raise CallCancelled(self.reason)
        task = asyncio.current_task()
        assert task is not None  # a coroutine runs in one
        pending, interrupted = task.cancelling(), False

        def cancel_task_on_this_thread() -> None:
            nonlocal interrupted
            interrupted = True
            task.cancel()

        forget = self.add_watcher_for_later_cancel(cancel_task_on_this_thread)
        try:
            result = await call()
        except asyncio.CancelledError:
            # Someone else may have cancelled the task too: that goes on.
            if interrupted and task.uncancel() <= pending:
                raise CallCancelled(self.reason) from None
            raise
        finally:
            forget()
        if interrupted:  # by the call itself, which was done before it could notice
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0)
            task.uncancel()
        return result


class CancellableStream:
    """Passes events through until the token is cancelled; from then on ``CallCancelled``. The stream is closed at once,
    whether somebody waits for its next event or not."""

    def __init__(self, stream: EventStream, token: CancelToken) -> None:
        self._stream = stream
        self._token = token
        self._reading = False
        self._closing: asyncio.Future[None] | None = None
        self._forget = token.add_watcher_for_later_cancel(self._close_unless_reading)

    def __aiter__(self) -> "CancellableStream":
        return self

    async def __anext__(self) -> JsonObject:
        self._reading = True
        try:
            return await self._token.run(lambda: anext(self._stream))
        except CallCancelled:
            await self.aclose()
            raise
        except BaseException:
            self._forget()
            raise
        finally:
            self._reading = False

    async def aclose(self) -> None:
        self._forget()
        await asyncio.shield(self._start_closing())

    def _close_unless_reading(self) -> None:
        if not self._reading:
            self._start_closing()

    def _start_closing(self) -> "asyncio.Future[None]":
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._stream.aclose())
        return self._closing


async def cancellable_call(token: CancelToken | None, call: Callable[[], Awaitable[T]]) -> T:
    """Return the call's result, with or without a token."""
    return await (call() if token is None else token.run(call))


def read_token_or_raise_conversion_error(value: object, where: str) -> CancelToken | None:
    """Return what stands where a token may; None where nothing does. ``ConversionError`` for anything else."""
    if value is None or isinstance(value, CancelToken):
        return value
    raise ConversionError(f"{where}: expected a CancelToken, got {type(value).__name__}", where)
