"""The message of one Chat choice: every carrier of text, reasoning, calls, media and signatures that hosts use.

Channels are put in one fixed order (reasoning, text, refusal, media, calls), since a message shows none.
Sources: https://platform.openai.com/docs/api-reference/chat/object,
https://openrouter.ai/docs/use-cases/reasoning-tokens, https://docs.mistral.ai/capabilities/reasoning,
https://ai.google.dev/gemini-api/docs/openai (``extra_content.google.thought_signature``).
"""

from bridgecheck.model.jsonvalue import arr, canonical, obj, objs, text
from bridgecheck.model.outcome import ToolCall
from bridgecheck.normalise import media
from bridgecheck.normalise.calls import decoded_args
from bridgecheck.normalise.choice import ChoiceBuilder
from bridgecheck.normalise.tree import Fields, without_empty
from bridgecheck.wire import JsonObject

DETAIL_TYPES = ("reasoning.text", "reasoning.summary", "reasoning.encrypted")


def read(builder: ChoiceBuilder, message: Fields, notes: set[str]) -> None:
    """Say everything in the message; what found no place stays in ``message.left``."""
    message.expect("role", "assistant", "")
    _reasoning(builder, message, notes)
    _content(builder, message)
    builder.refuse(message.text("refusal"))
    _audio(builder, message)
    _images(builder, message)
    _calls(builder, message, notes)
    builder.sign_all(_signature(message))
    for annotation in message.items("annotations"):
        builder.cite(annotation)


def _reasoning(builder: ChoiceBuilder, message: Fields, notes: set[str]) -> None:
    """Rule ``reasoning.twin``: two carriers with the same words (white space apart) are one reasoning."""
    details = message.items("reasoning_details")
    texts = [message.text("reasoning_content"), message.text("reasoning"), _detail_text(details)]
    said: dict[str, str] = {}
    for carrier in filter(None, texts):
        key = "".join(carrier.split()) or carrier
        if key in said:
            notes.add("reasoning.twin")
        said.setdefault(key, carrier)
    for carrier in said.values():
        builder.separate()
        builder.think(carrier)
    message.put("reasoning_details", without_empty(_detail(builder, Fields(item)) for item in details))
    builder.separate()


def _detail_text(details: list[object]) -> str:
    return "".join(text(detail.get("text")) or text(detail.get("summary")) for detail in objs(details))


def _detail(builder: ChoiceBuilder, detail: Fields) -> JsonObject:
    detail.expect("type", *DETAIL_TYPES)
    detail.integer("index")
    detail.text("text")
    detail.text("summary")
    builder.think("", detail.text("signature"))
    builder.redacted(detail.text("data"))
    return detail.left


def _content(builder: ChoiceBuilder, message: Fields) -> None:
    builder.say(message.text("content"))
    message.put("content", without_empty(_part(builder, part) for part in message.items("content")))


def _part(builder: ChoiceBuilder, value: object) -> JsonObject:
    if isinstance(value, str):
        builder.say(value)
        return {}
    part = Fields(value)
    kind = text(part.left.get("type"))
    if kind in ("text", "output_text") and isinstance(part.left.get("text"), str):
        builder.say(part.text("text"))
    elif kind == "thinking":
        builder.think("".join(text(item.get("text")) for item in objs(part.left.get("thinking"))))
        part.raw("thinking")
        part.expect("closed", True)
    elif kind == "refusal":
        builder.refuse(part.text("refusal"))
    elif kind == "image_url":
        _image(builder, part)
    else:
        builder.separate()
        return part.left if isinstance(value, dict) else {"unread": value}
    part.raw("type")
    return part.left


def _audio(builder: ChoiceBuilder, message: Fields) -> None:
    """Spoken output; its format stands in the request, so the type is ``audio/*``. Transcript and id are left."""
    audio = message.child("audio")
    data = audio.text("data")
    if data:
        builder.show(media.from_base64("audio/*", data))
    message.put("audio", audio.left)


def _images(builder: ChoiceBuilder, message: Fields) -> None:
    rests = []
    for value in message.items("images"):
        image = Fields(value)
        image.expect("type", "image_url")
        _image(builder, image)
        rests.append(image.left)
    message.put("images", without_empty(rests))


def _image(builder: ChoiceBuilder, part: Fields) -> None:
    holder = part.child("image_url")
    url = holder.text("url") or part.text("image_url")
    if url:
        builder.show(media.from_url(url, "image/*"))
    part.put("image_url", holder.left)


def _calls(builder: ChoiceBuilder, message: Fields, notes: set[str]) -> None:
    rests = [_call(builder, value, notes) for value in message.items("tool_calls")]
    message.put("tool_calls", without_empty(rests))
    legacy = message.child("function_call")
    if legacy.left.get("name") or legacy.left.get("arguments"):
        notes.add("legacy_function_call")
        builder.call(function_call(legacy, "", "", notes))
    legacy.expect("name", "")
    legacy.expect("arguments", "")
    message.put("function_call", legacy.left)


def _call(builder: ChoiceBuilder, value: object, notes: set[str]) -> JsonObject:
    if not isinstance(value, dict):
        return {"unread": value}
    call = Fields(value)
    call.integer("index")
    call_id, signature = call.text("id"), _signature(call)
    custom = call.child("custom")
    if custom.left.get("name"):
        builder.call(custom_call(custom, call_id))
        call.put("custom", custom.left)
        return call.left
    call.expect("type", "function", "")
    function = call.child("function")
    builder.call(function_call(function, call_id, signature, notes))
    call.put("function", function.left)
    return call.left


def function_call(function: Fields, call_id: str, signature: str, notes: set[str]) -> ToolCall:
    """A call of a function. Arguments that come as an object instead of as text are read, and counted."""
    name = function.text("name")
    if isinstance(function.left.get("arguments"), dict):
        notes.add("args.object")
        return ToolCall(name, obj(function.raw("arguments")), call_id, None, signature)
    if isinstance(function.left.get("arguments"), list | bool | int | float):
        return ToolCall(name, {}, call_id, canonical(function.raw("arguments")), signature)
    raw = function.text("arguments")
    function.raw("arguments")
    args, bad = decoded_args(raw)
    if not args and bad is None:
        notes.add("no_args")
    return ToolCall(name, args, call_id, bad, signature)


def custom_call(custom: Fields, call_id: str) -> ToolCall:
    """A call of a custom tool: its free text is the one argument ``input``."""
    return ToolCall(custom.text("name"), {"input": custom.text("input")}, call_id)


def _signature(holder: Fields) -> str:
    extra = holder.child("extra_content")
    google = extra.child("google")
    signature = google.text("thought_signature")
    extra.put("google", google.left)
    holder.put("extra_content", extra.left)
    return signature


def replayed(message: Fields) -> tuple[str, str, list[object]]:
    """(reasoning text, signature, opaque data) of an assistant message in a history, by the carriers read above."""
    details = arr(message.left.get("reasoning_details"))
    texts = (message.text("reasoning_content"), message.text("reasoning"), _detail_text(details))
    signatures = [text(detail.get("signature")) for detail in objs(details)]
    opaque: list[object] = [detail["data"] for detail in objs(details) if detail.get("data")]
    message.raw("reasoning_details")
    return next(filter(None, texts), ""), next(filter(None, signatures), ""), opaque


def signature(holder: Fields) -> str:
    """``extra_content.google.thought_signature``, "" if none."""
    return _signature(holder)
