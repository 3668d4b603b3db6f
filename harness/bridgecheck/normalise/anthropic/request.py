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
from bridgecheck.normalise.anthropic.blocks import parts
from bridgecheck.normalise.settings import DYNAMIC, OFF, Settings, feature_headers, take_settings
from bridgecheck.normalise.tree import Fields, other_leaves, without_empty
from bridgecheck.wire import JsonObject

SETTINGS: Final[dict[str, str]] = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "stop_sequences": "stop",
}
ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
CHOICES: Final[dict[str, ChoiceMode]] = {"auto": "auto", "any": "required", "none": "none", "tool": "named"}
DISPLAYS: Final[dict[str, bool]] = {"summarized": True, "omitted": False}
"""thinking.display -> whether thoughts should be returned."""


def prompt(request: Request) -> Prompt:
    """Never raises: what cannot be read stands in ``other``."""
    top = Fields(request.body)
    top.drop_expected("stream", True, False)
    model = text(top.rest.get("model"))
    top.drop_expected("model", model)
    effort, form = _output(top)
    return Prompt(
        dialect="anthropic",
        model=request.model or model,
        system=_system(top),
        turns=_turns(top),
        tools=_tools(top),
        tool_choice=_choice(top),
        settings=tuple(_settings(top)),
        thinking=_thinking(top, effort),
        response_format=form,
        features=feature_headers(request.headers),
        other=other_leaves(top.rest),
    )


def _system(top: Fields) -> tuple[str, ...]:
    made, rests = parts(top, "system")
    top.put_back("system", rests)
    return tuple(part.text for part in made if isinstance(part, TextPart))


def _turns(top: Fields) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    rests: list[JsonObject] = []
    for raw in top.take_items("messages"):
        message = Fields(raw)
        role = ROLES.get(text(message.rest.get("role")))
        if role is not None:
            message.take("role")
        made, left = parts(message, "content")
        message.put_back("content", left)
        turns.append(Turn(role or "user", tuple(made)))
        rests.append(message.rest if isinstance(raw, dict) else {"unread": raw})
    top.put_back("messages", without_empty(rests))
    return tuple(turns)


def _tools(top: Fields) -> tuple[Tool, ...] | None:
    if not isinstance(top.rest.get("tools"), list):
        return None
    made: list[Tool] = []
    rests: list[JsonObject] = []
    for raw in top.take_items("tools"):
        entry = Fields(raw)
        made.append(_tool(entry))
        rests.append(entry.rest)
    top.put_back("tools", without_empty(rests))
    return tuple(made)


def _tool(entry: Fields) -> Tool:
    """A client tool, or a server tool whole (its ``type`` names it)."""
    kind = text(entry.rest.get("type"))
    if kind not in ("", "custom"):
        whole = dict(entry.rest)
        entry.rest.clear()
        return Tool(kind, builtin=canonical(whole))
    entry.drop_expected("type", "custom")
    schema = entry.take_child("input_schema").rest if isinstance(entry.rest.get("input_schema"), dict) else None
    return Tool(entry.take_text("name"), entry.take_text("description"), schema, strict=entry.take_flag("strict"))


def _choice(top: Fields) -> ToolChoice:
    said = top.take_child("tool_choice")
    mode = CHOICES.get(text(said.rest.get("type")))
    if mode is not None:
        said.take("type")
    name = said.take_text("name")
    serial = said.take_flag("disable_parallel_tool_use")
    top.put_back("tool_choice", said.rest)
    return ToolChoice(mode or "absent", (name,) if name else (), None if serial is None else not serial)


def _settings(top: Fields) -> Settings:
    found = take_settings(top, SETTINGS)
    metadata = top.take_child("metadata")
    user = metadata.take_text("user_id")
    top.put_back("metadata", metadata.rest)
    return [*found, ("user", user)] if user else found


def _thinking(top: Fields, effort: str) -> Thinking | None:
    """``thinking`` and ``output_config.effort``: effort is the level, adaptive thinking a budget the model chooses."""
    said = top.take_child("thinking")
    kind, budget = said.take_text("type"), said.take_integer("budget_tokens")
    display = text(said.rest.get("display"))
    if display in DISPLAYS:
        said.take("display")
    top.put_back("thinking", said.rest)
    if kind == "disabled":
        return OFF
    level = effort.lower() or None
    if not kind:
        return Thinking(level=level) if level else None
    return Thinking(DYNAMIC if budget is None else budget, level, DISPLAYS.get(display))


def _output(top: Fields) -> tuple[str, ResponseFormat | None]:
    """(effort, format): ``output_config``, and ``output_format`` where the format stood in beta."""
    config = top.take_child("output_config")
    effort = config.take_text("effort")
    holder, key = (config, "format") if config.has("format") else (top, "output_format")
    said = holder.take_child(key)
    form = None
    if said.rest.get("type") == "json_schema":
        said.take("type")
        schema = said.take_child("schema").rest if isinstance(said.rest.get("schema"), dict) else None
        form = ResponseFormat("json_schema", schema)
    holder.put_back(key, said.rest)
    top.put_back("output_config", config.rest)
    return effort, form
