"""The journal of one exchange: what is appended to a file while it goes on, and read back. Pure.

A journal is a sequence of entries: one letter, the length of the content in four bytes, the content.

    Q  the request: JSON of RequestHead, a line feed, the body
    S  status and headers of the response: JSON
    B  bytes of the body that end a chunk: milliseconds since the request in four bytes, the bytes
    P  bytes of the body that a chunk goes on behind: the same
    E  how the response ended: an End; nothing follows

Without an E the exchange is not whole: the recorder was killed, or the disk was full.
"""

import json
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, cast, get_args

from bridgecheck.model.exchange import End, Headers, HttpRequest
from bridgecheck.model.jsonvalue import arr, integer, obj, text
from bridgecheck.wire import JsonObject

_HEAD: Final = struct.Struct("<cI")
_TIME: Final = struct.Struct("<I")
_MOST_MS: Final = 2**32 - 1
_ENDS: Final = frozenset(get_args(End))


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of a body as they arrived. ``is_border``: a chunk ends behind them."""

    data: bytes
    t_ms: int
    is_border: bool = True


@dataclass(frozen=True, slots=True)
class JournalledExchange:
    """One whole exchange. ``facts``: what the metadata of its cassette says of it (see assembly)."""

    request: HttpRequest
    origin: str
    facts: JsonObject
    status: int
    headers: Headers
    pieces: tuple[Piece, ...]
    end: End


def request_entry(request: HttpRequest, origin: str, facts: JsonObject) -> bytes:
    head = {
        "method": request.method,
        "path": request.path,
        "headers": request.headers,
        "origin": origin,
        "facts": facts,
    }
    return _entry(b"Q", json.dumps(head).encode() + b"\n" + request.body)


def response_entry(status: int, headers: Headers) -> bytes:
    return _entry(b"S", json.dumps({"status": status, "headers": headers}).encode())


def piece_entry(data: bytes, t_ms: int, is_border: bool = True) -> bytes:
    return (
        _HEAD.pack(b"B" if is_border else b"P", len(data) + _TIME.size) + _TIME.pack(min(max(t_ms, 0), _MOST_MS)) + data
    )


def end_entry(end: End) -> bytes:
    return _entry(b"E", end.encode())


def read_journal(data: bytes) -> JournalledExchange | None:
    """Return the exchange, None if it is not whole."""
    entries, pieces, end = _entries(memoryview(data)), list[Piece](), ""
    first = list(islice(entries, 2))
    if [letter for letter, _ in first] != [b"Q", b"S"]:
        return None
    for letter, content in entries:
        if letter in (b"B", b"P"):
            pieces.append(Piece(bytes(content[_TIME.size :]), _TIME.unpack_from(content)[0], letter == b"B"))
        end = bytes(content).decode("ascii", "replace") if letter == b"E" else ""
    try:
        return _exchange(bytes(first[0][1]), bytes(first[1][1]), pieces, cast(End, end)) if end in _ENDS else None
    except ValueError:
        return None


def _exchange(request_head: bytes, response_head: bytes, pieces: Sequence[Piece], end: End) -> JournalledExchange:
    """Raises ValueError for JSON that is none."""
    line, _, body = request_head.partition(b"\n")
    head, response = obj(json.loads(line)), obj(json.loads(response_head))
    request = HttpRequest(text(head.get("method")), text(head.get("path")), _headers(head), body)
    status = integer(response.get("status")) or 0
    origin, facts = text(head.get("origin")), obj(head.get("facts"))
    return JournalledExchange(request, origin, facts, status, _headers(response), tuple(pieces), end)


def _headers(mapping: JsonObject) -> Headers:
    return tuple((str(pair[0]), str(pair[1])) for pair in map(arr, arr(mapping.get("headers"))) if len(pair) == 2)


def _entry(letter: bytes, content: bytes) -> bytes:
    return _HEAD.pack(letter, len(content)) + content


def _entries(data: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Yield letter and content of each whole entry; nothing is copied."""
    start = 0
    while start + _HEAD.size <= len(data):
        letter, size = _HEAD.unpack_from(data, start)
        start += _HEAD.size
        if start + size > len(data):
            return
        yield letter, data[start : start + size]
        start += size
