"""Gemini parts, the same in answers and in requests, read into the part types of a Prompt.

Source: https://ai.google.dev/api/caching#Part (stored copy read 2026-11-21)."""

from collections.abc import Callable
from typing import Final

from bridgecheck.model.jsonvalue import canonical, obj
from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.model.prompt import CallPart, MediaPart, OtherPart, Part, ReasoningPart, ResultPart, TextPart
from bridgecheck.normalise import media
from bridgecheck.normalise.tree import Fields
from bridgecheck.wire import JsonObject


def read_part(part: object) -> tuple[Part | None, str, JsonObject]:
    """Return (the part, its signature, unread fields). No part: it is empty, or of a kind that has no type here."""
    fields = Fields(part)
    signature = fields.take_text("thoughtSignature")
    for key, reader in READERS.items():
        if fields.has(key):
            return reader(fields, signature), signature, fields.rest
    alone = signature and not fields.rest
    return (TextPart("", signature) if alone else None), signature, fields.rest


def _read_text(fields: Fields, signature: str) -> ReasoningPart | TextPart | None:
    if not isinstance(fields.rest.get("text"), str):
        return None
    content = fields.take_text("text")
    return ReasoningPart(content, signature) if fields.take_flag("thought") else TextPart(content, signature)


def _read_inline_data(fields: Fields, _: str) -> MediaPart | None:
    """Read bytes; their ``displayName`` is the file name that Chat has too."""
    found = inline_media(fields)
    with fields.child("inlineData") as blob:
        name = blob.take_text("displayName") if found else ""
    return MediaPart(found, _take_hints(fields, name)) if found else None


def _read_file_data(fields: Fields, _: str) -> MediaPart | None:
    found = file_media(fields)
    return MediaPart(found, _take_hints(fields)) if found else None


def inline_media(fields: Fields) -> Media | None:
    """Read ``inlineData`` by its bytes; None, and nothing taken, where there is no data."""
    with fields.child("inlineData") as blob:
        has_data = isinstance(blob.rest.get("data"), str)
        return media.media_from_base64(blob.take_text("mimeType"), blob.take_text("data")) if has_data else None


def file_media(fields: Fields) -> Media | None:
    """Read ``fileData`` by its address."""
    with fields.child("fileData") as blob:
        has_uri = isinstance(blob.rest.get("fileUri"), str)
        return Media(media.usual_mime(blob.take_text("mimeType")), uri=blob.take_text("fileUri")) if has_uri else None


def _take_hints(fields: Fields, file_name: str = "") -> str:
    hints = {name: fields.take(name) for name in ("mediaResolution", "videoMetadata") if fields.has(name)}
    hints |= {"filename": file_name} if file_name else {}
    return canonical(hints) if hints else ""


def _read_call(fields: Fields, signature: str) -> CallPart:
    call = fields.take_child("functionCall")
    name, call_id = call.take_text("name"), call.take_text("id")
    args, bad = {}, None
    if isinstance(call.rest.get("args"), dict) or not call.has("args"):
        args = obj(call.take("args"))
    else:
        bad = canonical(call.take("args"))
    fields.put_back("functionCall", call.rest)
    return CallPart(ToolCall(name, args, call_id, bad, signature))


def _read_result(fields: Fields, _: str) -> ResultPart:
    result = fields.take_child("functionResponse")
    media_items: list[Media] = []
    rests: list[object] = []
    for item in result.take_list("parts"):
        part = Fields(item)
        found = inline_media(part) or file_media(part)
        media_items += [found] if found else []
        rests += [part.rest] if part.rest else []
    made = ResultPart(result.take_text("id"), result.take_text("name"), result.take("response"), tuple(media_items))
    result.put_back("parts", rests)
    fields.put_back("functionResponse", result.rest)
    return made


READERS: Final[dict[str, Callable[[Fields, str], Part | None]]] = {
    "functionCall": _read_call, "functionResponse": _read_result, "inlineData": _read_inline_data,
    "fileData": _read_file_data, "text": _read_text,
}  # fmt: skip
"""What a part holds -> how it is read; the first key that is there decides, as a part is a union."""


def opaque_part(rest: JsonObject) -> OtherPart | None:
    """Return whole a part of a kind that has no type in the normal form: its kind is its first key."""
    kind = next(iter(rest), "")
    return OtherPart(kind, canonical(rest)) if kind else None
