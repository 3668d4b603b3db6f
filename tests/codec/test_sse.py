"""SSE in any chunking yields the same events, and each dialect's framing is accepted by its own client."""

import json

import pytest

from bridgecheck.codec import rechunk, sse
from bridgecheck.codec.sse import SseDecoder, SseEvent


def decode(*chunks: bytes) -> list[SseEvent]:
    decoder = SseDecoder()
    found = [event for chunk in chunks for event in decoder.feed(chunk)]
    return found + decoder.deliver_unterminated_event()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"data: a\n\n", ["a"]),
        (b"data: a\r\n\r\n", ["a"]),
        (b"data: a\r\rdata: b\r\r", ["a", "b"]),
        (b"data:a\n\n", ["a"]),
        (b"data:  a\n\n", [" a"]),
        (b"data: a\ndata: b\n\n", ["a\nb"]),
        (b"data\n\n", [""]),
        (b": comment\n\ndata: a\n\n", ["a"]),
        (b"event: x\n\n", []),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"data: a", ["a"]),
        (b"data: a\n", ["a"]),
        (b"retry: 3\nnonsense\ndata: a\n\n", ["a"]),
        (b"", []),
        ("data: x\u2028y\u0085z\n\n".encode(), ["x\u2028y\u0085z"]),
    ],
)
def test_lines_and_fields(raw: bytes, expected: list[str]) -> None:
    assert [event.data for event in decode(raw)] == expected


def test_event_names_last_one_event_and_ids_persist() -> None:
    found = decode(b"event: start\nid: 7\ndata: 1\n\ndata: 2\n\n")
    assert found == [SseEvent("1", "start", "7"), SseEvent("2", "", "7")]


def test_comments_are_passed_over() -> None:
    assert decode(b": one\n\n:two\r\n") == []


RAW = 'event: e\r\ndata: {"t": "äß漢😀\u2028"}\r\n\r\ndata: two\ndata: lines\n\ndata: last'.encode()


@pytest.mark.parametrize("policy", [*rechunk.POLICIES, [1, 2, 3, 19, 20, 21, 40]])
def test_any_chunking_gives_the_same_events(policy: str | list[int]) -> None:
    assert decode(*rechunk.split_chunks([RAW], policy)) == decode(RAW)


def test_every_single_cut_gives_the_same_events() -> None:
    for at in range(len(RAW)):
        assert decode(RAW[:at], RAW[at:]) == decode(RAW), at


def test_a_long_line_in_small_chunks_takes_linear_time() -> None:
    decoder = SseDecoder()
    piece = b"x" * 64
    decoder.feed(b"data: ")
    for _ in range(50_000):
        assert decoder.feed(piece) == []
    assert len(decoder.feed(b"\n\n")[0].data) == 64 * 50_000


@pytest.mark.parametrize(
    ("dialect", "framed", "end"),
    [
        ("gemini", b'data: {"type": "ping","t": "\xc3\xa4"}\r\n\r\n', b""),
        ("openai-chat", b'data: {"type":"ping","t":"\xc3\xa4"}\n\n', b"data: [DONE]\n\n"),
        ("anthropic", b'event: ping\ndata: {"type":"ping","t":"\xc3\xa4"}\n\n', b""),
    ],
)
def test_framing(dialect: str, framed: bytes, end: bytes) -> None:
    assert sse.frame_event(dialect, {"type": "ping", "t": "ä"}) == framed
    assert sse.terminator(dialect) == end


def test_line_ends_recognised_by_gemini_clients_are_escaped() -> None:
    framed = sse.frame_event("gemini", {"t": "a\u2028b\u2029"})
    assert "\u2028".encode() not in framed
    assert json.loads(decode(framed)[0].data) == {"t": "a\u2028b\u2029"}


def test_a_lone_surrogate_survives_framing() -> None:
    framed = sse.frame_event("openai-chat", {"t": "\ud83d", "u": "ä"})
    assert json.loads(decode(framed)[0].data) == {"t": "\ud83d", "u": "ä"}
