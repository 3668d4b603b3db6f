"""A stream that is opened with its first event, as the older design has it (mapping row R-02).

Whatever retries the opening of a stream cannot see a refusal then: it comes out of the iterator.
"""

from collections.abc import AsyncIterator, Awaitable, Callable

from bridgecheck.wire import JsonObject
from bridgecheck_reference.generator.protocol import ContentStream


class LazyStream:
    """``open_stream`` is called for the first event; closing before that opens nothing."""

    def __init__(self, open_stream: Callable[[], Awaitable[ContentStream]]) -> None:
        self._open = open_stream
        self._stream: ContentStream | None = None
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
