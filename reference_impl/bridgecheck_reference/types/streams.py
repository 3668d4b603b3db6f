"""Streams as the layers hand them to each other, and the machines that make one of another."""

from collections.abc import AsyncIterator, Iterable
from typing import Protocol

from bridgecheck.wire import JsonObject
from bridgecheck_reference.loss import Loss


class EventStream(Protocol):
    """The documents of one open answer. ``aclose`` before the end hangs up on whoever sends them; it may be called
    twice."""

    def __aiter__(self) -> AsyncIterator[JsonObject]: ...

    async def __anext__(self) -> JsonObject: ...

    async def aclose(self) -> None: ...


class Machine(Protocol):
    """Converts one stream in one direction: ``feed`` each event, then ``close`` once; both return what can be said."""

    @property
    def losses(self) -> Iterable[Loss]: ...

    def feed(self, event: JsonObject, /) -> list[JsonObject]: ...

    def close(self) -> list[JsonObject]: ...
