"""A stream of ``outcome`` events folded into the answer document that says the same.

Parts are put one behind the other: texts and reasoning that stand side by side become one, unless something else is
said of one of them; pieces of a call join the call they belong to. Anything else: last word wins, citations and the
words of a refusal are added up.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from bridgecheck.model.jsonvalue import integer, obj, objs, text
from bridgecheck.wire import JsonObject

_OF_A_CHOICE: Final = ("refusal", "citations", "finish", "finish_native", "keep")
_PLAIN: Final = (frozenset({"text"}), frozenset({"reasoning"}))


def fold(events: Sequence[object]) -> JsonObject:
    """The document: with ``choices`` only if some event belongs to another than the first."""
    made: JsonObject = {}
    choices: dict[int, JsonObject] = {}
    for event in events:
        said = {key: value for key, value in obj(event).items() if value is not None}
        index = integer(said.pop("choice", 0)) or 0
        if said.keys() & {"parts", *_OF_A_CHOICE}:
            _add(choices.setdefault(index, {}), said)
        made |= {key: value for key, value in said.items() if key != "parts" and key not in _OF_A_CHOICE}
    for choice in choices.values():
        if "parts" in choice:
            choice["parts"] = _joined(objs(choice["parts"]))
    if choices.keys() <= {0}:
        return choices.get(0, {}) | made
    return {"choices": [{"index": index, **choice} for index, choice in sorted(choices.items())], **made}


def _add(choice: JsonObject, said: JsonObject) -> None:
    """What one event says of one choice."""
    for key in ("parts", "citations"):
        if isinstance(said.get(key), list):
            choice[key] = [*_list(choice.get(key)), *_list(said[key])]
    if "refusal" in said:
        choice["refusal"] = text(choice.get("refusal")) + text(said["refusal"])
    for key in ("finish", "finish_native", "keep"):
        if key in said:
            choice[key] = said[key]


def _joined(parts: Iterable[JsonObject]) -> list[object]:
    made: list[JsonObject] = []
    pieces: dict[int, JsonObject] = {}
    for given in parts:
        part = {key: value for key, value in given.items() if value is not None}
        call = obj(part.get("tool_call"))
        index = integer(call.get("index"))
        if index is not None and index in pieces:
            _continue(pieces[index], part)
        elif made and part.keys() == made[-1].keys() and part.keys() in _PLAIN:
            (kind,) = part
            made[-1] = {kind: text(made[-1][kind]) + text(part[kind])}
        else:
            made.append(_begun(part))
            if index is not None:
                pieces[index] = made[-1]
    return list(made)


def _begun(part: JsonObject) -> JsonObject:
    """A copy to add to; the index has done its work."""
    call = {key: value for key, value in obj(part.get("tool_call")).items() if key != "index" and value is not None}
    return {**part, "tool_call": call} if "tool_call" in part else dict(part)


def _continue(whole: JsonObject, part: JsonObject) -> None:
    """The next piece of a call."""
    call, piece = obj(whole["tool_call"]), obj(part["tool_call"])
    if isinstance(piece.get("args_text"), str):
        call["args_text"] = text(call.get("args_text")) + text(piece["args_text"])
    for key in ("id", "name", "args"):
        if piece.get(key) and not call.get(key):
            call[key] = piece[key]
    whole |= {key: value for key, value in part.items() if key != "tool_call" and value is not None}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
