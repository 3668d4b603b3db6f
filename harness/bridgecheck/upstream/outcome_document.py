"""Prompt -> ``outcome`` request document.

A Prompt knows media by the digest of their bytes; the bytes are looked up in the body it was read from. A call that has
no id gets one, since the types of most libraries want it.
"""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.compare.signature_positions import part_signature
from bridgecheck.compare.tool_results import ORPHAN, pair_results
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
from bridgecheck.normalise.media import decode_base64_or_encode_text, sha256_hex
from bridgecheck.wire import JsonObject
from bridgecheck.wire.own_types_documents import OBJECTS, VERSION

SETTINGS: Final = frozenset(member.name for member in OBJECTS["settings"])
RECEIVED: Final = "$received:"
"""Begins the text that stands in place of an answer of an earlier turn; its number follows."""

MediaBytes = Mapping[str, str]
"""Digest of bytes -> the bytes in base64."""


def outcome_document(prompt: Prompt, body: JsonObject) -> JsonObject:
    """Return the document of a prompt. ``body``: what the prompt was read from. What it cannot express is omitted."""
    has_media = any(isinstance(part, MediaPart | ResultPart) for turn in prompt.turns for part in turn.parts)
    media_bytes = base64_of_all_texts_by_digest(body) if has_media else {}
    settings = {
        name: list(value) if isinstance(value, tuple) else value for name, value in prompt.settings if name in SETTINGS
    }
    members = _without_empty(
        {
            "system": list(prompt.system),
            "tool_choice": _tool_choice(prompt.tool_choice),
            "settings": settings or None,
            "thinking": _thinking_document(prompt.thinking),
            "response_format": _response_format(prompt.response_format),
        }
    )
    if prompt.tools is not None:
        members["tools"] = [_tool_document(tool) for tool in prompt.tools if not tool.builtin]
    turns = [_turn_document(turn, media_bytes) for turn in _add_call_ids_and_result_names(prompt.turns)]
    return {"version": VERSION, "model": prompt.model, "turns": turns, **members}


def _without_empty(members: JsonObject) -> JsonObject:
    """Return the members without empty ones. 0, false and {} are not empty."""
    return {name: value for name, value in members.items() if value is not None and value not in ("", [])}


def _tool_choice(choice: ToolChoice) -> JsonObject | None:
    mode = "" if choice.mode == "absent" else choice.mode
    return _without_empty({"mode": mode, "names": list(choice.names), "parallel": choice.parallel}) or None


def _thinking_document(value: Thinking | None) -> JsonObject | None:
    members = ("budget", "level", "include")
    return None if value is None else _without_empty({name: getattr(value, name) for name in members})


def _response_format(value: ResponseFormat | None) -> JsonObject | None:
    if value is None:
        return None
    return _without_empty({"kind": value.kind, "schema": value.schema, "name": value.name, "strict": value.strict})


def _tool_document(tool: Tool) -> JsonObject:
    members = _without_empty({"description": tool.description, "parameters": tool.schema, "strict": tool.strict})
    return {"name": tool.name, **members}


def _add_call_ids_and_result_names(turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns with an id on every call and on its result, and with the names of the functions on results."""
    numbered = pair_results(turns)
    call_ids = {
        numbered_part.call.id: part.call.id or f"call_{numbered_part.call.id}"
        for turn, numbered_turn in zip(turns, numbered, strict=True)
        for part, numbered_part in zip(turn.parts, numbered_turn.parts, strict=True)
        if isinstance(part, CallPart) and isinstance(numbered_part, CallPart)
    }
    return [
        replace(
            turn, parts=tuple(_add_id(*pair, call_ids) for pair in zip(turn.parts, numbered_turn.parts, strict=True))
        )
        for turn, numbered_turn in zip(turns, numbered, strict=True)
    ]


def _add_id(part: Part, numbered: Part, call_ids: Mapping[str, str]) -> Part:
    """Return a part with its call's id. A placeholder for an earlier id stays; the name beside it becomes one."""
    if isinstance(part, CallPart) and isinstance(numbered, CallPart):
        return replace(part, call=replace(part.call, id=call_ids[numbered.call.id]))
    if not isinstance(part, ResultPart) or not isinstance(numbered, ResultPart):
        return part
    if part.id.startswith("$id:"):
        return replace(part, name=part.name or part.id.replace("$id:", "$name:", 1))
    return part if numbered.id == ORPHAN else replace(part, id=call_ids[numbered.id], name=numbered.name)


def _turn_document(turn: Turn, media_bytes: MediaBytes) -> JsonObject:
    first = turn.parts[0] if turn.parts else None
    if isinstance(first, TextPart) and first.text.startswith(RECEIVED):
        return {"$received": int(first.text.removeprefix(RECEIVED))}
    parts = [_part_document(part, media_bytes) for part in turn.parts]
    return {"role": turn.role, "parts": parts, **({"name": turn.name} if turn.name else {})}


def _part_document(part: Part, media_bytes: MediaBytes) -> JsonObject:
    """Return the document of a part, {} for a kind that cannot be expressed."""
    signature = part_signature(part)
    return {**_unsigned_part_document(part, media_bytes), **({"signature": signature} if signature else {})}


def _unsigned_part_document(part: Part, media_bytes: MediaBytes) -> JsonObject:
    match part:
        case TextPart():
            return {"text": part.text}
        case ReasoningPart():
            return {"redacted": part.redacted} if part.redacted else {"reasoning": part.text}
        case CallPart(call):
            args: JsonObject = {"args": call.args} if call.bad_args is None else {"args_text": call.bad_args}
            return {"tool_call": {"id": call.id, "name": call.name, **args}}
        case ResultPart():
            media = [_media_source(item, media_bytes) for item in part.media]
            optional = _without_empty({"media": media, "is_error": part.is_error, "cited": list(part.cited)})
            ids = _without_empty({"id": part.id, "name": part.name})
            return {"tool_result": {**ids, "value": part.value, **optional}}
        case MediaPart():
            detail = {"detail": json.loads(part.detail)} if part.detail else {}
            return {"media": _media_source(part.media, media_bytes), **detail}
        case OtherPart():
            return {}


def _media_source(media: Media, media_bytes: MediaBytes) -> JsonObject:
    source = {"data": media_bytes[media.sha256]} if media.sha256 else {"uri": media.uri}
    return {"mime": media.mime, **source}


def base64_of_all_texts_by_digest(body: JsonObject) -> dict[str, str]:
    """Return the bytes that a document holds: sha256 (hex) -> the bytes in base64.

    Every text in the document is read as base64, as a ``data:`` URL with base64, and as plain text (Anthropic's text
    documents).
    """
    found: dict[str, str] = {}
    for text in _strings_in(body):
        payload = text.partition(",")[2] if text.startswith("data:") else text
        for content in (text.encode("utf-8", errors="surrogatepass"), decode_base64_or_encode_text(payload)):
            found[sha256_hex(content)] = base64.b64encode(content).decode("ascii")
    return found


def _strings_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings_in(item)
