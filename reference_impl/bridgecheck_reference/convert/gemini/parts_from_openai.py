"""An OpenAI message or delta -> Gemini parts, in the order reasoning, text, images, calls.

A carried layout (gemini/part_order) restores their old order instead. Texts keep their bytes; a signature goes back
to the part it came from.

A message with signed reasoning becomes parts in the order that it carries (mapping row R-46). A Gemini signature that
travelled as that of reasoning goes back to the part behind it, if it is of the kind that it stood on. The reasoning of
another provider is shown as thoughts; its signature means nothing to Gemini.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.arguments import RAW, parse_arguments
from bridgecheck_reference.convert.chat_calls import as_function
from bridgecheck_reference.convert.chat_messages import CALL_TYPES, TERMINATOR, order_of_message, restore_order
from bridgecheck_reference.convert.gemini.media import audio_to_part, file_to_part, image_to_part, url_to_part
from bridgecheck_reference.convert.gemini.part_order import restore_parts
from bridgecheck_reference.convert.json_values import NOTHING, dumps, google, obj, objs, text
from bridgecheck_reference.convert.media import held_file
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.signatures import START, to_gemini, unsigned_id
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile


@dataclass(slots=True)
class Said:
    """``media``: as Gemini parts."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    media: tuple[JsonObject, ...] = ()


_KINDS = {"text": "text", "functionCall": "call", "inlineData": "image"}


def reasoned_parts(
    message: JsonObject, said: Said, calls: Sequence[JsonObject], path: str, losses: Losses
) -> list[JsonObject]:
    """``calls``: the calls of the message, as parts."""
    words, images = said.text + said.refusal, said.media
    details = list(objs(message.get("reasoning_details")))
    if not details and said.reasoning:
        details = [{"text": said.reasoning}]
    placed = restore_order(order_of_message(message), words, {"reasoning": details, "image": images, "call": calls})
    things: list[tuple[str, JsonObject]] = [(kind, thing) for kind, thing, _ in placed or ()]
    if placed is None:
        things = [("reasoning", detail) for detail in details]
        things += [("text", {"text": words})] if words else []
        things += [("part", part) for part in (*images, *calls)]
    writer = _Writer(path, losses)
    for kind, thing in things:
        if kind == "reasoning":
            writer.think(thing)
        else:
            writer.say(thing)
    return writer.close()


class _Writer:
    """The parts, and the signature that waits for the next one: (kind of part, signature)."""

    __slots__ = ("_losses", "_parts", "_path", "_waiting")

    def __init__(self, path: str, losses: Losses) -> None:
        self._path = path
        self._losses = losses
        self._parts: list[JsonObject] = []
        self._waiting: tuple[str, str] | None = None

    def think(self, detail: JsonObject) -> None:
        words, signature = text(detail.get("text")), text(detail.get("signature"))
        kind, own = to_gemini(signature) or ("", "")
        if words or kind == "thought":
            part: JsonObject = {"text": words, "thought": True}
            self._parts.append({**part, "thoughtSignature": own} if kind == "thought" else part)
        if kind == "tail":
            self._parts.append({"text": "", "thoughtSignature": own})
        elif kind and kind != "thought":
            self._drop()
            self._waiting = kind, own
        elif (signature or "data" in detail) and not kind:
            self._losses.add(f"{self._path}.reasoning_details", "signed by another provider", "info")

    def say(self, part: JsonObject) -> None:
        kind = next((kind for key, kind in _KINDS.items() if key in part), "other")
        if self._waiting is not None and self._waiting[0] == kind:
            part = {**part, "thoughtSignature": self._waiting[1]}
            self._waiting = None
        self._drop()
        self._parts.append(part)

    def close(self) -> list[JsonObject]:
        self._drop()
        return self._parts

    def _drop(self) -> None:
        """A signature never moves to another part: Gemini refuses that."""
        if self._waiting is not None:
            self._losses.add(f"{self._path}.reasoning_details", "the part that it signed is gone")
            self._waiting = None


def read_content(message: JsonObject, path: str, losses: Losses) -> Said:
    """Text, reasoning and media of an assistant message, wherever hosts put them; reasoning said twice counts once."""
    content = message.get("content")
    said = Said(refusal=text(message.get("refusal")))
    if isinstance(content, str):
        said.text = content
    elif isinstance(content, list):
        _read_list(content, said, path, losses)
    elif isinstance(content, dict):
        losses.add(f"{path}.content", "an object in place of text, told as its JSON text")
        said.text = dumps(content)
    said.reasoning = said.reasoning or reasoning_of(message)
    if "images" in message:
        images = [image_to_part(image.get("image_url")) for image in objs(message["images"])]
        said.media = (*said.media, *(image for image in images if image))
    return said


def reasoning_of(message: JsonObject) -> str:
    """The visible reasoning of a message or delta, in any of the fields that hosts use."""
    for field in ("reasoning_content", "reasoning"):
        value = message.get(field)
        if value and isinstance(value, str):
            return value
    if "reasoning_details" not in message:
        return ""
    return "".join(
        text(item.get("text")) or text(item.get("summary")) for item in objs(message.get("reasoning_details"))
    )


def _read_list(content: list[object], said: Said, path: str, losses: Losses) -> None:
    words: list[str] = []
    thoughts: list[str] = []
    media: list[JsonObject] = []
    for part in objs(content):
        kind = part.get("type")
        if kind in ("text", "output_text"):
            words.append(text(part.get("text")))
        elif kind == "thinking":
            thoughts += [text(item.get("text")) for item in objs(part.get("thinking"))]
        elif kind == "refusal":
            said.refusal += text(part.get("refusal"))
        else:
            converted = content_part(part, path, losses)
            media += [converted] if converted else []
    said.text, said.reasoning, said.media = "".join(words), "".join(thoughts), tuple(media)


def content_part(part: JsonObject, path: str, losses: Losses) -> JsonObject | None:
    """One content part -> a Gemini part; None and a loss where Gemini has none."""
    carried = google(part)
    if "part" in carried:
        return obj(carried["part"])
    made = _content_part(part)
    held = text(obj(part.get("file")).get("file_id"))
    if made is None and held:
        losses.add(f"{path}.content[].file.file_id", "a file that OpenAI keeps; named in text")
        return {"text": held_file("file", held)}
    if part.get("type") == "image_url" and obj(part.get("image_url")).get("detail") not in (None, "auto"):
        losses.add(f"{path}.content[].image_url.detail", "Gemini's resolutions are not OpenAI's details", "info")
    if made is None:
        losses.add(f"{path}.content[].{text(part.get('type')) or 'type'}", "Gemini has no such content part")
        return None
    if not carried:
        return made
    if "mime" in carried:
        made = {"inlineData": {**obj(made.get("inlineData")), "mimeType": carried["mime"]}}
    if "name" in carried:
        made = {"inlineData": {**obj(made.get("inlineData")), "displayName": carried["name"]}}
    return {**made, **obj(carried.get("rest"))}


def _content_part(part: JsonObject) -> JsonObject | None:
    kind = part.get("type")
    if kind in ("text", "input_text", "output_text"):
        return {"text": text(part.get("text"))}
    if kind == "image_url":
        return image_to_part(part.get("image_url"))
    if kind == "input_audio":
        return audio_to_part(part.get("input_audio"))
    if kind == "file":
        return file_to_part(part.get("file"))
    if kind == "video_url":
        return url_to_part(text(obj(part.get("video_url")).get("url")), "video/mp4")
    if kind == "document_url":
        return url_to_part(text(part.get("document_url")), "application/pdf")
    if kind == "refusal":
        return {"text": text(part.get("refusal"))}
    return None


def assistant_parts(
    message: JsonObject,
    calls: list[JsonObject],
    path: str,
    profile: Profile,
    losses: Losses,
) -> list[JsonObject]:
    """The parts of one message or delta. ``calls``: its tool calls, already as parts."""
    said = read_content(message, path, losses)
    carried = google(message)
    if "parts" in carried:
        restored = restore_parts(carried["parts"], said.text, said.reasoning, said.media, calls)
        if restored is not None:
            return restored
    if profile.extended and ("reasoning_details" in message or order_of_message(message)):
        return reasoned_parts(message, said, calls, path, losses)
    parts: list[JsonObject] = []
    if said.reasoning:
        parts.append({"text": said.reasoning, "thought": True})
    if said.text:
        parts.append({"text": said.text})
    if said.refusal:
        losses.add(f"{path}.refusal", "a refusal is said as text", "info")
        parts.append({"text": said.refusal})
    parts += said.media
    signature = text(carried.get("thought_signature"))
    if signature and profile.signatures == "carry":
        _sign(parts, signature, text(carried.get("thought_signature_part")))
    return parts + calls


def _sign(parts: list[JsonObject], signature: str, where: str) -> None:
    """Puts a message's signature on its text, its reasoning, or an empty part of its own (``tail``)."""
    wanted = "thought" if where == "reasoning" else "text"
    if where != "tail":
        for part in reversed(parts):
            if "text" in part and ("thought" in part) == (wanted == "thought"):
                part["thoughtSignature"] = signature
                return
    parts.append({"text": "", "thought": True} if wanted == "thought" else {"text": ""})
    parts[-1]["thoughtSignature"] = signature


def call_part(
    call: JsonObject, path: str, profile: Profile, losses: Losses, named: Rename = None
) -> tuple[JsonObject, bool] | None:
    """A tool call (or the legacy function_call) as a functionCall part, and whether its arguments could be read.

    Unreadable arguments are kept as ``{"_raw": text}``, or dropped where the profile says so. None, and a loss, for
    what is no function call that Gemini can be told of.
    """
    if call.get("type") not in CALL_TYPES:
        call = as_function(call, path, losses)
    said = call.get("function")
    function = said if isinstance(said, dict) else NOTHING
    name, raw = function.get("name"), function.get("arguments")
    if not name or not isinstance(name, str) or call.get("type") not in CALL_TYPES:
        losses.add(*_no_call(call, path))
        return None
    args = parse_arguments(raw)
    if args is None and isinstance(raw, str) and raw.strip() == TERMINATOR:
        losses.add(f"{path}.tool_calls[].function.arguments", "a terminator in place of arguments")
        return None
    given, carried = text(call.get("id")), google(call) if "extra_content" in call else NOTHING
    inside = unsigned_id(given) if given.startswith(START) else None
    if inside is not None:
        given, signature = inside
        carried = {"thought_signature": signature, **carried}
    known = _unread(raw, profile) if args is None else args
    name = named(name) if named else name
    part: JsonObject
    if given and profile.emit_ids and not carried.get("synthetic_id"):
        part = {"functionCall": {"id": given, "name": name, "args": known}}
    else:
        part = {"functionCall": {"name": name, "args": known}}
    if carried:
        signature = text(carried.get("thought_signature"))
        if signature and profile.signatures == "carry":
            part["thoughtSignature"] = signature
    return part, args is not None


def _unread(arguments: object, profile: Profile) -> JsonObject:
    return {} if profile.bad_arguments == "empty" else {RAW: arguments}


def _no_call(call: JsonObject, path: str) -> tuple[str, str]:
    """Where and why this is no call."""
    if call.get("type") not in CALL_TYPES or not isinstance(call.get("function"), dict):
        return f"{path}.tool_calls[].type", "Gemini knows function calls only"
    return f"{path}.tool_calls[].function.name", "a call without a name"
