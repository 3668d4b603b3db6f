"""The edge server that plays cassettes: attribution of requests, recording, and that it always stops."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from types import SimpleNamespace

import pytest

from bridgecheck.cassette.playback import CassetteAnswers
from bridgecheck.errors import HarnessError
from bridgecheck.model.exchange import Headers, HttpRequest
from bridgecheck.upstream.connection import ServerConnection
from bridgecheck.upstream.edge import Edge, PortTaken
from bridgecheck.upstream.play import Play, PlaySettings

from .sockets import (
    CHAT_BODY,
    CLOSE,
    PATH,
    cassette,
    exchange_bytes,
    open_connection,
    read_rest,
    read_until,
    record_chat,
    request,
)

CHUNKS = (b'data: {"a":1}\n\n', b"data: [DONE]\n\n")


@pytest.fixture(scope="module")
def edge() -> Iterator[Edge]:
    with Edge() as running:
        yield running


def test_a_cassette_is_played_write_by_write(edge: Edge) -> None:
    with edge.play_cassette(cassette(record_chat(*CHUNKS)), "openai-chat", "stream") as play:
        head, _, body = exchange_bytes(edge, request(PATH, CHAT_BODY, CLOSE)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n")
    assert body == b"f\r\n" + CHUNKS[0] + b"\r\ne\r\n" + CHUNKS[1] + b"\r\n0\r\n\r\n"
    assert "".join(play.arrivals) == "ruuq"
    assert (play.interaction_numbers, play.misses, play.unused) == ((0,), [], 0)
    (interaction,) = play.interactions()
    assert interaction.request is not None
    assert interaction.request.body == CHAT_BODY
    assert interaction.response.documents == ({"a": 1},)


def test_requests_are_recorded_byte_for_byte(edge: Edge) -> None:
    first = request(PATH, b'{"stream" :  true, "x": "\xc3\xa9"}', "X-Odd: A  b", "x-ODD: 2", "Authorization: Bearer k")
    second = request("/base/v1/chat/completions?a=%20b", b'{"stream":true}')
    with (
        edge.play_cassette(cassette(record_chat(b"1"), record_chat(b"2")), "openai-chat", "stream") as play,
        open_connection(edge) as sock,
    ):
        # Both at once, cut in odd places: a request may arrive in pieces, the next one behind it.
        whole = first + second
        for start in range(0, len(whole), 50):
            sock.sendall(whole[start : start + 50])
            time.sleep(0.002)
        # One call for both: the second answer may come in the same read as the first.
        assert b"\r\n\r\n1" in read_until(sock, b"\r\n\r\n2")
    assert play.raw == [first, second]
    assert [sent.path for sent in play.requests_without_side_traffic] == [PATH, "/base/v1/chat/completions?a=%20b"]
    headers = [pair for pair in play.requests_without_side_traffic[0].headers if pair[0] == "x-odd"]
    assert headers == [("x-odd", "A  b"), ("x-odd", "2")]
    assert play.requests_without_side_traffic[0].body == b'{"stream" :  true, "x": "\xc3\xa9"}'


def test_a_request_outside_of_any_play_is_a_stray(edge: Edge) -> None:
    before = len(edge.strays)
    answer = exchange_bytes(edge, request(PATH, CHAT_BODY, CLOSE))
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b'"message": "nothing is played that this belongs to"' in answer
    assert b"x-should-retry: false\r\n" in answer
    assert [stray.path for stray in edge.strays[before:]] == [PATH]


def test_side_traffic_is_answered_before_any_play(edge: Edge) -> None:
    before, strays = len(edge.side_requests), len(edge.strays)
    assert b'"object": "list"' in exchange_bytes(edge, request("/v1/models", b"", CLOSE, method="GET"))
    assert exchange_bytes(edge, request("/a.png", b"", CLOSE, method="GET")).startswith(b"HTTP/1.1 200 OK")
    assert [found.path for found in edge.side_requests[before:]] == ["/v1/models", "/a.png"]
    assert len(edge.strays) == strays


def test_a_late_repetition_gets_its_own_recording_and_takes_nothing_of_another_case(edge: Edge) -> None:
    late, own = request(PATH, {"a": 1}, CLOSE), request(PATH, {"b": 2}, CLOSE)
    refused = cassette(record_chat(b"{}", status=503, stream=False))
    with edge.play_cassette(refused, "openai-chat", "unary", request_group="one"):
        assert exchange_bytes(edge, late).startswith(b"HTTP/1.1 503 ")
    answer = cassette(record_chat(b"{}", stream=False))
    with edge.play_cassette(answer, "openai-chat", "unary", request_group="another") as play:
        assert exchange_bytes(edge, late).startswith(b"HTTP/1.1 503 ")
        assert exchange_bytes(edge, own).startswith(b"HTTP/1.1 200 ")
    assert [sent.body for sent in play.requests_without_side_traffic] == [b'{"b": 2}']
    assert [sent.body for sent in edge.late_requests] == [b'{"a": 1}']
    with edge.play_cassette(answer, "openai-chat", "unary", request_group="one") as play:
        assert exchange_bytes(edge, late).startswith(b"HTTP/1.1 200 ")
    assert (len(play.exchanges), len(edge.late_requests)) == (1, 1)


def test_a_repetition_that_came_late_may_come_once_more(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("bridgecheck.upstream.edge.time", SimpleNamespace(monotonic=lambda: now[0]))
    late = request(PATH, {"again": 1}, CLOSE)
    refused = cassette(record_chat(b"{}", status=429, headers=(("retry-after", "34"),), stream=False))
    with edge.play_cassette(refused, "openai-chat", "unary", request_group="asks again"):
        exchange_bytes(edge, late)
    first = edge.seconds_until_no_repeat("asks again")
    assert 34 < first < 60
    now[0] += 34
    exchange_bytes(edge, late)
    assert edge.seconds_until_no_repeat("asks again") == first
    for _ in range(20):  # but who asks for ever is not waited for
        now[0] += 34
        exchange_bytes(edge, late)
    assert edge.seconds_until_no_repeat("asks again") == 0


def test_what_may_come_again_is_known_however_many_cases_follow(edge: Edge) -> None:
    late = request(PATH, {"long": 1}, CLOSE)
    refused = cassette(record_chat(b"{}", status=503, stream=False))
    answer = cassette(record_chat(b"{}", stream=False))
    with edge.play_cassette(refused, "openai-chat", "unary", request_group="long ago"):
        exchange_bytes(edge, late)
    for number in range(100):
        with edge.play_cassette(refused, "openai-chat", "unary", request_group=f"other {number}"):
            exchange_bytes(edge, request(PATH, {"other": number}, CLOSE))
    assert edge.seconds_until_no_repeat("long ago") > 0
    with edge.play_cassette(answer, "openai-chat", "unary", request_group="last"):
        assert exchange_bytes(edge, late).startswith(b"HTTP/1.1 503 ")


@pytest.mark.parametrize(
    ("status", "headers", "notes", "is_settled", "is_awaited"),
    [
        (200, (), "", True, False),
        (400, (), "", True, True),
        (503, (), "", True, True),
        (429, (("retry-after", "34"),), "", False, True),
        (200, (), "x", False, True),
    ],
)
def test_what_may_come_again_is_known_at_the_end_of_a_play(
    edge: Edge, status: int, headers: Headers, notes: str, is_settled: bool, is_awaited: bool
) -> None:
    recorded = cassette(record_chat(b"{}", status=status, headers=headers, stream=False))
    group = f"{status}{headers}{notes}"
    with edge.play_cassette(recorded, "openai-chat", "unary", request_group=group) as play:
        exchange_bytes(edge, request(PATH, {"group": group}, CLOSE))
        play.wait_until_idle(5)
        play.arrivals.clear()
        for letter in notes:
            play.note(letter)
        assert play.is_settled == is_settled
    assert (edge.seconds_until_no_repeat(group) > 0) == is_awaited


def test_a_request_that_missed_is_not_awaited_again(edge: Edge) -> None:
    recorded = cassette(record_chat(b"{}", stream=False))
    with edge.play_cassette(recorded, "openai-chat", "unary", request_group="missed") as play:
        for _ in range(2):
            exchange_bytes(edge, request(PATH, {"missed": True}, CLOSE))
        play.wait_until_idle(5)
        assert play.misses
    assert edge.seconds_until_no_repeat("missed") == 0


def test_answers_go_on_after_the_end_where_they_are_not_broken_off(edge: Edge) -> None:
    recorded = cassette(record_chat(b"1", b"2", t_ms=(0, 100)))
    with open_connection(edge) as sock:
        with edge.play_cassette(recorded, "openai-chat", "stream", settings=PlaySettings(pace=1), hangs_up=False):
            sock.sendall(request(PATH, CHAT_BODY, CLOSE))
            read_until(sock, b"1\r\n1\r\n")
        assert read_rest(sock).endswith(b"0\r\n\r\n")


def test_a_miss_is_an_error_in_the_dialect_and_recorded(edge: Edge) -> None:
    with edge.play_cassette(cassette(record_chat(b"1")), "openai-chat", "stream") as play:
        answer = exchange_bytes(edge, request("/v1beta/models/g:generateContent", {}, CLOSE))
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b'"status": "NOT_FOUND"' in answer
    assert "gemini generate unary" in play.misses[0]
    assert (play.unused, play.unmodelled) == (1, [])


@pytest.mark.parametrize(
    "path",
    [
        "/v1/responses",
        "/v1/projects/p/locations/eu/publishers/google/models/g:generateContent",
        "/v1/embeddings",
        "/v1/moderations",
        "/v1/interactions",
    ],
)
def test_an_unmodelled_endpoint_is_reported(edge: Edge, path: str) -> None:
    with edge.play_cassette(cassette(record_chat(b"1")), "openai-chat", "stream") as play:
        answer = exchange_bytes(edge, request(path, {}, CLOSE))
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b"endpoint not modelled" in answer
    assert play.unmodelled == [f"endpoint not modelled: POST 127.0.0.1:{edge.port}{path}"]
    assert play.misses == play.unmodelled


def test_models_are_listed_in_the_dialect_that_is_played(edge: Edge) -> None:
    with edge.play_cassette(cassette(record_chat(b"1")), "anthropic", "stream") as play:
        answer = exchange_bytes(edge, request("/v1/models", b"", CLOSE, method="GET"))
    assert b'"has_more": false' in answer
    assert [sent.path for sent in play.side_requests] == ["/v1/models"]
    assert (play.misses, play.requests_without_side_traffic) == ([], [])


def test_a_response_in_progress_ends_with_its_play(edge: Edge) -> None:
    with open_connection(edge) as sock:
        with edge.play_cassette(cassette(record_chat(b"1", end="timeout")), "openai-chat", "stream"):
            sock.sendall(request())
            read_until(sock, b"1\r\n1\r\n")
        with pytest.raises(ConnectionResetError):
            # Aborted: what the client sees is a broken connection, as with any provider that goes down.
            if sock.recv(100) == b"":
                raise ConnectionResetError


def test_two_plays_need_markers(edge: Edge) -> None:
    def play(marker: str) -> AbstractContextManager[Play]:
        return edge.play_cassette(cassette(), "gemini", "unary", marker=marker)

    with play(""), pytest.raises(HarnessError, match="two scenarios at once"), play(""):
        pass
    with play("case-1"), pytest.raises(HarnessError, match="case-12"), play("case-12"):
        pass


def test_the_server_stops_within_a_second() -> None:
    edge = Edge()
    edge.start()
    threads = threading.active_count()
    port = edge.port
    with open_connection(edge) as idle, open_connection(edge) as half, open_connection(edge) as stalled:
        with edge.play_cassette(cassette(record_chat(b"1", end="timeout")), "openai-chat", "stream"):
            half.sendall(request()[:40])
            stalled.sendall(request())
            read_until(stalled, b"1\r\n1\r\n")
            started = time.monotonic()
            edge.stop()
            assert time.monotonic() - started < 1
        assert threading.active_count() == threads - 1
        assert edge.base_url == ""
        assert idle.recv(10) == b""
    edge.stop()
    edge.port = port
    with edge:  # The port is free again, and the server starts again.
        assert edge.port == port


def test_the_server_stops_although_nobody_reads() -> None:
    edge = Edge()
    edge.start()
    long = cassette(record_chat(*[b"x" * 1_000_000] * 20))
    with open_connection(edge) as sock, edge.play_cassette(long, "openai-chat", "stream") as play:
        sock.sendall(request())
        while "u" not in play.arrivals:
            time.sleep(0.01)
        started = time.monotonic()
        edge.stop()
        assert time.monotonic() - started < 1


def test_a_taken_port_is_reported(edge: Edge) -> None:
    second = Edge(edge.port)
    with pytest.raises(PortTaken, match=f"port {edge.port} cannot be listened on"):
        second.start()
    assert second.base_url == ""


def test_playing_needs_a_running_server() -> None:
    with pytest.raises(HarnessError, match="not running"), Edge().play_cassette(cassette(), "gemini", "unary"):
        pass


def test_an_exception_in_the_server_is_a_harness_error(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("no answer was made")

    monkeypatch.setattr(CassetteAnswers, "answer_request", fail)
    with (
        pytest.raises(HarnessError, match="the edge server failed") as raised,
        edge.play_cassette(cassette(), "gemini", "unary"),
    ):
        assert exchange_bytes(edge, request(PATH, CHAT_BODY, CLOSE)) == b""
    assert "no answer was made" in str(raised.value)


def test_small_writes_are_sent_immediately(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nagle's algorithm would join small writes."""
    options: list[int] = []
    read_request = ServerConnection.read_request

    async def request_of(peer: ServerConnection) -> HttpRequest | None:
        sock = peer._writer.get_extra_info("socket")
        options.append(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        return await read_request(peer)

    monkeypatch.setattr(ServerConnection, "read_request", request_of)
    exchange_bytes(edge, request(PATH, CHAT_BODY, CLOSE))
    assert options[0] == 1
