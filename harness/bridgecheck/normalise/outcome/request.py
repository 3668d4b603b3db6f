"""``outcome`` requests -> Prompt.

The judge itself makes them (``upstream.outcome_request``); a turn of the model may be what a library answered before.
"""

from typing import Final, cast, get_args

from bridgecheck.model.exchange import Request
from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.prompt import (
    CallPart,
    ChoiceMode,
    MediaPart,
    OtherPart,
    Part,
    Prompt,
    ReasoningPart,
    ResponseFormat,
    ResultPart,
    Role,
    TextPart,
    Thinking,
    Tool,
    ToolChoice,
    Turn,
)
from bridgecheck.normalise.choice import with_signature
from bridgecheck.normalise.outcome.parts import read_call, read_media, read_media_object
from bridgecheck.normalise.tree import Fields, other_leaves, without_empty
from bridgecheck.wire.outcome import OBJECTS

SETTINGS: Final = tuple(member.name for member in OBJECTS["settings"])


def read_request(request: Request) -> Prompt:
    """Never raises: what cannot be read stands in ``other``."""
    top = Fields(request.body)
    top.take("version")
    return Prompt(
        dialect="outcome",
        model=top.take_text("model") or request.model,
        system=tuple(str(piece) for piece in top.take_items("system")),
        turns=_read_turns(top),
        tools=_read_tools(top),
        tool_choice=_read_tool_choice(top),
        settings=_read_settings(top),
        thinking=_read_thinking(top),
        response_format=_read_response_format(top),
        other=other_leaves(top.rest),
    )


def _read_turns(top: Fields) -> tuple[Turn, ...]:
    fields = [Fields(item) for item in top.take_items("turns")]
    made = tuple(map(_read_turn, fields))
    top.put_back("turns", without_empty(item.rest for item in fields))
    return made


def _read_turn(turn: Fields) -> Turn:
    role = turn.take_text("role")
    parts = [Fields(item) for item in turn.take_items("parts")]
    made = [made for part in parts if (made := _read_part(part)) is not None]
    turn.put_back("parts", without_empty(part.rest for part in parts))
    turn.take("keep")
    return Turn(cast(Role, role) if role in get_args(Role) else "user", tuple(made), turn.take_text("name"))


def _read_part(part: Fields) -> Part | None:
    """Read one part; an empty text counts only if it is signed."""
    signature = part.take_text("signature")
    part.take("keep")
    if part.has("text"):
        value = part.take_text("text")
        return TextPart(value, signature) if value or signature else None
    if part.has("reasoning"):
        return ReasoningPart(part.take_text("reasoning"), signature)
    if part.has("redacted"):
        return ReasoningPart("", "", part.take_text("redacted"))
    if part.has("tool_call"):
        return CallPart(with_signature(read_call(part), signature))
    if part.has("tool_result"):
        return _read_result(part)
    if part.has("media"):
        detail = part.take("detail")
        return MediaPart(read_media(part), canonical(detail) if detail else "")
    return OtherPart("code", canonical(part.take("code"))) if part.has("code") else None


def _read_result(part: Fields) -> ResultPart:
    result = part.take_child("tool_result")
    value = result.take("value")
    made = ResultPart(
        result.take_text("id"),
        result.take_text("name"),
        value,
        tuple(read_media_object(Fields(item)) for item in result.take_items("media")),
        result.take_flag("is_error"),
        tuple(str(item) for item in result.take_items("cited")),
    )
    part.put_back("tool_result", result.rest)
    return made


def _read_tools(top: Fields) -> tuple[Tool, ...] | None:
    if not top.has("tools"):
        return None
    fields = [Fields(item) for item in top.take_items("tools")]
    made = tuple(_read_tool(item) for item in fields)
    top.put_back("tools", without_empty(item.rest for item in fields))
    return made


def _read_tool(tool: Fields) -> Tool:
    schema = tool.take_child("parameters").rest if tool.has("parameters") else None
    return Tool(tool.take_text("name"), tool.take_text("description"), schema, strict=tool.take_flag("strict"))


def _read_tool_choice(top: Fields) -> ToolChoice:
    value = top.take_child("tool_choice")
    mode = value.take_text("mode")
    made = ToolChoice(
        cast(ChoiceMode, mode) if mode in get_args(ChoiceMode) else "absent",
        tuple(str(name) for name in value.take_items("names")),
        value.take_flag("parallel"),
    )
    top.put_back("tool_choice", value.rest)
    return made


def _read_settings(top: Fields) -> tuple[tuple[str, object], ...]:
    value = top.take_child("settings")
    found = [(name, value.take(name)) for name in SETTINGS if value.has(name)]
    top.put_back("settings", value.rest)
    return tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in found)


def _read_thinking(top: Fields) -> Thinking | None:
    value = top.take_child("thinking")
    made = Thinking(value.take_integer("budget"), value.take_text("level") or None, value.take_flag("include"))
    top.put_back("thinking", value.rest)
    return made if made != Thinking() else None


def _read_response_format(top: Fields) -> ResponseFormat | None:
    value = top.take_child("response_format")
    kind = value.take_text("kind")
    schema = value.take_child("schema").rest if value.has("schema") else None
    name, strict = value.take_text("name"), value.take_flag("strict")
    top.put_back("response_format", value.rest)
    if kind == "json_object" or kind == "json_schema":
        return ResponseFormat("json_schema" if kind == "json_schema" else "json_object", schema, name, strict)
    return ResponseFormat("text") if kind == "text" else None
