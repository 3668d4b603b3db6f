"""The wire client: bytes as they arrive, and every kind of missing response."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from bridgecheck.drivers.http_client import (
    Address,
    EventCounter,
    NoResponse,
    ReceivedResponse,
    parse_address,
    send_request,
)
from bridgecheck.errors import BadTarget
from bridgecheck.model.exchange import HttpRequest

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"
REQUEST = HttpRequest("POST", "/v1/x?y=z", (("x-a", "ä"),), b'{"a": 1}')


@contextmanager
def server(act: Callable[[socket.socket], object]) -> Iterator[Address]:
    """Serve one connection: read the request's head and body, then call ``act`` with the connection."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError):  # the client may have disconnected
                connection.recv(65536)
                act(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield Address("127.0.0.1", listening.getsockname()[1])
        thread.join(5)


def send_to_server(*parts: bytes, seconds: float = 5, reset: bool = False, **options: object) -> ReceivedResponse:
    def act(connection: socket.socket) -> None:
        for part in parts:
            connection.sendall(part)
            time.sleep(0.02)
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with server(act) as at:
        return send_request(at, REQUEST, seconds, **options)


def test_the_request_is_sent_unchanged() -> None:
    came: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

        def serve() -> None:
            connection, _ = listening.accept()
            came.append(connection.recv(65536))
            connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
            connection.close()

        threading.Thread(target=serve, daemon=True).start()
        assert send_request(Address("127.0.0.1", port, "/base"), REQUEST, 5).status == 204
    assert came == [
        f"POST /v1/x?y=z HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nx-a: ä\r\ncontent-length: 8\r\n\r\n".encode()
        + b'{"a": 1}'
    ]


def test_chunks_arrive_one_by_one() -> None:
    received: list[bytes] = []
    response = send_to_server(
        CHUNKED, b"3\r\nabc\r\n", b"2\r\nde\r\n", b"0\r\n\r\n", on_bytes=lambda data: bool(received.append(data))
    )
    assert (response.status, response.chunks, response.end, response.size) == (200, [b"abc", b"de"], "complete", 5)
    assert received == [b"abc", b"de"]
    assert ("content-type", "text/event-stream") in response.headers


def test_the_client_may_disconnect() -> None:
    response = send_to_server(CHUNKED, b"3\r\nabc\r\n", b"2\r\nde\r\n", on_bytes=lambda data: data == b"abc")
    assert (response.chunks, response.end) == ([b"abc"], "client_closed")


def test_a_truncated_body_is_a_response() -> None:
    assert send_to_server(CHUNKED, b"3\r\nabc\r\n").end == "cut"
    assert send_to_server(CHUNKED, b"3\r\nabc\r\n", reset=True).end == "reset"
    assert send_to_server(HEAD + b"content-length: 9\r\n\r\nabc").end == "cut"
    assert send_to_server(CHUNKED, b"3\r\nabc\r\n", b"what?\r\n").end == "cut"
    assert send_to_server(b"HTTP/1.0 200 OK\r\n\r\nabc").end == "complete"


def test_interim_responses_are_skipped() -> None:
    assert send_to_server(
        b"HTTP/1.1 103 Early Hints\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na"
    ).chunks == [b"a"]


@pytest.mark.parametrize(
    ("parts", "reset", "why", "message"),
    [
        ((), False, "closed", "closed the connection without an answer"),
        ((), True, "closed", "broke the connection without an answer"),
        ((b"SSH-2.0-OpenSSH\r\n",), False, "garbage", "what is no HTTP: b'SSH-2.0-OpenSSH"),
        ((b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n",), False, "garbage", "what is no HTTP"),
        ((b"HTTP/1.1 200 OK\r\n",), False, "garbage", "what is no HTTP"),
    ],
)
def test_a_missing_response_is_reported_with_its_cause(
    parts: tuple[bytes, ...], reset: bool, why: str, message: str
) -> None:
    with pytest.raises(NoResponse, match=message) as wrong:
        send_to_server(*parts, reset=reset)
    assert wrong.value.reason == why


def test_a_refused_connection_is_reported() -> None:
    with pytest.raises(NoResponse, match=r"nothing listens on 127\.0\.0\.1:9: Connection refused") as wrong:
        send_request(Address("127.0.0.1", 9), REQUEST, 5)
    assert wrong.value.reason == "unreachable"


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((), r"no answer within 0\.3 s"),
        ((CHUNKED, b"3\r\nabc\r\n"), r"no end of its answer within 0\.3 s, after 3 bytes"),
        ((CHUNKED, *(b"1\r\nx\r\n",) * 40), r"no end of its answer within 0\.3 s, after \d+ bytes"),
    ],
)
def test_timeouts_are_reported(parts: tuple[bytes, ...], message: str) -> None:
    def act(connection: socket.socket) -> None:
        for part in parts:
            connection.sendall(part)
            time.sleep(0.02)
        connection.recv(1)

    with server(act) as at:
        started = time.monotonic()
        with pytest.raises(NoResponse, match=message) as wrong:
            send_request(at, REQUEST, 0.3)
        assert time.monotonic() - started < 2
    assert wrong.value.reason == "silent"


def test_a_response_has_a_maximum_size() -> None:
    with pytest.raises(NoResponse, match="longer than 10 bytes") as wrong:
        send_to_server(CHUNKED, b"b\r\nabcdefghijk\r\n", max_bytes=10)
    assert wrong.value.reason == "endless"


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("http://127.0.0.1:4000", Address("127.0.0.1", 4000)),
        ("http://localhost/genai/", Address("localhost", 80, "/genai")),
        ("http://[::1]:8080", Address("::1", 8080)),
    ],
)
def test_addresses(url: str, found: Address) -> None:
    assert parse_address(url, "here") == found
    assert found.url.startswith("http://")


@pytest.mark.parametrize(
    "url", ["https://a", "localhost:4000", "http://", "http://a:99999", "http://a?b", "http://u:p@a", "http://a b", ""]
)
def test_invalid_addresses_are_refused(url: str) -> None:
    with pytest.raises(BadTarget, match="http://HOST:PORT"):
        parse_address(url, "here")


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("body", "count"),
    [
        (b'data: {"a": 1}\r\n\r\ndata: {"b": 2}\r\n\r\n', 2),
        (b'\xef\xbb\xbf: hello\n\nevent: x\ndata: {"a": 1}\n\ndata: [DONE]\n\ndata: no json\n\n', 1),
        (b'[{"a": 1},\n {"b": [2]}]', 2),
        (b'{"error": {"message": "data: {}"}}', 0),
        (b"<html>\n\ndata: {}\n\n</html>", 0),
        (b"", 0),
    ],
)
def test_events_are_counted_as_they_arrive(body: bytes, count: int, size: int) -> None:
    counter = EventCounter()
    assert sum(counter.count_new_events(body[at : at + size]) for at in range(0, len(body), size)) == count


def test_events_are_counted_in_compressed_bytes() -> None:
    import zlib

    packer = zlib.compressobj(wbits=31)
    parts = [packer.compress(b'data: {"a": 1}\n\n') + packer.flush(zlib.Z_SYNC_FLUSH) for _ in range(3)]
    counter = EventCounter()
    assert [counter.count_new_events(part) for part in parts] == [1, 1, 1]
    assert counter.count_new_events(b"broken") == 0
