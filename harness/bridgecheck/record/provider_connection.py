"""The leg to the provider: one connection a request, TLS verified, HTTP/2 where the provider speaks it.

A connection of its own for each request costs a handshake. In return no request meets a connection that the provider
was about to close, and no two exchanges share anything.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridgecheck.errors import RefusedAtStart
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.record.provider_protocol import Ended, Http1, Http2, ProviderEvent, ProviderProtocol
from bridgecheck.record.providers import Provider

CONNECT_S: Final = 30.0
_READ: Final = 64 * 1024
_CHECK: Final = "check the address in --serve and the network"


class BadCertificates(RefusedAtStart):
    """--ca-file names no certificates."""


class Unreachable(Exception):
    """There is no connection; ``str()`` says why and ``next_step`` what to do."""

    def __init__(self, message: str, next_step: str) -> None:
        super().__init__(message)
        self.next_step = next_step


def tls_context(ca_file: Path | None) -> ssl.SSLContext:
    """Return the context that verifies providers: by the system's certificates, and by those in ``ca_file``. Raises
    BadCertificates."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    if ca_file is not None:
        try:
            context.load_verify_locations(ca_file)
        except (OSError, ssl.SSLError) as error:
            reason = error.strerror or str(error)
            what, expected = f"--ca-file cannot be read: {reason}", "a file with certificates in PEM"
            raise BadCertificates(what, str(ca_file), expected) from error
    return context


@dataclass(slots=True)
class ProviderConnection:
    """One connection. ``http``: the version that is spoken on it; ``seconds``: how long the provider may say nothing
    more."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    http: str
    seconds: float

    async def exchange(self, request: HttpRequest, authority: str) -> AsyncIterator[ProviderEvent]:
        """Send a request and yield what comes; the last event is an ``Ended``. Raises nothing of the network."""
        protocol: ProviderProtocol = Http2() if self.http == "2" else Http1()
        protocol.send(request, authority)
        is_sending = True
        while True:
            try:
                # An answer may come before the whole request was read: what cannot be sent any more is no reason to
                # pass over it.
                if is_sending and (data := protocol.bytes_to_send()):
                    self.writer.write(data)
                    await self.writer.drain()
            except ConnectionError:
                is_sending = False
            events = await self._receive(protocol)
            for event in events:
                yield event
                if isinstance(event, Ended):
                    return

    async def _receive(self, protocol: ProviderProtocol) -> list[ProviderEvent]:
        try:
            async with asyncio.timeout(self.seconds):
                data = await self.reader.read(_READ)
        except TimeoutError:
            return [Ended("timeout", f"the provider sent nothing for {self.seconds:g} s")]
        except (ConnectionError, ssl.SSLError) as error:
            return [Ended("reset", f"the connection broke: {error.strerror or type(error).__name__}")]
        except OSError as error:
            return [Ended("reset", f"the connection broke: {error}")]
        return list(protocol.receive(data))


@asynccontextmanager
async def connect(provider: Provider, context: ssl.SSLContext, seconds: float) -> AsyncIterator[ProviderConnection]:
    """Connect to a provider, and disconnect at the end of the block. Raises Unreachable."""
    tls = context if provider.scheme == "https" else None
    server = provider.host if tls else None
    try:
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection(
                provider.host, provider.port, ssl=tls, server_hostname=server, limit=_READ
            )
    except ssl.SSLCertVerificationError as error:
        message = f"{provider.url} shows a certificate that is not trusted: {error.verify_message}"
        raise Unreachable(message, "--ca-file FILE with the certificate of its authority, or another URL") from error
    except TimeoutError as error:
        raise Unreachable(f"{provider.url} does not answer within {CONNECT_S:g} s", _CHECK) from error
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unreachable(f"{provider.url} cannot be reached: {reason}", _CHECK) from error
    tls_object = writer.get_extra_info("ssl_object")
    is_http2 = tls_object is not None and tls_object.selected_alpn_protocol() == "h2"
    try:
        yield ProviderConnection(reader, writer, "2" if is_http2 else "1.1", seconds)
    finally:
        writer.transport.abort()
