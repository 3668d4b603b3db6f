"""The bytes of a body in other chunks, and with other line ends: no reader of HTTP may see the difference."""

from collections.abc import Sequence

from bridgecheck.codec import rechunk
from bridgecheck.relations.relation import Recut
from bridgecheck.wire import DIALECTS, Dialect


def everywhere(policy: str) -> dict[Dialect, Recut]:
    """One of the policies of ``codec/rechunk``, for every dialect."""

    def cut(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
        return rechunk.split_chunks(chunks, policy)

    return dict.fromkeys(DIALECTS, cut)


def crlf(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
    """Lines that end in CRLF. The chunks stay where they are, but for those that were cut inside a CRLF."""
    if any(chunk.endswith(b"\r") for chunk in chunks):
        chunks = [b"".join(chunks)]
    return tuple(chunk.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") for chunk in chunks)
