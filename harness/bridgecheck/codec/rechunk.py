"""How the same bytes may be cut into writes: the policies, and a list of byte offsets.

A decoder must give the same events whatever the cut; real networks cut anywhere, also inside one character.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final


def _every(size: int) -> Callable[[Sequence[bytes]], tuple[bytes, ...]]:
    def cut(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
        whole = b"".join(chunks)
        return tuple(whole[at : at + size] for at in range(0, len(whole), size))

    return cut


def _one(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
    whole = b"".join(chunks)
    return (whole,) if whole else ()


def _mid_codepoint(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
    """Cut before every continuation byte: each character of more than one byte is torn apart."""
    whole = b"".join(chunks)
    return at_offsets(whole, [at for at, byte in enumerate(whole) if 0x80 <= byte < 0xC0])


def _mid_crlf(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
    """Cut after every CR and every LF: CRLF is torn apart, and so is the empty line that ends an event."""
    whole = b"".join(chunks)
    return at_offsets(whole, [at + 1 for at, byte in enumerate(whole) if byte in b"\r\n"])


POLICIES: Final[dict[str, Callable[[Sequence[bytes]], tuple[bytes, ...]]]] = {
    "events": tuple,
    "one": _one,
    "bytes1": _every(1),
    "bytes7": _every(7),
    "mid-codepoint": _mid_codepoint,
    "mid-crlf": _mid_crlf,
}


def split(chunks: Sequence[bytes], policy: str | Sequence[int]) -> tuple[bytes, ...]:
    """The same bytes in other chunks: by a policy's name, or cut at byte offsets of the whole.

    ``ValueError`` for a name that is no policy. Offsets outside the body are passed over.
    """
    if not isinstance(policy, str):
        return at_offsets(b"".join(chunks), policy)
    if policy not in POLICIES:
        raise ValueError(f"no split policy {policy!r}; one of: {', '.join(POLICIES)}")
    return POLICIES[policy](chunks)


def at_offsets(whole: bytes, offsets: Sequence[int]) -> tuple[bytes, ...]:
    """The body cut at these offsets, none of the pieces empty."""
    inner = sorted({at for at in offsets if 0 < at < len(whole)})
    edges = [0, *inner, len(whole)]
    return tuple(whole[start:stop] for start, stop in pairwise(edges) if stop > start)
