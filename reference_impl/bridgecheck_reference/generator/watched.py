"""A stream that tells someone of each event and, exactly once, of its end."""

from collections.abc import AsyncIterator, Callable

from bridgecheck.wire import JsonObject
from bridgecheck_reference.generator.protocol import ContentStream


class WatchedStream:
    """Passes events through. ``on_end`` gets None at a clean end, the exception at a failure, and ``GeneratorExit``
    when the reader closes the stream before its end."""

    def __init__(
        self,
        stream: ContentStream,
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
