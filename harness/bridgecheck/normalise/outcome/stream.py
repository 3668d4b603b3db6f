"""A stream of ``outcome`` events folded into the response document that holds the same.

Parts are put one behind the other: texts and reasoning that stand side by side become one, unless something else is
said of one of them; pieces of a call join the call they belong to. Anything else: last word wins, citations and the
words of a refusal are added up."""

from collections.abc import Iterable, Sequence
from typing import Final

from bridgecheck.model.jsonvalue import arr, integer, obj, objs, text
from bridgecheck.wire import JsonObject

_CHOICE_KEYS: Final = ("refusal", "citations", "finish", "finish_native", "keep")
_TEXT_PARTS: Final = (frozenset({"text"}), frozenset({"reasoning"}))


def fold(events: Sequence[object]) -> JsonObject:
    """Return the document: with ``choices`` only if some event belongs to another than the first."""
    document: JsonObject = {}
    choices: dict[int, JsonObject] = {}
    for event in events:
        fields = {key: value for key, value in obj(event).items() if value is not None}
        index = integer(fields.pop("choice", 0)) or 0
        if fields.keys() & {"parts", *_CHOICE_KEYS}:
            _add_to_choice(choices.setdefault(index, {}), fields)
        document |= {key: value for key, value in fields.items() if key != "parts" and key not in _CHOICE_KEYS}
    for choice in choices.values():
        if "parts" in choice:
            choice["parts"] = _join_parts(objs(choice["parts"]))
    if choices.keys() <= {0}:
        return choices.get(0, {}) | document
    return {"choices": [{"index": index, **choice} for index, choice in sorted(choices.items())], **document}


def _add_to_choice(choice: JsonObject, fields: JsonObject) -> None:
    for key in ("parts", "citations"):
        if isinstance(fields.get(key), list):
            choice[key] = [*arr(choice.get(key)), *arr(fields[key])]
    if "refusal" in fields:
        choice["refusal"] = text(choice.get("refusal")) + text(fields["refusal"])
    for key in ("finish", "finish_native", "keep"):
        if key in fields:
            choice[key] = fields[key]


def _join_parts(parts: Iterable[JsonObject]) -> list[object]:
    joined: list[JsonObject] = []
    pieces: dict[int, JsonObject] = {}
    for raw_part in parts:
        part = {key: value for key, value in raw_part.items() if value is not None}
        call = obj(part.get("tool_call"))
        index = integer(call.get("index"))
        if index is not None and index in pieces:
            _extend_call(pieces[index], part)
        elif joined and part.keys() == joined[-1].keys() and part.keys() in _TEXT_PARTS:
            (kind,) = part
            joined[-1] = {kind: text(joined[-1][kind]) + text(part[kind])}
        else:
            joined.append(_copy_part_without_call_index(part))
            if index is not None:
                pieces[index] = joined[-1]
    return list(joined)


def _copy_part_without_call_index(part: JsonObject) -> JsonObject:
    call = {key: value for key, value in obj(part.get("tool_call")).items() if key != "index" and value is not None}
    return {**part, "tool_call": call} if "tool_call" in part else dict(part)


def _extend_call(whole: JsonObject, part: JsonObject) -> None:
    """Add the next piece of a call."""
    call, piece = obj(whole["tool_call"]), obj(part["tool_call"])
    if isinstance(piece.get("args_text"), str):
        call["args_text"] = text(call.get("args_text")) + text(piece["args_text"])
    for key in ("id", "name", "args"):
        if piece.get(key) and not call.get(key):
            call[key] = piece[key]
    whole |= {key: value for key, value in part.items() if key != "tool_call" and value is not None}
