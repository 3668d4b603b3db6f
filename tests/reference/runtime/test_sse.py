"""The stream decoder: one grammar, whatever the pieces it arrives in."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck_reference.sse import StreamDocuments

DOCUMENTS = [{"text": "a\u2028b\u0085c\x1e 北京 👍"}, {"n": [1, None, 2**63]}, {"last": True}]


def encoded(end: str, *, bom: bool = False, last: str | None = None) -> bytes:
    events = [f": note{end}data: {json.dumps(document, ensure_ascii=False)}{end}{end}" for document in DOCUMENTS]
    body = "".join(events)
    return (b"\xef\xbb\xbf" if bom else b"") + (body if last is None else body.rstrip("\r\n") + last).encode()


def decoded(pieces: list[bytes]) -> list[object]:
    decoder = StreamDocuments()
    return [document for piece in pieces for document in decoder.feed(piece)] + decoder.close()


@given(
    body=st.sampled_from(
        [
            encoded(end, bom=bom, last=last)
            for end in ("\n", "\r\n", "\r")
            for bom in (0, 1)
            for last in (None, "", "\r")
        ]
    ),
    cuts=st.lists(st.integers(0, 200), max_size=12),
)
def test_any_cut_gives_the_same_documents(body: bytes, cuts: list[int]) -> None:
    edges = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    pieces = [body[start:end] for start, end in pairwise(edges)]
    assert decoded(pieces) == DOCUMENTS
    assert decoded([bytes([byte]) for byte in body]) == DOCUMENTS


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_event_is_there_with_its_blank_line(end: str) -> None:
    decoder = StreamDocuments()
    assert decoder.feed(f'data: {{"a": 1}}{end}'.encode()) == []
    assert decoder.feed(end.encode()) == [{"a": 1}]
    assert decoder.close() == []


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
    assert decoded([body]) == documents


@pytest.mark.parametrize("body", [b"data: {half\n\n", b"<html>", b"data: {"])
def test_what_is_no_json_is_said(body: bytes) -> None:
    with pytest.raises(ValueError):
        decoded([body])


def test_a_long_line_in_small_pieces_is_not_scanned_again_and_again() -> None:
    decoder = StreamDocuments()
    pieces = [b'data: {"image": "', *[b"A" * 1000] * 20_000, b'"}\n\n']
    (document,) = [found for piece in pieces for found in decoder.feed(piece)]
    assert len(document["image"]) == 20_000_000
