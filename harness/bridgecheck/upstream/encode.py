"""What was recorded, as it goes over a socket: framing left to the connection, gzip undone, kept or added."""

import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bridgecheck.cassette.recorded import Recorded
from bridgecheck.model.exchange import Headers, HttpRequest
from bridgecheck.upstream.script import Answer

_HOP: Final = frozenset({"transfer-encoding", "content-length", "connection", "keep-alive"})
_GZIP: Final = 16 + zlib.MAX_WBITS
_MAGIC: Final = b"\x1f\x8b"


def answer(recorded: Recorded, factor: float = 0) -> Answer:
    """``factor``: of the recorded pace; 1 as recorded, 0 at once."""
    headers = tuple((name, value) for name, value in recorded.headers if name not in _HOP)
    t_ms = tuple(round(moment * factor) for moment in recorded.t_ms) if factor else ()
    return Answer(recorded.status, headers, recorded.chunks, recorded.end, t_ms)


def encoded(answer: Answer, request: HttpRequest, gzip: bool = False) -> Answer:
    """The answer in a content encoding that this client takes. Recordings keep their bodies readable more often than
    not: a header that names gzip above a plain body means that gzip is to be made again."""
    packed = b"".join(answer.writes).startswith(_MAGIC)
    named = _value(answer.headers, "content-encoding").lower() == "gzip"
    if not named and not gzip:
        return answer
    bare = tuple((name, value) for name, value in answer.headers if name != "content-encoding")
    if not takes_gzip(request):
        return replace(answer, headers=bare, writes=tuple(_unpacked(answer.writes)) if packed else answer.writes)
    writes = answer.writes if packed else tuple(_packed(answer))
    return replace(answer, headers=(*bare, ("content-encoding", "gzip")), writes=writes)


def takes_gzip(request: HttpRequest) -> bool:
    """``gzip;q=0`` says no."""
    for offer in _value(request.headers, "accept-encoding").lower().split(","):
        name, _, quality = offer.replace(" ", "").partition(";")
        if name in ("gzip", "*") and quality not in ("q=0", "q=0.0"):
            return True
    return False


def _packed(answer: Answer) -> Iterator[bytes]:
    """Each write flushed, so that a client can read it once it came. A body that breaks off breaks off packed."""
    packer = zlib.compressobj(wbits=_GZIP)
    last = len(answer.writes) - 1
    for number, write in enumerate(answer.writes):
        final = number == last and answer.end == "complete"
        yield packer.compress(write) + packer.flush(zlib.Z_FINISH if final else zlib.Z_SYNC_FLUSH)


def _unpacked(writes: tuple[bytes, ...]) -> Iterator[bytes]:
    """A write may unpack to nothing; it stays, for its time stands beside it."""
    unpacker = zlib.decompressobj(wbits=_GZIP)
    for write in writes:
        yield unpacker.decompress(write)


def _value(headers: Headers, name: str) -> str:
    return next((value for key, value in headers if key == name), "")
