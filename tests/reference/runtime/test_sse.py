"""The stream decoder reads the same documents however the bytes are split."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck_reference.sse import StreamDocuments

DOCUMENTS = [{"text": "a\u2028b\u0085c\x1e 北京 👍"}, {"n": [1, None, 2**63]}, {"last": True}]


def encode(end: str, *, bom: bool = False, last: str | None = None) -> bytes:
    events = [f": note{end}data: {json.dumps(document, ensure_ascii=False)}{end}{end}" for document in DOCUMENTS]
    body = "".join(events)
    return (b"\xef\xbb\xbf" if bom else b"") + (body if last is None else body.rstrip("\r\n") + last).encode()


def decode(pieces: list[bytes]) -> list[object]:
    decoder = StreamDocuments()
    return [document for piece in pieces for document in decoder.feed(piece)] + decoder.close()


@pytest.mark.row("S2.70")
@given(
    body=st.sampled_from(
        [encode(end, bom=bom, last=last) for end in ("\n", "\r\n", "\r") for bom in (0, 1) for last in (None, "", "\r")]
    ),
    cuts=st.lists(st.integers(0, 200), max_size=12),
)
def test_any_cut_gives_the_same_documents(body: bytes, cuts: list[int]) -> None:
    edges = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    pieces = [body[start:end] for start, end in pairwise(edges)]
    assert decode(pieces) == DOCUMENTS
    assert decode([bytes([byte]) for byte in body]) == DOCUMENTS


@pytest.mark.row("S2.70")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_event_is_there_with_its_blank_line(end: str) -> None:
    decoder = StreamDocuments()
    assert decoder.feed(f'data: {{"a": 1}}{end}'.encode()) == []
    assert decoder.feed(end.encode()) == [{"a": 1}]
    assert decoder.close() == []


@pytest.mark.row("S2.70")
@pytest.mark.parametrize(
    ("body", "documents"),
    [
        (b"", []),
        (b'data: {"a":\ndata: 1}\n\n', [{"a": 1}]),
        (b'event: x\nid: 1\nretry: 5\ndata:{"a": 1}\n\ndata: [DONE]\n\n', [{"a": 1}]),
        (b'[{"a": 1}\n,\n{"b": 2}]', [{"a": 1}, {"b": 2}]),
        (b'{\n  "error": {}\n}\n', [{"error": {}}]),
    ],
)
def test_shapes(body: bytes, documents: list[object]) -> None:
    assert decode([body]) == documents


@pytest.mark.parametrize("body", [b"data: {half\n\n", b"<html>", b"data: {"])
def test_invalid_json_is_reported(body: bytes) -> None:
    with pytest.raises(ValueError):
        decode([body])


def test_a_long_line_in_small_pieces_is_not_scanned_again_and_again() -> None:
    decoder = StreamDocuments()
    pieces = [b'data: {"image": "', *[b"A" * 1000] * 20_000, b'"}\n\n']
    (document,) = [found for piece in pieces for found in decoder.feed(piece)]
    assert len(document["image"]) == 20_000_000


def test_good_events_before_a_bad_one_are_delivered() -> None:
    decoder = StreamDocuments()
    assert decoder.feed(b'data: {"a": 1}\n\ndata: {half\n\n') == [{"a": 1}]
    with pytest.raises(ValueError):
        decoder.raise_deferred_error()
    with pytest.raises(ValueError):
        decoder.close()


def test_nothing_after_the_terminator_is_read() -> None:
    decoder = StreamDocuments()
    body = b'data: {"a": 1}\n\ndata: [DONE] \r\n\r\ndata: {"b": 2}\n\ndata: [DONE]\n\nnoise'
    assert (decoder.feed(body), decoder.has_done_marker, decoder.close()) == ([{"a": 1}], True, [])


@pytest.mark.parametrize(
    "piece", [b"data: " + b"x" * 30, b"x" * 30, b'["' + b"x" * 20 + b'",\n', b"data: 1111111111\n"]
)
def test_a_document_over_the_limit_is_refused_before_it_ends(piece: bytes) -> None:
    decoder = StreamDocuments(limit=60)
    with pytest.raises(ValueError, match="more than 60 bytes"):
        for _ in range(10):
            decoder.feed(piece)


def test_the_limit_is_for_one_document_not_for_the_stream() -> None:
    decoder = StreamDocuments(limit=60)
    assert decoder.feed(b'data: {"a": 1}\n\n' * 20) + decoder.feed(b": note\n\n" * 20) == [{"a": 1}] * 20
