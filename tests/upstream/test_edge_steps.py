"""Responses in step with the client behind the adapter: immediate forwarding, buffering and disconnects."""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from bridgecheck.checks.adapter import CHUNKS_UNDERWAY
from bridgecheck.codec import sse
from bridgecheck.model.exchange import End
from bridgecheck.upstream import play as play_module
from bridgecheck.upstream.edge import Edge
from bridgecheck.upstream.play import PATIENCE_S, Play, PlaySettings

from .sockets import cassette, open_connection, read_until, record_chat, request

IN_STEP = PlaySettings(in_step=True)
ROLE = sse.frame_event("openai-chat", {"choices": [{"index": 0, "delta": {"role": "assistant"}}]})


def make_events(count: int) -> list[bytes]:
    return [
        sse.frame_event("openai-chat", {"choices": [{"index": 0, "delta": {"content": f"w{n}."}}]})
        for n in range(count)
    ]


STREAM = (ROLE, *make_events(6), sse.terminator("openai-chat"))


@pytest.fixture(scope="module")
def edge() -> Iterator[Edge]:
    with Edge() as running:
        yield running


def passes_on(sock: socket.socket, play: Play, events: int) -> None:
    """Act as an adapter whose client receives every event immediately."""
    for _ in range(events):
        read_until(sock, b"\n\n\r\n")
        time.sleep(0.01)  # it works on it
        play.note("c")


def test_immediate_forwarding_is_recognised(edge: Edge) -> None:
    with edge.play_cassette(cassette(record_chat(*STREAM)), "openai-chat", "stream", settings=IN_STEP) as play:
        with open_connection(edge) as sock:
            sock.sendall(request())
            passes_on(sock, play, 7)
        assert play.wait_until_idle(2)
    assert "".join(play.arrivals).startswith("rucucucucucucu")


def test_several_events_for_one_arrive_before_the_last_text(edge: Edge) -> None:
    """The first chunk of a provider is often three events of the client's: the last of these is the first with text."""
    stream = (ROLE, *make_events(3), sse.terminator("openai-chat"))
    with edge.play_cassette(cassette(record_chat(*stream)), "openai-chat", "stream", settings=IN_STEP) as play:
        with open_connection(edge) as sock:
            sock.sendall(request())
            read_until(sock, make_events(1)[0])
            for _ in range(6):
                play.note("c")
                time.sleep(0.005)
            read_until(sock, b"\r\n0\r\n\r\n")
        assert play.wait_until_idle(2)
    arrivals = "".join(play.arrivals)
    before_last_text = arrivals[: [at for at, letter in enumerate(arrivals) if letter == "u"][3]]
    assert before_last_text.count("c") >= 3


def test_buffering_is_recognised_quickly(edge: Edge) -> None:
    started = time.monotonic()
    with edge.play_cassette(cassette(record_chat(*STREAM)), "openai-chat", "stream", settings=IN_STEP) as play:
        with open_connection(edge) as sock:
            sock.sendall(request())
            read_until(sock, b"\r\n0\r\n\r\n")
            play.note("c")
        assert play.wait_until_idle(2)
    assert "".join(play.arrivals) in ("ruuuuuuuuqc", "ruuuuuuuucq")
    assert PATIENCE_S < time.monotonic() - started < PATIENCE_S + 10


def test_an_event_without_client_output_is_waited_for_briefly(edge: Edge) -> None:
    started = time.monotonic()
    with edge.play_cassette(cassette(record_chat(*STREAM)), "openai-chat", "stream", settings=IN_STEP) as play:
        with open_connection(edge) as sock:
            sock.sendall(request())
            read_until(sock, ROLE)
            passes_on(sock, play, 6)
        assert play.wait_until_idle(2)
    assert time.monotonic() - started < PATIENCE_S
    assert "".join(play.arrivals).index("c") < "".join(play.arrivals).rindex("u")


def test_a_stream_that_the_client_will_leave_does_not_end_before(edge: Edge) -> None:
    """Whether the adapter read it to its end would else depend on how quick it is."""
    stream = (ROLE, *make_events(2), sse.terminator("openai-chat"))
    with edge.play_cassette(cassette(record_chat(*stream)), "openai-chat", "stream", settings=IN_STEP) as play:
        play.begin_turn(client_leaves=True)
        with open_connection(edge) as sock:
            sock.sendall(request())
            read_until(sock, ROLE)
            time.sleep(0.1)  # a slow adapter
            play.note("c")
            play.note("x")
        assert play.wait_until_idle(5)
    before = "".join(play.arrivals).partition("x")[0]
    assert before.count("u") < len(stream)
    assert "q" not in before


@pytest.mark.parametrize("stream", [(ROLE, *make_events(2), b"data: [DONE]\n\n"), (b'{"choices": []}',)])
def test_a_stream_without_events_to_wait_for_is_not_delayed(
    edge: Edge, stream: tuple[bytes, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play_module, "PATIENCE_S", 60)
    started = time.monotonic()
    with edge.play_cassette(cassette(record_chat(*stream)), "openai-chat", "stream", settings=IN_STEP) as play:
        with open_connection(edge) as sock:
            sock.sendall(request())
            read_until(sock, stream[-1])
        assert play.wait_until_idle(2)
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("end", ["cut", "reset"])
def test_a_connection_breaks_when_the_client_was_given_what_was_sent(edge: Edge, end: End) -> None:
    held = cassette(record_chat(ROLE, *make_events(1), end=end))
    with edge.play_cassette(held, "openai-chat", "stream", settings=IN_STEP) as play:
        with open_connection(edge) as sock:
            sock.sendall(request())
            read_until(sock, make_events(1)[0])
            time.sleep(0.1)  # the adapter works on it
            play.note("c")
            with suppress(ConnectionResetError):
                while sock.recv(4096):
                    pass
        assert play.wait_until_idle(2)
    assert "".join(play.arrivals).endswith("cq")


@pytest.mark.parametrize("end", ["cut", "reset"])
def test_a_connection_that_nobody_watches_stays_for_a_while_before_it_breaks(edge: Edge, end: End) -> None:
    """What an adapter has read and not passed on yet, it may throw away at the break."""
    held = cassette(record_chat(ROLE, end=end))
    with edge.play_cassette(held, "openai-chat", "stream", settings=PlaySettings(before_break_s=60)) as play:
        with open_connection(edge) as sock:
            sock.sendall(request())
            read_until(sock, b"\n\n\r\n")
            sock.settimeout(0.2)
            with pytest.raises(TimeoutError):
                sock.recv(1)
        assert play.wait_until_idle(2)


def test_an_adapter_may_take_a_second_to_hang_up(edge: Edge) -> None:
    with edge.play_cassette(cassette(record_chat(*STREAM)), "openai-chat", "stream", settings=IN_STEP) as play:
        with open_connection(edge) as sock:
            sock.sendall(request())
            passes_on(sock, play, 3)
            play.note("x")
            time.sleep(1.2)
        assert play.wait_until_idle(2)
    assert "".join(play.arrivals).partition("x")[2].count("u") <= CHUNKS_UNDERWAY


def test_a_disconnect_is_recorded_at_its_event(edge: Edge) -> None:
    with edge.play_cassette(cassette(record_chat(*STREAM)), "openai-chat", "stream", settings=IN_STEP) as play:
        with open_connection(edge) as sock:
            sock.sendall(request())
            passes_on(sock, play, 3)
            play.note("x")
        assert play.wait_until_idle(2)
    after = "".join(play.arrivals).partition("x")[2]
    assert after in ("q", "uq")


def test_reading_on_after_the_client_left_is_recorded(edge: Edge) -> None:
    held = cassette(record_chat(*STREAM))
    with edge.play_cassette(held, "openai-chat", "stream", settings=IN_STEP) as play, open_connection(edge) as sock:
        sock.sendall(request())
        passes_on(sock, play, 3)
        play.note("x")
        read_until(sock, b"\r\n0\r\n\r\n")
        assert play.wait_until_idle(2)
    assert "".join(play.arrivals).partition("x")[2].count("u") > 2


def test_a_response_in_progress_is_not_idle(edge: Edge) -> None:
    with (
        edge.play_cassette(cassette(record_chat(b"1", end="timeout")), "openai-chat", "stream") as play,
        open_connection(edge) as sock,
    ):
        sock.sendall(request())
        read_until(sock, b"1\r\n1\r\n")
        assert not play.wait_until_idle(0.05)
