"""Prompt -> ``outcome`` request document.

A Prompt knows media by the digest of their bytes; the bytes are looked up in the body it was read from. A call that has
no id gets one, since the types of most libraries want it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.compare.pairing import ORPHAN, paired
from bridgecheck.model.outcome import Media
from bridgecheck.model.prompt import (
    CallPart,
    MediaPart,
    OtherPart,
    Part,
    Prompt,
    ReasoningPart,
    ResponseFormat,
    ResultPart,
    TextPart,
    Thinking,
    Tool,
    ToolChoice,
    Turn,
)
from bridgecheck.upstream.held_bytes import held_bytes
from bridgecheck.wire import JsonObject
from bridgecheck.wire.outcome import OBJECTS, VERSION

SETTINGS: Final = frozenset(member.name for member in OBJECTS["settings"])
RECEIVED: Final = "$received:"
"""Begins the text that stands in place of an answer of an earlier turn; its number follows."""

Held = Mapping[str, str]
"""Digest of bytes -> the bytes in base64."""


def document(prompt: Prompt, body: JsonObject) -> JsonObject:
    """``body``: what the prompt was read from. What has no word here is left out."""
    shown = any(isinstance(part, MediaPart | ResultPart) for turn in prompt.turns for part in turn.parts)
    held = held_bytes(body) if shown else {}
    made = _said(
        {
            "system": list(prompt.system),
            "tool_choice": _choice(prompt.tool_choice),
            "settings": _settings(prompt.settings),
            "thinking": _thinking(prompt.thinking),
            "response_format": _format(prompt.response_format),
        }
    )
    if prompt.tools is not None:
        made["tools"] = [_tool(tool) for tool in prompt.tools if not tool.builtin]
    turns = [_turn(turn, held) for turn in _identified(prompt.turns)]
    return {"version": VERSION, "model": prompt.model, "turns": turns, **made}


def _said(members: JsonObject) -> JsonObject:
    """Without members that say nothing. 0, false and {} are something."""
    return {name: value for name, value in members.items() if value is not None and value not in ("", [])}


def _choice(choice: ToolChoice) -> JsonObject | None:
    mode = "" if choice.mode == "absent" else choice.mode
    return _said({"mode": mode, "names": list(choice.names), "parallel": choice.parallel}) or None


def _settings(given: Sequence[tuple[str, object]]) -> JsonObject | None:
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in given if name in SETTINGS
    } or None


def _thinking(said: Thinking | None) -> JsonObject | None:
    return None if said is None else _said({"budget": said.budget, "level": said.level, "include": said.include})


def _format(said: ResponseFormat | None) -> JsonObject | None:
    if said is None:
        return None
    return _said({"kind": said.kind, "schema": said.schema, "name": said.name, "strict": said.strict})


def _tool(tool: Tool) -> JsonObject:
    told = _said({"description": tool.description, "parameters": tool.schema, "strict": tool.strict})
    return {"name": tool.name, **told}


def _identified(turns: Sequence[Turn]) -> list[Turn]:
    """With an id on every call and on the result that answers it, and with the names of the functions on results."""
    numbered = paired(turns)
    given = {
        one.call.id: part.call.id or f"call_{one.call.id}"
        for turn, same in zip(turns, numbered, strict=True)
        for part, one in zip(turn.parts, same.parts, strict=True)
        if isinstance(part, CallPart) and isinstance(one, CallPart)
    }
    return [
        replace(turn, parts=tuple(_paired(*both, given) for both in zip(turn.parts, same.parts, strict=True)))
        for turn, same in zip(turns, numbered, strict=True)
    ]


def _paired(part: Part, numbered: Part, given: Mapping[str, str]) -> Part:
    """A placeholder for an id of an earlier turn stays, and the name beside it becomes one."""
    if isinstance(part, CallPart) and isinstance(numbered, CallPart):
        return replace(part, call=replace(part.call, id=given[numbered.call.id]))
    if not isinstance(part, ResultPart) or not isinstance(numbered, ResultPart):
        return part
    if part.id.startswith("$id:"):
        return replace(part, name=part.name or part.id.replace("$id:", "$name:", 1))
    return part if numbered.id == ORPHAN else replace(part, id=given[numbered.id], name=numbered.name)


def _turn(turn: Turn, held: Held) -> JsonObject:
    first = turn.parts[0] if turn.parts else None
    if isinstance(first, TextPart) and first.text.startswith(RECEIVED):
        return {"$received": int(first.text.removeprefix(RECEIVED))}
    parts = [_part(part, held) for part in turn.parts]
    return {"role": turn.role, "parts": parts, **({"name": turn.name} if turn.name else {})}


def _part(part: Part, held: Held) -> JsonObject:
    """{} for a part of a kind that has no word."""
    signature = _signature(part)
    return {**_KINDS[type(part)](part, held), **({"signature": signature} if signature else {})}


def _words(part: Part, _: Held) -> JsonObject:
    return {"text": part.text} if isinstance(part, TextPart) else {}


def _reasoning(part: Part, _: Held) -> JsonObject:
    if not isinstance(part, ReasoningPart):
        return {}
    return {"redacted": part.redacted} if part.redacted else {"reasoning": part.text}


def _call(part: Part, _: Held) -> JsonObject:
    if not isinstance(part, CallPart):
        return {}
    call = part.call
    args: JsonObject = {"args": call.args} if call.bad_args is None else {"args_text": call.bad_args}
    return {"tool_call": {"id": call.id, "name": call.name, **args}}


def _result(part: Part, held: Held) -> JsonObject:
    if not isinstance(part, ResultPart):
        return {}
    beside: JsonObject = {
        "media": [_bytes(one, held) for one in part.media],
        "is_error": part.is_error,
        "cited": list(part.cited),
    }
    return {"tool_result": {**_said({"id": part.id, "name": part.name}), "value": part.value, **_said(beside)}}


def _media(part: Part, held: Held) -> JsonObject:
    if not isinstance(part, MediaPart):
        return {}
    return {"media": _bytes(part.media, held), **({"detail": json.loads(part.detail)} if part.detail else {})}


def _bytes(media: Media, held: Held) -> JsonObject:
    where = {"data": held[media.sha256]} if media.sha256 else {"uri": media.uri}
    return {"mime": media.mime, **where}


_KINDS: Final[Mapping[type, Callable[[Part, Held], JsonObject]]] = {
    TextPart: _words,
    ReasoningPart: _reasoning,
    CallPart: _call,
    ResultPart: _result,
    MediaPart: _media,
    OtherPart: lambda part, held: {},
}


def _signature(part: Part) -> str:
    if isinstance(part, CallPart):
        return part.call.signature
    return part.signature if isinstance(part, TextPart | ReasoningPart) else ""
