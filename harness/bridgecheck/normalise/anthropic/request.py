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
from bridgecheck.normalise.request_common import DYNAMIC, OFF, Settings, features, settings
from bridgecheck.normalise.tree import Fields, other, without_empty
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
    top.expect("stream", True, False)
    model = text(top.left.get("model"))
    top.expect("model", model)
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
        features=features(request.headers),
        other=other(top.left),
    )


def _system(top: Fields) -> tuple[str, ...]:
    made, rests = parts(top, "system")
    top.put("system", rests)
    return tuple(part.text for part in made if isinstance(part, TextPart))


def _turns(top: Fields) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    rests: list[JsonObject] = []
    for raw in top.items("messages"):
        message = Fields(raw)
        role = ROLES.get(text(message.left.get("role")))
        if role is not None:
            message.raw("role")
        made, left = parts(message, "content")
        message.put("content", left)
        turns.append(Turn(role or "user", tuple(made)))
        rests.append(message.left if isinstance(raw, dict) else {"unread": raw})
    top.put("messages", without_empty(rests))
    return tuple(turns)


def _tools(top: Fields) -> tuple[Tool, ...] | None:
    if not isinstance(top.left.get("tools"), list):
        return None
    made: list[Tool] = []
    rests: list[JsonObject] = []
    for raw in top.items("tools"):
        entry = Fields(raw)
        made.append(_tool(entry))
        rests.append(entry.left)
    top.put("tools", without_empty(rests))
    return tuple(made)


def _tool(entry: Fields) -> Tool:
    """A client tool, or a server tool whole (its ``type`` names it)."""
    kind = text(entry.left.get("type"))
    if kind not in ("", "custom"):
        whole = dict(entry.left)
        entry.left.clear()
        return Tool(kind, builtin=canonical(whole))
    entry.expect("type", "custom")
    schema = entry.child("input_schema").left if isinstance(entry.left.get("input_schema"), dict) else None
    return Tool(entry.text("name"), entry.text("description"), schema, strict=entry.flag("strict"))


def _choice(top: Fields) -> ToolChoice:
    said = top.child("tool_choice")
    mode = CHOICES.get(text(said.left.get("type")))
    if mode is not None:
        said.raw("type")
    name = said.text("name")
    serial = said.flag("disable_parallel_tool_use")
    top.put("tool_choice", said.left)
    return ToolChoice(mode or "absent", (name,) if name else (), None if serial is None else not serial)


def _settings(top: Fields) -> Settings:
    found = settings(top, SETTINGS)
    metadata = top.child("metadata")
    user = metadata.text("user_id")
    top.put("metadata", metadata.left)
    return [*found, ("user", user)] if user else found


def _thinking(top: Fields, effort: str) -> Thinking | None:
    """``thinking`` and ``output_config.effort``: effort is the level, adaptive thinking a budget the model chooses."""
    said = top.child("thinking")
    kind, budget = said.text("type"), said.integer("budget_tokens")
    display = text(said.left.get("display"))
    if display in DISPLAYS:
        said.raw("display")
    top.put("thinking", said.left)
    if kind == "disabled":
        return OFF
    level = effort.lower() or None
    if not kind:
        return Thinking(level=level) if level else None
    return Thinking(DYNAMIC if budget is None else budget, level, DISPLAYS.get(display))


def _output(top: Fields) -> tuple[str, ResponseFormat | None]:
    """(effort, format): ``output_config``, and ``output_format`` where the format stood in beta."""
    config = top.child("output_config")
    effort = config.text("effort")
    holder, key = (config, "format") if config.has("format") else (top, "output_format")
    said = holder.child(key)
    form = None
    if said.left.get("type") == "json_schema":
        said.raw("type")
        schema = said.child("schema").left if isinstance(said.left.get("schema"), dict) else None
        form = ResponseFormat("json_schema", schema)
    holder.put(key, said.left)
    top.put("output_config", config.left)
    return effort, form
