"""calls_together, calls_apart: parallel calls in one chunk, or one in each.

A signature stands on its own call and moves with it. Calls whose arguments come in pieces are collected under their
index; calls that have none, or share one, stay as they are."""

from collections.abc import Iterator

from bridgecheck.model.jsonvalue import arr, integer, obj, objs, text
from bridgecheck.relations.chunk import (
    Documents,
    candidate_parts,
    choice_index,
    drop_members,
    drop_nulls,
    join_neighbours,
    non_null_delta,
    only_choice,
    same_index_choices,
    split_documents,
    with_candidate_parts,
    with_only_choice,
)
from bridgecheck.wire import JsonObject

# Gemini


def split_gemini_calls(documents: Documents) -> Documents:
    return split_documents(documents, _split_gemini_chunk)


def _split_gemini_chunk(document: JsonObject) -> Iterator[JsonObject]:
    candidate = only_choice(document, "candidates")
    call_parts = candidate_parts(candidate) if candidate is not None else []
    if candidate is None or sum("functionCall" in obj(part) for part in call_parts) < 2:
        yield document
        return
    bare = {"content": candidate["content"], "index": choice_index(candidate)}
    for part in call_parts[:-1]:
        yield with_only_choice(document, "candidates", with_candidate_parts(bare, [part]))
    yield with_only_choice(document, "candidates", with_candidate_parts(candidate, call_parts[-1:]))


def join_gemini_calls(documents: Documents) -> Documents:
    return join_neighbours(documents, _join_gemini_chunks)


def _join_gemini_chunks(first_chunk: JsonObject, second_chunk: JsonObject) -> JsonObject | None:
    first, second = same_index_choices(first_chunk, second_chunk, "candidates") or ({}, {})
    if first.get("finishReason") or not (_holds_only_calls_all_whole(first) and _holds_only_calls_all_whole(second)):
        return None
    joined = with_candidate_parts({**first, **second}, [*candidate_parts(first), *candidate_parts(second)])
    return with_only_choice({**first_chunk, **second_chunk}, "candidates", joined)


def _holds_only_calls_all_whole(candidate: JsonObject) -> bool:
    calls = [obj(obj(part).get("functionCall")) for part in candidate_parts(candidate)]
    return bool(calls) and all(call and not {"partialArgs", "willContinue"} & call.keys() for call in calls)


# Chat


def split_chat_calls(documents: Documents) -> Documents:
    return split_documents(documents, _split_chat_chunk)


def _split_chat_chunk(document: JsonObject) -> Iterator[JsonObject]:
    choice = only_choice(document, "choices")
    calls = arr(non_null_delta(choice).get("tool_calls")) if choice is not None else []
    if choice is None or len(calls) < 2:
        yield document
        return
    bare = drop_members(document, "usage")
    fields = non_null_delta(choice)
    for call in calls[:-1]:
        delta = {**fields, "tool_calls": [call]}
        yield with_only_choice(bare, "choices", {**choice, "finish_reason": None, "delta": delta})
        fields = {}
    yield with_only_choice(document, "choices", {**choice, "delta": {"tool_calls": calls[-1:]}})


def join_chat_call_pieces(documents: Documents) -> Documents:
    return join_neighbours(documents, _join_chat_call_chunks)


def _join_chat_call_chunks(first_chunk: JsonObject, second_chunk: JsonObject) -> JsonObject | None:
    first, second = same_index_choices(first_chunk, second_chunk, "choices") or ({}, {})
    if first.get("finish_reason") or first_chunk.get("usage"):
        return None
    delta, second_delta = non_null_delta(first), non_null_delta(second)
    if delta.keys() - {"role"} != {"tool_calls"} or second_delta.keys() != {"tool_calls"}:
        return None
    calls = _merge_call_pieces([*objs(delta["tool_calls"]), *objs(second_delta["tool_calls"])])
    if calls is None:
        return None
    joined = {**first, **drop_nulls(second), "delta": {**delta, "tool_calls": calls}}
    return with_only_choice({**first_chunk, **drop_nulls(second_chunk)}, "choices", joined)


def _merge_call_pieces(pieces: list[JsonObject]) -> list[JsonObject] | None:
    """Return one entry per call; None where it is not certain which piece belongs to which."""
    calls: dict[int, JsonObject] = {}
    for piece in map(drop_nulls, pieces):
        at = integer(piece.get("index"))
        if at is None or not (_continues_arguments(piece) if at in calls else piece.get("id")):
            return None
        if at not in calls:
            calls[at] = piece
            continue
        function, more = obj(calls[at].get("function")), obj(piece.get("function"))
        arguments = text(function.get("arguments")) + text(more.get("arguments"))
        calls[at] = {**calls[at], "function": {**function, "arguments": arguments}}
    return list(calls.values())


def _continues_arguments(piece: JsonObject) -> bool:
    """Return whether a piece holds nothing but more of its call's arguments."""
    function = obj(piece.get("function"))
    return not piece.get("id") and not function.get("name") and piece.keys() <= {"index", "type", "function", "id"}
