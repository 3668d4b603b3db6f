"""One message of a Chat request -> one turn with its parts in order.

A tool message is a user turn that holds one result; tool messages are not joined here (that is a rewrite).
"""

from collections.abc import Callable
from typing import Final

from bridgecheck.model.jsonvalue import canonical, objs, text
from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.model.prompt import (
    CallPart,
    MediaPart,
    OtherPart,
    Part,
    ReasoningPart,
    ResultPart,
    Role,
    TextPart,
    Turn,
)
from bridgecheck.normalise import media
from bridgecheck.normalise.openai_chat import message as openai_message
from bridgecheck.normalise.tree import Fields, without_empty
from bridgecheck.wire import JsonObject

ROLES: Final[dict[str, Role]] = {
    "user": "user", "assistant": "assistant", "system": "system", "developer": "system", "tool": "user",
    "function": "user",
}  # fmt: skip

AUDIO: Final[dict[str, str]] = {"mp3": "audio/mpeg", "wav": "audio/wav"}
"""input_audio.format -> MIME type; any other format is ``audio/<format>``."""


def read_turn(message: Fields, notes: set[str]) -> Turn:
    """The turn; what found no place stays in ``message.rest``, an unknown role too (its turn is the user's)."""
    role = text(message.rest.get("role"))
    message.drop_expected("role", *ROLES)
    if role in ("tool", "function"):
        return Turn("user", (_read_result(message, role),))
    parts = [*_read_reasoning(message), *_read_content(message)]
    if role == "assistant":
        parts += [*_read_refusal(message), *_read_calls(message, notes), *_read_audio_reference(message)]
    return Turn(ROLES.get(role, "user"), tuple(parts), message.take_text("name"))


def _read_reasoning(message: Fields) -> list[Part]:
    content, signature, opaque = openai_message.read_replayed_reasoning(message)
    made: list[Part] = [ReasoningPart(content, signature)] if content or signature else []
    return made + [ReasoningPart("", "", text(data)) for data in opaque]


def _read_content(message: Fields) -> list[Part]:
    """Text or parts. A signature given for the message is that of its last text."""
    signature = openai_message.read_signature(message)
    made, rests = _read_parts(message)
    message.put_back("content", without_empty(rests))
    if not signature:
        return made
    last = max((at for at, part in enumerate(made) if isinstance(part, TextPart)), default=None)
    if last is None:
        return [*made, TextPart("", signature)]
    last_text = made[last]
    return [
        *made[:last],
        TextPart(last_text.text if isinstance(last_text, TextPart) else "", signature),
        *made[last + 1 :],
    ]


def _read_parts(message: Fields) -> tuple[list[Part], list[JsonObject]]:
    if isinstance(message.rest.get("content"), str):
        content = message.take_text("content")
        return ([TextPart(content)] if content else []), []
    made: list[Part] = []
    rests: list[JsonObject] = []
    for raw in message.take_items("content"):
        part = Fields(raw)
        part_read = TextPart(raw) if isinstance(raw, str) else _read_part(part)
        made += [part_read] if part_read and part_read != TextPart("") else []
        rests.append(part.rest)
    return made, rests


def _read_part(part: Fields) -> Part | None:
    """A content part; one of a kind without a type of its own is kept whole."""
    kind = text(part.rest.get("type"))
    reader = PARTS.get(kind)
    made = reader(part) if reader else None
    if made is None:
        whole = dict(part.rest)
        part.rest.clear()
        return OtherPart(kind, canonical(whole)) if whole else None
    part.take("type")
    return made


def _read_text(part: Fields) -> Part | None:
    return TextPart(part.take_text("text")) if isinstance(part.rest.get("text"), str) else None


def _read_thinking(part: Fields) -> Part | None:
    part.drop_expected("closed", True)
    return ReasoningPart("".join(text(item.get("text")) for item in objs(part.take("thinking"))))


def _read_image(part: Fields) -> Part | None:
    return _read_media_url(part, "image_url", "image/*")


def _read_video(part: Fields) -> Part | None:
    return _read_media_url(part, "video_url", "video/*")


def _read_document(part: Fields) -> Part | None:
    return _read_media_url(part, "document_url", "application/pdf")


def _read_media_url(part: Fields, key: str, kind: str) -> Part | None:
    """``{key: {"url": ...}}`` or, as some hosts take it, ``{key: "..."}``; other members are its detail."""
    if plain := part.take_text(key):
        return MediaPart(media.media_from_url(plain, kind))
    holder = part.take_child(key)
    url = holder.take_text("url")
    if not url:
        part.put_back(key, holder.rest)
        return None
    return MediaPart(media.media_from_url(url, kind), canonical(holder.rest) if holder.rest else "")


def _read_audio(part: Fields) -> Part | None:
    audio = part.take_child("input_audio")
    audio_format, data = audio.take_text("format").lower(), audio.take_text("data")
    part.put_back("input_audio", audio.rest)
    found = (
        media.media_from_url(data, "audio/*")
        if data.startswith("data:")
        else media.media_from_base64(_audio_mime_type(audio_format), data)
    )
    return MediaPart(found)


def _audio_mime_type(audio_format: str) -> str:
    return AUDIO.get(audio_format, f"audio/{audio_format or '*'}")


def _read_file(part: Fields) -> Part | None:
    """A file by its data (a data: URL, or bare base64 whose type only the name tells) or by its id."""
    file = part.take_child("file")
    data, file_id = file.take_text("file_data"), file.take_text("file_id")
    detail = canonical(file.rest) if file.rest else ""
    if not data and not file_id:
        part.put_back("file", file.rest)
        return None
    return MediaPart(_media_of_file_data(data) if data else Media("", uri=file_id), detail)


def _media_of_file_data(data: str) -> Media:
    if data.startswith(("data:", "http://", "https://")):
        return media.media_from_url(data, "")
    return media.media_from_base64("", data)


def _read_refusal_part(part: Fields) -> Part | None:
    return TextPart(part.take_text("refusal"))


PARTS: Final[dict[str, Callable[[Fields], Part | None]]] = {
    "text": _read_text, "thinking": _read_thinking, "image_url": _read_image, "video_url": _read_video,
    "document_url": _read_document, "input_audio": _read_audio, "file": _read_file, "refusal": _read_refusal_part,
}  # fmt: skip


def _read_refusal(message: Fields) -> list[Part]:
    """Return the text of a refusal as the turn's text."""
    content = message.take_text("refusal")
    return [TextPart(content)] if content else []


def _read_audio_reference(message: Fields) -> list[Part]:
    """An earlier spoken answer, by its id."""
    audio = message.take_child("audio").rest
    return [OtherPart("audio", canonical(audio))] if audio else []


def _read_calls(message: Fields, notes: set[str]) -> list[Part]:
    made: list[Part] = []
    rests: list[JsonObject] = []
    for raw in message.take_items("tool_calls"):
        call = Fields(raw)
        made.append(CallPart(_read_call(call, notes)))
        rests.append(call.rest if isinstance(raw, dict) else {"unread": raw})
    message.put_back("tool_calls", without_empty(rests))
    legacy = message.take_child("function_call")
    if legacy.rest:
        notes.add("legacy_function_call")
        made.append(CallPart(openai_message.read_function_call(legacy, "", "", notes)))
    message.put_back("function_call", legacy.rest)
    if message.rest.get("annotations") == []:
        message.take("annotations")
    return made


def _read_call(call: Fields, notes: set[str]) -> ToolCall:
    call.take_integer("index")
    call_id, signature = call.take_text("id"), openai_message.read_signature(call)
    custom = call.take_child("custom")
    if custom.rest:
        made = openai_message.read_custom_call(custom, call_id)
        call.put_back("custom", custom.rest)
        return made
    call.drop_expected("type", "function", "")
    function = call.take_child("function")
    made = openai_message.read_function_call(function, call_id, signature, notes)
    call.put_back("function", function.rest)
    return made


def _read_result(message: Fields, role: str) -> Part:
    """The value is the text: of a list of parts, its texts joined; media in it stand beside, anything else is left."""
    call_id = message.take_text("tool_call_id")
    name = message.take_text("name")
    if not isinstance(message.rest.get("content"), list):
        return ResultPart(call_id, name, message.take_text("content"))
    made, rests = _read_parts(message)
    content = "".join(part.text for part in made if isinstance(part, TextPart))
    media_items = tuple(part.media for part in made if isinstance(part, MediaPart))
    opaque_parts: list[JsonObject] = [{part.kind: part.value} for part in made if isinstance(part, OtherPart)]
    message.put_back("content", without_empty([*rests, *opaque_parts]))
    return ResultPart(call_id, name, content, media_items)
