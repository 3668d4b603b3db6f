"""The exact bytes on the socket: writes, their times, their encoding; and what is refused."""

import gzip
import socket
import time
import zlib
from collections.abc import Iterator

import pytest

from bridgecheck.model.exchange import Headers
from bridgecheck.upstream import connection
from bridgecheck.upstream.edge import Edge
from bridgecheck.upstream.play import IMMEDIATE, Play, PlaySettings

from .sockets import (
    CHAT_BODY,
    CLOSE,
    EVENTS,
    PATH,
    cassette,
    exchange_bytes,
    open_connection,
    read_rest,
    read_until,
    record_chat,
    request,
)

BODY = ("data: é\n\n".encode(), b"data: b\n\n", b"data: [DONE]\n\n")
GZIP: Headers = (*EVENTS, ("content-encoding", "gzip"))
TAKES = "Accept-Encoding: br, gzip"


@pytest.fixture(scope="module")
def edge() -> Iterator[Edge]:
    with Edge(max_body=1000) as running:
        yield running


def chunks(body: bytes) -> list[bytes]:
    """Return the chunks of a chunked body without the empty last one."""
    found: list[bytes] = []
    while body:
        size, _, body = body.partition(b"\r\n")
        if not int(size, 16):
            break
        found.append(body[: int(size, 16)])
        body = body[int(size, 16) + 2 :]
    return found


def play_writes(
    edge: Edge, *writes: bytes, manner: PlaySettings = IMMEDIATE, headers: Headers = EVENTS, takes: str = TAKES
) -> tuple[bytes, list[bytes]]:
    """Return the head in lower case and the chunks."""
    with edge.play_cassette(cassette(record_chat(*writes, headers=headers)), "openai-chat", "stream", settings=manner):
        head, _, body = exchange_bytes(edge, request(PATH, CHAT_BODY, CLOSE, takes)).partition(b"\r\n\r\n")
    return head.lower(), chunks(body)


def test_every_write_is_a_chunk_of_its_own(edge: Edge) -> None:
    head, came = play_writes(edge, *BODY)
    assert came == list(BODY)
    assert b"content-encoding" not in head


def test_with_gzip_each_write_is_decodable_on_arrival(edge: Edge) -> None:
    head, came = play_writes(edge, *BODY, manner=PlaySettings(gzip=True))
    assert b"content-encoding: gzip" in head
    unpacker = zlib.decompressobj(wbits=31)
    assert [unpacker.decompress(chunk) for chunk in came] == list(BODY)
    assert unpacker.eof


@pytest.mark.parametrize("takes", ["X: 1", "Accept-Encoding: br", "Accept-Encoding: gzip;q=0, br"])
def test_gzip_is_sent_only_to_clients_that_accept_it(edge: Edge, takes: str) -> None:
    for manner, headers in ((PlaySettings(gzip=True), EVENTS), (IMMEDIATE, GZIP)):
        head, came = play_writes(edge, *BODY, manner=manner, headers=headers, takes=takes)
        assert b"content-encoding" not in head
        assert came == list(BODY)


def test_a_decoded_gzip_recording_is_compressed_again(edge: Edge) -> None:
    head, came = play_writes(edge, *BODY, headers=GZIP)
    assert b"content-encoding: gzip" in head
    assert len(came) == len(BODY)
    assert gzip.decompress(b"".join(came)) == b"".join(BODY)


def test_a_compressed_recording_is_sent_unchanged(edge: Edge) -> None:
    packed = gzip.compress(b"".join(BODY))
    writes = (packed[:15], packed[15:])
    assert play_writes(edge, *writes, headers=GZIP)[1] == list(writes)
    head, came = play_writes(edge, *writes, headers=GZIP, takes="X: 1")
    assert b"content-encoding" not in head
    assert b"".join(came) == b"".join(BODY)


def test_a_truncated_gzip_body_stays_compressed(edge: Edge) -> None:
    held = cassette(record_chat(*BODY, end="cut"))
    with edge.play_cassette(held, "openai-chat", "stream", settings=PlaySettings(gzip=True)):
        body = exchange_bytes(edge, request(PATH, CHAT_BODY, CLOSE, TAKES)).partition(b"\r\n\r\n")[2]
    unpacker = zlib.decompressobj(wbits=31)
    assert unpacker.decompress(b"".join(chunks(body))) == b"".join(BODY)
    assert not unpacker.eof


@pytest.mark.parametrize(
    ("pace", "times"), [(0, (0, 60_000, 90_000)), (0.005, (0, 30_000, 60_000)), (1, (0, 150, 300))]
)
def test_writes_are_sent_at_the_recorded_pace(edge: Edge, pace: float, times: tuple[int, ...]) -> None:
    """Never sooner; and where the recorded times are long, long before them."""
    held = cassette(record_chat(*BODY, t_ms=times))
    came: list[float] = []
    received = b""
    with (
        edge.play_cassette(held, "openai-chat", "stream", settings=PlaySettings(pace=pace)),
        open_connection(edge) as sock,
    ):
        sock.sendall(request())
        started = time.monotonic()
        while len(came) < len(BODY):
            received += sock.recv(65536)
            came += [time.monotonic() - started] * (sum(write in received for write in BODY) - len(came))
    assert all(second >= pace * recorded / 1000 - 0.02 for second, recorded in zip(came, times, strict=True))
    assert came[2] < 30


def test_a_recorded_content_length_is_recomputed(edge: Edge) -> None:
    headers: Headers = (*EVENTS, ("content-length", "9999"), ("connection", "keep-alive"), ("x-a", "ü"))
    head, came = play_writes(edge, *BODY, headers=headers)
    assert b"content-length" not in head
    assert b"\r\nx-a: \xc3\xbc\r\n" in head
    assert came == list(BODY)


def test_a_head_request_gets_no_body(edge: Edge) -> None:
    with edge.play_cassette(cassette(), "openai-chat", "unary"), open_connection(edge) as sock:
        sock.sendall(request("/health", b"", method="HEAD"))
        assert read_until(sock, b"\r\n\r\n").startswith(b"HTTP/1.1 200 OK")
        sock.sendall(request("/health", b"", CLOSE, method="GET"))
        assert read_rest(sock).endswith(b'{"status": "ok"}')


LONG = b"x" * 1001


@pytest.mark.parametrize(
    "sent",
    [
        request(PATH, LONG)[:-1001],
        request(PATH, LONG, "Expect: 100-continue")[:-1001],
        f"POST {PATH} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n".encode() + LONG,
    ],
)
def test_a_body_above_the_limit_is_refused(edge: Edge, sent: bytes) -> None:
    with (
        edge.play_cassette(cassette(record_chat(b"1")), "openai-chat", "stream") as play,
        open_connection(edge) as sock,
    ):
        sock.sendall(sent)
        answer = read_rest(sock)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close\r\n" in answer.lower()
    assert b"1000 are the limit" in answer
    assert play.requests_without_side_traffic == []
    assert play.misses == ["a request body of 1001 bytes or more; 1000 are the limit"]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\x16\x03\x01\x02\x00 no http\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: many\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: h\r\nX: " + b"x" * 600_000 + b"\r\n\r\n", b"431"),
    ],
)
def test_invalid_http_is_answered_with_an_error(edge: Edge, sent: bytes, status: bytes) -> None:
    before = len(edge.refusals)
    with open_connection(edge) as sock:
        sock.sendall(sent)
        answer = read_rest(sock)
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert b"no HTTP: " in answer
    assert len(edge.refusals) == before + 1
    assert edge.refusals[-1].startswith("no HTTP: ")


def test_a_request_whose_rest_never_comes_is_refused(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "REST_S", 0.1)
    with edge.play_cassette(cassette(record_chat(b"1")), "openai-chat", "unary") as play, open_connection(edge) as sock:
        sock.sendall(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{}")
        assert read_rest(sock).startswith(b"HTTP/1.1 408")
    assert play.misses == ["an incomplete message body (received 2 bytes, expected 9), no more for 0.1 s"]


def test_a_slow_client_does_not_block_others(edge: Edge) -> None:
    big = record_chat(*[b"x" * 1_000_000] * 30)
    with (
        edge.play_cassette(cassette(big, record_chat(b"1")), "openai-chat", "stream") as play,
        open_connection(edge) as slow,
        open_connection(edge) as slow_client,
    ):
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.sendall(request())
        slow_client.sendall(request()[:30])
        wait_for(play, "u")
        assert exchange_bytes(edge, request(PATH, CHAT_BODY, CLOSE)).endswith(b"\r\n\r\n1")
        assert not play.wait_until_idle(0)


def wait_for(play: Play, letter: str) -> None:
    while letter not in play.arrivals:
        time.sleep(0.005)


def test_each_write_is_read_by_itself_however_slowly(edge: Edge) -> None:
    pieces: list[bytes] = []
    with (
        edge.play_cassette(cassette(record_chat(*BODY)), "openai-chat", "stream", settings=IMMEDIATE),
        open_connection(edge) as sock,
    ):
        sock.sendall(request(PATH, CHAT_BODY, CLOSE))
        while piece := sock.recv(65536):
            pieces.append(piece)
            time.sleep(0.03)
    assert [chunks(piece) for piece in pieces[1:4]] == [[write] for write in BODY]
