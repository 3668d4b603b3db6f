"""Event streams as public bridges were seen to misread them."""

import json

import pytest

from bridgecheck_reference.sse import StreamDocuments

FIRST, SECOND = {"text": "你好🌍"}, {"finish": "stop"}
LF = "".join(f"data: {json.dumps(item, ensure_ascii=False)}\n\n" for item in (FIRST, SECOND)).encode()


def decode(*pieces: bytes) -> list[object]:
    decoder = StreamDocuments()
    return [document for piece in pieces for document in decoder.feed(piece)] + decoder.close()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(body, id=name, marks=pytest.mark.proposal(name))
        for name, body in [
            ("sse-crlf-upstream", LF.replace(b"\n", b"\r\n")),
            ("sse-cr-only-and-mixed", LF.replace(b"\n", b"\r")),
            (
                "sse-comment-upstream",
                b": PROCESSING\n\n" + LF.replace(b"\n\n", b"\n\n: ping\n\n") + b"data: [DONE]\n\n",
            ),
            ("sse-data-no-space-in", LF.replace(b"data: ", b"data:") + b"data:[DONE]\n\n"),
            ("sse-multiline-data", LF.replace(b'": ', b'":\ndata: ')),
            ("sse-bom", b"\xef\xbb\xbf" + LF),
            ("sse-last-event-no-blank", LF.removesuffix(b"\n\n")),
            ("sse-done-spacing-and-extra", LF + b"data: [DONE] \r\n\r\n" + LF + b"data: [DONE]\n\n"),
        ]
    ],
)
def test_every_spelling_gives_the_same_documents_in_one_piece_and_byte_by_byte(body: bytes) -> None:
    assert decode(body) == [FIRST, SECOND]
    assert decode(*(body[at : at + 1] for at in range(len(body)))) == [FIRST, SECOND]


@pytest.mark.proposal("sse-crlf-upstream", "sse-cr-only-and-mixed")
def test_an_event_is_there_when_it_ends_and_a_line_end_in_two_pieces_is_one() -> None:
    decoder = StreamDocuments()
    assert decoder.feed(b'data: {"a":1}\r') == []
    assert decoder.feed(b'\n\r\ndata: {"b"') == [{"a": 1}]
    assert decoder.feed(b":2}\r\n\r\n") == [{"b": 2}]


@pytest.mark.proposal("sse-utf8-split", "sse-bytewise")
@pytest.mark.parametrize("cut", range(len(LF)))
def test_a_character_may_come_in_pieces(cut: int) -> None:
    assert decode(LF[:cut], LF[cut:]) == [FIRST, SECOND]


@pytest.mark.proposal("sse-large-line")
def test_one_line_of_two_mebibytes() -> None:
    image = "A" * (2 << 20)
    body = f'data: {{"image": "{image}"}}\n\n'.encode()
    assert decode(*(body[at : at + 65536] for at in range(0, len(body), 65536))) == [{"image": image}]


@pytest.mark.proposal("err-cut-mid-event")
def test_half_a_document_at_the_end_is_no_document() -> None:
    decoder = StreamDocuments()
    assert decoder.feed(LF + b'data: {"candidates":[{"content"') == [FIRST, SECOND]
    with pytest.raises(ValueError):
        decoder.close()
