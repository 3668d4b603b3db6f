"""Compressed bodies: whole, in members, without a head, broken, and such as unpack to more than anybody can hold."""

import gzip
import tracemalloc
import zlib

import pytest

from bridgecheck.codec.body import decode_response, decompress_body_if_possible
from bridgecheck.codec.limits import MAX_BODY_BYTES, MAX_EVENTS
from bridgecheck.codec.unpack import Unpacker, unpack_at_most
from bridgecheck.drivers.http_client import EventCounter
from bridgecheck.model.jsonvalue import MAX_VALUES, TooLargeToCompare, parse_json

TEXT = b"text that is there " * 100_000
BOMB = gzip.compress(b"x" * (20 * MAX_BODY_BYTES), 1)
GZIP = (("content-encoding", "gzip"),)


def raw_deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(TEXT)), ("gzip", gzip.compress(TEXT[:99]) + gzip.compress(TEXT[99:]) + b"\0\0"),
        ("deflate", zlib.compress(TEXT)), ("deflate", raw_deflate(TEXT)), ("identity", TEXT),
    ],
    ids=["gzip", "two members", "deflate", "without a head", "none"],
)  # fmt: skip
@pytest.mark.parametrize("size", [7, 1_000_000])
def test_a_body_is_unpacked_however_it_is_cut(encoding: str, packed: bytes, size: int) -> None:
    unpacker = Unpacker(encoding)
    pieces = [packed[start : start + size] for start in range(0, len(packed), size)]
    assert b"".join(part for piece in pieces for part in unpacker.feed(piece)) == TEXT
    assert unpacker.is_at_end
    assert unpack_at_most(packed, encoding, len(TEXT)) == TEXT
    assert encoding == "identity" or unpack_at_most(packed, encoding, 10) == TEXT[:11]


@pytest.mark.parametrize("packed", [b"no gzip", gzip.compress(TEXT)[:-9], gzip.compress(b"") * 1000])
def test_a_body_that_is_not_what_its_header_says_is_taken_as_it_is(packed: bytes) -> None:
    assert decompress_body_if_possible(packed, GZIP) in (packed, b"")


def test_a_body_that_unpacks_to_too_much_is_not_kept() -> None:
    tracemalloc.start()
    response = decode_response("openai-chat", "unary", 200, GZIP, (BOMB,), "complete")
    assert EventCounter().count_new_events(BOMB) == 0
    assert tracemalloc.get_traced_memory()[1] < 6 * MAX_BODY_BYTES
    tracemalloc.stop()
    assert response.documents == ()
    assert response.text.startswith(f"(not read: it is longer than {MAX_BODY_BYTES} bytes) xxx")


@pytest.mark.parametrize(("first", "event"), [(b"", b"data: {}\n\n"), (b"[", b"{},")])
def test_a_stream_of_too_many_events_is_read_to_the_limit(first: bytes, event: bytes) -> None:
    whole = decode_response("gemini", "stream", 200, (), (first + event * 3,), "complete")
    assert (len(whole.documents), whole.text) == (3, "")
    response = decode_response("gemini", "stream", 200, (), (first + event * (MAX_EVENTS + 5),), "complete")
    assert len(response.documents) == MAX_EVENTS
    assert response.text == f"(not read: more than {MAX_EVENTS} events)"


def test_a_document_has_no_more_values_than_can_be_compared() -> None:
    assert isinstance(parse_json(b"[" + b"{}," * (MAX_VALUES // 2 - 1) + b"0]"), list)
    with pytest.raises(TooLargeToCompare, match=f"more than {MAX_VALUES} values"):
        parse_json(b"[" + b"{}," * (MAX_VALUES // 2) + b"0]")


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_what_python_alone_reads_is_no_json(constant: str) -> None:
    with pytest.raises(ValueError, match=f"{constant} is no JSON"):
        parse_json(f'{{"a": [{constant}]}}')
