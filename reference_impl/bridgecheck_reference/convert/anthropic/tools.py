"""Tool definitions and tool choice, both ways.

Source: https://docs.anthropic.com/en/api/messages#body-tools, anthropic 2.11.0 ``types.tool_param``,
``types.tool_choice_param``.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.json_values import anthropic_extra, arr, integer, obj, objs, text, unknown_keys
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

TO_OPENAI: Final[dict[str, str]] = {"auto": "auto", "any": "required", "none": "none"}
TO_ANTHROPIC: Final[dict[str, str]] = {"auto": "auto", "required": "any", "any": "any", "none": "none"}

_CONVERTED_TOOL_KEYS: Final = frozenset({"type", "name", "description", "input_schema", "strict"})
_CONVERTED_FUNCTION_KEYS: Final = frozenset({"name", "description", "parameters", "strict"})
_CONVERTED_CHOICE_KEYS: Final = frozenset({"type", "name", "disable_parallel_tool_use"})


def tools_to_openai(
    tools: object, profile: Profile, losses: Losses, rename: Rename
) -> tuple[list[JsonObject], list[JsonObject]]:
    """Return (function tools, carried server tools). A server tool is a loss where it is not carried."""
    functions: list[JsonObject] = []
    server_tools: list[JsonObject] = []
    for at, tool in enumerate(objs(tools)):
        if tool.get("type") in (None, "custom"):
            functions.append(_tool_to_openai(tool, profile, losses, rename))
        elif profile.carries_anthropic:
            server_tools.append({"at": at, "tool": tool})
        else:
            losses.add(f"tools[].{text(tool.get('type'))}", "a tool that Anthropic's servers run")
    return functions, server_tools


def _tool_to_openai(tool: JsonObject, profile: Profile, losses: Losses, rename: Rename) -> JsonObject:
    name = text(tool.get("name"))
    if not name:
        raise ConversionError("tools[].name: a tool without a name", "tools[].name")
    function: JsonObject = {"name": rename(name) if rename else name}
    if isinstance(tool.get("description"), str):
        function["description"] = tool["description"]
    function["parameters"] = obj(tool.get("input_schema")) or {"type": "object", "properties": {}}
    if isinstance(tool.get("strict"), bool):
        function["strict"] = tool["strict"]
    made: JsonObject = {"type": "function", "function": function}
    rest = {key: value for key, value in tool.items() if key not in _CONVERTED_TOOL_KEYS or (key == "type" and value)}
    if rest and profile.carries_anthropic:
        made["extra_content"] = {"anthropic": {"rest": rest}}
    for key in unknown_keys(rest, {"type"}) if not profile.carries_anthropic else ():
        if rest[key] is not None:
            losses.add(f"tools[].{key}", "an OpenAI function has no place for it", "info")
    return made


def tools_to_anthropic(request: JsonObject, losses: Losses, rename: Rename) -> list[JsonObject]:
    """Convert ``tools`` and the older ``functions``.

    Where the choice is bound to some of them, those alone: Anthropic can force one tool or any, so the rest must not be
    there.
    """
    made: list[JsonObject] = []
    allowed = _allowed_names(request.get("tool_choice"))
    for tool in objs(request.get("tools")):
        function = tool.get("function")
        if tool.get("type", "function") != "function" or not isinstance(function, dict):
            losses.add(f"tools[].{text(tool.get('type')) or 'type'}", "Anthropic has no such tool")
            continue
        if allowed and text(function.get("name")) not in allowed:
            continue
        extra_members = obj(anthropic_extra(tool).get("rest"))
        if isinstance(tool.get("cache_control"), dict):
            extra_members = {"cache_control": tool["cache_control"], **extra_members}
        made.append({**_function_to_anthropic(function, losses, rename), **extra_members})
    made += [_function_to_anthropic(function, losses, rename) for function in objs(request.get("functions"))]
    made = _drop_identical_tools(made, losses)
    for entry in objs(anthropic_extra(request).get("tools")):
        made.insert(integer(entry.get("at")) or 0, obj(entry.get("tool")))
    return made


def _drop_identical_tools(tools: list[JsonObject], losses: Losses) -> list[JsonObject]:
    """Drop the repetitions of a tool, which Anthropic refuses (anthropics/claude-code#10687).

    Two different ones of one name stay, for Anthropic to refuse: a converter cannot know which of them is right.
    """
    distinct = [tool for at, tool in enumerate(tools) if tool not in tools[:at]]
    if len(distinct) < len(tools):
        losses.add("tools[].function.name", "the same tool was declared before", "info")
    return distinct


def _function_to_anthropic(function: JsonObject, losses: Losses, rename: Rename) -> JsonObject:
    name = text(function.get("name"))
    if not name:
        raise ConversionError("tools[].function.name: a function without a name", "tools[].function.name")
    made: JsonObject = {"name": rename(name) if rename else name}
    if isinstance(function.get("description"), str):
        made["description"] = function["description"]
    schema = obj(function.get("parameters")) or {"properties": {}}
    made["input_schema"] = schema if "type" in schema else {"type": "object", **schema}
    if isinstance(function.get("strict"), bool):
        made["strict"] = function["strict"]
    for key in unknown_keys(function, _CONVERTED_FUNCTION_KEYS):
        losses.add(f"tools[].function.{key}", "an Anthropic tool has no place for it", "info")
    return made


def choice_to_openai(choice: object, profile: Profile, losses: Losses, rename: Rename) -> JsonObject:
    """Return tool_choice and parallel_tool_calls; {} for neither."""
    members = obj(choice)
    kind, name = text(members.get("type")), text(members.get("name"))
    made: JsonObject = {}
    if kind == "tool" and name:
        made["tool_choice"] = {"type": "function", "function": {"name": rename(name) if rename else name}}
    elif kind in TO_OPENAI:
        made["tool_choice"] = TO_OPENAI[kind]
    elif members:
        losses.add("tool_choice.type", "a form that Chat Completions does not have")
    serial = members.get("disable_parallel_tool_use")
    if isinstance(serial, bool) and kind != "none" and (serial or profile.carries_anthropic):
        made["parallel_tool_calls"] = not serial
    for key in unknown_keys(members, _CONVERTED_CHOICE_KEYS):
        losses.add(f"tool_choice.{key}", "Chat Completions has no place for it", "info")
    return made


def choice_to_anthropic(request: JsonObject, profile: Profile, losses: Losses, rename: Rename) -> JsonObject:
    """Convert tool_choice in any of OpenAI's forms, and the older function_call; {} for none."""
    choice = request.get("tool_choice")
    made = _choice_to_anthropic(request.get("function_call") if choice is None else choice, losses, rename)
    parallel = request.get("parallel_tool_calls")
    if isinstance(parallel, bool) and made.get("type") != "none" and (not parallel or profile.carries_anthropic):
        made = {**(made or {"type": "auto"}), "disable_parallel_tool_use": not parallel}
    return made


def _choice_to_anthropic(choice: object, losses: Losses, rename: Rename) -> JsonObject:
    form = obj(choice)
    choice_kind = (text(choice) or text(form.get("type"))).strip().lower()
    if choice_kind == "allowed_tools":
        return _allowed_tools_to_anthropic(form, rename)
    name = text(obj(form.get("function")).get("name")) or text(form.get("name"))
    if name:
        return {"type": "tool", "name": rename(name) if rename else name}
    if choice_kind in TO_ANTHROPIC:
        return {"type": TO_ANTHROPIC[choice_kind]}
    if choice is not None:
        losses.add("tool_choice", "a form that Anthropic does not have")
    return {}


def _allowed_tools_to_anthropic(form: JsonObject, rename: Rename) -> JsonObject:
    """Convert a choice among some tools; ``tools_to_anthropic`` drops the rest."""
    names = _allowed_names(form)
    if not names:
        return {"type": "none"}
    required = obj(form.get("allowed_tools")).get("mode") == "required"
    if required and len(names) == 1:
        return {"type": "tool", "name": rename(names[0]) if rename else names[0]}
    return {"type": "any" if required else "auto"}


def _allowed_names(choice: object) -> list[str]:
    """Return the functions that a choice among some of them names; [] for any other form."""
    tools = map(obj, arr(obj(obj(choice).get("allowed_tools")).get("tools")))
    names = (text(obj(tool.get("function")).get("name")) or text(tool.get("name")) for tool in tools)
    return [name for name in names if name]
