"""How the same bytes may be cut into writes: the policies, and a list of byte offsets.

A decoder must give the same events whatever the cut; real networks cut anywhere, also inside one character.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, TypeAlias


def _cut_every(size: int) -> Callable[[Sequence[bytes]], tuple[bytes, ...]]:
    def cut(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
        whole = b"".join(chunks)
        return tuple(whole[at : at + size] for at in range(0, len(whole), size))

    return cut


def _join_chunks(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
    whole = b"".join(chunks)
    return (whole,) if whole else ()


def _cut_inside_characters(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
    """Cut before every continuation byte: each character of more than one byte is torn apart."""
    whole = b"".join(chunks)
    return cut_at_offsets(whole, [at for at, byte in enumerate(whole) if 0x80 <= byte < 0xC0])


def _cut_inside_line_ends(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
    """Cut after every CR and every LF: CRLF is torn apart, and so is the empty line that ends an event."""
    whole = b"".join(chunks)
    return cut_at_offsets(whole, [at + 1 for at, byte in enumerate(whole) if byte in b"\r\n"])


POLICIES: Final[dict[str, Callable[[Sequence[bytes]], tuple[bytes, ...]]]] = {
    "events": tuple, "one": _join_chunks, "bytes1": _cut_every(1), "bytes7": _cut_every(7),
    "mid-codepoint": _cut_inside_characters, "mid-crlf": _cut_inside_line_ends,
}  # fmt: skip


def split_chunks(chunks: Sequence[bytes], policy: str | Sequence[int]) -> tuple[bytes, ...]:
    """The same bytes in other chunks: by a policy's name, or cut at byte offsets of the whole.

    ``ValueError`` for a name that is no policy. Offsets outside the body are passed over.
    """
    if not isinstance(policy, str):
        return cut_at_offsets(b"".join(chunks), policy)
    if policy not in POLICIES:
        raise ValueError(f"no split policy {policy!r}; one of: {', '.join(POLICIES)}")
    return POLICIES[policy](chunks)


def cut_at_offsets(whole: bytes, offsets: Sequence[int]) -> tuple[bytes, ...]:
    """The body cut at these offsets, none of the pieces empty."""
    inner = sorted({at for at in offsets if 0 < at < len(whole)})
    edges = [0, *inner, len(whole)]
    return tuple(whole[start:stop] for start, stop in pairwise(edges) if stop > start)


Cut: TypeAlias = Callable[[str], list[str]]
"""Pieces, none of them empty, that join to the text."""


def cut_at(offsets: Sequence[int]) -> Cut:
    """Cuts every text at these distances from its start, which rise."""

    def cut(text: str) -> list[str]:
        ends = [offset for offset in offsets if offset < len(text)] + [len(text)]
        return [text[start:end] for start, end in zip([0, *ends], ends, strict=False) if start < end]

    return cut
