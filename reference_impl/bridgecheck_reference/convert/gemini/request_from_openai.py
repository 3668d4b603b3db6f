"""A Chat Completions request -> a generateContent request.

Google's own parameters may stand inside it: ``extra_body.google.thinking_config`` and the like. Google's
OpenAI-compatible endpoint takes them there, and an SDK's own ``extra_body`` puts ``google`` into the top level
(https://ai.google.dev/gemini-api/docs/openai, stored copy read 2026-11-21). They are in Gemini's form already.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert import names
from bridgecheck_reference.convert.gemini.history_from_openai import ContentWriter
from bridgecheck_reference.convert.gemini.settings import CONVERTED_OPENAI_SETTINGS, settings_to_gemini
from bridgecheck_reference.convert.gemini.thinking import (
    request_to_thinking_config,
    supports_media_in_results,
    supports_thinking_levels,
)
from bridgecheck_reference.convert.gemini.tools import tool_choice_to_gemini, tools_to_gemini
from bridgecheck_reference.convert.json_values import arr, camel, google_extra, obj, text, unknown_keys
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.types.conversion import ConversionResult

GOOGLE_CARRIER_KEYS: Final = frozenset({"extra_body", "google"})
"""Keys of a request that this reads."""

_TEXT_PARAMETERS: Final = ("cachedContent", "continuationToken")
_READ_PARAMETERS: Final = frozenset({"thinkingConfig", *_TEXT_PARAMETERS})


def read_google_parameters(request: JsonObject, losses: Losses) -> JsonObject:
    """Return ``thinkingConfig``, ``cachedContent`` and ``continuationToken``, where the client gave them; {} for a
    request without any."""
    if GOOGLE_CARRIER_KEYS.isdisjoint(request):
        return {}
    wrapped = obj(request.get("extra_body"))
    parameters = {**camel(wrapped.get("google")), **camel(request.get("google"))}
    for key in unknown_keys(wrapped, {"google"}):
        losses.add(f"extra_body.{key}", "Gemini has no place for it")
    for key in unknown_keys(parameters, _READ_PARAMETERS):
        losses.add(f"extra_body.google.{key}", "no known parameter of Gemini")
    found: JsonObject = {}
    if camel(parameters.get("thinkingConfig")):
        found["thinkingConfig"] = camel(parameters["thinkingConfig"])
    found.update({key: parameters[key] for key in _TEXT_PARAMETERS if text(parameters.get(key))})
    return found


_CONVERTED_KEYS: Final = CONVERTED_OPENAI_SETTINGS | {
    "messages", "model", "stream", "stream_options", "tools", "tool_choice", "functions", "function_call",
    "reasoning_effort", "extra_content",
}  # fmt: skip

_CARRIED_AS_WELL: Final = ("reasoning_effort", "max_tokens", "max_completion_tokens", "stream_options")
"""Converted to Gemini's settings, which do not distinguish these or not as finely, or not at all; carried as well."""

_READ_HOST_KEYS: Final = frozenset({"reasoning", "thinking", "enable_thinking"}) | GOOGLE_CARRIER_KEYS
"""Spellings of thinking that some hosts use; read, and carried as well."""


def openai_request_to_gemini(request: JsonObject, *, profile: Profile = NATIVE) -> ConversionResult:
    """Convert a request. ``meta``: ``model`` (as given, "" if not) and ``stream``, which Gemini has in the path.

    Raises ConversionError for an inexpressible request, naming the field.
    """
    losses = Losses()
    model = text(request.get("model"))
    carried = google_extra(request)
    rename = names.create_renamer_if_needed(names.map_names_for_gemini(names.names_in_openai_request(request)))
    media_in_results = profile.extended and supports_media_in_results(model)
    writer = ContentWriter(profile, losses, rename, media_in_results=media_in_results)
    contents = writer.write(request.get("messages"))
    if not contents:
        raise ConversionError("messages: the request has no content", "messages")
    if profile.signature_placeholder and supports_thinking_levels(model):
        writer.sign_steps_with_placeholder()
    value: JsonObject = {"contents": contents}
    if writer.system:
        part: JsonObject = {"text": "\n\n".join(writer.system)}
        if writer.system_name and profile.carries_openai:
            part["extraContent"] = {"openai": {"name": writer.system_name}}
        value["systemInstruction"] = {"parts": [part]}
    tools: list[object] = [*tools_to_gemini(request, profile, losses, rename), *arr(carried.get("tools"))]
    if tools:
        value["tools"] = tools
    tool_config = _create_tool_config(request, carried, bool(tools), losses, rename)
    if tool_config:
        value["toolConfig"] = tool_config
    generation = _create_generation_config(request, carried, model, profile, losses)
    google_settings = read_google_parameters(request, losses)
    if "thinkingConfig" in google_settings:
        generation["thinkingConfig"] = google_settings.pop("thinkingConfig")
    value.update(google_settings)
    if generation:
        value["generationConfig"] = generation
    value.update(obj(carried.get("request")))
    _carry_or_record_leaves(request, value, profile, losses)
    return ConversionResult(value, tuple(losses), {"model": model, "stream": request.get("stream") is True})


def _create_tool_config(
    request: JsonObject, carried: JsonObject, has_tools: bool, losses: Losses, rename: names.Rename
) -> JsonObject:
    choice = request.get("tool_choice")
    choice = request.get("function_call") if choice is None else choice
    calling = tool_choice_to_gemini(choice, losses, rename) if choice is not None else None
    if calling is not None and not has_tools:
        losses.add("tool_choice", "there is no tool to choose", "info")
        calling = None
    calling = {**(calling or {}), **obj(carried.get("toolConfig.functionCallingConfig"))}
    if "mode" in carried:
        calling["mode"] = carried["mode"]
    config = dict(obj(carried.get("toolConfig")))
    if calling:
        config["functionCallingConfig"] = calling
    return config


def _create_generation_config(
    request: JsonObject, carried: JsonObject, model: str, profile: Profile, losses: Losses
) -> JsonObject:
    config = settings_to_gemini(request, profile, losses)
    thinking = request_to_thinking_config(request, model, losses)
    if thinking is not None:
        config["thinkingConfig"] = thinking
    config.update(obj(carried.get("generationConfig")))
    for key in ("thinkingConfig", "responseMimeType"):
        if key in carried:
            config[key] = carried[key]
    return config


def _carry_or_record_leaves(request: JsonObject, value: JsonObject, profile: Profile, losses: Losses) -> None:
    """Carry what Gemini cannot express as a whole, or record one loss each."""
    rest = {key: item for key, item in request.items() if key not in _CONVERTED_KEYS and item is not None}
    if profile.carries_openai:
        carried_leaves = {
            **rest,
            **{key: request[key] for key in _CARRIED_AS_WELL if request.get(key) is not None},
        }
        schema = obj(obj(request.get("response_format")).get("json_schema"))
        about = {key: item for key, item in schema.items() if key != "schema"}
        if about:
            carried_leaves["json_schema"] = about
        if carried_leaves:
            value["extra_content"] = {"openai": carried_leaves}
        return
    for key in unknown_keys(rest, _READ_HOST_KEYS):
        if (key, rest[key]) != ("parallel_tool_calls", True):
            losses.add(key, "Gemini has no place for it", "info" if rest[key] in (False, []) else "warning")
