"""Each fault as a bare socket receives it."""

import json
import time
from collections.abc import Iterator
from typing import get_args

import pytest

from bridgecheck.upstream.edge import Edge
from bridgecheck.upstream.faults import FAULTS, HTML_PAGE, Fault, FaultName
from bridgecheck.upstream.play import Play, PlaySettings
from bridgecheck.wire import DIALECTS, Dialect

from .sockets import CLOSE, cassette, exchange_bytes, open_connection, read_rest, read_until, record_chat, request

BODY = (b"data: {}\n\n", b"data: [DONE]\n\n")


@pytest.fixture(scope="module")
def edge() -> Iterator[Edge]:
    with Edge() as running:
        yield running


def play_fault(edge: Edge, fault: Fault, dialect: Dialect = "openai-chat") -> tuple[bytes, bytes, Play]:
    with edge.play_cassette(
        cassette(record_chat(*BODY)), dialect, "stream", settings=PlaySettings(faults=(fault,))
    ) as play:
        head, _, body = exchange_bytes(edge, request("/v1/chat/completions", {"stream": True}, CLOSE)).partition(
            b"\r\n\r\n"
        )
    return head, body, play


def test_every_fault_is_in_the_table() -> None:
    assert set(FAULTS) == set(get_args(FaultName))
    with pytest.raises(ValueError, match="no fault: rest; one of reset"):
        Fault("rest")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no words for status 418"):
        Fault("error-status", status=418)


@pytest.mark.parametrize(
    ("at", "body"),
    [
        (0, b""),
        (4, b"4\r\ndata\r\n"),
        (10, b"a\r\ndata: {}\n\n\r\n"),
        (12, b"a\r\ndata: {}\n\n\r\n2\r\nda\r\n"),
        (99, b"a\r\ndata: {}\n\n\r\ne\r\ndata: [DONE]\n\n\r\n"),
    ],
)
def test_a_cut_after_a_byte_count(edge: Edge, at: int, body: bytes) -> None:
    head, came, play = play_fault(edge, Fault("cut", at=at))
    assert b"transfer-encoding: chunked" in head.lower()
    assert came == body, "the last chunk, which is empty, must not come"
    assert play.interactions()[0].response.end == "cut"


def test_a_reset_after_a_byte_count(edge: Edge) -> None:
    manner = PlaySettings(faults=(Fault("reset", at=12),))
    with (
        edge.play_cassette(cassette(record_chat(*BODY)), "openai-chat", "stream", settings=manner),
        open_connection(edge) as sock,
    ):
        sock.sendall(request())
        read_until(sock, b"2\r\nda\r\n")
        with pytest.raises(ConnectionResetError):
            read_rest(sock)


def test_a_stall_after_a_byte_count(edge: Edge) -> None:
    manner = PlaySettings(faults=(Fault("stall", at=4),))
    with edge.play_cassette(cassette(record_chat(*BODY)), "openai-chat", "stream", settings=manner) as play:
        with open_connection(edge) as sock:
            sock.sendall(request())
            read_until(sock, b"4\r\ndata\r\n")
            sock.settimeout(0.2)
            with pytest.raises(TimeoutError):
                sock.recv(1)
            assert not play.wait_until_idle(0)
        assert play.wait_until_idle(1), "the client has left"
    assert "".join(play.arrivals) == "ruq"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_error_status_with_retry_after(edge: Edge, dialect: Dialect) -> None:
    head, body, play = play_fault(edge, Fault("error-status", status=429, retry_after=7), dialect)
    assert head.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
    assert b"\r\nretry-after: 7" in head
    assert "error" in json.loads(body)
    assert (json.loads(body).get("type") == "error") is (dialect == "anthropic")
    assert play.exchanges[0].answer.status == 429


def test_an_error_in_the_stream(edge: Edge) -> None:
    head, body, _ = play_fault(edge, Fault("error-event", at=1))
    assert head.startswith(b"HTTP/1.1 200 OK")
    assert body.startswith(b"a\r\ndata: {}\n\n\r\n")
    assert b'data: {"error":{"message":' in body
    assert b"[DONE]" not in body
    assert body.endswith(b"\r\n0\r\n\r\n")


def test_an_html_page(edge: Edge) -> None:
    head, body, _ = play_fault(edge, Fault("html", status=502))
    assert head.startswith(b"HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html")
    assert body == HTML_PAGE


def test_a_wrong_content_type(edge: Edge) -> None:
    head, body, _ = play_fault(edge, Fault("content-type"))
    assert b"content-type: application/json" in head
    assert b"event-stream" not in head
    assert body.endswith(b"0\r\n\r\n")


def test_slow_headers(edge: Edge) -> None:
    manner = PlaySettings(faults=(Fault("slow-headers", at=1500),))
    with (
        edge.play_cassette(cassette(record_chat(*BODY)), "openai-chat", "stream", settings=manner),
        open_connection(edge) as sock,
    ):
        sock.sendall(request())
        started = time.monotonic()
        assert read_until(sock, b"\r\n") == b"HTTP/1.1 200 OK\r\n"
        assert time.monotonic() - started < 1.4
        read_until(sock, b"\r\n\r\n")
        assert time.monotonic() - started > 1.4


def test_a_fault_affects_one_response_and_no_side_traffic(edge: Edge) -> None:
    manner = PlaySettings(faults=(Fault("html", only=0),))
    held = cassette(record_chat(*BODY), record_chat(*BODY))
    with edge.play_cassette(held, "openai-chat", "stream", settings=manner) as play:
        models = exchange_bytes(edge, request("/v1/models", b"", CLOSE, method="GET"))
        first = exchange_bytes(edge, request("/v1/chat/completions", {"stream": True}, CLOSE))
        again = exchange_bytes(edge, request("/v1/models", b"", CLOSE, method="GET"))
        second = exchange_bytes(edge, request("/v1/chat/completions", {"stream": True}, CLOSE))
    assert [answer.split(b"\r\n")[0] for answer in (models, first, again, second)] == [
        b"HTTP/1.1 200 OK", b"HTTP/1.1 503 Service Unavailable", b"HTTP/1.1 200 OK", b"HTTP/1.1 200 OK",
    ]  # fmt: skip
    assert play.misses == []
