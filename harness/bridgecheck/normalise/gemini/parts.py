"""Gemini parts, the same in answers and in requests, read into the part types of a Prompt.

Source: https://ai.google.dev/api/caching#Part (stored copy read 2026-11-21).
"""

from collections.abc import Callable
from typing import Final

from bridgecheck.model.jsonvalue import canonical, obj
from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.model.prompt import CallPart, MediaPart, OtherPart, Part, ReasoningPart, ResultPart, TextPart
from bridgecheck.normalise import media
from bridgecheck.normalise.tree import Fields
from bridgecheck.wire import JsonObject


def read(part: object) -> tuple[Part | None, str, JsonObject]:
    """(the part, its signature, what was left of it). No part: it says nothing, or nothing we have a type for."""
    fields = Fields(part)
    signature = fields.text("thoughtSignature")
    for key, reader in READERS.items():
        if fields.has(key):
            return reader(fields, signature), signature, fields.left
    alone = signature and not fields.left
    return (TextPart("", signature) if alone else None), signature, fields.left


def _text(fields: Fields, signature: str) -> Part | None:
    if not isinstance(fields.left.get("text"), str):
        return None
    said = fields.text("text")
    return ReasoningPart(said, signature) if fields.flag("thought") else TextPart(said, signature)


def _inline(fields: Fields, _: str) -> Part | None:
    """Bytes; their ``displayName`` is the file name that Chat has too."""
    found = inline_media(fields)
    blob = fields.child("inlineData")
    name = blob.text("displayName") if found else ""
    fields.put("inlineData", blob.left)
    return MediaPart(found, _hints(fields, name)) if found else None


def _file(fields: Fields, _: str) -> Part | None:
    found = file_media(fields)
    return MediaPart(found, _hints(fields)) if found else None


def inline_media(fields: Fields) -> Media | None:
    """``inlineData`` by its bytes; None, and nothing taken, where there is no data."""
    blob = fields.child("inlineData")
    found = None
    if isinstance(blob.left.get("data"), str):
        found = media.from_base64(blob.text("mimeType"), blob.text("data"))
    fields.put("inlineData", blob.left)
    return found


def file_media(fields: Fields) -> Media | None:
    """``fileData`` by its address."""
    blob = fields.child("fileData")
    found = None
    if isinstance(blob.left.get("fileUri"), str):
        found = Media(media.mime_type(blob.text("mimeType")), uri=blob.text("fileUri"))
    fields.put("fileData", blob.left)
    return found


def _hints(fields: Fields, file_name: str = "") -> str:
    hints = {name: fields.raw(name) for name in ("mediaResolution", "videoMetadata") if fields.has(name)}
    hints |= {"filename": file_name} if file_name else {}
    return canonical(hints) if hints else ""


def _call(fields: Fields, signature: str) -> Part:
    call = fields.child("functionCall")
    name, call_id = call.text("name"), call.text("id")
    args, bad = {}, None
    if isinstance(call.left.get("args"), dict) or not call.has("args"):
        args = obj(call.raw("args"))
    else:
        bad = canonical(call.raw("args"))
    fields.put("functionCall", call.left)
    return CallPart(ToolCall(name, args, call_id, bad, signature))


def _result(fields: Fields, _: str) -> Part:
    result = fields.child("functionResponse")
    shown: list[Media] = []
    rests: list[object] = []
    for item in result.items("parts"):
        part = Fields(item)
        found = inline_media(part) or file_media(part)
        shown += [found] if found else []
        rests += [part.left] if part.left else []
    made = ResultPart(result.text("id"), result.text("name"), result.raw("response"), tuple(shown))
    result.put("parts", rests)
    fields.put("functionResponse", result.left)
    return made


READERS: Final[dict[str, Callable[[Fields, str], Part | None]]] = {
    "functionCall": _call,
    "functionResponse": _result,
    "inlineData": _inline,
    "fileData": _file,
    "text": _text,
}
"""What a part holds -> how it is read; the first key that is there decides, as a part is a union."""


def opaque(rest: JsonObject) -> OtherPart | None:
    """A part of a kind the normal form has no type for, whole: its kind is its first key."""
    kind = next(iter(rest), "")
    return OtherPart(kind, canonical(rest)) if kind else None
