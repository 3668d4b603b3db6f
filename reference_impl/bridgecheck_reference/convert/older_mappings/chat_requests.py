"""Steps on a Chat Completions request, before it is converted or after it was made (mapping rows R-05, R-07, R-08,
R-14, R-21, R-23, R-24, R-41).

A step returns a changed copy, the same object where it changes nothing; what it drops is a loss. ``read``: the Gemini
request that was converted.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.gemini.request_to_openai import move_sdk_config
from bridgecheck_reference.convert.gemini.thinking import MOST_VARIABLE
from bridgecheck_reference.convert.json_values import camel, dumps, obj, objs, text
from bridgecheck_reference.convert.older_mappings.call_ids import UNPAIRED
from bridgecheck_reference.convert.older_mappings.roles import replace_unknown_roles
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

_IN_CHAT: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def replace_unknown_chat_roles(request: JsonObject, losses: Losses) -> JsonObject:
    """Replace unknown roles by "user"."""
    return replace_unknown_roles(request, "messages", _IN_CHAT, "user", losses)


STRICT_FIELDS: Final = frozenset({
    "model", "messages", "tools", "tool_choice", "temperature", "max_tokens", "response_format", "stream",
})  # fmt: skip
"""The fields of a request with ``eight_fields``; ``stream`` is how it is sent."""

LONGEST_METADATA: Final = 512
"""Characters of a metadata value. Source: https://platform.openai.com/docs/api-reference/chat/create."""


def flatten_chat_content_to_text(request: JsonObject, losses: Losses) -> JsonObject:
    """Replace every list of content parts by the text in it."""
    return {**request, "messages": [_flatten_message(message, losses) for message in objs(request.get("messages"))]}


def keep_strict_chat_fields(request: JsonObject, losses: Losses) -> JsonObject:
    """Keep the known fields, and no others."""
    for key in sorted(request.keys() - STRICT_FIELDS):
        losses.add(key, "not one of the known fields")
    return {key: value for key, value in request.items() if key in STRICT_FIELDS}


def _flatten_message(message: JsonObject, losses: Losses) -> JsonObject:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    parts = list(objs(content))
    for part in parts:
        if part.get("type") != "text":
            losses.add(f"messages[].content[].{text(part.get('type')) or 'type'}", "messages hold text only")
    return {**message, "content": "".join(text(part.get("text")) for part in parts)}


def add_safety_metadata_if_short(made: JsonObject, read: JsonObject, losses: Losses) -> JsonObject:
    """Add Gemini's safety settings as the JSON text of a metadata value, where it is short enough."""
    settings = camel(move_sdk_config(read)).get("safetySettings")
    if not settings:
        return made
    settings_json = dumps(settings)
    if len(settings_json) > LONGEST_METADATA:
        losses.add("safetySettings", f"longer than the {LONGEST_METADATA} characters of a metadata value")
        return made
    return {**made, "metadata": {**obj(made.get("metadata")), "gemini_safety_settings": settings_json}}


def choose_auto(request: JsonObject, losses: Losses) -> JsonObject:
    """Leave the choice to the model whenever there are tools."""
    return {**request, "tool_choice": "auto"} if request.get("tools") else request


def mark_schema_strict(request: JsonObject, losses: Losses) -> JsonObject:
    """Call every schema for the answer strict."""
    response_format = obj(request.get("response_format"))
    if response_format.get("type") != "json_schema":
        return request
    named = {**obj(response_format["json_schema"]), "strict": True}
    return {**request, "response_format": {**response_format, "json_schema": named}}


def require_limit_of_thinking(request: JsonObject, losses: Losses) -> JsonObject:
    """Name the limit ``max_completion_tokens`` with an effort, which demands one, ``max_tokens`` without. Raises
    ConversionError."""
    if "reasoning_effort" not in request:
        return {"max_tokens" if key == "max_completion_tokens" else key: value for key, value in request.items()}
    if "max_completion_tokens" not in request:
        raise ConversionError(
            "For OpenAI reasoning models, max_completion_tokens is required. Give maxOutputTokens or set the "
            f"environment variable {MOST_VARIABLE}.",
            "generationConfig.maxOutputTokens",
        )
    return request


def clear_ids_of_unpaired_results(request: JsonObject, losses: Losses) -> JsonObject:
    """Give null as the id of the call to results for which ``call_ids`` found none."""
    messages = objs(request.get("messages"))
    if all(message.get("tool_call_id") != UNPAIRED for message in messages):
        return request
    losses.add("contents[].parts[].functionResponse", "a result that answers no call")
    cleared = [
        {**message, "tool_call_id": None} if message.get("tool_call_id") == UNPAIRED else message
        for message in objs(request["messages"])
    ]
    return {**request, "messages": cleared}
