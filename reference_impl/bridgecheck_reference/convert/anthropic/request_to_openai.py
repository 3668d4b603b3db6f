"""An Anthropic Messages request -> a Chat Completions request."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert import names
from bridgecheck_reference.convert.anthropic.history_to_openai import MessageWriter, system_message
from bridgecheck_reference.convert.anthropic.settings import CONVERTED_ANTHROPIC_SETTINGS, settings_to_openai
from bridgecheck_reference.convert.anthropic.thinking import thinking_to_openai
from bridgecheck_reference.convert.anthropic.tools import choice_to_openai, tools_to_openai
from bridgecheck_reference.convert.chat_models import refuses_max_tokens
from bridgecheck_reference.convert.json_values import obj, text, unknown_keys
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.types.conversion import ConversionResult

_CONVERTED_KEYS: Final = CONVERTED_ANTHROPIC_SETTINGS | {
    "model",
    "messages",
    "system",
    "tools",
    "tool_choice",
    "stream",
}
_NO_THREADS: Final[JsonObject] = {"error_code": "thread_unsupported_request", "unsupported": ["thread"]}
"""What tells anthropic's tool runner to send the whole history itself (anthropic 2.11.0, lib/threads)."""
_CONVERTED_INNER_KEYS: Final[dict[str, frozenset[str]]] = {
    "metadata": frozenset({"user_id"}),
    "output_config": frozenset({"format", "effort"}),
    "output_format": frozenset({"type", "schema"}),
    "thinking": frozenset({"type", "budget_tokens", "display"}),
}
"""Member -> its keys that are converted."""


def anthropic_request_to_openai(
    request: JsonObject, *, model: str | None = None, stream: bool = False, profile: Profile = NATIVE
) -> ConversionResult:
    """Convert a request.

    ``model``: the model to request, default the request's own. ``stream``: true also where the request has it.
    ``meta``: ``model`` and ``stream``. Raises ConversionError for an inexpressible request, naming the field.
    """
    if request.get("thread") is not None and not profile.carries_anthropic:
        raise ConversionError("thread: this provider holds no conversation", "thread", _NO_THREADS)
    losses = Losses()
    chosen = model or text(request.get("model"))
    stream = stream or request.get("stream") is True
    rename = (
        None
        if profile.carries_anthropic
        else names.create_renamer_if_needed(names.map_names_for_openai(names.names_in_anthropic_request(request)))
    )
    value: JsonObject = {"model": chosen} if chosen else {}
    if not chosen:
        losses.add("model", "no model was named")
    messages = system_message(request.get("system"), profile, losses)
    messages += MessageWriter(profile, losses, rename).write(request.get("messages"))
    if not messages:
        raise ConversionError("messages: the request has no content", "messages")
    value["messages"] = messages
    tools, server_tools = tools_to_openai(request.get("tools"), profile, losses, rename)
    if tools or (profile.carries_anthropic and request.get("tools") == []):
        value["tools"] = tools
    made = choice_to_openai(request.get("tool_choice"), profile, losses, rename)
    value.update(made if profile.carries_anthropic else _possible_tool_choice(made, tools, losses))
    value.update(settings_to_openai(request, profile, losses))
    _add_effort_and_max_or_completion_tokens(request, value, profile, losses)
    if stream:
        value["stream"] = True
        if profile.include_usage:
            value["stream_options"] = {"include_usage": True}
    _carry_or_record_leaves(request, server_tools, value, profile, losses)
    return ConversionResult(value, tuple(losses), {"model": chosen, "stream": stream})


def _possible_tool_choice(made: JsonObject, tools: list[JsonObject], losses: Losses) -> JsonObject:
    """Return a choice among these tools.

    OpenAI refuses one without tools, and one of a tool that is not there, as when its like cannot be sent
    (BerriAI/litellm#25477).
    """
    choice = made.get("tool_choice")
    named = obj(obj(choice).get("function")).get("name")
    there = [obj(tool.get("function")).get("name") for tool in tools]
    if tools and (named is None or named in there):
        return made
    if choice not in (None, "auto", "none"):
        losses.add("tool_choice", "there is no such tool to choose" if tools else "there is no tool to choose")
    return {key: value for key, value in made.items() if key != "tool_choice"} if tools else {}


def _add_effort_and_max_or_completion_tokens(
    request: JsonObject, value: JsonObject, profile: Profile, losses: Losses
) -> None:
    """Add effort and token limit: models that reason refuse max_tokens, so it never stands beside an effort."""
    value.update(thinking_to_openai(request, profile, losses))
    if request.get("max_tokens") is not None:
        reasons = "reasoning_effort" in value or refuses_max_tokens(text(value.get("model")))
        reasons = reasons and not profile.carries_anthropic
        value["max_completion_tokens" if reasons else "max_tokens"] = request["max_tokens"]


def _carry_or_record_leaves(
    request: JsonObject, server_tools: list[JsonObject], value: JsonObject, profile: Profile, losses: Losses
) -> None:
    """Carry what OpenAI cannot express as a whole, or record one loss each."""
    if profile.carries_anthropic:
        request_leaves = {key: item for key, item in request.items() if key not in _CONVERTED_KEYS}
        if request.get("stream") is False:
            request_leaves["stream"] = False
        carried: JsonObject = {
            **({"request": request_leaves} if request_leaves else {}),
            **({"tools": server_tools} if server_tools else {}),
        }
        if carried:
            value["extra_content"] = {"anthropic": carried}
        return
    for key in unknown_keys(request, _CONVERTED_KEYS):
        if request[key] is None or (key == "service_tier" and "service_tier" in value):
            continue
        inner = _CONVERTED_INNER_KEYS.get(key)
        for name in unknown_keys(obj(request[key]), inner) if inner is not None else ():
            losses.add(f"{key}.{name}", "Chat Completions has no place for it")
        if inner is None:
            losses.add(key, "Chat Completions has no place for it", "info" if key == "cache_control" else "warning")
