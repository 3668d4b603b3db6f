"""A generateContent request -> a Chat Completions request.

Requests in google-genai's form, with a member ``config``, are brought to the form of the wire first. Source:
google-genai 3.4.0, ``types.GenerateContentConfig``.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert import names
from bridgecheck_reference.convert.gemini.history_to_openai import MessageWriter, contents_of
from bridgecheck_reference.convert.gemini.settings import SAID_IN_GEMINI, settings_to_openai
from bridgecheck_reference.convert.gemini.thinking import (
    effort_by_letter,
    effort_of,
    reasoning_of_config,
    require_limit,
)
from bridgecheck_reference.convert.gemini.tools import tool_choice_to_openai, tools_to_openai
from bridgecheck_reference.convert.json_values import camel, obj, objs, text
from bridgecheck_reference.convert.legacy_requests import (
    apply_changes,
    chat_request_changes,
    gemini_request_changes,
    with_safety,
)
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import NATIVE, Profile
from bridgecheck_reference.types.conversion import ConversionResult

_BESIDE: Final = frozenset({
    "systemInstruction", "tools", "toolConfig", "safetySettings", "cachedContent", "labels", "serviceTier",
})  # fmt: skip
"""Members of ``config`` that stand at the top of the wire document; the others belong to generationConfig."""

_OF_THE_CALL: Final = frozenset({
    "httpOptions", "abortSignal", "shouldReturnHttpResponse", "automaticFunctionCalling",
})  # fmt: skip
"""Members of ``config`` that are for the SDK and never reach the wire."""


def without_config(request: JsonObject) -> JsonObject:
    """The wire document; the request itself where it has no ``config``. Not changed."""
    if "config" not in request:
        return request
    body = {key: value for key, value in camel(request).items() if key != "config"}
    generation = dict(camel(body.get("generationConfig")))
    for key, value in camel(request["config"]).items():
        if key in _BESIDE:
            body[key] = _content(value) if key == "systemInstruction" else value
        elif key not in _OF_THE_CALL:
            generation[key] = value
    return {**body, "generationConfig": generation} if generation else body


def _content(value: object) -> object:
    """``config.systemInstruction`` may be a string; the wire wants a Content."""
    return {"parts": [{"text": value}]} if isinstance(value, str) else value


_SAID: Final = frozenset({
    "contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "model", "stream", "extraContent",
})  # fmt: skip


def gemini_request_to_openai(
    request: JsonObject, *, model: str | None = None, stream: bool = False, profile: Profile = NATIVE
) -> ConversionResult:
    """``model``: the model to ask, which Gemini says in the path; default the request's own ``model``, if it has one.

    ``meta``: ``model``, ``stream``, and ``safety_settings`` where there were any. Raises ConversionError for a request
    that cannot be said, naming the field.
    """
    losses = Losses()
    request = apply_changes(request, gemini_request_changes(profile), losses)
    body = camel(without_config(request))
    declared = names.for_openai(names.names_in_gemini(body))
    rename = names.renaming(declared)
    chosen = model or text(body.get("model"))
    value: JsonObject = {"model": chosen} if chosen else {}
    if not chosen:
        losses.add("model", "no model was named")
    messages = _system(body.get("systemInstruction"), losses)
    contents = body.get("contents")
    if contents is not None:
        messages += MessageWriter(profile, losses, rename, contents).write(contents)
    if not messages:
        raise ConversionError("contents: there is nothing to say", "contents")
    value["messages"] = messages
    tools, builtin = tools_to_openai(body.get("tools"), profile, losses, rename)
    if tools:
        value["tools"] = tools
    tool_config = camel(body.get("toolConfig"))
    _tool_choice(tool_config, bool(tools), value, profile, losses, rename)
    config = camel(body.get("generationConfig"))
    value.update(settings_to_openai(config, profile, losses))
    _limits(config, value, profile, losses)
    if stream:
        value["stream"] = True
        if profile.include_usage:
            value["stream_options"] = {"include_usage": True}
    _leaves(body, config, tool_config, builtin, value, profile, losses)
    meta: JsonObject = {"model": chosen, "stream": stream}
    if body.get("safetySettings"):
        meta["safety_settings"] = body["safetySettings"]
        if profile.safety == "metadata":
            value = with_safety(value, body["safetySettings"], losses)
    value = apply_changes(value, chat_request_changes(profile), losses)
    return ConversionResult(value, tuple(losses), meta)


def _system(instruction: object, losses: Losses) -> list[JsonObject]:
    """The system message: all texts, joined with nothing; none if there is no text."""
    words: list[str] = []
    for _, parts in contents_of(_role_free(instruction)) if instruction else ():
        for part in objs(parts):
            if "text" in part:
                words.append(text(part["text"]))
            else:
                losses.add("systemInstruction.parts[]", "a system message holds text only")
    joined = "".join(words)
    return [{"role": "system", "content": joined}] if joined.strip() else []


def _role_free(instruction: object) -> object:
    """Clients write any role here, also "system": it says nothing."""
    if isinstance(instruction, dict) and "role" in instruction:
        return {key: value for key, value in instruction.items() if key != "role"}
    return instruction


def _tool_choice(
    config: JsonObject, has_tools: bool, value: JsonObject, profile: Profile, losses: Losses, rename: names.Rename
) -> None:
    """OpenAI refuses a choice without tools."""
    choice = tool_choice_to_openai(config.get("functionCallingConfig"), losses, rename)
    if not has_tools:
        if choice not in (None, "auto", "none"):
            losses.add("toolConfig.functionCallingConfig", "there is no tool to choose")
        return
    if profile.tool_choice == "auto_always":
        value["tool_choice"] = "auto"
    elif choice is not None:
        value["tool_choice"] = choice


def _limits(config: JsonObject, value: JsonObject, profile: Profile, losses: Losses) -> None:
    """Effort and token limit: models that reason refuse max_tokens, so it is never beside reasoning_effort."""
    by_letter = profile.thinking == "letter"
    thinking = config.get("thinkingConfig")
    if profile.extended and thinking:
        value["reasoning"] = reasoning_of_config(thinking)
        thinking = None
    effort = effort_by_letter(thinking, profile) if by_letter else effort_of(thinking, profile, losses)
    limit = config.get("maxOutputTokens")
    if not effort:
        if limit is not None:
            value["max_tokens"] = limit
        return
    value["reasoning_effort"] = effort
    limit = profile.reasoning_max_tokens if limit is None else limit
    if limit is not None:
        value["max_completion_tokens"] = limit
    if by_letter:
        require_limit(value)


def _name_schema(value: JsonObject, about: object) -> None:
    """Gives the response format back its carried name and strictness."""
    wanted = obj(value.get("response_format"))
    if about and wanted.get("type") == "json_schema":
        schema = obj(wanted["json_schema"]).get("schema")
        value["response_format"] = {"type": "json_schema", "json_schema": {**obj(about), "schema": schema}}


def _leaves(
    body: JsonObject,
    config: JsonObject,
    tool_config: JsonObject,
    builtin: list[object],
    value: JsonObject,
    profile: Profile,
    losses: Losses,
) -> None:
    """What OpenAI cannot say: carried as a whole, or one loss each."""
    calling = camel(tool_config.get("functionCallingConfig"))
    groups: tuple[tuple[str, JsonObject, frozenset[str]], ...] = (
        ("", body, _SAID),
        ("generationConfig", config, SAID_IN_GEMINI),
        ("toolConfig", tool_config, frozenset({"functionCallingConfig"})),
        ("toolConfig.functionCallingConfig", calling, frozenset({"mode", "allowedFunctionNames"})),
    )
    carried: JsonObject = {}
    for path, holder, said in groups:
        rest = {key: item for key, item in holder.items() if key not in said and item is not None}
        if rest and profile.carries_gemini:
            carried[path or "request"] = rest
        for key in rest if not profile.carries_gemini else ():
            losses.add(f"{path}.{key}".lstrip("."), "Chat Completions has no place for it")
    own = dict(obj(camel(body.get("extraContent")).get("openai")))
    _name_schema(value, own.pop("json_schema", None))
    value.update(own)
    if "max_completion_tokens" in own:
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
