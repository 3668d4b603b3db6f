"""Base64 data, data URLs and MIME types, for the media of every dialect.

Base64 on the wire is standard base64 with padding; the URL-safe alphabet that google-genai sends is corrected.
"""

import base64
import binascii
from typing import Final

MIME_OF_ENDING: Final[dict[str, str]] = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "heic": "image/heic", "pdf": "application/pdf", "mp3": "audio/mpeg", "wav": "audio/wav", "mp4": "video/mp4",
    "mpeg": "video/mpeg", "mov": "video/quicktime", "webm": "video/webm", "txt": "text/plain", "csv": "text/csv",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}  # fmt: skip
"""Ending of a URL's path -> MIME type, which Gemini requires for every file."""


def mime_of_audio_format(form: str) -> str:
    """Return the MIME type of OpenAI's ``input_audio.format``; one that is not given is wav."""
    return {"": "audio/wav", "mp3": "audio/mpeg"}.get(form.lower(), f"audio/{form.lower()}")


def stored_file_text(kind: str, id: str) -> str:
    """Return the text in place of a file that a provider stores: ``kind`` (file, image, document) and its id there."""
    return f"[{kind}: file_id={id}]"


def parse_data_url(url: str, default_mime: str) -> tuple[str, str] | None:
    """Return (MIME type, standard base64) of a data URL; None for any other URL."""
    if url[:5].lower() != "data:":
        return None
    head, _, body = url[5:].partition(",")
    mime, *options = [item.strip() for item in head.split(";")]
    data = standard_base64(body) if "base64" in [option.lower() for option in options] else _encode_percent_text(body)
    return mime.lower() or default_mime, data


def standard_base64(encoded: str) -> str:
    """Return the same bytes in the standard alphabet, padded, without white space; the string itself if it already
    is."""
    if "-" in encoded or "_" in encoded:
        encoded = encoded.replace("-", "+").replace("_", "/")
    if "%" in encoded:
        encoded = encoded.replace("%2B", "+").replace("%2F", "/").replace("%3D", "=")
    if any(space in encoded for space in "\n\r \t"):
        encoded = "".join(encoded.split())
    return encoded + "=" * (-len(encoded) % 4)


def decode_base64_or_empty(encoded: str) -> bytes:
    """Return the bytes; b"" if this is no base64."""
    try:
        return base64.b64decode(standard_base64(encoded), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _encode_percent_text(body: str) -> str:
    """Return the base64 of a data URL's percent-encoded text."""
    raw = bytearray()
    rest = body.encode("utf-8", "surrogatepass")
    while rest:
        head, found, tail = rest.partition(b"%")
        raw += head
        if not found:
            break
        try:
            raw.append(int(tail[:2], 16))
            rest = tail[2:]
        except ValueError:
            raw += b"%"
            rest = tail
    return base64.b64encode(bytes(raw)).decode("ascii")
