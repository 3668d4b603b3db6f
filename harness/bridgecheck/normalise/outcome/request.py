"""``outcome`` requests -> Prompt.

The judge itself makes them (``upstream.wire_to_outcome_request``); a turn of the model may be a library's answer."""

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
from bridgecheck.normalise.outcome.parts import read_call_without_signature, read_media, read_media_data_or_uri
from bridgecheck.normalise.tree import Fields, other_leaves
from bridgecheck.wire.own_types_documents import OBJECTS

SETTINGS: Final = tuple(member.name for member in OBJECTS["settings"])


def read_request(request: Request) -> Prompt:
    """Return the request in normal form; never raises: what cannot be read stands in ``other``."""
    top = Fields(request.body)
    top.take("version")
    return Prompt(
        dialect="outcome", model=top.take_text("model") or request.model,
        system=tuple(str(piece) for piece in top.take_list("system")),
        turns=tuple(map(_read_turn, top.members("turns"))),
        tools=tuple(map(_read_tool, top.members("tools"))) if top.has("tools") else None,
        tool_choice=_read_tool_choice(top), settings=_read_settings(top), thinking=_read_thinking(top),
        response_format=_read_response_format(top), other=other_leaves(top.rest),
    )  # fmt: skip


def _read_turn(turn: Fields) -> Turn:
    role = turn.take_text("role")
    made = [made for part in turn.members("parts") if (made := _read_part(part)) is not None]
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
        return CallPart(with_signature(read_call_without_signature(part), signature))
    if part.has("tool_result"):
        return _read_result(part)
    if part.has("media"):
        detail = part.take("detail")
        return MediaPart(read_media(part), canonical(detail) if detail else "")
    return OtherPart("code", canonical(part.take("code"))) if part.has("code") else None


def _read_result(part: Fields) -> ResultPart:
    with part.child("tool_result") as result:
        return ResultPart(
            result.take_text("id"), result.take_text("name"), result.take("value"),
            tuple(read_media_data_or_uri(Fields(item)) for item in result.take_list("media")),
            result.take_flag("is_error"), tuple(str(item) for item in result.take_list("cited")),
        )  # fmt: skip


def _read_tool(tool: Fields) -> Tool:
    schema = tool.take_child("parameters").rest if tool.has("parameters") else None
    return Tool(tool.take_text("name"), tool.take_text("description"), schema, strict=tool.take_flag("strict"))


def _read_tool_choice(top: Fields) -> ToolChoice:
    with top.child("tool_choice") as choice:
        mode = choice.take_text("mode")
        names = tuple(str(name) for name in choice.take_list("names"))
        known = cast(ChoiceMode, mode) if mode in get_args(ChoiceMode) else "absent"
        return ToolChoice(known, names, choice.take_flag("parallel"))


def _read_settings(top: Fields) -> tuple[tuple[str, object], ...]:
    with top.child("settings") as settings:
        found = [(name, settings.take(name)) for name in SETTINGS if settings.has(name)]
    return tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in found)


def _read_thinking(top: Fields) -> Thinking | None:
    with top.child("thinking") as value:
        made = Thinking(value.take_integer("budget"), value.take_text("level") or None, value.take_flag("include"))
    return made if made != Thinking() else None


def _read_response_format(top: Fields) -> ResponseFormat | None:
    with top.child("response_format") as value:
        kind = value.take_text("kind")
        schema = value.take_child("schema").rest if value.has("schema") else None
        name, strict = value.take_text("name"), value.take_flag("strict")
    if kind == "json_object" or kind == "json_schema":
        return ResponseFormat("json_schema" if kind == "json_schema" else "json_object", schema, name, strict)
    return ResponseFormat("text") if kind == "text" else None
