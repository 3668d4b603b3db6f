"""How many events of a streamed answer a client has had, while its bytes arrive in whatever cut."""

import zlib
from dataclasses import dataclass, field
from json import JSONDecodeError, loads
from typing import Final

from bridgecheck.codec.json_array import JsonArrayDecoder
from bridgecheck.codec.sse import DONE, SseDecoder, SseEvent

_GZIP: Final = b"\x1f\x8b"
_BLANK: Final = b"\xef\xbb\xbf \t\r\n"


@dataclass(slots=True)
class EventCounter:
    """Counts what ``codec.body.decode_response`` makes documents of. One document where a stream was due (an error,
    mostly) is no event."""

    _sse: SseDecoder | None = None
    _array: JsonArrayDecoder | None = None
    _whole: bool = False
    _head: bytes = b""
    _unpacker: "zlib._Decompress | None" = field(default=None)

    def feed(self, data: bytes) -> int:
        """How many events these bytes complete."""
        data = self._plain(data)
        if self._sse is None and self._array is None and not self._whole:
            data = self._begun(data)
        if self._array is not None:
            return len(self._array.feed(data))
        return sum(map(_is_document, self._sse.feed(data))) if self._sse is not None else 0

    def _begun(self, data: bytes) -> bytes:
        """Settles on the framing as soon as something was said; what has come till then."""
        self._head += data
        start = self._head.lstrip(_BLANK)[:1]
        if start == b"[":
            self._array = JsonArrayDecoder()
        elif start in (b"{", b"<"):
            self._whole = True
        elif start:
            self._sse = SseDecoder()
        return self._head

    def _plain(self, data: bytes) -> bytes:
        """Unpacked: gateways pack what nobody asked them to pack."""
        if self._unpacker is None and not self._head and data.startswith(_GZIP):
            self._unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            return self._unpacker.decompress(data) if self._unpacker is not None else data
        except zlib.error:
            return b""


def _is_document(event: SseEvent) -> bool:
    if event.data.strip() == DONE:
        return False
    try:
        loads(event.data)
    except JSONDecodeError:
        return False
    return True
