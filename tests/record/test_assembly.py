"""Journals, and what a cassette makes of them."""

import gzip
import zlib
from itertools import pairwise

import pytest

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.store import dump_cassette, parse_cassette
from bridgecheck.model.exchange import End, Headers, HttpRequest
from bridgecheck.record import journal
from bridgecheck.record.assembly import extend_cassette, recorded_interaction, reply_of
from bridgecheck.record.grouping import ConversationKey
from bridgecheck.record.journal import JournalledExchange, Piece

REQUEST = HttpRequest("POST", "/v1/chat/completions", (("accept", "x"),), b'{"a":\n"\xc3\xa9"}')


def journal_bytes(pieces: list[Piece], headers: Headers = (), end: End = "complete") -> bytes:
    entries = [journal.request_entry(REQUEST, "https://h", {"attempt": 2}), journal.response_entry(200, headers)]
    entries += [journal.piece_entry(piece.data, piece.t_ms, piece.is_border) for piece in pieces]
    return b"".join([*entries, journal.end_entry(end)])


def exchange(pieces: list[Piece], headers: Headers = (), end: End = "complete") -> JournalledExchange:
    made = journal.read_journal(journal_bytes(pieces, headers, end))
    assert made is not None
    return made


def test_a_journal_is_read_back() -> None:
    pieces = [Piece(b"a\nb", 1), Piece(b"", 2, False), Piece(b"\0", 2**40)]
    made = exchange(pieces, (("x", "é"),), "reset")
    assert made.request == REQUEST and made.origin == "https://h" and made.facts == {"attempt": 2}
    assert (made.status, made.headers, made.end) == (200, (("x", "é"),), "reset")
    assert [(piece.data, piece.is_border) for piece in made.pieces] == [(p.data, p.is_border) for p in pieces]
    assert [piece.t_ms for piece in made.pieces] == [1, 2, 2**32 - 1]


def test_a_journal_cut_anywhere_is_not_whole() -> None:
    whole = journal_bytes([Piece(b"ab", 1), Piece(b"cd", 2)])
    assert [cut for cut in range(len(whole)) if journal.read_journal(whole[:cut]) is not None] == []


def test_pieces_join_up_to_their_border() -> None:
    made = recorded_interaction(
        exchange([Piece(b"a", 1, False), Piece(b"b", 5), Piece(b"c", 7), Piece(b"d", 9, False)])
    )
    assert (made.chunks, made.t_ms) == ((b"ab", b"c", b"d"), (5, 7, 9))


GZIPPED: Headers = (("content-encoding", "gzip"),)


@pytest.mark.parametrize("end", ["complete", "cut"])
def test_borders_of_a_compressed_body_are_those_of_its_decoded_bytes(end: End) -> None:
    packer = zlib.compressobj(wbits=31)
    writes = [packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH) for text in (b"data: one\n\n", b"data: two\n\n")]
    made = recorded_interaction(exchange([Piece(data, at) for at, data in enumerate(writes)], GZIPPED, end))
    assert (made.chunks, made.headers, made.end) == ((b"data: one\n\n", b"data: two\n\n"), GZIPPED, end)


def test_a_chunk_that_decodes_to_nothing_has_no_border() -> None:
    body = gzip.compress(b"x" * 50)
    made = recorded_interaction(exchange([Piece(body[:10], 1), Piece(body[10:], 2)], GZIPPED))
    assert (made.chunks, made.t_ms) == ((b"x" * 50,), (2,))


def test_a_body_that_is_not_what_its_header_says_stays() -> None:
    made = recorded_interaction(exchange([Piece(b"plain", 1)], GZIPPED))
    assert made.chunks == (b"plain",)


def test_new_exchanges_stand_behind_the_earlier_ones() -> None:
    key = ConversationKey("n", "openai-chat")
    first = extend_cassette(key, None, [exchange([Piece(b"1", 1)])], ["user"])
    second = extend_cassette(key, first, [exchange([Piece(b"2", 1)])], ["user"])
    assert [recorded.body for recorded in second.interactions] == [b"1", b"2"]
    assert second.metadata["attempts"] == [2, 2] and second.metadata["volatile"] == ["user"]
    assert second.metadata["source"] == "live" and second.metadata["scenario"] == "n"
    foreign = Cassette({}, first.interactions)
    assert extend_cassette(key, foreign, []).metadata["attempts"] == [1]


@pytest.mark.parametrize("seed", range(5))
def test_a_cassette_of_any_borders_is_read_back(seed: int) -> None:
    import random

    body = 'data: {"t":"é\U0001f600\u2028"}\r\n\r\n'.encode() * 3
    drawn = random.Random(seed)
    edges = [0, *sorted(drawn.sample(range(1, len(body)), 12)), len(body)]
    pieces = [Piece(body[start:stop], at) for at, (start, stop) in enumerate(pairwise(edges))]
    cassette = extend_cassette(ConversationKey("n", "openai-chat"), None, [exchange(pieces)])
    read = parse_cassette(dump_cassette(cassette), "x")
    assert read.interactions[0].chunks == tuple(piece.data for piece in pieces)


def test_a_reply_is_what_the_next_request_repeats() -> None:
    body = b'{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}'
    assert reply_of(recorded_interaction(exchange([Piece(body, 1)]))) == ("Hello",)
    assert reply_of(recorded_interaction(exchange([Piece(b"<html>", 1)]))) == ()
