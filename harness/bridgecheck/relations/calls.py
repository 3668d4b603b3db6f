"""calls_together, calls_apart: parallel calls in one chunk, or one in each.

A signature stands on its own call and moves with it. Calls whose arguments come in pieces are gathered under their
index; calls that have none, or share one, are left as they are.
"""

from collections.abc import Iterator

from bridgecheck.model.jsonvalue import arr, integer, obj, objs, text
from bridgecheck.relations.chunk import (
    delta,
    each,
    index,
    joined,
    only,
    parts,
    said,
    with_only,
    with_parts,
    without,
)
from bridgecheck.relations.relation import Documents
from bridgecheck.wire import JsonObject

# Gemini


def apart_gemini(documents: Documents) -> Documents:
    return each(documents, _gemini_apart)


def _gemini_apart(document: JsonObject) -> Iterator[JsonObject]:
    candidate = only(document, "candidates")
    found = parts(candidate) if candidate is not None else []
    if candidate is None or sum("functionCall" in obj(part) for part in found) < 2:
        yield document
        return
    for part in found[:-1]:
        yield with_only(
            document, "candidates", with_parts({"content": candidate["content"], "index": index(candidate)}, [part])
        )
    yield with_only(document, "candidates", with_parts(candidate, found[-1:]))


def together_gemini(documents: Documents) -> Documents:
    return joined(documents, _gemini_together)


def _gemini_together(one: JsonObject, other: JsonObject) -> JsonObject | None:
    first, second = only(one, "candidates"), only(other, "candidates")
    if first is None or second is None or index(first) != index(second) or first.get("finishReason"):
        return None
    if not (_calls_only(first) and _calls_only(second)):
        return None
    return with_only({**one, **other}, "candidates", with_parts({**first, **second}, [*parts(first), *parts(second)]))


def _calls_only(candidate: JsonObject) -> bool:
    """Whether a candidate says whole calls and nothing else."""
    calls = [obj(obj(part).get("functionCall")) for part in parts(candidate)]
    return bool(calls) and all(call and not {"partialArgs", "willContinue"} & call.keys() for call in calls)


# Chat


def apart_chat(documents: Documents) -> Documents:
    return each(documents, _chat_apart)


def _chat_apart(document: JsonObject) -> Iterator[JsonObject]:
    choice = only(document, "choices")
    calls = arr(delta(choice).get("tool_calls")) if choice is not None else []
    if choice is None or len(calls) < 2:
        yield document
        return
    before: JsonObject = {**choice, "finish_reason": None}
    fields = delta(choice)
    for call in calls[:-1]:
        yield with_only(without(document, "usage"), "choices", {**before, "delta": {**fields, "tool_calls": [call]}})
        fields = {}
    yield with_only(document, "choices", {**choice, "delta": {"tool_calls": calls[-1:]}})


def together_chat(documents: Documents) -> Documents:
    return joined(documents, _chat_together)


def _chat_together(one: JsonObject, other: JsonObject) -> JsonObject | None:
    first, second = only(one, "choices"), only(other, "choices")
    if (
        first is None
        or second is None
        or index(first) != index(second)
        or first.get("finish_reason")
        or one.get("usage")
    ):
        return None
    ours, theirs = delta(first), delta(second)
    if "tool_calls" not in ours or theirs.keys() != {"tool_calls"} or ours.keys() - {"role", "tool_calls"}:
        return None
    calls = _gathered([*objs(ours["tool_calls"]), *objs(theirs["tool_calls"])])
    if calls is None:
        return None
    return with_only(
        {**one, **said(other)}, "choices", {**first, **said(second), "delta": {**ours, "tool_calls": calls}}
    )


def _gathered(pieces: list[JsonObject]) -> list[JsonObject] | None:
    """One entry a call; None where it is not certain which piece belongs to which."""
    calls: dict[int, JsonObject] = {}
    for piece in map(said, pieces):
        at = integer(piece.get("index"))
        begun = calls.get(at) if at is not None else None
        function = obj(piece.get("function"))
        if at is None or (begun is None and not piece.get("id")) or (begun is not None and not _goes_on(piece)):
            return None
        if begun is None:
            calls[at] = piece
            continue
        whole = obj(begun.get("function"))
        arguments = text(whole.get("arguments")) + text(function.get("arguments"))
        calls[at] = {**begun, "function": {**whole, "arguments": arguments}}
    return list(calls.values())


def _goes_on(piece: JsonObject) -> bool:
    """Whether a piece says nothing but more of its call's arguments."""
    function = obj(piece.get("function"))
    return not piece.get("id") and not function.get("name") and piece.keys() <= {"index", "type", "function", "id"}
