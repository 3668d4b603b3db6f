"""Accepting connections on 127.0.0.1; one function gives the response to each request. And a server for scripts."""

import asyncio
import json
import traceback
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol, Self

from bridgecheck.model.exchange import HttpRequest
from bridgecheck.upstream.connection import (
    MAX_BODY,
    DisconnectAwareReader,
    InvalidRequest,
    NoObserver,
    ResponseObserver,
    Reusable,
    ServerConnection,
)
from bridgecheck.upstream.unread import UnreadByteCounter
from bridgecheck.upstream.wire_response import JSON_TYPE, WireResponse

HOST: Final = "127.0.0.1"


class Sendable(Protocol):
    """What a request gets."""

    async def send(self, connection: ServerConnection) -> Reusable:
        """Send it over the connection that the request came over."""


class Reply(NamedTuple):
    """A response that is there as a whole."""

    response: WireResponse
    observer: ResponseObserver = NoObserver()

    async def send(self, connection: ServerConnection) -> Reusable:
        return await connection.send_response(self.response, self.observer)


class Listener:
    """Accepts connections. ``reply``: returns what a request gets, from the request and its bytes as they came.
    ``on_refusal``: called with a description of what came and is no request. ``errors``: tracebacks of failures in
    here, nobody else's fault."""

    def __init__(
        self,
        reply: Callable[[HttpRequest, bytes], Sendable],
        on_refusal: Callable[[str], None] = lambda reason: None,
        max_body: int = MAX_BODY,
    ) -> None:
        self.errors: list[str] = []
        self._reply = reply
        self._on_refusal = on_refusal
        self._max_body = max_body
        self._unread = UnreadByteCounter()
        self._server: asyncio.Server | None = None
        self._open: dict[ServerConnection, asyncio.Task[None] | None] = {}

    async def start(self, port: int = 0) -> int:
        """Listen and return the port. Raises OSError if the port is taken."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: asyncio.StreamReaderProtocol(DisconnectAwareReader(loop), self._accept, loop), HOST, port
        )
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Close all connections, whatever is under way."""
        if self._server is not None:
            self._server.close()
        tasks = list(filter(None, self._open.values()))
        # A handler whose connection is gone ends by itself; cancelling it would make asyncio complain.
        for connection in self._open:
            connection.abort()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._unread.close()

    def hang_up(self, is_affected: Callable[[ResponseObserver], bool]) -> None:
        """Break off responses that are under way."""
        for connection in self._open:
            if connection.observer is not None and is_affected(connection.observer):
                connection.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert isinstance(reader, DisconnectAwareReader)
        connection = ServerConnection(reader, writer, self._unread, self._max_body)
        self._open[connection] = asyncio.current_task()
        try:
            await self._serve(connection)
        except ConnectionError:
            pass  # the client left: nobody is there to be told
        except Exception:
            self.errors.append(traceback.format_exc(limit=-6))
            connection.abort()
        finally:
            del self._open[connection]
            writer.close()

    async def _serve(self, connection: ServerConnection) -> None:
        try:
            while (request := await connection.read_request()) is not None:
                reply = self._reply(request, connection.raw)
                if not await reply.send(connection):
                    return
        except InvalidRequest as refusal:
            self._on_refusal(str(refusal))
            await connection.send_refusal(error_response(refusal.status, str(refusal)))


def error_response(status: int, message: str) -> WireResponse:
    """Return an error of the server itself, in no provider's words. SDKs that look for it are told not to retry."""
    body = json.dumps({"error": {"code": status, "type": "bridgecheck_edge", "message": message}}).encode()
    return WireResponse(status, (("content-type", JSON_TYPE), ("x-should-retry", "false")), (body,))


_NO_MORE: Final = b'{"error": {"message": "no more answers"}}'
_NO_MORE_RESPONSES: Final = WireResponse(404, (("content-type", JSON_TYPE),), (_NO_MORE,))


class AsyncScriptServer:
    """A server for scripts, used to record and in tests; ``edge.Edge`` plays cassettes to adapters.

    ``async with AsyncScriptServer(responses) as server``: the n-th request gets the n-th response, whatever it is.
    ``base_path`` is what an SDK's base URL has behind the host (``/v1`` for OpenAI). ``log``: the requests in order of
    arrival, credentials included; ``misses``: how many came after the last response and got a 404.
    """

    def __init__(self, responses: Sequence[WireResponse], base_path: str = "") -> None:
        self.log: list[HttpRequest] = []
        self.misses = 0
        self.base_url = ""
        self._responses = tuple(responses)
        self._base_path = base_path
        self._listener = Listener(self._reply)

    async def __aenter__(self) -> Self:
        self.base_url = f"http://{HOST}:{await self._listener.start()}{self._base_path}"
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self._listener.stop()

    def _reply(self, request: HttpRequest, raw: bytes) -> Reply:
        number = len(self.log)
        self.log.append(request)
        if number < len(self._responses):
            return Reply(self._responses[number])
        self.misses += 1
        return Reply(_NO_MORE_RESPONSES)
