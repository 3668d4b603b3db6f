"""One request passed on to its provider: the answer streams to the client while it is written down.

Whatever befalls what is written down, the client gets the provider's bytes, as they come.
"""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.model.exchange import End, HttpRequest
from bridgecheck.record.exchange_log import ExchangeLog
from bridgecheck.record.provider_connection import ProviderConnection, Unreachable, connect
from bridgecheck.record.provider_protocol import BodyPiece, Ended, Head, ProviderEvent
from bridgecheck.record.providers import Provider, response_headers_to_pass_on
from bridgecheck.upstream.connection import Reusable, ServerConnection
from bridgecheck.upstream.listener import Reply, error_response
from bridgecheck.upstream.wire_response import WireResponse

REFUSED: Final = 599
"""Status of what no provider answered: none of them sends it."""
GRACE_S: Final = 0.25
"""How long the end of a response may take to come once its client left: some leave at the last event, before it."""


@dataclass(slots=True)
class LiveExchange:
    """``seconds``: how long the provider may say nothing. ``is_stopping``: whether the edge hangs up, not the client.
    ``on_unreachable``: called with the reason."""

    provider: Provider
    request: HttpRequest
    tls: ssl.SSLContext
    seconds: float
    log: ExchangeLog
    is_stopping: Callable[[], bool]
    on_unreachable: Callable[[Unreachable], None]
    _has_client_left: bool = field(default=False, init=False)
    _head: WireResponse | None = field(default=None, init=False)

    async def send(self, connection: ServerConnection) -> Reusable:
        """Pass the request on, and its answer back."""
        passing = asyncio.ensure_future(self._pass_on(connection))
        leaving = asyncio.ensure_future(connection.client_left.wait())
        try:
            await asyncio.wait({passing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not passing.done():
                self._has_client_left = True
                await asyncio.wait({passing}, timeout=GRACE_S)
            if not passing.done():
                self._end_without_client()
                passing.cancel()
                with suppress(asyncio.CancelledError):
                    await passing
                return False
            return passing.result()
        except Exception as error:
            self.log.end(None, str(error))
            raise
        finally:
            # The server stops: what is under way is not whole.
            leaving.cancel()
            passing.cancel()

    async def _pass_on(self, connection: ServerConnection) -> Reusable:
        request = self.provider.outgoing_request(self.request)
        try:
            async with connect(self.provider, self.tls, self.seconds) as provider:
                self.log.begin(provider.http)
                return await self._relay(provider, request, connection)
        except Unreachable as error:
            self.log.end(None, str(error))
            self.on_unreachable(error)
            return await Reply(error_response(REFUSED, f"{error}; next: {error.next_step}")).send(connection)

    async def _relay(
        self, provider: ProviderConnection, request: HttpRequest, connection: ServerConnection
    ) -> Reusable:
        clock = asyncio.get_running_loop().time
        start = clock()
        async for event in provider.exchange(request, self.provider.authority):
            if isinstance(event, BodyPiece) and not self._has_client_left:
                self.log.piece(event.data, round((clock() - start) * 1000), event.is_border)
            reusable = await self._pass_event(event, connection)
            if reusable is not None:
                return reusable
        raise AssertionError("an exchange ends with an Ended")

    async def _pass_event(self, event: ProviderEvent, connection: ServerConnection) -> Reusable | None:
        """Return None while the response goes on."""
        if isinstance(event, Ended):
            return await self._finish(event, connection)
        if self._has_client_left and isinstance(event, BodyPiece):
            self._end_without_client()
            return False
        try:
            if isinstance(event, Head):
                self.log.head(event.status, event.headers)
                headers = response_headers_to_pass_on(event.headers)
                self._head = WireResponse(event.status, headers, (), is_open_ended=True)
                await connection.begin_response(self._head)
            elif event.data:
                await connection.send_piece(event.data)
        except ConnectionError:
            self._has_client_left = True
        return None

    async def _finish(self, event: Ended, connection: ServerConnection) -> Reusable:
        if self._head is None:
            self.log.end(None, event.why)
            connection.abort()  # as it was done to us
            return False
        self.log.end(event.end, event.why)
        if self._has_client_left:
            return False
        end: End = "cut" if event.end == "timeout" else event.end
        head = WireResponse(self._head.status, self._head.headers, (), end, is_open_ended=True)
        return await connection.end_response(head)

    def _end_without_client(self) -> None:
        is_whole = self._head is not None and not self.is_stopping()
        self.log.end("client_closed" if is_whole else None, "")
