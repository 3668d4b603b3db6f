"""The wire client: one request over a socket, and the bytes of its answer as they arrive.

h11 speaks HTTP; this moves the bytes, with one time limit on all of it and a limit on what is kept. How an answer's
body ended is told apart (complete, cut, reset); an answer that never was is an exception that says why.
"""

import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

import h11

from bridgecheck.errors import BadTarget
from bridgecheck.model.evidence import NO_ANSWER, NOT_HTTP
from bridgecheck.model.exchange import End, Headers, HttpRequest

MOST: Final = 64 * 1024 * 1024
"""Bytes of a body; the longest of the corpus has a hundredth of it."""

_READ: Final = 64 * 1024
_MAX_HEAD: Final = 256 * 1024
_SHOWN: Final = 80

Why: TypeAlias = Literal["unreachable", "closed", "silent", "endless", "garbage"]
"""Nobody listens; the connection closed or broke before an answer; time ran out; too many bytes; not HTTP."""

Heard: TypeAlias = Callable[[bytes], bool]
"""Takes the bytes of a body as they arrive; True: the client has enough and goes away."""


class NoAnswer(Exception):
    """There was no whole answer; ``str()`` says what there was instead."""

    def __init__(self, why: Why, words: str) -> None:
        super().__init__(words)
        self.why = why


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


def address(url: str, where: str) -> Address:
    """Raises BadTarget."""
    expected = "http://HOST:PORT, with a path if need be"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as wrong:
        raise BadTarget(f"{url!r} is no address: {wrong}", where, expected) from wrong
    more = parts.query or parts.fragment or parts.username or " " in url or not url.isprintable()
    if parts.scheme != "http" or not host or more:
        raise BadTarget(f"{url!r} is no address of a gateway", where, expected)
    return Address(host, 80 if port is None else port, parts.path.rstrip("/"))


@dataclass(slots=True)
class Received:
    """``chunks``: the body as it arrived, in its content encoding; ``size``: its bytes."""

    status: int
    headers: Headers
    chunks: list[bytes] = field(default_factory=list)
    end: End = "complete"
    size: int = 0


def send(
    to: Address, request: HttpRequest, seconds: float, heard: Heard = lambda data: False, most: int = MOST
) -> Received:
    """The answer to a request, whose path is taken as it is. Raises NoAnswer."""
    call = _Call(to, time.monotonic() + seconds, seconds, heard, most)
    try:
        connection = socket.create_connection((to.host, to.port), seconds)
    except OSError as wrong:
        raise NoAnswer("unreachable", f"nothing listens on {to.host}:{to.port}: {wrong.strerror or wrong}") from wrong
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return call.made(connection, request)


@dataclass(slots=True)
class _Call:
    """One exchange under way. ``came``: the first bytes of what came, for the message where they are no HTTP."""

    to: Address
    deadline: float
    seconds: float
    heard: Heard
    most: int
    received: Received | None = None
    came: bytes = b""
    http: h11.Connection = field(
        default_factory=lambda: h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_HEAD)
    )

    def made(self, connection: socket.socket, request: HttpRequest) -> Received:
        try:
            self._ask(connection, request)
            for event in self._events(connection):
                if self._taken(event):
                    break
        except TimeoutError:
            raise self._late() from None
        except h11.RemoteProtocolError as wrong:
            self._broken("cut", f"it answered with what is {NOT_HTTP}: {self.came[:_SHOWN]!r} ({wrong})", "garbage")
        except OSError as wrong:
            self._broken("reset", f"it broke the connection without an answer: {wrong.strerror or wrong}", "closed")
        if self.received is None:
            raise NoAnswer("closed", "it closed the connection without an answer")
        return self.received

    def _ask(self, connection: socket.socket, request: HttpRequest) -> None:
        headers = [
            ("host", self.to.url.removeprefix("http://").removesuffix(self.to.path)),
            *request.headers,
            ("content-length", str(len(request.body))),
        ]
        encoded = [(name.encode(), value.encode("utf-8", "replace")) for name, value in headers]
        head = h11.Request(method=request.method.encode(), target=request.path.encode(), headers=encoded)
        parts = (head, h11.Data(data=request.body), h11.EndOfMessage()) if request.body else (head, h11.EndOfMessage())
        data = b"".join(self.http.send(part) or b"" for part in parts)
        try:
            connection.settimeout(self._left())
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            # It may have answered before it had read everything.
            pass

    def _events(self, connection: socket.socket) -> Iterator[h11.Response | h11.Data]:
        """What arrives, to the end of the message or of the connection."""
        while True:
            event = self.http.next_event()
            if event is h11.NEED_DATA:
                connection.settimeout(self._left())
                data = connection.recv(_READ)
                self.came = (self.came + data)[:_SHOWN]
                if not data and not self.came:
                    return
                self.http.receive_data(data)
            elif isinstance(event, h11.Response | h11.Data):
                yield event
            elif not isinstance(event, h11.InformationalResponse):
                return

    def _taken(self, event: h11.Response | h11.Data) -> bool:
        """Keeps what arrived; whether the client goes away now."""
        if isinstance(event, h11.Response):
            self.received = Received(event.status_code, _headers(event))
            return False
        if self.received is None:
            raise AssertionError("h11 gives a body to no answer")
        data = bytes(event.data)
        self.received.chunks.append(data)
        self.received.size += len(data)
        if self.received.size > self.most:
            raise NoAnswer("endless", f"its answer is longer than {self.most} bytes")
        if self.heard(data):
            self.received.end = "client_closed"
            return True
        return False

    def _left(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def _late(self) -> NoAnswer:
        if self.received is None:
            return NoAnswer("silent", f"{NO_ANSWER} {self.seconds:g} s")
        size = self.received.size
        return NoAnswer("silent", f"no end of its answer within {self.seconds:g} s, after {size} bytes of it")

    def _broken(self, end: End, words: str, why: Why) -> None:
        """A body that broke off is an answer; without a head it is none."""
        if self.received is None:
            raise NoAnswer(why, words)
        self.received.end = end


def _headers(response: h11.Response) -> Headers:
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers)
