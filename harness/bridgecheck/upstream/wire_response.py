"""What goes over a socket: a scripted or recorded response as status, headers, writes and ending. Pure."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.codec import rechunk, sse
from bridgecheck.codec.body import encode_document
from bridgecheck.model.exchange import End, Headers, HttpRequest
from bridgecheck.model.scenario import Script, ScriptedAnswer
from bridgecheck.wire import Dialect, Mode

JSON_TYPE: Final = "application/json"


@dataclass(frozen=True, slots=True)
class WireResponse:
    """A response as it is sent. ``writes``: each goes to the socket by itself. ``end``: what follows the last one.
    ``t_ms``: per write the milliseconds since the request came, (): at once. ``head_ms``: milliseconds between the
    status line and the headers. ``is_open_ended``: the body arrives while it is sent, and is not in ``writes``."""

    status: int
    headers: Headers
    writes: tuple[bytes, ...]
    end: End = "complete"
    t_ms: tuple[int, ...] = ()
    head_ms: int = 0
    is_open_ended: bool = False


def scripted_responses(script: Script, dialect: Dialect, mode: Mode) -> tuple[WireResponse, ...]:
    return tuple(scripted_response(scripted, dialect, mode) for scripted in script)


def scripted_response(scripted: ScriptedAnswer, dialect: Dialect, mode: Mode) -> WireResponse:
    """Return the response of a scripted answer. Headers of the script replace ours of the same name."""
    writes = tuple(_scripted_writes(scripted, dialect))
    if scripted.split != "":
        writes = rechunk.split_chunks(writes, scripted.split)
    headers = tuple((name.lower(), value) for name, value in scripted.headers)
    if not any(name == "content-type" for name, _ in headers):
        headers = (("content-type", _default_content_type(scripted, mode)), *headers)
    return WireResponse(scripted.status, headers, writes, scripted.end)


def _scripted_writes(scripted: ScriptedAnswer, dialect: Dialect) -> Iterator[bytes]:
    if scripted.raw is not None:
        yield from (write for write in scripted.raw if write)
    elif scripted.events is not None:
        for event in scripted.events:
            yield sse.frame_event(dialect, event)
        # A stream that breaks does so before its terminator.
        if scripted.terminator and scripted.end == "complete" and sse.terminator(dialect):
            yield sse.terminator(dialect)
    else:
        yield encode_document(dialect, scripted.body)


def _default_content_type(scripted: ScriptedAnswer, mode: Mode) -> str:
    streamed = scripted.events is not None or (scripted.raw is not None and mode == "stream" and scripted.status < 400)
    return sse.MEDIA_TYPE if streamed else JSON_TYPE


_HOP_HEADERS: Final = frozenset({"transfer-encoding", "content-length", "connection", "keep-alive"})
_GZIP: Final = 16 + zlib.MAX_WBITS
_MAGIC: Final = b"\x1f\x8b"


def response_from_recording(recorded: RecordedInteraction, pace: float = 0) -> WireResponse:
    """Return a recorded response as it is sent. ``pace``: a factor on the recorded times; 1 as recorded, 0 at once."""
    headers = tuple((name, value) for name, value in recorded.headers if name not in _HOP_HEADERS)
    t_ms = tuple(round(moment * pace) for moment in recorded.t_ms) if pace else ()
    return WireResponse(recorded.status, headers, recorded.chunks, recorded.end, t_ms)


def apply_content_encoding(response: WireResponse, request: HttpRequest, gzip: bool = False) -> WireResponse:
    """Return the response in a content encoding that this client accepts.

    Recordings often hold readable bodies: a header that names gzip above a plain body means that gzip is to be made
    again.
    """
    is_packed = b"".join(response.writes).startswith(_MAGIC)
    names_gzip = _header_value(response.headers, "content-encoding").lower() == "gzip"
    if not names_gzip and not gzip:
        return response
    headers = tuple((name, value) for name, value in response.headers if name != "content-encoding")
    if not accepts_gzip(request):
        plain = tuple(_decompress_writes(response.writes)) if is_packed else response.writes
        return replace(response, headers=headers, writes=plain)
    writes = response.writes if is_packed else tuple(_compress_writes(response))
    return replace(response, headers=(*headers, ("content-encoding", "gzip")), writes=writes)


def accepts_gzip(request: HttpRequest) -> bool:
    """Return whether the client accepts gzip; ``gzip;q=0`` does not."""
    for offer in _header_value(request.headers, "accept-encoding").lower().split(","):
        name, _, quality = offer.replace(" ", "").partition(";")
        if name in ("gzip", "*") and quality not in ("q=0", "q=0.0"):
            return True
    return False


def _compress_writes(response: WireResponse) -> Iterator[bytes]:
    """Yield each write compressed and flushed, to be read as it arrives; a body that breaks off does so compressed."""
    packer = zlib.compressobj(wbits=_GZIP)
    last = len(response.writes) - 1
    for number, write in enumerate(response.writes):
        final = number == last and response.end == "complete"
        yield packer.compress(write) + packer.flush(zlib.Z_FINISH if final else zlib.Z_SYNC_FLUSH)


def _decompress_writes(writes: tuple[bytes, ...]) -> Iterator[bytes]:
    """Yield each write decompressed. An empty one stays, for its time stands beside it."""
    unpacker = zlib.decompressobj(wbits=_GZIP)
    for write in writes:
        yield unpacker.decompress(write)


def _header_value(headers: Headers, lower_name: str) -> str:
    return next((value for key, value in headers if key == lower_name), "")
