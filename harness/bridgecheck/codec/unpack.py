"""Content encodings undone piece by piece: a few megabytes may unpack to gigabytes, and are not kept then."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

ENCODINGS: Final = ("gzip", "deflate")

_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
_PIECE_BYTES: Final = 1024 * 1024
_MAX_MEMBERS: Final = 100
"""Parts of one gzip body: the rest of it is copied for each."""


@dataclass(slots=True)
class Unpacker:
    """``feed(data)`` yields what the bytes unpack to, in pieces of a megabyte at most; other encodings pass. Raises
    zlib.error for bytes that are not what ``encoding`` says."""

    encoding: str
    _members: int = 0
    _has_begun: bool = False
    _zlib: "zlib._Decompress | None" = field(default=None)

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self.encoding not in ENCODINGS:
            yield data
            return
        while data:
            if self._zlib is None:
                data = data.lstrip(b"\0") if self._members else data
                if not data or self._members == _MAX_MEMBERS:
                    return
                self._zlib = zlib.decompressobj(_GZIP_WINDOW if self.encoding == "gzip" else zlib.MAX_WBITS)
                self._members += 1
            if piece := self._decompress(data):
                yield piece
            if self._zlib.eof:
                data = self._zlib.unused_data if self.encoding == "gzip" else b""
                self._zlib = None if self.encoding == "gzip" else self._zlib
            else:
                data = self._zlib.unconsumed_tail

    @property
    def is_at_end(self) -> bool:
        """Whether nothing is missing."""
        return self.encoding not in ENCODINGS or self._zlib is None or self._zlib.eof

    def _decompress(self, data: bytes) -> bytes:
        assert self._zlib is not None
        try:
            piece = self._zlib.decompress(data, _PIECE_BYTES)
        except zlib.error:
            if self.encoding != "deflate" or self._has_begun:
                raise
            self._zlib = zlib.decompressobj(-zlib.MAX_WBITS)  # some send it without its head
            piece = self._zlib.decompress(data, _PIECE_BYTES)
        self._has_begun = True
        return piece


def unpack_at_most(body: bytes, encoding: str, limit: int) -> bytes:
    """Return what the body unpacks to; of one that is longer than ``limit`` the first bytes, one more than that. Raises
    ValueError for a body that is not what its encoding says, or not whole."""
    unpacker = Unpacker(encoding)
    unpacked = bytearray()
    try:
        for piece in unpacker.feed(body):
            unpacked += piece
            if len(unpacked) > limit:
                return bytes(unpacked[: limit + 1])
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not unpacker.is_at_end:
        raise ValueError("it is cut off")
    return bytes(unpacked)
