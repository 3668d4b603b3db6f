"""Images, sound and files: Gemini's inlineData and fileData, and OpenAI's content parts.

A URL is never fetched. What OpenAI cannot take is named in text, with a loss: a model that is asked about a video it
never got would answer as if it had watched it.
"""

import base64
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import camel, obj, text
from bridgecheck_reference.convert.media import MIME_OF_ENDING, mime_of_audio_format, parse_data_url, standard_base64
from bridgecheck_reference.loss import Losses

DEFAULT_MIME: Final = "image/jpeg"

GOOGLES_FILES: Final = "generativelanguage.googleapis.com/"
"""Part of the address of a file that was uploaded to Google, which opens to its own key only. Source:
https://ai.google.dev/gemini-api/docs/files."""

AUDIO_FORMATS: Final[dict[str, str]] = {
    "audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3",
}  # fmt: skip
"""MIME type -> the format OpenAI's input_audio takes; there is no other."""

_SOUND_STARTS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"RIFF", "audio/wav"), (b"ID3", "audio/mpeg"), (b"\xff\xfb", "audio/mpeg"), (b"\xff\xf3", "audio/mpeg"),
    (b"fLaC", "audio/flac"), (b"OggS", "audio/ogg"), (b"\xff\xf1", "audio/aac"),
)  # fmt: skip


def inline_to_content(blob: object, path: str, losses: Losses) -> JsonObject:
    """Convert inlineData to a content part; a text that names the type for what OpenAI has no part for."""
    data = camel(blob)
    mime = (text(data.get("mimeType")) or DEFAULT_MIME).lower()
    encoded = standard_base64(text(data.get("data")))
    kind = mime.split("/", 1)[0]
    if kind == "image":
        return {"type": "image_url", "image_url": {"url": f"data:{mime};base64,{encoded}"}}
    if kind == "audio" and mime in AUDIO_FORMATS:
        return {"type": "input_audio", "input_audio": {"data": encoded, "format": AUDIO_FORMATS[mime]}}
    if kind in ("audio", "video"):
        losses.add(path, f"Chat Completions takes no {mime}; named in text")
        return {"type": "text", "text": f"[inlineData: mimeType={mime}]"}
    name = text(data.get("displayName")) or f"file.{_file_ending(mime)}"
    return {"type": "file", "file": {"filename": name, "file_data": f"data:{mime};base64,{encoded}"}}


def file_to_content(reference: object, path: str, losses: Losses, *, documents: bool = False) -> JsonObject:
    """Convert fileData to an image URL where OpenAI can fetch it, else to a text that names type and URI.

    With ``documents`` a PDF on the web is a file by its address, which Chat Completions does not take and Anthropic
    does.
    """
    data = camel(reference)
    mime, uri = text(data.get("mimeType")), text(data.get("fileUri"))
    open_to_all = uri.startswith(("http://", "https://")) and GOOGLES_FILES not in uri
    if mime.startswith("image/") and open_to_all:
        return {"type": "image_url", "image_url": {"url": uri}}
    if mime == "application/pdf" and open_to_all and documents:
        return {"type": "file", "file": {"filename": "file.pdf", "file_data": uri}}
    losses.add(path, "Chat Completions takes no file by URI; named in text")
    return {"type": "text", "text": f"[fileData: mimeType={mime}, uri={uri}]"}


def image_to_part(image: object) -> JsonObject | None:
    """Convert image_url (object or plain string) to inlineData for a data URL, to fileData for any other; None for
    nothing."""
    url = image if isinstance(image, str) else text(obj(image).get("url"))
    return url_to_part(url, "image/jpeg") if url else None


def audio_to_part(audio: object) -> JsonObject | None:
    """Convert input_audio (object, or its data as a plain string) to inlineData; None for nothing."""
    data = obj(audio)
    content = audio if isinstance(audio, str) else text(data.get("data"))
    mime = mime_of_audio_format(text(data.get("format")))
    if not content:
        return None
    mime, encoded = parse_data_url(content, mime) or (mime, standard_base64(content))
    return {"inlineData": {"mimeType": mime, "data": encoded}}


def file_to_part(file: object) -> JsonObject | None:
    """Convert a file part with data (a data URL or bare base64 of the type that its name has); None for a reference by
    id."""
    data = obj(file)
    content = text(data.get("file_data"))
    if not content:
        return None
    name = text(data.get("filename"))
    mime = MIME_OF_ENDING.get(name.rpartition(".")[2].lower(), "application/pdf")
    if content.startswith(("data:", "http://", "https://")):
        return url_to_part(content, mime)
    return {"inlineData": {"mimeType": mime, "data": standard_base64(content)}}


def url_to_part(url: str, default_mime: str) -> JsonObject:
    """Return inlineData for a data URL, else fileData with the MIME type of the URL's ending."""
    inline = parse_data_url(url, default_mime)
    if inline is None:
        ending = url.split("?", 1)[0].split("#", 1)[0].rpartition(".")[2].lower()
        return {"fileData": {"mimeType": MIME_OF_ENDING.get(ending, default_mime), "fileUri": url}}
    mime, data = inline
    return {"inlineData": {"mimeType": mime, "data": data}}


def sound_to_part_with_detected_mime(sound: bytes) -> JsonObject:
    """Return spoken output as inlineData; its first bytes give its type, raw samples are those with no known start."""
    mime = next((mime for start, mime in _SOUND_STARTS if sound.startswith(start)), "audio/pcm")
    return {"inlineData": {"mimeType": mime, "data": base64.b64encode(sound).decode("ascii")}}


def _file_ending(mime: str) -> str:
    return next((ending for ending, known in MIME_OF_ENDING.items() if known == mime), "bin")
