"""An HTTP client: one request over a socket, and the bytes of its response as they arrive.

h11 speaks HTTP; this moves the bytes, with one time limit for the whole exchange and a limit on the bytes kept. The
response says how its body ended (complete, cut, reset); no response at all is an exception with the reason.
"""

import socket
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

import h11

from bridgecheck.codec.body import JsonArrayDecoder
from bridgecheck.codec.limits import MAX_BODY_BYTES
from bridgecheck.codec.sse import DONE_MARKER, SseDecoder, SseEvent
from bridgecheck.codec.unpack import Unpacker
from bridgecheck.errors import BadTarget
from bridgecheck.model.evidence import HungNotHttpOrEmpty
from bridgecheck.model.exchange import End, Headers, HttpRequest
from bridgecheck.model.jsonvalue import parse_json

_READ: Final = 64 * 1024
_MAX_HEAD: Final = 256 * 1024
_SHOWN: Final = 80

NoResponseReason: TypeAlias = Literal["unreachable", "closed", "silent", "endless", "garbage", "unreadable"]
"""Nobody listens; closed or broken before an answer; out of time; too many bytes; not HTTP; no SDK can read it."""

BytesListener: TypeAlias = Callable[[bytes], bool]
"""Takes the bytes of a body as they arrive; True: the client has enough and goes away."""


_CRASH_KINDS: Final[dict[NoResponseReason, HungNotHttpOrEmpty]] = {"silent": "hung", "garbage": "not-http"}


class NoResponse(Exception):
    """There was no whole response; ``str()`` is the reason."""

    def __init__(self, reason: NoResponseReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    @property
    def kind(self) -> HungNotHttpOrEmpty:
        return _CRASH_KINDS.get(self.reason, "")


@dataclass(frozen=True, slots=True)
class Address:
    """``path``: what stands before every path, without a slash at its end."""

    host: str
    port: int
    path: str = ""

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}{self.path}"


def parse_address(url: str, location: str) -> Address:
    """Return the address of a gateway. Raises BadTarget."""
    expected = "http://HOST:PORT, with a path if need be"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise BadTarget(f"{url!r} is no address: {error}", location, expected) from error
    extra = parts.query or parts.fragment or parts.username or " " in url or not url.isprintable()
    if parts.scheme != "http" or not host or extra:
        raise BadTarget(f"{url!r} is no address of a gateway", location, expected)
    return Address(host, 80 if port is None else port, parts.path.rstrip("/"))


@dataclass(slots=True)
class ReceivedResponse:
    """``chunks``: the body as it arrived, in its content encoding; ``size``: its bytes."""

    status: int
    headers: Headers
    chunks: list[bytes] = field(default_factory=list)
    end: End = "complete"
    size: int = 0


def send_request(
    address: Address,
    request: HttpRequest,
    seconds: float,
    on_bytes: BytesListener = lambda data: False,
    max_bytes: int = MAX_BODY_BYTES,
) -> ReceivedResponse:
    """Send a request, whose path is used as it is, and return the response. Raises NoResponse."""
    call = _Exchange(address, time.monotonic() + seconds, seconds, on_bytes, max_bytes)
    try:
        connection = socket.create_connection((address.host, address.port), seconds)
    except OSError as error:
        message = f"nothing listens on {address.host}:{address.port}: {error.strerror or error}"
        raise NoResponse("unreachable", message) from error
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return call.run(connection, request)


@dataclass(slots=True)
class _Exchange:
    """One exchange under way. ``first_bytes``: of what arrived, for the message where it is no HTTP."""

    address: Address
    deadline: float
    seconds: float
    on_bytes: BytesListener
    max_bytes: int
    received: ReceivedResponse | None = None
    first_bytes: bytes = b""
    http: h11.Connection = field(
        default_factory=lambda: h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_HEAD)
    )

    def run(self, connection: socket.socket, request: HttpRequest) -> ReceivedResponse:
        try:
            self._send_head_and_body(connection, request)
            for event in self._receive_events(connection):
                if self._store_event(event):
                    break
        except TimeoutError:
            raise self._timeout_failure() from None
        except h11.RemoteProtocolError as error:
            message = f"it answered with what is no HTTP: {self.first_bytes[:_SHOWN]!r} ({error})"
            self._end_broken("cut", message, "garbage")
        except OSError as error:
            self._end_broken("reset", f"it broke the connection without an answer: {error.strerror or error}", "closed")
        if self.received is None:
            raise NoResponse("closed", "it closed the connection without an answer")
        return self.received

    def _send_head_and_body(self, connection: socket.socket, request: HttpRequest) -> None:
        headers = [
            ("host", self.address.url.removeprefix("http://").removesuffix(self.address.path)),
            *request.headers,
            ("content-length", str(len(request.body))),
        ]
        encoded = [(name.encode(), value.encode("utf-8", "replace")) for name, value in headers]
        head = h11.Request(method=request.method.encode(), target=request.path.encode(), headers=encoded)
        parts = (head, h11.Data(data=request.body), h11.EndOfMessage()) if request.body else (head, h11.EndOfMessage())
        data = b"".join(self.http.send(part) or b"" for part in parts)
        try:
            connection.settimeout(self._seconds_left())
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it may have answered before it had read everything

    def _receive_events(self, connection: socket.socket) -> Iterator[h11.Response | h11.Data]:
        """Yield what arrives, to the end of the message or of the connection."""
        while True:
            event = self.http.next_event()
            if event is h11.NEED_DATA:
                connection.settimeout(self._seconds_left())
                data = connection.recv(_READ)
                self.first_bytes = (self.first_bytes + data)[:_SHOWN]
                if not data and not self.first_bytes:
                    return
                self.http.receive_data(data)
            elif isinstance(event, h11.Response | h11.Data):
                yield event
            elif not isinstance(event, h11.InformationalResponse):
                return

    def _store_event(self, event: h11.Response | h11.Data) -> bool:
        """Store what arrived; return whether the client leaves now."""
        if isinstance(event, h11.Response):
            headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers)
            self.received = ReceivedResponse(event.status_code, headers)
            return False
        if self.received is None:
            raise AssertionError("h11 gives a body to no answer")
        data = bytes(event.data)
        self.received.chunks.append(data)
        self.received.size += len(data)
        if self.received.size > self.max_bytes:
            raise NoResponse("endless", f"its answer is longer than {self.max_bytes} bytes")
        if self.on_bytes(data):
            self.received.end = "client_closed"
            return True
        return False

    def _seconds_left(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def _timeout_failure(self) -> NoResponse:
        if self.received is None:
            return NoResponse("silent", f"no answer within {self.seconds:g} s")
        size = self.received.size
        return NoResponse("silent", f"no end of its answer within {self.seconds:g} s, after {size} bytes of it")

    def _end_broken(self, end: End, message: str, reason: NoResponseReason) -> None:
        """End the exchange of a connection that broke: with a response if it had a head, else with NoResponse."""
        if self.received is None:
            raise NoResponse(reason, message)
        self.received.end = end


_GZIP: Final = b"\x1f\x8b"
_BLANK: Final = b"\xef\xbb\xbf \t\r\n"


@dataclass(slots=True)
class EventCounter:
    """Counts the events of a streamed response while its bytes arrive in any pieces.

    An event is what ``codec.body.decode_response`` makes a document of. One document in place of a stream (an error,
    mostly) is no event.
    """

    _sse: SseDecoder | None = None
    _array: JsonArrayDecoder | None = None
    _whole_document: bool = False
    _head: bytes = b""
    _unpacker: Unpacker | None = None
    _unpacked: int = 0

    def count_new_events(self, data: bytes) -> int:
        """Return how many events these bytes complete."""
        data = self._unpack(data)
        if self._sse is None and self._array is None and not self._whole_document:
            data = self._choose_framing_and_return_bytes_so_far(data)
        if self._array is not None:
            return len(self._array.feed(data))
        return sum(map(_is_document, self._sse.feed(data))) if self._sse is not None else 0

    def _choose_framing_and_return_bytes_so_far(self, data: bytes) -> bytes:
        """Choose the framing from the first visible byte; return the bytes received till then."""
        self._head += data
        start = self._head.lstrip(_BLANK)[:1]
        if start == b"[":
            self._array = JsonArrayDecoder()
        elif start in (b"{", b"<"):
            self._whole_document = True
        elif start:
            self._sse = SseDecoder()
        return self._head

    def _unpack(self, data: bytes) -> bytes:
        """Decompress the bytes: some gateways compress without being requested to. What is too long to be read later is
        not counted."""
        if self._unpacker is None and not self._head and data.startswith(_GZIP):
            self._unpacker = Unpacker("gzip")
        if self._unpacker is None:
            return data
        unpacked = b""
        with suppress(zlib.error):
            for piece in self._unpacker.feed(data):
                unpacked += piece
                self._unpacked += len(piece)
                if self._unpacked > MAX_BODY_BYTES:
                    return b""
        return unpacked


def _is_document(event: SseEvent) -> bool:
    if event.data.strip() == DONE_MARKER:
        return False
    try:
        parse_json(event.data)
    except ValueError:
        return False
    return True
