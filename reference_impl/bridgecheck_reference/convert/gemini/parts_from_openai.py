"""An OpenAI message or delta -> Gemini parts, in the order reasoning, text, images, calls.

A carried layout (gemini/part_order) restores their old order instead. Texts keep their bytes; a signature goes back
to the part it came from.

A message with signed reasoning becomes parts in the order that it carries (mapping row R-46). A Gemini signature that
travelled as that of reasoning goes back to the part behind it, if it is of the kind that it stood on. The reasoning of
another provider is shown as thoughts; its signature means nothing to Gemini.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.arguments import RAW, parse_arguments
from bridgecheck_reference.convert.chat_calls import custom_call_to_function
from bridgecheck_reference.convert.chat_messages import CALL_TYPES, TERMINATOR, order_of_message, restore_order
from bridgecheck_reference.convert.gemini.media import audio_to_part, file_to_part, image_to_part, url_to_part
from bridgecheck_reference.convert.gemini.part_order import restore_parts
from bridgecheck_reference.convert.json_values import NOTHING, dumps, google_extra, obj, objs, text
from bridgecheck_reference.convert.media import stored_file_text
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.signatures import SIGNED_ID_START, split_gemini_signature_prefix, split_signed_id
from bridgecheck_reference.loss import Losses


@dataclass(slots=True)
class MessageTextsAndMedia:
    """The content of one OpenAI message. ``media``: as Gemini parts."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    media: tuple[JsonObject, ...] = ()


_KINDS = {"text": "text", "functionCall": "call", "inlineData": "image"}


def reasoning_message_to_parts(
    message: JsonObject, parsed: MessageTextsAndMedia, calls: Sequence[JsonObject], path: str, losses: Losses
) -> list[JsonObject]:
    """Convert a message with signed reasoning. ``calls``: the calls of the message, as parts."""
    visible_text, images = parsed.text + parsed.refusal, parsed.media
    details = list(objs(message.get("reasoning_details")))
    if not details and parsed.reasoning:
        details = [{"text": parsed.reasoning}]
    placed = restore_order(
        order_of_message(message), visible_text, {"reasoning": details, "image": images, "call": calls}
    )
    items: list[tuple[str, JsonObject]] = [(kind, item) for kind, item, _ in placed or ()]
    if placed is None:
        items = [("reasoning", detail) for detail in details]
        items += [("text", {"text": visible_text})] if visible_text else []
        items += [("part", part) for part in (*images, *calls)]
    writer = _ReasoningPartWriter(path, losses)
    for kind, item in items:
        if kind == "reasoning":
            writer.add_reasoning(item)
        else:
            writer.add_part_signed_if_kind_matches(item)
    return writer.drop_waiting_signature_and_get_parts()


class _ReasoningPartWriter:
    """Writes parts, and holds the signature that waits for the next one: (kind of part, signature)."""

    __slots__ = ("_losses", "_parts", "_path", "_waiting")

    def __init__(self, path: str, losses: Losses) -> None:
        self._path = path
        self._losses = losses
        self._parts: list[JsonObject] = []
        self._waiting: tuple[str, str] | None = None

    def add_reasoning(self, detail: JsonObject) -> None:
        visible_text, signature = text(detail.get("text")), text(detail.get("signature"))
        kind, own = split_gemini_signature_prefix(signature) or ("", "")
        if visible_text or kind == "thought":
            part: JsonObject = {"text": visible_text, "thought": True}
            self._parts.append({**part, "thoughtSignature": own} if kind == "thought" else part)
        if kind == "tail":
            self._parts.append({"text": "", "thoughtSignature": own})
        elif kind and kind != "thought":
            self._drop_waiting_signature()
            self._waiting = kind, own
        elif (signature or "data" in detail) and not kind:
            self._losses.add(f"{self._path}.reasoning_details", "signed by another provider", "info")

    def add_part_signed_if_kind_matches(self, part: JsonObject) -> None:
        kind = next((kind for key, kind in _KINDS.items() if key in part), "other")
        if self._waiting is not None and self._waiting[0] == kind:
            part = {**part, "thoughtSignature": self._waiting[1]}
            self._waiting = None
        self._drop_waiting_signature()
        self._parts.append(part)

    def drop_waiting_signature_and_get_parts(self) -> list[JsonObject]:
        self._drop_waiting_signature()
        return self._parts

    def _drop_waiting_signature(self) -> None:
        """Drop a signature whose part did not come: it never moves to another part, Gemini refuses that."""
        if self._waiting is not None:
            self._losses.add(f"{self._path}.reasoning_details", "the part that it signed is missing")
            self._waiting = None


def read_content(message: JsonObject, path: str, losses: Losses) -> MessageTextsAndMedia:
    """Return text, reasoning and media of an assistant message, wherever hosts put them; repeated reasoning counts
    once."""
    content = message.get("content")
    parsed = MessageTextsAndMedia(refusal=text(message.get("refusal")))
    if isinstance(content, str):
        parsed.text = content
    elif isinstance(content, list):
        _read_content_list(content, parsed, path, losses)
    elif isinstance(content, dict):
        losses.add(f"{path}.content", "an object in place of text becomes its JSON text")
        parsed.text = dumps(content)
    parsed.reasoning = parsed.reasoning or reasoning_text(message)
    if "images" in message:
        images = (_sign_image(image_to_part(image.get("image_url")), image) for image in objs(message["images"]))
        parsed.media = (*parsed.media, *filter(None, images))
    return parsed


def _sign_image(part: JsonObject | None, image: JsonObject) -> JsonObject | None:
    """Return the part of an earlier image with the signature that stood beside it."""
    signature = text(google_extra(image).get("thought_signature"))
    return {**part, "thoughtSignature": signature} if part and signature else part


def reasoning_text(message: JsonObject) -> str:
    """Return the visible reasoning of a message or delta, in any of the fields that hosts use."""
    for field in ("reasoning_content", "reasoning"):
        value = message.get(field)
        if value and isinstance(value, str):
            return value
    if "reasoning_details" not in message:
        return ""
    return "".join(
        text(item.get("text")) or text(item.get("summary")) for item in objs(message.get("reasoning_details"))
    )


def _read_content_list(content: list[object], parsed: MessageTextsAndMedia, path: str, losses: Losses) -> None:
    texts: list[str] = []
    thoughts: list[str] = []
    media: list[JsonObject] = []
    for part in objs(content):
        kind = part.get("type")
        if kind in ("text", "output_text"):
            texts.append(text(part.get("text")))
        elif kind == "thinking":
            thoughts += [text(item.get("text")) for item in objs(part.get("thinking"))]
        elif kind == "refusal":
            parsed.refusal += text(part.get("refusal"))
        else:
            converted = convert_content_part(part, path, losses)
            media += [converted] if converted else []
    parsed.text, parsed.reasoning, parsed.media = "".join(texts), "".join(thoughts), tuple(media)


def convert_content_part(part: JsonObject, path: str, losses: Losses) -> JsonObject | None:
    """Convert one content part to a Gemini part; None and a loss where Gemini has none."""
    carried = google_extra(part)
    if "part" in carried:
        return obj(carried["part"])
    made = _convert_content_part_type(part)
    held = text(obj(part.get("file")).get("file_id"))
    if made is None and held:
        losses.add(f"{path}.content[].file.file_id", "a file that OpenAI keeps; named in text")
        return {"text": stored_file_text("file", held)}
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


def _convert_content_part_type(part: JsonObject) -> JsonObject | None:
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


def convert_assistant_message(
    message: JsonObject,
    calls: list[JsonObject],
    path: str,
    profile: Profile,
    losses: Losses,
) -> list[JsonObject]:
    """Return the parts of one message or delta. ``calls``: its tool calls, already as parts."""
    parsed = read_content(message, path, losses)
    carried = google_extra(message)
    if "parts" in carried:
        restored = restore_parts(carried["parts"], parsed.text, parsed.reasoning, parsed.media, calls)
        if restored is not None:
            return restored
    if profile.extended and ("reasoning_details" in message or order_of_message(message)):
        return reasoning_message_to_parts(message, parsed, calls, path, losses)
    parts: list[JsonObject] = []
    if parsed.reasoning:
        parts.append({"text": parsed.reasoning, "thought": True})
    if parsed.text:
        parts.append({"text": parsed.text})
    if parsed.refusal:
        losses.add(f"{path}.refusal", "a refusal becomes text", "info")
        parts.append({"text": parsed.refusal})
    parts += parsed.media
    signature = text(carried.get("thought_signature"))
    if signature and profile.signatures == "carry":
        _attach_message_signature(parts, signature, text(carried.get("thought_signature_part")))
    return parts + calls


def _attach_message_signature(parts: list[JsonObject], signature: str, signed_field: str) -> None:
    """Put a message's signature on its text, its reasoning, or an empty part of its own (``tail``)."""
    target_kind = "thought" if signed_field == "reasoning" else "text"
    if signed_field != "tail":
        for part in reversed(parts):
            if "text" in part and ("thought" in part) == (target_kind == "thought"):
                part["thoughtSignature"] = signature
                return
    parts.append({"text": "", "thought": True} if target_kind == "thought" else {"text": ""})
    parts[-1]["thoughtSignature"] = signature


PartAndReadability: TypeAlias = tuple[JsonObject, bool]
"""A tool call as a functionCall part, and whether its arguments were a JSON object. Plain, for speed."""


def convert_tool_call(
    call: JsonObject, path: str, profile: Profile, losses: Losses, named: Rename = None
) -> PartAndReadability | None:
    """Convert a tool call (or the legacy function_call) to a functionCall part.

    Unreadable arguments are kept as ``{"_raw": text}``, or dropped where the profile says so. None, and a loss, for
    what is no function call that Gemini has a form for.
    """
    if call.get("type") not in CALL_TYPES:
        call = custom_call_to_function(call, path, losses)
    function_value = call.get("function")
    function = function_value if isinstance(function_value, dict) else NOTHING
    name, raw = function.get("name"), function.get("arguments")
    if not name or not isinstance(name, str) or call.get("type") not in CALL_TYPES:
        losses.add(*_foreign_or_nameless_call_loss(call, path))
        return None
    args = parse_arguments(raw)
    if args is None and isinstance(raw, str) and raw.strip() == TERMINATOR:
        losses.add(f"{path}.tool_calls[].function.arguments", "a terminator in place of arguments")
        return None
    call_id, carried = text(call.get("id")), google_extra(call) if "extra_content" in call else NOTHING
    inside = split_signed_id(call_id) if call_id.startswith(SIGNED_ID_START) else None
    if inside is not None:
        call_id, signature = inside
        carried = {"thought_signature": signature, **carried}
    replacement: JsonObject = {} if profile.bad_arguments == "empty" else {RAW: raw}
    known = replacement if args is None else args
    name = named(name) if named else name
    part: JsonObject
    if call_id and profile.emit_ids and not carried.get("synthetic_id"):
        part = {"functionCall": {"id": call_id, "name": name, "args": known}}
    else:
        part = {"functionCall": {"name": name, "args": known}}
    if carried:
        signature = text(carried.get("thought_signature"))
        if signature and profile.signatures == "carry":
            part["thoughtSignature"] = signature
    return part, args is not None


def _foreign_or_nameless_call_loss(call: JsonObject, path: str) -> tuple[str, str]:
    """Return path and reason of the loss of what is no call."""
    if call.get("type") not in CALL_TYPES or not isinstance(call.get("function"), dict):
        return f"{path}.tool_calls[].type", "Gemini knows function calls only"
    return f"{path}.tool_calls[].function.name", "a call without a name"
