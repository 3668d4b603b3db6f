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
from bridgecheck.normalise.choice import signed
from bridgecheck.normalise.outcome.parts import call_of, media_of, one_media
from bridgecheck.normalise.tree import Fields, other, without_empty
from bridgecheck.wire.outcome import OBJECTS

SETTINGS: Final = tuple(member.name for member in OBJECTS["settings"])


def prompt(request: Request) -> Prompt:
    """Never raises: what cannot be read stands in ``other``."""
    top = Fields(request.body)
    top.raw("version")
    return Prompt(
        dialect="outcome",
        model=top.text("model") or request.model,
        system=tuple(str(piece) for piece in top.items("system")),
        turns=_turns(top),
        tools=_tools(top),
        tool_choice=_choice(top),
        settings=_settings(top),
        thinking=_thinking(top),
        response_format=_format(top),
        other=other(top.left),
    )


def _turns(top: Fields) -> tuple[Turn, ...]:
    fields = [Fields(item) for item in top.items("turns")]
    made = tuple(map(_turn, fields))
    top.put("turns", without_empty(one.left for one in fields))
    return made


def _turn(turn: Fields) -> Turn:
    role = turn.text("role")
    parts = [Fields(item) for item in turn.items("parts")]
    made = [made for part in parts if (made := _part(part)) is not None]
    turn.put("parts", without_empty(part.left for part in parts))
    turn.raw("keep")
    return Turn(cast(Role, role) if role in get_args(Role) else "user", tuple(made), turn.text("name"))


def _part(part: Fields) -> Part | None:
    """An empty text says nothing unless it is signed."""
    signature = part.text("signature")
    part.raw("keep")
    if part.has("text"):
        said = part.text("text")
        return TextPart(said, signature) if said or signature else None
    if part.has("reasoning"):
        return ReasoningPart(part.text("reasoning"), signature)
    if part.has("redacted"):
        return ReasoningPart("", "", part.text("redacted"))
    if part.has("tool_call"):
        return CallPart(signed(call_of(part), signature))
    if part.has("tool_result"):
        return _result(part)
    if part.has("media"):
        detail = part.raw("detail")
        return MediaPart(media_of(part), canonical(detail) if detail else "")
    return OtherPart("code", canonical(part.raw("code"))) if part.has("code") else None


def _result(part: Fields) -> ResultPart:
    said = part.child("tool_result")
    value = said.raw("value")
    made = ResultPart(
        said.text("id"),
        said.text("name"),
        value,
        tuple(one_media(Fields(item)) for item in said.items("media")),
        said.flag("is_error"),
        tuple(str(one) for one in said.items("cited")),
    )
    part.put("tool_result", said.left)
    return made


def _tools(top: Fields) -> tuple[Tool, ...] | None:
    if not top.has("tools"):
        return None
    fields = [Fields(item) for item in top.items("tools")]
    made = tuple(_tool(one) for one in fields)
    top.put("tools", without_empty(one.left for one in fields))
    return made


def _tool(tool: Fields) -> Tool:
    schema = tool.child("parameters").left if tool.has("parameters") else None
    return Tool(tool.text("name"), tool.text("description"), schema, strict=tool.flag("strict"))


def _choice(top: Fields) -> ToolChoice:
    said = top.child("tool_choice")
    mode = said.text("mode")
    made = ToolChoice(
        cast(ChoiceMode, mode) if mode in get_args(ChoiceMode) else "absent",
        tuple(str(name) for name in said.items("names")),
        said.flag("parallel"),
    )
    top.put("tool_choice", said.left)
    return made


def _settings(top: Fields) -> tuple[tuple[str, object], ...]:
    said = top.child("settings")
    found = [(name, said.raw(name)) for name in SETTINGS if said.has(name)]
    top.put("settings", said.left)
    return tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in found)


def _thinking(top: Fields) -> Thinking | None:
    said = top.child("thinking")
    made = Thinking(said.integer("budget"), said.text("level") or None, said.flag("include"))
    top.put("thinking", said.left)
    return made if made != Thinking() else None


def _format(top: Fields) -> ResponseFormat | None:
    said = top.child("response_format")
    kind = said.text("kind")
    schema = said.child("schema").left if said.has("schema") else None
    name, strict = said.text("name"), said.flag("strict")
    top.put("response_format", said.left)
    if kind == "json_object" or kind == "json_schema":
        return ResponseFormat("json_schema" if kind == "json_schema" else "json_object", schema, name, strict)
    return ResponseFormat("text") if kind == "text" else None
