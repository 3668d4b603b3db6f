"""uvicorn for a command: reports when it listens, ends slow and idle connections, ends streams on a signal, exits
with 0."""

import asyncio
import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from bridgecheck_reference.gateway.app import create_app
from bridgecheck_reference.gateway.config import GatewayConfig

_GRACE_S: Final = 5
"""Seconds that answers in flight have to end in, once the gateway stops."""


def protocol_with_header_timeout(seconds: float) -> type[H11Protocol]:
    """Return a protocol that closes a connection on which no request's headers arrive in that time, be it that they
    come byte by byte or not at all. After a response uvicorn's own, shorter limit for idle connections holds."""

    class HeadersInTime(H11Protocol):
        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._deadline = self.loop.call_later(seconds, self._end)

        def data_received(self, data: bytes) -> None:
            if self._deadline is None and self.conn.their_state is h11.IDLE:
                self._deadline = self.loop.call_later(seconds, self._end)
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._cancel_deadline()

        def connection_lost(self, exc: Exception | None) -> None:
            self._cancel_deadline()
            super().connection_lost(exc)

        def _cancel_deadline(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _end(self) -> None:
            self._deadline = None
            self.transport.close()

    return HeadersInTime


class GatewayServer(uvicorn.Server):
    """``report_url`` is called with the server's URL when it takes requests."""

    def __init__(self, config: GatewayConfig, report_url: Callable[[str], None]) -> None:
        self._app = create_app(config)
        self._report_url = report_url
        super().__init__(
            uvicorn.Config(
                self._app,
                http=protocol_with_header_timeout(config.header_timeout_s),
                ws="none",
                log_config=None,
                log_level="critical",
                access_log=False,
                server_header=False,
                date_header=False,
                timeout_graceful_shutdown=_GRACE_S,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and sockets:
            self._report_url(url_of(sockets[0]))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.state.stop()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """uvicorn's own raises the signal again when it is done, and the exit code would be the signal's."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listening_socket(host: str, port: int) -> socket.socket:
    """``OSError`` where it cannot listen. Port 0: any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=2048)


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
