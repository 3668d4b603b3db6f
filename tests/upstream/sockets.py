"""A client on a bare socket, which sends and reads exact bytes."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.model.exchange import End, Headers, HttpRequest
from bridgecheck.upstream.edge import Edge
from bridgecheck.wire import JsonObject

CHAT_BODY: JsonObject = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
EVENTS: Headers = (("content-type", "text/event-stream"),)
PATH = "/v1/chat/completions"
CLOSE = "Connection: close"


@contextmanager
def open_connection(edge: Edge) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", edge.port), timeout=5) as sock:
        yield sock


def request(path: str = PATH, body: object = CHAT_BODY, *headers: str, method: str = "POST") -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: h", *headers, f"Content-Length: {len(data)}", "", ""]
    return "\r\n".join(lines).encode() + data


def read_until(sock: socket.socket, mark: bytes) -> bytes:
    """Return the received bytes up to and including the mark, or to the end."""
    received = b""
    while mark not in received and (data := sock.recv(65536)):
        received += data
    return received


def read_rest(sock: socket.socket) -> bytes:
    """Return the remaining bytes until the server closes."""
    received = b""
    while data := sock.recv(65536):
        received += data
    return received


def exchange_bytes(edge: Edge, sent: bytes) -> bytes:
    """Return the complete response on a new connection; the request must ask the server to close it."""
    with open_connection(edge) as sock:
        sock.sendall(sent)
        return read_rest(sock)


def record_chat(
    *chunks: bytes,
    status: int = 200,
    end: End = "complete",
    headers: Headers = EVENTS,
    stream: bool = True,
    t_ms: tuple[int, ...] = (),
) -> RecordedInteraction:
    """One Chat interaction."""
    body = json.dumps({**CHAT_BODY, "stream": stream}).encode()
    sent = HttpRequest("POST", PATH, (("content-type", "application/json"),), body)
    return RecordedInteraction(sent, status, headers, chunks, end, t_ms, "https://api.openai.com")


def cassette(*interactions: RecordedInteraction) -> Cassette:
    return Cassette({"source": "scripted"}, interactions)
