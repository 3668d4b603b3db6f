"""HTTP/1.1 and HTTP/2 as a client speaks them, bytes in and events out; one request a connection. Pure.

Borders of what arrives are kept: a chunk of HTTP/1.1 (RFC 9112, section 7.1), a DATA frame of HTTP/2 (RFC 9113, section
6.1). A body of HTTP/1.1 with a length has no chunks: there each read is one. Long chunks are given on in pieces.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h11

from bridgecheck.model.exchange import End, Headers, HttpRequest

MAX_HEAD: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of a response."""

    status: int
    headers: Headers


@dataclass(frozen=True, slots=True)
class BodyPiece:
    """``is_border``: a chunk or a frame ends behind these bytes, which may be none."""

    data: bytes
    is_border: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """``why``: what broke off, for a message; "" for a whole response."""

    end: End
    why: str = ""


ProviderEvent: TypeAlias = Head | BodyPiece | Ended


class ProviderProtocol(Protocol):
    """One request and its response."""

    def send(self, request: HttpRequest, authority: str) -> None:
        """``request``: with a path as the provider knows it and without headers of the connection."""

    def receive(self, data: bytes) -> Iterator[ProviderEvent]:
        """Yield what these bytes complete; b"": the provider has closed its side. Nothing follows an ``Ended``."""

    def bytes_to_send(self) -> bytes: ...


class Http1:
    """HTTP/1.1."""

    def __init__(self) -> None:
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
        self._to_send = b""
        self._is_chunked = False

    def send(self, request: HttpRequest, authority: str) -> None:
        headers = [("host", authority), *request.headers, ("content-length", str(len(request.body)))]
        if request.method in ("GET", "HEAD") and not request.body:
            headers.pop()
        encoded = [(name.encode(), value.encode("utf-8")) for name, value in headers]
        head = h11.Request(method=request.method.encode(), target=request.path.encode(), headers=encoded)
        events = (head, h11.Data(data=request.body), h11.EndOfMessage()) if request.body else (head, h11.EndOfMessage())
        self._to_send += b"".join(self._http.send(event) or b"" for event in events)

    def bytes_to_send(self) -> bytes:
        data, self._to_send = self._to_send, b""
        return data

    def receive(self, data: bytes) -> Iterator[ProviderEvent]:
        try:
            self._http.receive_data(data)
            yield from self._events()
        except h11.RemoteProtocolError as error:
            yield Ended("cut", "the connection was closed before the end of the response" if not data else str(error))

    def _events(self) -> Iterator[ProviderEvent]:
        """Raises h11.RemoteProtocolError."""
        while True:
            event = self._http.next_event()
            if isinstance(event, h11.Response):
                headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers)
                self._is_chunked = any(name == "transfer-encoding" for name, _ in headers)
                yield Head(event.status_code, headers)
            elif isinstance(event, h11.Data):
                yield BodyPiece(bytes(event.data), event.chunk_end or not self._is_chunked)
            elif isinstance(event, h11.EndOfMessage):
                yield Ended("complete")
                return
            elif isinstance(event, h11.ConnectionClosed):
                yield Ended("cut", "the connection was closed without a response")
                return
            elif event is h11.NEED_DATA or event is h11.PAUSED:
                return


class Http2:
    """HTTP/2."""

    def __init__(self) -> None:
        config = h2.config.H2Configuration(client_side=True, header_encoding="latin-1")
        self._http = h2.connection.H2Connection(config)
        self._http.initiate_connection()
        self._stream = 1
        self._unsent = b""

    def send(self, request: HttpRequest, authority: str) -> None:
        pseudo = [
            (":method", request.method), (":scheme", "https"), (":authority", authority), (":path", request.path),
        ]  # fmt: skip
        length = [("content-length", str(len(request.body)))] if request.body else []
        encoded = [(name.encode(), value.encode("utf-8")) for name, value in (*pseudo, *request.headers, *length)]
        self._http.send_headers(self._stream, encoded, end_stream=not request.body)
        self._unsent = request.body
        self._send_body()

    def bytes_to_send(self) -> bytes:
        return self._http.data_to_send()

    def receive(self, data: bytes) -> Iterator[ProviderEvent]:
        if not data:
            yield Ended("cut", "the connection was closed before the end of the response")
            return
        try:
            events = self._http.receive_data(data)
        except h2.exceptions.ProtocolError as error:
            yield Ended("cut", f"no HTTP/2: {error}")
            return
        for event in events:
            yield from self._read_event(event)
            if isinstance(event, h2.events.StreamEnded | h2.events.StreamReset | h2.events.ConnectionTerminated):
                return

    def _read_event(self, event: h2.events.Event) -> Iterator[ProviderEvent]:
        if isinstance(event, h2.events.ResponseReceived):
            headers = [(str(name), str(value)) for name, value in event.headers]
            status = next(value for name, value in headers if name == ":status")
            yield Head(int(status), tuple(pair for pair in headers if not pair[0].startswith(":")))
        elif isinstance(event, h2.events.DataReceived):
            self._http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if event.data:
                yield BodyPiece(event.data, is_border=True)
        elif isinstance(event, h2.events.WindowUpdated | h2.events.RemoteSettingsChanged):
            self._send_body()
        elif isinstance(event, h2.events.StreamEnded):
            yield Ended("complete")
        elif isinstance(event, h2.events.StreamReset):
            yield Ended("reset", f"the provider reset the stream ({_name_of(event.error_code)})")
        elif isinstance(event, h2.events.ConnectionTerminated):
            yield Ended("cut", f"the provider ended the connection ({_name_of(event.error_code)})")

    def _send_body(self) -> None:
        """Send as much of the body as the provider's window takes."""
        while self._unsent:
            size = min(
                self._http.local_flow_control_window(self._stream), self._http.max_outbound_frame_size,
                len(self._unsent),
            )  # fmt: skip
            if size <= 0:
                return
            data, self._unsent = self._unsent[:size], self._unsent[size:]
            self._http.send_data(self._stream, data, end_stream=not self._unsent)


def _name_of(code: object) -> str:
    return code.name if isinstance(code, h2.errors.ErrorCodes) else str(code)
