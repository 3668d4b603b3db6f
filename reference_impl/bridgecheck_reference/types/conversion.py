"""The result of a conversion, and streams as the layers hand them to each other."""

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from bridgecheck.wire import JsonObject
from bridgecheck_reference.loss import Loss


@dataclass(frozen=True, slots=True)
class ConversionResult:
    """``value``: the document in the other dialect. ``losses``: what it does not express.

    ``meta``: what belongs beside the document. Of a request: ``model`` (str) and ``stream`` (bool), which Gemini has
    in the path. Of a response: ``status`` (int), 200 or the status of the error document that ``value`` then is.
    """

    value: JsonObject
    losses: tuple[Loss, ...] = ()
    meta: Mapping[str, object] = field(default_factory=dict)


class EventStream(Protocol):
    """The documents of one open response. ``aclose`` before the end hangs up on whoever sends them; it may be called
    twice."""

    def __aiter__(self) -> AsyncIterator[JsonObject]: ...

    async def __anext__(self) -> JsonObject: ...

    async def aclose(self) -> None: ...


class Machine(Protocol):
    """Converts one stream in one direction: ``feed`` each event, then ``close`` once; both return what can be sent."""

    @property
    def losses(self) -> Iterable[Loss]: ...

    def feed(self, event: JsonObject, /) -> list[JsonObject]: ...

    def close(self) -> list[JsonObject]: ...
