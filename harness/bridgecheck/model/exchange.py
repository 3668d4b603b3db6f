"""What goes over the wire: requests, responses, and one interaction of both.

Two levels exist. At *wire level* there is no HTTP: documents in, documents out; ``chunks`` is None. At *sdk level* real
SDK clients talk to a player; bodies are bytes and the documents were decoded from them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from bridgecheck.wire import Dialect, JsonObject, Mode

Headers: TypeAlias = tuple[tuple[str, str], ...]
"""Header pairs in order; names in lower case."""

End: TypeAlias = Literal["complete", "cut", "reset", "timeout", "client_closed"]
"""How a response body ended: ``cut`` = the connection closed early but cleanly, ``reset`` = it broke."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request in a dialect.

    ``model`` stands in the URL path of Gemini and in the body of the others; here it is always given, "" if unknown.
    ``body`` is the decoded document as sent (in mixed casing, if that was sent). ``path`` is "" at wire level.
    ``made_from``: of an ``outcome`` request, the wire request that it was made from; None otherwise."""

    dialect: Dialect
    mode: Mode
    body: JsonObject
    model: str = ""
    headers: Headers = ()
    path: str = ""
    made_from: "Request | None" = None

    @property
    def wire_source_or_self(self) -> "Request":
        """The request in a wire format, as its scenario states it: what an ``outcome`` request was made from."""
        return self.made_from or self


@dataclass(frozen=True, slots=True)
class Response:
    """One response in a dialect, decoded.

    ``documents``: unary, the one body document (or none if ``text`` holds something that is not JSON); stream, the
    events in order without terminator markers. An error answer to a stream request is one document with its status.
    ``terminated``: whether the dialect's terminator was seen (``data: [DONE]``, ``message_stop``); None where the
    dialect has none or there was no HTTP. ``chunks``: the body as it arrived; None at wire level."""

    dialect: Dialect
    mode: Mode
    documents: tuple[object, ...] = ()
    status: int = 200
    headers: Headers = ()
    end: End = "complete"
    terminated: bool | None = None
    text: str = ""
    chunks: tuple[bytes, ...] | None = None


@dataclass(frozen=True, slots=True)
class Interaction:
    """A request and what came back. ``request`` is None for traffic recorded without one."""

    request: Request | None
    response: Response


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request as bytes, for adapters that let the harness carry their traffic. ``path`` includes the query."""

    method: str
    path: str
    headers: Headers = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response as bytes; ``body`` yields chunks as they arrive and raises on a broken connection."""

    status: int
    body: AsyncIterator[bytes]
    headers: Headers = field(default=())


class Upstream(Protocol):
    """The provider's side as an adapter sees it: a player, a recorder or the live service. ``base_url``: as the
    official SDK of ``dialect`` takes it; ``api_key``: what it takes for a key."""

    base_url: str
    dialect: Dialect
    api_key: str

    async def send(self, request: HttpRequest) -> HttpResponse: ...
