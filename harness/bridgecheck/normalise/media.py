"""Images, sound, video and files by what they are: MIME type and the sha256 of their bytes, or the address they lie at.

Base64 alphabet, padding and line breaks are no part of the content. Where a dialect names only the kind (``image_url``
with an address), the MIME type is written ``image/*``."""

import base64
import binascii
import hashlib
import re
from typing import Final
from urllib.parse import unquote_to_bytes

from bridgecheck.model.outcome import Media

ALIASES: Final[dict[str, str]] = {
    "audio/mp3": "audio/mpeg", "audio/mpga": "audio/mpeg", "audio/x-mp3": "audio/mpeg", "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav", "audio/vnd.wave": "audio/wav", "image/jpg": "image/jpeg",
}  # fmt: skip
"""Two names of one type. Source: https://www.iana.org/assignments/media-types/media-types.xhtml."""

_NOISE = re.compile(r"[\s=]+")


def usual_mime(alias: str) -> str:
    """Return the usual MIME type for an alias, in lower case; parameters are kept (audio/L16;rate=24000)."""
    mime = alias.strip().lower()
    return ALIASES.get(mime, mime)


def media_from_base64(mime: str, data: str) -> Media:
    """Return inline data. What is no base64 is known by the text itself."""
    return Media(mime=usual_mime(mime), sha256=sha256_hex(decode_base64_or_encode_text(data)))


def media_from_text(mime: str, content: str) -> Media:
    """Return a document given as plain text."""
    return Media(mime=usual_mime(mime), sha256=sha256_hex(content.encode("utf-8", errors="surrogatepass")))


def media_from_url(url: str, kind: str) -> Media:
    """Return a ``data:`` URL by its bytes, any other address as it is. ``kind``: the type to assume (``image/*``)."""
    if not url.startswith("data:"):
        return Media(mime=kind, uri=url)
    head, _, data = url[len("data:") :].partition(",")
    mime, _, encoding = head.rpartition(";") if head.endswith(";base64") else (head, "", "")
    if encoding == "base64":
        return media_from_base64(mime or kind, data)
    return Media(mime=usual_mime(mime or kind), sha256=sha256_hex(unquote_to_bytes(data)))


def decode_base64_or_encode_text(data: str) -> bytes:
    """Return the bytes of base64 in either alphabet, with or without padding and line breaks."""
    bare = _NOISE.sub("", data).translate(str.maketrans("-_", "+/"))
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        return data.encode("utf-8", errors="surrogatepass")


def join_base64(pieces: list[str]) -> str:
    """Join pieces of base64, each of which may be padded on its own."""
    if not any("=" in piece for piece in pieces[:-1]):
        return "".join(pieces)
    return base64.b64encode(b"".join(decode_base64_or_encode_text(piece) for piece in pieces)).decode("ascii")


def sha256_hex(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
