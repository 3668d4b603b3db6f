"""The message of one Chat choice: every carrier of text, reasoning, calls, media and signatures that hosts use.

Channels are put in one fixed order (reasoning, text, refusal, media, calls), since a message shows none.
Sources: https://platform.openai.com/docs/api-reference/chat/object,
https://openrouter.ai/docs/use-cases/reasoning-tokens, https://docs.mistral.ai/capabilities/reasoning,
https://ai.google.dev/gemini-api/docs/openai (``extra_content.google.thought_signature``)."""

from bridgecheck.model.jsonvalue import arr, canonical, obj, objs, text
from bridgecheck.model.outcome import ToolCall
from bridgecheck.normalise import media
from bridgecheck.normalise.choice import ChoiceBuilder
from bridgecheck.normalise.tree import Fields, decode_arguments, non_empty_rests
from bridgecheck.wire import JsonObject

DETAIL_TYPES = ("reasoning.text", "reasoning.summary", "reasoning.encrypted")


def read_message(builder: ChoiceBuilder, message: Fields, applied_rules: set[str]) -> None:
    """Add everything in the message to the choice; what found no place stays in ``message.rest``."""
    message.drop_expected("role", "assistant", "")
    _read_reasoning(builder, message, applied_rules)
    builder.add_text(message.take_text("content"))
    message.put_back("content", non_empty_rests(_read_part(builder, part) for part in message.take_list("content")))
    builder.add_refusal(message.take_text("refusal"))
    _read_audio_data_without_transcript(builder, message)
    for image in message.members("images"):
        image.drop_expected("type", "image_url")
        _read_image(builder, image)
    _read_calls(builder, message, applied_rules)
    builder.sign_last_text_or_tail(read_signature(message))
    for annotation in message.take_list("annotations"):
        builder.add_citation(annotation)


def _read_reasoning(builder: ChoiceBuilder, message: Fields, applied_rules: set[str]) -> None:
    """Add the reasoning. Rule ``reasoning.twin``: two carriers with the same words (but for white space) are one."""
    details = message.take_list("reasoning_details")
    texts = [message.take_text("reasoning_content"), message.take_text("reasoning"), _text_of_details(details)]
    reasoning_by_key: dict[str, str] = {}
    for carrier in filter(None, texts):
        key = "".join(carrier.split()) or carrier
        if key in reasoning_by_key:
            applied_rules.add("reasoning.twin")
        reasoning_by_key.setdefault(key, carrier)
    for carrier in reasoning_by_key.values():
        builder.end_segment()
        builder.add_reasoning(carrier)
    message.put_back(
        "reasoning_details", non_empty_rests(_read_detail_signature_data(builder, Fields(item)) for item in details)
    )
    builder.end_segment()


def _text_of_details(details: list[object]) -> str:
    return "".join(text(detail.get("text")) or text(detail.get("summary")) for detail in objs(details))


def _read_detail_signature_data(builder: ChoiceBuilder, detail: Fields) -> JsonObject:
    detail.drop_expected("type", *DETAIL_TYPES)
    detail.take_integer("index")
    detail.take_text("text")
    detail.take_text("summary")
    builder.add_reasoning("", detail.take_text("signature"))
    builder.add_redacted(detail.take_text("data"))
    return detail.rest


def _read_part(builder: ChoiceBuilder, value: object) -> JsonObject:
    if isinstance(value, str):
        builder.add_text(value)
        return {}
    part = Fields(value)
    kind = text(part.rest.get("type"))
    if kind in ("text", "output_text") and isinstance(part.rest.get("text"), str):
        builder.add_text(part.take_text("text"))
    elif kind == "thinking":
        builder.add_reasoning("".join(text(item.get("text")) for item in objs(part.rest.get("thinking"))))
        part.take("thinking")
        part.drop_expected("closed", True)
    elif kind == "refusal":
        builder.add_refusal(part.take_text("refusal"))
    elif kind == "image_url":
        _read_image(builder, part)
    else:
        builder.end_segment()
        return part.rest if isinstance(value, dict) else {"unread": value}
    part.take("type")
    return part.rest


def _read_audio_data_without_transcript(builder: ChoiceBuilder, message: Fields) -> None:
    """Add spoken output; its format stands in the request, so the type is ``audio/*``. Transcript and id are left."""
    with message.child("audio") as audio:
        if data := audio.take_text("data"):
            builder.add_media(media.media_from_base64("audio/*", data))


def _read_image(builder: ChoiceBuilder, part: Fields) -> None:
    url = part.take_text("image_url")
    with part.child("image_url") as holder:
        if url := holder.take_text("url") or url:
            builder.add_media(media.media_from_url(url, "image/*"), read_signature(part))


def _read_calls(builder: ChoiceBuilder, message: Fields, applied_rules: set[str]) -> None:
    rests = [_read_call(builder, value, applied_rules) for value in message.take_list("tool_calls")]
    message.put_back("tool_calls", non_empty_rests(rests))
    legacy = message.take_child("function_call")
    if legacy.rest.get("name") or legacy.rest.get("arguments"):
        applied_rules.add("legacy_function_call")
        builder.add_call(read_function_call(legacy, "", "", applied_rules))
    legacy.drop_expected("name", "")
    legacy.drop_expected("arguments", "")
    message.put_back("function_call", legacy.rest)


def _read_call(builder: ChoiceBuilder, value: object, applied_rules: set[str]) -> JsonObject:
    if not isinstance(value, dict):
        return {"unread": value}
    call = Fields(value)
    call.take_integer("index")
    call_id, signature = call.take_text("id"), read_signature(call)
    custom = call.take_child("custom")
    if custom.rest.get("name"):
        builder.add_call(read_custom_call_with_input_argument(custom, call_id))
        call.put_back("custom", custom.rest)
        return call.rest
    call.drop_expected("type", "function", "")
    function = call.take_child("function")
    builder.add_call(read_function_call(function, call_id, signature, applied_rules))
    call.put_back("function", function.rest)
    return call.rest


def read_function_call(function: Fields, call_id: str, signature: str, applied_rules: set[str]) -> ToolCall:
    """Read a call of a function. Arguments that come as an object instead of as text are read, and counted."""
    name = function.take_text("name")
    if isinstance(function.rest.get("arguments"), dict):
        applied_rules.add("args.object")
        return ToolCall(name, obj(function.take("arguments")), call_id, None, signature)
    if isinstance(function.rest.get("arguments"), list | bool | int | float):
        return ToolCall(name, {}, call_id, canonical(function.take("arguments")), signature)
    raw = function.take_text("arguments")
    function.take("arguments")
    args, bad = decode_arguments(raw)
    if not args and bad is None:
        applied_rules.add("no_args")
    return ToolCall(name, args, call_id, bad, signature)


def read_custom_call_with_input_argument(custom: Fields, call_id: str) -> ToolCall:
    """Read a call of a custom tool: its free text is the one argument ``input``."""
    return ToolCall(custom.take_text("name"), {"input": custom.take_text("input")}, call_id)


def read_signature(holder: Fields) -> str:
    """Take ``extra_content.google.thought_signature``, "" if none."""
    with holder.child("extra_content") as extra, extra.child("google") as google:
        return google.take_text("thought_signature")


def read_reasoning_text_signature_opaque_data(message: Fields) -> tuple[str, str, list[object]]:
    details = arr(message.rest.get("reasoning_details"))
    texts = (message.take_text("reasoning_content"), message.take_text("reasoning"), _text_of_details(details))
    signatures = [text(detail.get("signature")) for detail in objs(details)]
    opaque: list[object] = [detail["data"] for detail in objs(details) if detail.get("data")]
    message.take("reasoning_details")
    return next(filter(None, texts), ""), next(filter(None, signatures), ""), opaque
