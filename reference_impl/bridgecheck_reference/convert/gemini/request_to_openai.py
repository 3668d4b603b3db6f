"""A generateContent request -> a Chat Completions request.

Requests in google-genai's form, with a member ``config``, are brought to the form of the wire first. Source:
google-genai 3.4.0, ``types.GenerateContentConfig``.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert import names
from bridgecheck_reference.convert.chat_models import refuses_max_tokens
from bridgecheck_reference.convert.gemini.history_to_openai import MessageWriter, read_turns_in_any_sdk_form
from bridgecheck_reference.convert.gemini.settings import CONVERTED_GEMINI_SETTINGS, settings_to_openai
from bridgecheck_reference.convert.gemini.thinking import (
    thinking_config_to_effort,
    thinking_config_to_reasoning,
)
from bridgecheck_reference.convert.gemini.tools import tool_choice_to_openai, tools_to_openai
from bridgecheck_reference.convert.ids import CallIds
from bridgecheck_reference.convert.json_values import camel, obj, objs, text
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.types.conversion import ConversionResult

_TOP_LEVEL_CONFIG: Final = frozenset({
    "systemInstruction", "tools", "toolConfig", "safetySettings", "cachedContent", "labels", "serviceTier",
})  # fmt: skip
"""Members of ``config`` that stand at the top of the wire document; the others belong to generationConfig."""

_SDK_ONLY_CONFIG: Final = frozenset({
    "httpOptions", "abortSignal", "shouldReturnHttpResponse", "automaticFunctionCalling",
})  # fmt: skip
"""Members of ``config`` that are for the SDK and never reach the wire."""


def move_sdk_config(request: JsonObject) -> JsonObject:
    """Return the wire document of a request with an SDK's ``config``; the request itself where it has none. Not
    changed."""
    if "config" not in request:
        return request
    body = {key: value for key, value in camel(request).items() if key != "config"}
    generation = dict(camel(body.get("generationConfig")))
    for key, value in camel(request["config"]).items():
        if key in _TOP_LEVEL_CONFIG:
            body[key] = _system_instruction_to_gemini_content(value) if key == "systemInstruction" else value
        elif key not in _SDK_ONLY_CONFIG:
            generation[key] = value
    return {**body, "generationConfig": generation} if generation else body


def _system_instruction_to_gemini_content(value: object) -> object:
    """Return ``config.systemInstruction``, which may be a string, as the Content that the wire has."""
    return {"parts": [{"text": value}]} if isinstance(value, str) else value


_CONVERTED_KEYS: Final = frozenset({
    "contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "model", "stream", "extraContent",
})  # fmt: skip


def gemini_request_to_openai(
    request: JsonObject,
    *,
    model: str | None = None,
    stream: bool = False,
    profile: Profile = NATIVE,
    call_ids: CallIds | None = None,
) -> ConversionResult:
    """Convert a request.

    ``model``: the model to request, which Gemini has in the path; default the request's own ``model``, if any.
    ``call_ids``: how the calls of the history get their ids, where not as usual.
    ``meta``: ``model``, ``stream``, and ``safety_settings`` where there were any. Raises ConversionError for an
    inexpressible request, naming the field.
    """
    losses = Losses()
    body = camel(move_sdk_config(request))
    declared = names.map_names_for_openai(names.names_in_gemini_request(body))
    rename = names.create_renamer_if_needed(declared)
    chosen = model or text(body.get("model"))
    value: JsonObject = {"model": chosen} if chosen else {}
    if not chosen:
        losses.add("model", "no model was named")
    messages = _system_messages(body.get("systemInstruction"), losses)
    contents = body.get("contents")
    if contents is not None:
        messages += MessageWriter(profile, losses, rename, call_ids).write(contents)
    if not messages:
        raise ConversionError("contents: the request has no content", "contents")
    value["messages"] = messages
    tools, builtin = tools_to_openai(body.get("tools"), profile, losses, rename)
    if tools:
        value["tools"] = tools
    tool_config = camel(body.get("toolConfig"))
    _add_tool_choice(tool_config, bool(tools), value, losses, rename)
    config = camel(body.get("generationConfig"))
    value.update(settings_to_openai(config, profile, losses))
    _add_effort_and_max_or_completion_tokens(config, value, profile, losses)
    if stream:
        value["stream"] = True
        if profile.include_usage:
            value["stream_options"] = {"include_usage": True}
    _carry_or_record_leaves(body, config, tool_config, builtin, value, profile, losses)
    meta: JsonObject = {"model": chosen, "stream": stream}
    if body.get("safetySettings"):
        meta["safety_settings"] = body["safetySettings"]
    return ConversionResult(value, tuple(losses), meta)


def _system_messages(instruction: object, losses: Losses) -> list[JsonObject]:
    """Return the system message: all texts, joined with nothing; none if there is no text."""
    texts: list[str] = []
    carried: JsonObject = {}
    for _, parts in read_turns_in_any_sdk_form(_without_role(instruction)) if instruction else ():
        for part in objs(parts):
            if "text" in part:
                texts.append(text(part["text"]))
                carried.update(obj(obj(part.get("extraContent")).get("openai")))
            else:
                losses.add("systemInstruction.parts[]", "a system message holds text only")
    content = "".join(texts)
    return [{"role": "system", "content": content, **carried}] if content.strip() else []


def _without_role(instruction: object) -> object:
    """Drop the role of a system instruction: clients write any, also "system", and it means nothing."""
    if isinstance(instruction, dict) and "role" in instruction:
        return {key: value for key, value in instruction.items() if key != "role"}
    return instruction


def _add_tool_choice(
    config: JsonObject, has_tools: bool, value: JsonObject, losses: Losses, rename: names.Rename
) -> None:
    """Add the tool choice; OpenAI refuses one without tools."""
    choice = tool_choice_to_openai(config.get("functionCallingConfig"), losses, rename)
    if not has_tools:
        if choice not in (None, "auto", "none"):
            losses.add("toolConfig.functionCallingConfig", "there is no tool to choose")
        return
    if choice is not None:
        value["tool_choice"] = choice


def _add_effort_and_max_or_completion_tokens(
    config: JsonObject, value: JsonObject, profile: Profile, losses: Losses
) -> None:
    """Add effort and token limit: models that reason refuse max_tokens, so it never stands beside reasoning_effort."""
    thinking = config.get("thinkingConfig")
    if profile.extended and thinking:
        value["reasoning"] = thinking_config_to_reasoning(thinking)
        thinking = None
    effort = thinking_config_to_effort(thinking, profile, losses)
    limit = config.get("maxOutputTokens")
    if not effort:
        if limit is not None:
            renamed = not profile.carries_gemini and refuses_max_tokens(text(value.get("model")))
            value["max_completion_tokens" if renamed else "max_tokens"] = limit
        return
    value["reasoning_effort"] = effort
    limit = profile.reasoning_max_tokens if limit is None else limit
    if limit is not None:
        value["max_completion_tokens"] = limit


def _restore_schema_name(value: JsonObject, carried_schema: object) -> None:
    """Give the response format back its carried name and strictness."""
    response_format = obj(value.get("response_format"))
    if carried_schema and response_format.get("type") == "json_schema":
        schema = obj(response_format["json_schema"]).get("schema")
        value["response_format"] = {"type": "json_schema", "json_schema": {**obj(carried_schema), "schema": schema}}


def _carry_or_record_leaves(
    body: JsonObject,
    config: JsonObject,
    tool_config: JsonObject,
    builtin: list[object],
    value: JsonObject,
    profile: Profile,
    losses: Losses,
) -> None:
    """Carry what OpenAI cannot express as a whole, or record one loss each."""
    calling = camel(tool_config.get("functionCallingConfig"))
    groups: tuple[tuple[str, JsonObject, frozenset[str]], ...] = (
        ("", body, _CONVERTED_KEYS),
        ("generationConfig", config, CONVERTED_GEMINI_SETTINGS),
        ("toolConfig", tool_config, frozenset({"functionCallingConfig"})),
        ("toolConfig.functionCallingConfig", calling, frozenset({"mode", "allowedFunctionNames"})),
    )
    carried: JsonObject = {}
    for path, holder, converted in groups:
        rest = {key: item for key, item in holder.items() if key not in converted and item is not None}
        if rest and profile.carries_gemini:
            carried[path or "request"] = rest
        for key in rest if not profile.carries_gemini else ():
            losses.add(f"{path}.{key}".lstrip("."), "Chat Completions has no place for it")
    openai_members = dict(obj(camel(body.get("extraContent")).get("openai")))
    _restore_schema_name(value, openai_members.pop("json_schema", None))
    value.update(openai_members)
    if "max_completion_tokens" in openai_members:
        value.pop("max_tokens", None)
    if not profile.carries_gemini:
        return
    if builtin:
        carried["tools"] = builtin
    for key in ("thinkingConfig", "responseMimeType"):
        if config.get(key) is not None:
            carried[key] = config[key]
    if calling.get("mode") is not None:
        carried["mode"] = calling["mode"]
    if carried:
        value["extra_content"] = {"google": carried}
