"""A stream of one dialect as a stream of another: events in, converted events out, each as soon as it can be said."""

from collections import deque
from collections.abc import AsyncIterator, Callable

from bridgecheck.wire import JsonObject
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.types.conversion import EventStream, Machine


class ConvertedStream:
    """``told``: a failure of the source, as the target's dialect tells it."""

    def __init__(self, events: EventStream, machine: Machine, told: Callable[[ProviderError], ProviderError]) -> None:
        self._events = events
        self._machine = machine
        self._told = told
        self._ready: deque[JsonObject] = deque()
        self._ended = False

    def __aiter__(self) -> AsyncIterator[JsonObject]:
        return self

    async def __anext__(self) -> JsonObject:
        while not self._ready:
            if self._ended:
                raise StopAsyncIteration
            await self._pull()
        return self._ready.popleft()

    async def _pull(self) -> None:
        try:
            self._ready.extend(self._machine.feed(await anext(self._events)))
        except StopAsyncIteration:
            self._ended = True
            self._ready.extend(self._machine.close())
        except ProviderError as error:
            raise self._told(error) from None

    async def aclose(self) -> None:
        await self._events.aclose()
