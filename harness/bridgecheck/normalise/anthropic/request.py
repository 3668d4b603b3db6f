"""Anthropic requests -> Prompt.

Source: https://docs.anthropic.com/en/api/messages (stored copy read 2026-11-21).
"""

from typing import Final

from bridgecheck.model.exchange import Request
from bridgecheck.model.jsonvalue import canonical, text
from bridgecheck.model.prompt import (
    ChoiceMode,
    Prompt,
    ResponseFormat,
    Role,
    TextPart,
    Thinking,
    Tool,
    ToolChoice,
    Turn,
)
from bridgecheck.normalise.anthropic.parts import read_parts
from bridgecheck.normalise.settings import DYNAMIC, OFF, Settings, feature_headers, take_settings
from bridgecheck.normalise.tree import Fields, other_leaves, without_empty
from bridgecheck.wire import JsonObject

SETTINGS: Final[dict[str, str]] = {
    "max_tokens": "max_tokens", "temperature": "temperature", "top_p": "top_p", "top_k": "top_k",
    "stop_sequences": "stop",
}  # fmt: skip
ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
TOOL_CHOICE_MODES: Final[dict[str, ChoiceMode]] = {"auto": "auto", "any": "required", "none": "none", "tool": "named"}
DISPLAYS: Final[dict[str, bool]] = {"summarized": True, "omitted": False}
"""thinking.display -> whether thoughts should be returned."""


def read_request(request: Request) -> Prompt:
    """Never raises: what cannot be read stands in ``other``."""
    top = Fields(request.body)
    top.drop_expected("stream", True, False)
    model = text(top.rest.get("model"))
    top.drop_expected("model", model)
    effort, response_format = _read_output_config(top)
    return Prompt(
        dialect="anthropic",
        model=request.model or model,
        system=_read_system(top),
        turns=_read_turns(top),
        tools=_read_tools(top),
        tool_choice=_read_tool_choice(top),
        settings=tuple(_read_settings(top)),
        thinking=_read_thinking(top, effort),
        response_format=response_format,
        features=feature_headers(request.headers),
        other=other_leaves(top.rest),
    )


def _read_system(top: Fields) -> tuple[str, ...]:
    made, unread_messages = read_parts(top, "system")
    top.put_back("system", unread_messages)
    return tuple(part.text for part in made if isinstance(part, TextPart))


def _read_turns(top: Fields) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    unread_messages: list[JsonObject] = []
    for raw in top.take_items("messages"):
        message = Fields(raw)
        role = ROLES.get(text(message.rest.get("role")))
        if role is not None:
            message.take("role")
        made, left = read_parts(message, "content")
        message.put_back("content", left)
        turns.append(Turn(role or "user", tuple(made)))
        unread_messages.append(message.rest if isinstance(raw, dict) else {"unread": raw})
    top.put_back("messages", without_empty(unread_messages))
    return tuple(turns)


def _read_tools(top: Fields) -> tuple[Tool, ...] | None:
    if not isinstance(top.rest.get("tools"), list):
        return None
    made: list[Tool] = []
    unread_messages: list[JsonObject] = []
    for raw in top.take_items("tools"):
        tool = Fields(raw)
        made.append(_read_tool(tool))
        unread_messages.append(tool.rest)
    top.put_back("tools", without_empty(unread_messages))
    return tuple(made)


def _read_tool(tool: Fields) -> Tool:
    """A client tool, or a server tool whole (its ``type`` names it)."""
    kind = text(tool.rest.get("type"))
    if kind not in ("", "custom"):
        whole = dict(tool.rest)
        tool.rest.clear()
        return Tool(kind, builtin=canonical(whole))
    tool.drop_expected("type", "custom")
    schema = tool.take_child("input_schema").rest if isinstance(tool.rest.get("input_schema"), dict) else None
    return Tool(tool.take_text("name"), tool.take_text("description"), schema, strict=tool.take_flag("strict"))


def _read_tool_choice(top: Fields) -> ToolChoice:
    value = top.take_child("tool_choice")
    mode = TOOL_CHOICE_MODES.get(text(value.rest.get("type")))
    if mode is not None:
        value.take("type")
    name = value.take_text("name")
    serial = value.take_flag("disable_parallel_tool_use")
    top.put_back("tool_choice", value.rest)
    return ToolChoice(mode or "absent", (name,) if name else (), None if serial is None else not serial)


def _read_settings(top: Fields) -> Settings:
    settings = take_settings(top, SETTINGS)
    metadata = top.take_child("metadata")
    user = metadata.take_text("user_id")
    top.put_back("metadata", metadata.rest)
    return [*settings, ("user", user)] if user else settings


def _read_thinking(top: Fields, effort: str) -> Thinking | None:
    """``thinking`` and ``output_config.effort``: effort is the level, adaptive thinking a budget the model chooses."""
    value = top.take_child("thinking")
    kind, budget = value.take_text("type"), value.take_integer("budget_tokens")
    display = text(value.rest.get("display"))
    if display in DISPLAYS:
        value.take("display")
    top.put_back("thinking", value.rest)
    if kind == "disabled":
        return OFF
    level = effort.lower() or None
    if not kind:
        return Thinking(level=level) if level else None
    return Thinking(DYNAMIC if budget is None else budget, level, DISPLAYS.get(display))


def _read_output_config(top: Fields) -> tuple[str, ResponseFormat | None]:
    """(effort, format): ``output_config``, and ``output_format`` where the format stood in beta."""
    config = top.take_child("output_config")
    effort = config.take_text("effort")
    holder, key = (config, "format") if config.has("format") else (top, "output_format")
    value = holder.take_child(key)
    response_format = None
    if value.rest.get("type") == "json_schema":
        value.take("type")
        schema = value.take_child("schema").rest if isinstance(value.rest.get("schema"), dict) else None
        response_format = ResponseFormat("json_schema", schema)
    holder.put_back(key, value.rest)
    top.put_back("output_config", config.rest)
    return effort, response_format
