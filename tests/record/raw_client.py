"""A client that sees HTTP as it is: the chunks of a response, and how it ended."""

import socket
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import h11


@dataclass
class Received:
    """``chunks``: as the server framed them; ``end``: complete, cut or reset."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    chunks: list[bytes] = field(default_factory=list)
    end: str = "cut"


def post(
    origin: str, path: str, body: bytes, headers: tuple[tuple[str, str], ...] = (), leave_after: int = 0
) -> Received:
    """Send a request and return what came. ``leave_after``: hang up when that many chunks have come."""
    address = urlsplit(origin)
    assert address.hostname and address.port
    http = h11.Connection(h11.CLIENT)
    received, rest = Received(), b""
    with socket.create_connection((address.hostname, address.port), 20) as connection:
        sent = [("host", address.netloc), ("content-length", str(len(body))), *headers]
        request = h11.Request(method="POST", target=path, headers=sent)
        connection.sendall(b"".join(http.send(event) or b"" for event in (request, h11.Data(body), h11.EndOfMessage())))
        while not isinstance(event := http.next_event(), h11.EndOfMessage):
            if event is h11.NEED_DATA:
                try:
                    data = connection.recv(65536)
                    http.receive_data(data)
                    if not data:
                        http.next_event()
                except ConnectionError:
                    received.end = "reset"
                    return received
                except h11.RemoteProtocolError:
                    return received
            elif isinstance(event, h11.Response):
                received.status = event.status_code
                received.headers = {name.decode(): value.decode() for name, value in event.headers}
            elif isinstance(event, h11.Data):
                rest += bytes(event.data)
                if event.chunk_end or "content-length" in received.headers:
                    received.chunks.append(rest)
                    rest = b""
                if leave_after and len(received.chunks) == leave_after:
                    received.end = "left"
                    return received
            elif isinstance(event, h11.ConnectionClosed):
                return received
    received.end = "complete"
    return received
