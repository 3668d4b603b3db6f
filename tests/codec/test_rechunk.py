"""Every policy preserves the bytes and cuts where its name states."""

import pytest

from bridgecheck.codec.rechunk import POLICIES, split_chunks

CHUNKS = [b"data: \xc3\xa4\r\n\r\n", b"data: \xf0\x9f\x98\x80\r\n\r\n"]


@pytest.mark.parametrize("policy", [*POLICIES, [], [3, 9], [0, 999, 5, 5]])
def test_no_byte_is_lost_and_no_chunk_is_empty(policy: str | list[int]) -> None:
    pieces = split_chunks(CHUNKS, policy)
    assert b"".join(pieces) == b"".join(CHUNKS)
    assert all(pieces)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("events", tuple(CHUNKS)),
        ("one", (b"".join(CHUNKS),)),
        ("mid-codepoint", (b"data: \xc3", b"\xa4\r\n\r\ndata: \xf0", b"\x9f", b"\x98", b"\x80\r\n\r\n")),
        ([6, 8], (b"data: ", b"\xc3\xa4", b"\r\n\r\ndata: \xf0\x9f\x98\x80\r\n\r\n")),
    ],
)
def test_each_policy_cuts_where_expected(policy: str | list[int], expected: tuple[bytes, ...]) -> None:
    assert split_chunks(CHUNKS, policy) == expected


def test_crlf_is_split() -> None:
    pieces = split_chunks(CHUNKS, "mid-crlf")
    assert not any(b"\r\n" in piece for piece in pieces)


def test_sizes() -> None:
    assert {len(piece) for piece in split_chunks(CHUNKS, "bytes1")} == {1}
    assert [len(piece) for piece in split_chunks([b"x" * 16], "bytes7")] == [7, 7, 2]


def test_an_unknown_policy_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no split policy 'bytes2'"):
        split_chunks(CHUNKS, "bytes2")
