"""One connection of a provider's side: h11 speaks HTTP, this moves the bytes.

An answer ends like this: ``complete`` with the last chunk; ``cut`` by closing before it, so that a client sees an
incomplete body; ``reset`` with a TCP reset; ``timeout`` and ``client_closed`` by saying nothing more until the client
leaves. A write goes out by itself (asyncio sets TCP_NODELAY): the next one waits until the other side has read it.
"""

import asyncio
import socket
import struct
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, Protocol, TypeAlias

import h11

from bridgecheck.cassette.store import reason_phrase
from bridgecheck.model.exchange import Headers, HttpRequest
from bridgecheck.upstream.unread import UnreadByteCounter
from bridgecheck.upstream.wire_response import WireResponse

MAX_BODY: Final = 64 * 1024 * 1024
"""Bytes of a request's body; longer ones are refused with 413."""
_MAX_HEAD: Final = 256 * 1024
_READ: Final = 65536
_SETTLE_S: Final = 0.02
"""A reset overtakes what a client has read and not handled yet: seconds to let it do so."""
_LINGER_S: Final = 0.5
"""How long a client that is still sending may take to read that it was refused."""
REST_S: Final = 5.0
"""How long the rest of a request may take from one piece to the next."""
_READ_S: Final = 0.5
"""How long the other side may take to read a write before the next one goes out all the same."""
_POLL_S: Final = 0.0005
_IPV4: Final = 2
"""Parts of an address of IPv4."""
_NO_BODY: Final = frozenset({204, 304})

Event: TypeAlias = h11.Request | h11.Data | h11.EndOfMessage
Reusable: TypeAlias = bool
"""Whether a connection can take another request."""


class ResponseObserver(Protocol):
    """Observes a response while it is sent."""

    def note(self, letter: str) -> None:
        """``letter``: "u" for a write that leaves, "q" when the response is complete, or its client left."""

    async def ready(self, write: int) -> None:
        """Return when write ``write`` (from 0) may be sent."""

    async def ready_to_break(self) -> None:
        """Return when the connection may break: what was sent had its time to reach the client."""


class NoObserver:
    """An observer that does nothing."""

    def note(self, letter: str) -> None: ...

    async def ready(self, write: int) -> None: ...

    async def ready_to_break(self) -> None: ...


class InvalidRequest(Exception):
    """What came is no request that can be answered; ``status`` is the reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class DisconnectAwareReader(asyncio.StreamReader):
    """A StreamReader that signals when the other side left, also while nobody reads."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(_READ, loop)
        self.disconnected = asyncio.Event()

    def feed_eof(self) -> None:
        super().feed_eof()
        self.disconnected.set()

    def set_exception(self, exc: Exception) -> None:
        super().set_exception(exc)
        self.disconnected.set()


class ServerConnection:
    """One connection of the server. ``observer``: of the response under way, None between responses."""

    def __init__(
        self, reader: DisconnectAwareReader, writer: asyncio.StreamWriter, unread: UnreadByteCounter,
        max_body: int = MAX_BODY,
    ) -> None:  # fmt: skip
        self.observer: ResponseObserver | None = None
        self._unread = unread
        self._raw = bytearray()
        self._reader = reader
        self._writer = writer
        self._max_body = max_body
        self._http = h11.Connection(h11.SERVER, _MAX_HEAD)
        self._requested_at = 0.0
        self._head_only = False
        self._is_read = True

    @property
    def raw(self) -> bytes:
        """The last request, byte for byte as it came."""
        return bytes(self._raw)

    async def read_request(self) -> HttpRequest | None:
        """Return the next request; None when the client left. Raises InvalidRequest."""
        try:
            return await self._assemble_request()
        except h11.RemoteProtocolError as error:
            raise InvalidRequest(error.error_status_hint, f"no HTTP: {error}") from error

    async def send_response(self, answer: WireResponse, observer: ResponseObserver) -> Reusable:
        """Send a response."""
        self.observer = observer
        try:
            await self._send_head(answer)
            bodiless = self._head_only or answer.status in _NO_BODY
            for number, write in enumerate(() if bodiless else answer.writes):
                await self._wait_unless_disconnected(self._wait_for_write(answer, number, observer))
                observer.note("u")
                await self._send(h11.Data(data=write))
            return await self._finish(answer, observer)
        finally:
            self.observer = None
            observer.note("q")

    @property
    def client_left(self) -> asyncio.Event:
        """Set as soon as the client has closed its side."""
        return self._reader.disconnected

    async def begin_response(self, head: WireResponse) -> None:
        """Send status and headers of a response whose body arrives while it is sent: ``send_piece`` sends what there
        is, ``end_response`` ends it. Raises ConnectionError if the client left."""
        is_sized = any(name == "content-length" for name, _ in head.headers)
        await self._send_head(head, () if is_sized else (("transfer-encoding", "chunked"),))

    async def send_piece(self, data: bytes) -> None:
        """Send the next bytes of the body, as a chunk of their own."""
        self._writer.write(self._http.send(h11.Data(data=data)) or b"")
        await self._writer.drain()

    async def end_response(self, head: WireResponse) -> Reusable:
        """End a response as ``head.end`` says."""
        return await self._finish(head, NoObserver())

    async def send_refusal(self, answer: WireResponse) -> None:
        """Answer what is no request, and wait a moment for the client to read it."""
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        await self._send_head(answer, (("connection", "close"),))
        for write in answer.writes:
            await self._send(h11.Data(data=write))
        await self._send(h11.EndOfMessage())
        self._writer.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_S):
                while await self._reader.read(_READ):
                    pass

    def abort(self) -> None:
        self._writer.transport.abort()

    async def _assemble_request(self) -> HttpRequest | None:
        head: h11.Request | None = None
        body = bytearray()
        self._raw = bytearray(self._http.trailing_data[0])
        while (event := await self._next_event_in_time(head, len(body))) is not None:
            if isinstance(event, h11.Request):
                head = event
                # A number, as h11 ensures.
                self._check_size(next((int(value) for name, value in head.headers if name == b"content-length"), 0))
            elif isinstance(event, h11.Data):
                body += event.data
                self._check_size(len(body))
            elif head is not None:
                # What stands behind belongs to the next one.
                del self._raw[len(self._raw) - len(self._http.trailing_data[0]) :]
                self._requested_at = asyncio.get_running_loop().time()
                self._head_only = head.method == b"HEAD"
                headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in head.headers)
                return HttpRequest(head.method.decode(), head.target.decode(), headers, bytes(body))
        return None

    async def _next_event_in_time(self, head: h11.Request | None, size: int) -> Event | None:
        """Return the next event. Raises InvalidRequest where the rest of a body, of which ``size`` bytes came, does not
        come: its sender waits for an answer to a request that is shorter than its head says."""
        if head is None:
            return await self._next_event()
        try:
            async with asyncio.timeout(REST_S):
                return await self._next_event()
        except TimeoutError:
            promised = next((value.decode() for name, value in head.headers if name == b"content-length"), "more")
            body = f"an incomplete message body (received {size} bytes, expected {promised})"
            raise InvalidRequest(408, f"{body}, no more for {REST_S:g} s") from None

    def _check_size(self, size: int) -> None:
        if size > self._max_body:
            raise InvalidRequest(413, f"a request body of {size} bytes or more; {self._max_body} are the limit")

    async def _next_event(self) -> Event | None:
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                if self._http.they_are_waiting_for_100_continue:
                    await self._send(h11.InformationalResponse(status_code=100, headers=[]))
                data = await self._reader.read(_READ)
                self._raw += data
                self._http.receive_data(data)
            elif isinstance(event, h11.Request | h11.Data | h11.EndOfMessage):
                return event
            else:
                return None

    async def _finish(self, answer: WireResponse, observer: ResponseObserver) -> Reusable:
        if answer.end == "complete":
            await self._send(h11.EndOfMessage())
            return self._next_cycle()
        if answer.end not in ("cut", "reset"):
            await self._reader.disconnected.wait()
            return False
        await self._wait_until_read()
        await self._wait_unless_disconnected(observer.ready_to_break())
        if answer.end == "reset":
            await asyncio.sleep(_SETTLE_S)
            self._send_tcp_reset()
        return False

    async def _send_head(self, answer: WireResponse, extra: Headers = ()) -> None:
        """Send status line and headers; with ``head_ms`` in two pieces, that long after one another."""
        # A value outside Latin-1 is sent as UTF-8, as careless servers do.
        headers = [(name.encode(), value.encode("utf-8")) for name, value in (*_add_framing(answer), *extra)]
        head = h11.Response(status_code=answer.status, headers=headers, reason=reason_phrase(answer.status).encode())
        data = self._http.send(head) or b""
        if answer.head_ms:
            half = data.index(b"\r\n") + 2
            await self._write(data[:half])
            await self._wait_unless_disconnected(asyncio.sleep(answer.head_ms / 1000))
            data = data[half:]
        await self._write(data)

    async def _wait_for_write(self, answer: WireResponse, number: int, observer: ResponseObserver) -> None:
        """Return when the time of a write has come."""
        if number < len(answer.t_ms):
            due = self._requested_at + answer.t_ms[number] / 1000
            await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
        await observer.ready(number)

    async def _wait_unless_disconnected(self, waiting: Coroutine[Any, Any, None]) -> None:
        """Wait, but no longer than the client does. Raises ConnectionResetError."""
        task, disconnected = asyncio.ensure_future(waiting), asyncio.ensure_future(self._reader.disconnected.wait())
        try:
            await asyncio.wait({task, disconnected}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            disconnected.cancel()
            task.cancel()
        if self._reader.disconnected.is_set():
            raise ConnectionResetError("the client left")
        task.result()

    async def _send(self, event: h11.Event) -> None:
        await self._write(self._http.send(event) or b"")

    async def _write(self, data: bytes) -> None:
        if data:
            await self._wait_until_read()
            self._writer.write(data)
            await self._writer.drain()
            await asyncio.sleep(0)  # the other side may be in this loop

    async def _wait_until_read(self) -> None:
        """Return when the other side has read what was sent, so that no write joins another in its buffer; at once if
        it was found not to read."""
        own, peer = (self._writer.get_extra_info(name) for name in ("sockname", "peername"))
        if not self._is_read or own is None or len(own) != _IPV4:
            return
        deadline = asyncio.get_running_loop().time() + _READ_S
        while self._unread.count(peer, own) and not self._reader.disconnected.is_set():
            self._is_read = asyncio.get_running_loop().time() < deadline
            if not self._is_read:
                return
            await asyncio.sleep(_POLL_S)

    def _next_cycle(self) -> Reusable:
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        return True

    def _send_tcp_reset(self) -> None:
        """Close with no time to linger, which sends a TCP reset."""
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()


def _add_framing(answer: WireResponse) -> list[tuple[str, str]]:
    """Return the headers with a length for one whole write; else chunked, so that a cut shows."""
    if answer.is_open_ended or any(name in ("content-length", "transfer-encoding") for name, _ in answer.headers):
        return list(answer.headers)
    whole = answer.end == "complete" and len(answer.writes) < 2
    size = sum(map(len, answer.writes))
    return [*answer.headers, ("content-length", str(size)) if whole else ("transfer-encoding", "chunked")]
