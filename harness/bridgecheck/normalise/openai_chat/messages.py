"""One message of a Chat request -> one turn with its parts in order.

A tool message is a user turn that holds one result; tool messages are not joined here (that is a rewrite)."""

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
from bridgecheck.normalise.tree import Fields, non_empty_rests
from bridgecheck.wire import JsonObject

ROLES: Final[dict[str, Role]] = {
    "user": "user", "assistant": "assistant", "system": "system", "developer": "system", "tool": "user",
    "function": "user",
}  # fmt: skip

AUDIO: Final[dict[str, str]] = {"mp3": "audio/mpeg", "wav": "audio/wav"}
"""input_audio.format -> MIME type; any other format is ``audio/<format>``."""


def read_turn(message: Fields, applied_rules: set[str]) -> Turn:
    """Read the turn; what found no place stays in ``message.rest``, an unknown role too (its turn is the user's)."""
    role = text(message.rest.get("role"))
    message.drop_expected("role", *ROLES)
    if role in ("tool", "function"):
        return Turn("user", (_read_result(message),))
    reasoning, signature, opaque = openai_message.read_reasoning_text_signature_opaque_data(message)
    parts: list[Part] = [ReasoningPart(reasoning, signature)] if reasoning or signature else []
    parts += [ReasoningPart("", "", text(data)) for data in opaque]
    parts += _read_content_with_signature(message)
    if role == "assistant":
        refusal = message.take_text("refusal")
        earlier_audio = message.take_child("audio").rest
        parts += [TextPart(refusal)] if refusal else []
        parts += filter(None, map(_read_earlier_image, message.members("images")))
        parts += _read_calls(message, applied_rules)
        parts += [OtherPart("audio", canonical(earlier_audio))] if earlier_audio else []
    return Turn(ROLES.get(role, "user"), tuple(parts), message.take_text("name"))


def _read_earlier_image(image: Fields) -> MediaPart | None:
    """Read an image of an earlier answer, where a client sends it back as hosts gave it. Its signature is opaque."""
    image.drop_expected("type", "image_url")
    image.take_integer("index")
    openai_message.read_signature(image)
    return _read_media_url(image, "image_url", "image/*")


def _read_content_with_signature(message: Fields) -> list[Part]:
    """Read text or parts. A signature given for the message is that of its last text."""
    signature = openai_message.read_signature(message)
    made, rests = _read_parts(message)
    message.put_back("content", non_empty_rests(rests))
    if not signature:
        return made
    last = max((at for at, part in enumerate(made) if isinstance(part, TextPart)), default=None)
    if last is None:
        return [*made, TextPart("", signature)]
    last_text = made[last]
    signed = TextPart(last_text.text if isinstance(last_text, TextPart) else "", signature)
    return [*made[:last], signed, *made[last + 1 :]]


def _read_parts(message: Fields) -> tuple[list[Part], list[JsonObject]]:
    if isinstance(message.rest.get("content"), str):
        content = message.take_text("content")
        return ([TextPart(content)] if content else []), []
    made: list[Part] = []
    rests: list[JsonObject] = []
    for raw in message.take_list("content"):
        part = Fields(raw)
        part_read = TextPart(raw) if isinstance(raw, str) else _read_part_or_keep_whole(part)
        made += [part_read] if part_read and part_read != TextPart("") else []
        rests.append(part.rest)
    return made, rests


def _read_part_or_keep_whole(part: Fields) -> Part | None:
    """Read a content part; one of a kind without a type of its own is kept whole."""
    kind = text(part.rest.get("type"))
    reader = PARTS.get(kind)
    made = reader(part) if reader else None
    if made is None:
        whole = part.take_whole()
        return OtherPart(kind, canonical(whole)) if whole else None
    part.take("type")
    return made


def _read_thinking(part: Fields) -> ReasoningPart:
    part.drop_expected("closed", True)
    return ReasoningPart("".join(text(item.get("text")) for item in objs(part.take("thinking"))))


def _read_media_url(part: Fields, key: str, kind: str) -> MediaPart | None:
    """Read ``{key: {"url": ...}}`` or, as some hosts take it, ``{key: "..."}``; other members are its detail."""
    if plain := part.take_text(key):
        return MediaPart(media.media_from_url(plain, kind))
    holder = part.take_child(key)
    url = holder.take_text("url")
    if not url:
        part.put_back(key, holder.rest)
        return None
    if holder.rest.get("detail") == "auto":  # the default
        holder.take("detail")
    return MediaPart(media.media_from_url(url, kind), canonical(holder.rest) if holder.rest else "")


def _read_audio(part: Fields) -> MediaPart:
    audio = part.take_child("input_audio")
    audio_format, data = audio.take_text("format").lower(), audio.take_text("data")
    part.put_back("input_audio", audio.rest)
    mime = AUDIO.get(audio_format, f"audio/{audio_format or '*'}")
    is_url = data.startswith("data:")
    return MediaPart(media.media_from_url(data, "audio/*") if is_url else media.media_from_base64(mime, data))


def _read_file(part: Fields) -> MediaPart | None:
    """Read a file by its data (a data: URL, or bare base64 whose type only the name tells) or by its id."""
    file = part.take_child("file")
    data, file_id = file.take_text("file_data"), file.take_text("file_id")
    detail = canonical(file.rest) if file.rest else ""
    if not data and not file_id:
        part.put_back("file", file.rest)
        return None
    if data.startswith(("data:", "http://", "https://")):
        return MediaPart(media.media_from_url(data, ""), detail)
    return MediaPart(media.media_from_base64("", data) if data else Media("", uri=file_id), detail)


PARTS: Final[dict[str, Callable[[Fields], Part | None]]] = {
    "text": lambda part: TextPart(part.take_text("text")) if isinstance(part.rest.get("text"), str) else None,
    "thinking": _read_thinking, "image_url": lambda part: _read_media_url(part, "image_url", "image/*"),
    "video_url": lambda part: _read_media_url(part, "video_url", "video/*"),
    "document_url": lambda part: _read_media_url(part, "document_url", "application/pdf"), "input_audio": _read_audio,
    "file": _read_file, "refusal": lambda part: TextPart(part.take_text("refusal")),
}  # fmt: skip


def _read_calls(message: Fields, applied_rules: set[str]) -> list[Part]:
    made: list[Part] = [CallPart(_read_call(call, applied_rules)) for call in message.members("tool_calls")]
    legacy = message.take_child("function_call")
    if legacy.rest:
        applied_rules.add("legacy_function_call")
        made.append(CallPart(openai_message.read_function_call(legacy, "", "", applied_rules)))
    message.put_back("function_call", legacy.rest)
    if message.rest.get("annotations") == []:
        message.take("annotations")
    return made


def _read_call(call: Fields, applied_rules: set[str]) -> ToolCall:
    call.take_integer("index")
    call_id, signature = call.take_text("id"), openai_message.read_signature(call)
    custom = call.take_child("custom")
    if custom.rest:
        made = openai_message.read_custom_call_with_input_argument(custom, call_id)
        call.put_back("custom", custom.rest)
        return made
    call.drop_expected("type", "function", "")
    with call.child("function") as function:
        return openai_message.read_function_call(function, call_id, signature, applied_rules)


def _read_result(message: Fields) -> ResultPart:
    """Read a result: its text or the joined texts of its parts, and the media among them; anything else is left."""
    call_id = message.take_text("tool_call_id")
    name = message.take_text("name")
    if not isinstance(message.rest.get("content"), list):
        return ResultPart(call_id, name, message.take_text("content"))
    made, rests = _read_parts(message)
    texts = tuple(part.text for part in made if isinstance(part, TextPart))
    media_items = tuple(part.media for part in made if isinstance(part, MediaPart))
    opaque_parts: list[JsonObject] = [{part.kind: part.value} for part in made if isinstance(part, OtherPart)]
    message.put_back("content", non_empty_rests([*rests, *opaque_parts]))
    return ResultPart(call_id, name, "".join(texts), media_items, texts=texts if len(texts) > 1 else ())
