"""OpenAI requests of text and eight fields (mapping rows R-07 and R-08), and safety settings inside one (R-23)."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import dumps, obj, objs, text
from bridgecheck_reference.loss import Losses

FIELDS: Final = frozenset({
    "model", "messages", "tools", "tool_choice", "temperature", "max_tokens", "response_format", "stream",
})  # fmt: skip
"""What a request says with ``strict_params``; ``stream`` is how it is sent."""

LONGEST_METADATA: Final = 512
"""Characters of a metadata value. Source: https://platform.openai.com/docs/api-reference/chat/create."""


def text_only(request: JsonObject, losses: Losses) -> JsonObject:
    """Every list of content parts as the text in it."""
    return {**request, "messages": [_flattened(message, losses) for message in objs(request.get("messages"))]}


def strict(request: JsonObject, losses: Losses) -> JsonObject:
    """The fields that are known, and no others."""
    for key in sorted(request.keys() - FIELDS):
        losses.add(key, "not one of the known fields")
    return {key: value for key, value in request.items() if key in FIELDS}


def with_safety(request: JsonObject, settings: object, losses: Losses) -> JsonObject:
    """The request with Gemini's safety settings as the JSON text of a metadata value, where it is short enough."""
    words = dumps(settings)
    if len(words) > LONGEST_METADATA:
        losses.add("safetySettings", f"longer than the {LONGEST_METADATA} characters of a metadata value")
        return request
    return {**request, "metadata": {**obj(request.get("metadata")), "gemini_safety_settings": words}}


def _flattened(message: JsonObject, losses: Losses) -> JsonObject:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    parts = list(objs(content))
    for part in parts:
        if part.get("type") != "text":
            losses.add(f"messages[].content[].{text(part.get('type')) or 'type'}", "messages hold text only")
    return {**message, "content": "".join(text(part.get("text")) for part in parts)}
