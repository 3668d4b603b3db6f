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
from bridgecheck.normalise.outcome.parts import call_of, media_of, one_media
from bridgecheck.normalise.tree import Fields, other_leaves, without_empty
from bridgecheck.wire.outcome import OBJECTS

SETTINGS: Final = tuple(member.name for member in OBJECTS["settings"])


def prompt(request: Request) -> Prompt:
    """Never raises: what cannot be read stands in ``other``."""
    top = Fields(request.body)
    top.take("version")
    return Prompt(
        dialect="outcome",
        model=top.take_text("model") or request.model,
        system=tuple(str(piece) for piece in top.take_items("system")),
        turns=_turns(top),
        tools=_tools(top),
        tool_choice=_choice(top),
        settings=_settings(top),
        thinking=_thinking(top),
        response_format=_format(top),
        other=other_leaves(top.rest),
    )


def _turns(top: Fields) -> tuple[Turn, ...]:
    fields = [Fields(item) for item in top.take_items("turns")]
    made = tuple(map(_turn, fields))
    top.put_back("turns", without_empty(one.rest for one in fields))
    return made


def _turn(turn: Fields) -> Turn:
    role = turn.take_text("role")
    parts = [Fields(item) for item in turn.take_items("parts")]
    made = [made for part in parts if (made := _part(part)) is not None]
    turn.put_back("parts", without_empty(part.rest for part in parts))
    turn.take("keep")
    return Turn(cast(Role, role) if role in get_args(Role) else "user", tuple(made), turn.take_text("name"))


def _part(part: Fields) -> Part | None:
    """An empty text says nothing unless it is signed."""
    signature = part.take_text("signature")
    part.take("keep")
    if part.has("text"):
        said = part.take_text("text")
        return TextPart(said, signature) if said or signature else None
    if part.has("reasoning"):
        return ReasoningPart(part.take_text("reasoning"), signature)
    if part.has("redacted"):
        return ReasoningPart("", "", part.take_text("redacted"))
    if part.has("tool_call"):
        return CallPart(with_signature(call_of(part), signature))
    if part.has("tool_result"):
        return _result(part)
    if part.has("media"):
        detail = part.take("detail")
        return MediaPart(media_of(part), canonical(detail) if detail else "")
    return OtherPart("code", canonical(part.take("code"))) if part.has("code") else None


def _result(part: Fields) -> ResultPart:
    said = part.take_child("tool_result")
    value = said.take("value")
    made = ResultPart(
        said.take_text("id"),
        said.take_text("name"),
        value,
        tuple(one_media(Fields(item)) for item in said.take_items("media")),
        said.take_flag("is_error"),
        tuple(str(one) for one in said.take_items("cited")),
    )
    part.put_back("tool_result", said.rest)
    return made


def _tools(top: Fields) -> tuple[Tool, ...] | None:
    if not top.has("tools"):
        return None
    fields = [Fields(item) for item in top.take_items("tools")]
    made = tuple(_tool(one) for one in fields)
    top.put_back("tools", without_empty(one.rest for one in fields))
    return made


def _tool(tool: Fields) -> Tool:
    schema = tool.take_child("parameters").rest if tool.has("parameters") else None
    return Tool(tool.take_text("name"), tool.take_text("description"), schema, strict=tool.take_flag("strict"))


def _choice(top: Fields) -> ToolChoice:
    said = top.take_child("tool_choice")
    mode = said.take_text("mode")
    made = ToolChoice(
        cast(ChoiceMode, mode) if mode in get_args(ChoiceMode) else "absent",
        tuple(str(name) for name in said.take_items("names")),
        said.take_flag("parallel"),
    )
    top.put_back("tool_choice", said.rest)
    return made


def _settings(top: Fields) -> tuple[tuple[str, object], ...]:
    said = top.take_child("settings")
    found = [(name, said.take(name)) for name in SETTINGS if said.has(name)]
    top.put_back("settings", said.rest)
    return tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in found)


def _thinking(top: Fields) -> Thinking | None:
    said = top.take_child("thinking")
    made = Thinking(said.take_integer("budget"), said.take_text("level") or None, said.take_flag("include"))
    top.put_back("thinking", said.rest)
    return made if made != Thinking() else None


def _format(top: Fields) -> ResponseFormat | None:
    said = top.take_child("response_format")
    kind = said.take_text("kind")
    schema = said.take_child("schema").rest if said.has("schema") else None
    name, strict = said.take_text("name"), said.take_flag("strict")
    top.put_back("response_format", said.rest)
    if kind == "json_object" or kind == "json_schema":
        return ResponseFormat("json_schema" if kind == "json_schema" else "json_object", schema, name, strict)
    return ResponseFormat("text") if kind == "text" else None
