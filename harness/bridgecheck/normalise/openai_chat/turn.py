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
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "user",
    "function": "user",
}

AUDIO: Final[dict[str, str]] = {"mp3": "audio/mpeg", "wav": "audio/wav"}
"""input_audio.format -> MIME type; any other format is ``audio/<format>``."""


def turn(message: Fields, notes: set[str]) -> Turn:
    """The turn; what found no place stays in ``message.left``, an unknown role too (its turn is the user's)."""
    role = text(message.left.get("role"))
    message.expect("role", *ROLES)
    if role in ("tool", "function"):
        return Turn("user", (_result(message, role),))
    parts = [*_reasoning(message), *_content(message)]
    if role == "assistant":
        parts += [*_refusal(message), *_calls(message, notes), *_audio_reference(message)]
    return Turn(ROLES.get(role, "user"), tuple(parts), message.text("name"))


def _reasoning(message: Fields) -> list[Part]:
    said, signature, opaque = openai_message.replayed(message)
    made: list[Part] = [ReasoningPart(said, signature)] if said or signature else []
    return made + [ReasoningPart("", "", text(data)) for data in opaque]


def _content(message: Fields) -> list[Part]:
    """Text or parts. A signature given for the message is that of its last text."""
    signature = openai_message.signature(message)
    made, rests = _parts(message)
    message.put("content", without_empty(rests))
    if not signature:
        return made
    last = max((at for at, part in enumerate(made) if isinstance(part, TextPart)), default=None)
    if last is None:
        return [*made, TextPart("", signature)]
    kept = made[last]
    return [*made[:last], TextPart(kept.text if isinstance(kept, TextPart) else "", signature), *made[last + 1 :]]


def _parts(message: Fields) -> tuple[list[Part], list[JsonObject]]:
    if isinstance(message.left.get("content"), str):
        said = message.text("content")
        return ([TextPart(said)] if said else []), []
    made: list[Part] = []
    rests: list[JsonObject] = []
    for raw in message.items("content"):
        part = Fields(raw)
        read = TextPart(raw) if isinstance(raw, str) else _part(part)
        made += [read] if read and read != TextPart("") else []
        rests.append(part.left)
    return made, rests


def _part(part: Fields) -> Part | None:
    """A content part; one of a kind without a type of its own is kept whole."""
    kind = text(part.left.get("type"))
    reader = PARTS.get(kind)
    made = reader(part) if reader else None
    if made is None:
        whole = dict(part.left)
        part.left.clear()
        return OtherPart(kind, canonical(whole)) if whole else None
    part.raw("type")
    return made


def _text(part: Fields) -> Part | None:
    return TextPart(part.text("text")) if isinstance(part.left.get("text"), str) else None


def _thinking(part: Fields) -> Part | None:
    part.expect("closed", True)
    return ReasoningPart("".join(text(item.get("text")) for item in objs(part.raw("thinking"))))


def _image(part: Fields) -> Part | None:
    return _from_url(part, "image_url", "image/*")


def _video(part: Fields) -> Part | None:
    return _from_url(part, "video_url", "video/*")


def _document(part: Fields) -> Part | None:
    return _from_url(part, "document_url", "application/pdf")


def _from_url(part: Fields, key: str, kind: str) -> Part | None:
    """``{key: {"url": ...}}`` or, as some hosts take it, ``{key: "..."}``; what else the object says is its detail."""
    if plain := part.text(key):
        return MediaPart(media.from_url(plain, kind))
    holder = part.child(key)
    url = holder.text("url")
    if not url:
        part.put(key, holder.left)
        return None
    return MediaPart(media.from_url(url, kind), canonical(holder.left) if holder.left else "")


def _audio(part: Fields) -> Part | None:
    sound = part.child("input_audio")
    form, data = sound.text("format").lower(), sound.text("data")
    part.put("input_audio", sound.left)
    found = media.from_url(data, "audio/*") if data.startswith("data:") else media.from_base64(_audio_type(form), data)
    return MediaPart(found)


def _audio_type(form: str) -> str:
    return AUDIO.get(form, f"audio/{form or '*'}")


def _file(part: Fields) -> Part | None:
    """A file by its data (a data: URL, or bare base64 whose type only the name tells) or by its id."""
    file = part.child("file")
    data, file_id = file.text("file_data"), file.text("file_id")
    detail = canonical(file.left) if file.left else ""
    if not data and not file_id:
        part.put("file", file.left)
        return None
    return MediaPart(_file_media(data) if data else Media("", uri=file_id), detail)


def _file_media(data: str) -> Media:
    if data.startswith(("data:", "http://", "https://")):
        return media.from_url(data, "")
    return media.from_base64("", data)


def _refuse(part: Fields) -> Part | None:
    return TextPart(part.text("refusal"))


PARTS: Final[dict[str, Callable[[Fields], Part | None]]] = {
    "text": _text,
    "thinking": _thinking,
    "image_url": _image,
    "video_url": _video,
    "document_url": _document,
    "input_audio": _audio,
    "file": _file,
    "refusal": _refuse,
}


def _refusal(message: Fields) -> list[Part]:
    """The words with which the model refused: what it said in this turn, in whatever field."""
    said = message.text("refusal")
    return [TextPart(said)] if said else []


def _audio_reference(message: Fields) -> list[Part]:
    """An earlier spoken answer, by its id."""
    audio = message.child("audio").left
    return [OtherPart("audio", canonical(audio))] if audio else []


def _calls(message: Fields, notes: set[str]) -> list[Part]:
    made: list[Part] = []
    rests: list[JsonObject] = []
    for raw in message.items("tool_calls"):
        call = Fields(raw)
        made.append(CallPart(_call(call, notes)))
        rests.append(call.left if isinstance(raw, dict) else {"unread": raw})
    message.put("tool_calls", without_empty(rests))
    legacy = message.child("function_call")
    if legacy.left:
        notes.add("legacy_function_call")
        made.append(CallPart(openai_message.function_call(legacy, "", "", notes)))
    message.put("function_call", legacy.left)
    if message.left.get("annotations") == []:
        message.raw("annotations")
    return made


def _call(call: Fields, notes: set[str]) -> ToolCall:
    call.integer("index")
    call_id, signature = call.text("id"), openai_message.signature(call)
    custom = call.child("custom")
    if custom.left:
        made = openai_message.custom_call(custom, call_id)
        call.put("custom", custom.left)
        return made
    call.expect("type", "function", "")
    function = call.child("function")
    made = openai_message.function_call(function, call_id, signature, notes)
    call.put("function", function.left)
    return made


def _result(message: Fields, role: str) -> Part:
    """The value is the text: of a list of parts, its texts joined; media in it stand beside, anything else is left."""
    call_id = message.text("tool_call_id")
    name = message.text("name")
    if not isinstance(message.left.get("content"), list):
        return ResultPart(call_id, name, message.text("content"))
    made, rests = _parts(message)
    said = "".join(part.text for part in made if isinstance(part, TextPart))
    shown = tuple(part.media for part in made if isinstance(part, MediaPart))
    kept: list[JsonObject] = [{part.kind: part.value} for part in made if isinstance(part, OtherPart)]
    message.put("content", without_empty([*rests, *kept]))
    return ResultPart(call_id, name, said, shown)
