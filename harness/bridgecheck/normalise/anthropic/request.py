"""Anthropic requests -> Prompt.

Source: https://docs.anthropic.com/en/api/messages (stored copy read 2026-11-21)."""

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
from bridgecheck.normalise.settings import DYNAMIC, OFF, Settings, feature_header_lines, take_settings
from bridgecheck.normalise.tree import Fields, other_leaves

SETTINGS: Final[dict[str, str]] = {
    "max_tokens": "max_tokens", "temperature": "temperature", "top_p": "top_p", "top_k": "top_k",
    "stop_sequences": "stop",
}  # fmt: skip
ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
TOOL_CHOICE_MODES: Final[dict[str, ChoiceMode]] = {"auto": "auto", "any": "required", "none": "none", "tool": "named"}
DISPLAYS: Final[dict[str, bool]] = {"summarized": True, "omitted": False}
"""thinking.display -> whether thoughts should be returned."""


def read_request(request: Request) -> Prompt:
    """Return the request in normal form; never raises: what cannot be read stands in ``other``."""
    top = Fields(request.body)
    top.drop_expected("stream", True, False)
    model = text(top.rest.get("model"))
    top.drop_expected("model", model)
    effort, response_format = _read_output_config(top)
    return Prompt(
        dialect="anthropic", model=request.model or model, system=_read_system(top), turns=_read_turns(top),
        tools=tuple(map(_read_tool, top.members("tools"))) if isinstance(top.rest.get("tools"), list) else None,
        tool_choice=_read_tool_choice(top), settings=tuple(_read_settings(top)), thinking=_read_thinking(top, effort),
        response_format=response_format, features=feature_header_lines(request.headers), other=other_leaves(top.rest),
    )  # fmt: skip


def _read_system(top: Fields) -> tuple[str, ...]:
    made, unread = read_parts(top, "system")
    top.put_back("system", unread)
    return tuple(part.text for part in made if isinstance(part, TextPart))


def _read_turns(top: Fields) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    for message in top.members("messages"):
        role = ROLES.get(text(message.rest.get("role")))
        if role is not None:
            message.take("role")
        made, left = read_parts(message, "content")
        message.put_back("content", left)
        turns.append(Turn(role or "user", tuple(made)))
    return tuple(turns)


def _read_tool(tool: Fields) -> Tool:
    """Read a client tool, or a server tool whole (its ``type`` names it)."""
    kind = text(tool.rest.get("type"))
    if kind not in ("", "custom"):
        return Tool(kind, builtin=canonical(tool.take_whole()))
    tool.drop_expected("type", "custom")
    schema = tool.take_child("input_schema").rest if isinstance(tool.rest.get("input_schema"), dict) else None
    return Tool(tool.take_text("name"), tool.take_text("description"), schema, strict=tool.take_flag("strict"))


def _read_tool_choice(top: Fields) -> ToolChoice:
    with top.child("tool_choice") as choice:
        mode = TOOL_CHOICE_MODES.get(text(choice.rest.get("type")))
        choice.drop_expected("type", *TOOL_CHOICE_MODES)
        name = choice.take_text("name")
        serial = choice.take_flag("disable_parallel_tool_use")
    return ToolChoice(mode or "absent", (name,) if name else (), None if serial is None else not serial)


def _read_settings(top: Fields) -> Settings:
    settings = take_settings(top, SETTINGS)
    with top.child("metadata") as metadata:
        user = metadata.take_text("user_id")
    return [*settings, ("user", user)] if user else settings


def _read_thinking(top: Fields, effort: str) -> Thinking | None:
    """Read ``thinking`` and ``effort``: effort is the level, adaptive thinking a budget the model chooses."""
    with top.child("thinking") as value:
        kind, budget = value.take_text("type"), value.take_integer("budget_tokens")
        display = text(value.rest.get("display"))
        value.drop_expected("display", *DISPLAYS)
    if kind == "disabled":
        return OFF
    level = effort.lower() or None
    if not kind:
        return Thinking(level=level) if level else None
    return Thinking(DYNAMIC if budget is None else budget, level, DISPLAYS.get(display))


def _read_output_config(top: Fields) -> tuple[str, ResponseFormat | None]:
    """Return (effort, format) of ``output_config``, and ``output_format`` where the format stood in beta."""
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
