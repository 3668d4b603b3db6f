"""A Chat Completions request -> an Anthropic Messages request."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert import names
from bridgecheck_reference.convert.anthropic.history_from_openai import HistoryWriter
from bridgecheck_reference.convert.anthropic.models import make_request_acceptable
from bridgecheck_reference.convert.anthropic.settings import (
    CONVERTED_OPENAI_SETTINGS,
    format_to_anthropic,
    settings_to_anthropic,
)
from bridgecheck_reference.convert.anthropic.thinking import thinking_to_anthropic
from bridgecheck_reference.convert.anthropic.tools import choice_to_anthropic, tools_to_anthropic
from bridgecheck_reference.convert.json_values import anthropic_extra, obj, objs, text, unknown_keys
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.types.conversion import ConversionResult

_CONVERTED_KEYS: Final = CONVERTED_OPENAI_SETTINGS | {
    "messages", "model", "stream", "stream_options", "tools", "tool_choice", "functions", "function_call",
    "parallel_tool_calls", "reasoning_effort", "reasoning", "thinking", "enable_thinking", "extra_content",
}  # fmt: skip

_MOST_CACHE_MARKS: Final = 4

_IDLE_VALUES: Final[tuple[object, ...]] = (False, [], {}, 0)
"""Values without effect."""


def openai_request_to_anthropic(request: JsonObject, *, profile: Profile = NATIVE) -> ConversionResult:
    """Convert a request. ``meta``: ``model`` (as given, "" if not) and ``stream``.

    Nothing in the result needs a beta header. Raises ConversionError for an inexpressible request, naming the field.
    """
    losses = Losses()
    model = text(request.get("model"))
    stream = request.get("stream") is True
    keeps = profile.carries_anthropic
    rename = (
        None
        if keeps
        else names.create_renamer_if_needed(names.map_names_for_anthropic(names.names_in_openai_request(request)))
    )
    value: JsonObject = {"model": model} if model else {}
    if not model:
        losses.add("model", "no model was named")
    value.update(settings_to_anthropic(request, profile, losses))
    writer = HistoryWriter(profile, losses, rename)
    messages = writer.write(request.get("messages"))
    if not messages and not keeps:
        raise ConversionError("messages: the request has no content", "messages")
    value["messages"] = messages
    if writer.system:
        value["system"] = writer.system
    _add_tools(request, value, profile, losses, rename)
    if stream:
        value["stream"] = True
    if keeps:
        value.update(obj(anthropic_extra(request).get("request")))
    else:
        _add_thinking_and_format(request, value, model, losses)
        _drop_excess_cache_marks(value, losses)
        _record_inexpressible_keys(request, losses)
    return ConversionResult(value, tuple(losses), {"model": model, "stream": stream})


def _add_tools(request: JsonObject, value: JsonObject, profile: Profile, losses: Losses, rename: names.Rename) -> None:
    """Add tools and tool choice; Anthropic refuses a choice without tools."""
    tools = tools_to_anthropic(request, losses, rename)
    if tools or (profile.carries_anthropic and request.get("tools") == []):
        value["tools"] = tools
    choice = choice_to_anthropic(request, profile, losses, rename)
    if choice and (tools or profile.carries_anthropic):
        value["tool_choice"] = choice
    elif choice:
        losses.add("tool_choice", "there is no tool to choose", "info")


def _add_thinking_and_format(request: JsonObject, value: JsonObject, model: str, losses: Losses) -> None:
    """Add thinking and the response format, and drop what neither allows beside it."""
    thinking, effort = thinking_to_anthropic(request, model, losses)
    if thinking:
        value["thinking"] = thinking
    output: JsonObject = {"effort": effort} if effort else {}
    form = format_to_anthropic(obj(request.get("response_format")), losses)
    if form:
        output["format"] = form
    if output:
        value["output_config"] = output
    limits = request.get("max_completion_tokens"), request.get("max_tokens")
    make_request_acceptable(value, model, losses, own_limit=limits == (None, None))


def _drop_excess_cache_marks(value: JsonObject, losses: Losses) -> None:
    """Drop the oldest marks of the history beyond the four that Anthropic takes
    (https://docs.claude.com/en/docs/build-with-claude/prompt-caching): clients mark each newest turn and leave the
    older marks. What was cached under those is found by its prefix all the same."""
    in_history: list[JsonObject] = []
    for message in objs(value["messages"]):
        content = message["content"]
        for block in content if isinstance(content, list) else ():
            if "cache_control" in block:
                in_history.append(block)
            inside = block.get("content")
            if isinstance(inside, list):
                in_history += [item for item in inside if "cache_control" in item]
    before = [item for item in (*objs(value.get("tools")), *objs(value.get("system"))) if "cache_control" in item]
    excess = len(before) + len(in_history) - _MOST_CACHE_MARKS
    for block in in_history[: max(excess, 0)]:
        del block["cache_control"]
        losses.add("messages[].content[].cache_control", "Anthropic takes four marks in a request", "info")


def _record_inexpressible_keys(request: JsonObject, losses: Losses) -> None:
    for key in unknown_keys(request, _CONVERTED_KEYS):
        item = request[key]
        if item is None or (key, item) in (("n", 1), ("modalities", ["text"])):
            continue
        idle = any(item is idle or (item == idle and type(item) is type(idle)) for idle in _IDLE_VALUES)
        losses.add(key, "Anthropic has no place for it", "info" if idle else "warning")
