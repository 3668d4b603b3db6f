"""Streams around another stream: converted, guarded against an early end, opened late, observed."""

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable

from bridgecheck.wire import JsonObject
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.failures import INCOMPLETE, document_failure, local_failure
from bridgecheck_reference.types.conversion import EventStream, Machine


class ConvertedStream:
    """``map_error``: a failure of the source, as the target's dialect tells it."""

    def __init__(
        self, events: EventStream, machine: Machine, map_error: Callable[[ProviderError], ProviderError]
    ) -> None:
        self._events = events
        self._machine = machine
        self._map_error = map_error
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
            raise self._map_error(error) from None

    async def aclose(self) -> None:
        await self._events.aclose()


class FinishRequiringOpenAIStream:
    """Passes chunks through. An error document among them is raised, and so is an end with no finish reason seen."""

    def __init__(self, chunks: EventStream, secrets: tuple[str, ...] = ()) -> None:
        self._chunks = chunks
        self._secrets = secrets
        self._finished = False

    def __aiter__(self) -> "FinishRequiringOpenAIStream":
        return self

    async def __anext__(self) -> JsonObject:
        try:
            chunk = await anext(self._chunks)
        except StopAsyncIteration:
            if not self._finished:
                raise local_failure(
                    INCOMPLETE, "the stream ended without a finish reason", dialect="openai-chat"
                ) from None
            raise
        if chunk.get("error"):
            await self.aclose()
            raise document_failure(chunk, dialect="openai-chat", status=None, secrets=self._secrets)
        self._finished = self._finished or _has_openai_finish_reason(chunk)
        return chunk

    async def aclose(self) -> None:
        await self._chunks.aclose()


def _has_openai_finish_reason(chunk: JsonObject) -> bool:
    choices = chunk.get("choices")
    return isinstance(choices, list) and any(isinstance(item, dict) and item.get("finish_reason") for item in choices)


class LazyStream:
    """``open_stream`` is called for the first event; closing before that opens nothing."""

    def __init__(self, open_stream: Callable[[], Awaitable[EventStream]]) -> None:
        self._open = open_stream
        self._stream: EventStream | None = None
        self._closed = False

    def __aiter__(self) -> AsyncIterator[JsonObject]:
        return self

    async def __anext__(self) -> JsonObject:
        if self._closed:
            raise StopAsyncIteration
        if self._stream is None:
            self._stream = await self._open()
        return await anext(self._stream)

    async def aclose(self) -> None:
        self._closed = True
        if self._stream is not None:
            await self._stream.aclose()


class WatchedStream:
    """Passes events through. ``on_end`` gets None at a clean end, the exception at a failure, and ``GeneratorExit``
    when the reader closes the stream before its end."""

    def __init__(
        self,
        stream: EventStream,
        on_event: Callable[[JsonObject], None],
        on_end: Callable[[BaseException | None], None],
    ) -> None:
        self._stream = stream
        self._on_event = on_event
        self._on_end = on_end
        self._ended = False

    def __aiter__(self) -> AsyncIterator[JsonObject]:
        return self

    async def __anext__(self) -> JsonObject:
        try:
            event = await anext(self._stream)
        except StopAsyncIteration:
            self._end(None)
            raise
        except BaseException as error:
            self._end(error)
            raise
        self._on_event(event)
        return event

    async def aclose(self) -> None:
        self._end(GeneratorExit())
        await self._stream.aclose()

    def _end(self, error: BaseException | None) -> None:
        if not self._ended:
            self._ended = True
            self._on_end(error)
