"""calls_together, calls_apart: parallel calls in one chunk, or one in each.

A signature stands on its own call and moves with it. Calls whose arguments come in pieces are collected under their
index; calls that have none, or share one, stay as they are.
"""

from collections.abc import Iterator

from bridgecheck.model.jsonvalue import arr, integer, obj, objs, text
from bridgecheck.relations.chunk import (
    candidate_parts,
    choice_delta,
    choice_index,
    drop_members,
    drop_nulls,
    join_neighbours,
    only_choice,
    split_documents,
    with_candidate_parts,
    with_only_choice,
)
from bridgecheck.relations.relation import Documents
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
    for part in call_parts[:-1]:
        yield with_only_choice(
            document,
            "candidates",
            with_candidate_parts({"content": candidate["content"], "index": choice_index(candidate)}, [part]),
        )
    yield with_only_choice(document, "candidates", with_candidate_parts(candidate, call_parts[-1:]))


def join_gemini_calls(documents: Documents) -> Documents:
    return join_neighbours(documents, _join_gemini_chunks)


def _join_gemini_chunks(first_chunk: JsonObject, second_chunk: JsonObject) -> JsonObject | None:
    first, second = only_choice(first_chunk, "candidates"), only_choice(second_chunk, "candidates")
    if first is None or second is None or choice_index(first) != choice_index(second) or first.get("finishReason"):
        return None
    if not (_has_only_whole_calls(first) and _has_only_whole_calls(second)):
        return None
    return with_only_choice(
        {**first_chunk, **second_chunk},
        "candidates",
        with_candidate_parts({**first, **second}, [*candidate_parts(first), *candidate_parts(second)]),
    )


def _has_only_whole_calls(candidate: JsonObject) -> bool:
    """Return whether a candidate holds whole calls and nothing else."""
    calls = [obj(obj(part).get("functionCall")) for part in candidate_parts(candidate)]
    return bool(calls) and all(call and not {"partialArgs", "willContinue"} & call.keys() for call in calls)


# Chat


def split_chat_calls(documents: Documents) -> Documents:
    return split_documents(documents, _split_chat_chunk)


def _split_chat_chunk(document: JsonObject) -> Iterator[JsonObject]:
    choice = only_choice(document, "choices")
    calls = arr(choice_delta(choice).get("tool_calls")) if choice is not None else []
    if choice is None or len(calls) < 2:
        yield document
        return
    before: JsonObject = {**choice, "finish_reason": None}
    fields = choice_delta(choice)
    for call in calls[:-1]:
        yield with_only_choice(
            drop_members(document, "usage"), "choices", {**before, "delta": {**fields, "tool_calls": [call]}}
        )
        fields = {}
    yield with_only_choice(document, "choices", {**choice, "delta": {"tool_calls": calls[-1:]}})


def join_chat_calls(documents: Documents) -> Documents:
    return join_neighbours(documents, _join_chat_chunks)


def _join_chat_chunks(first_chunk: JsonObject, second_chunk: JsonObject) -> JsonObject | None:
    first, second = only_choice(first_chunk, "choices"), only_choice(second_chunk, "choices")
    if (
        first is None
        or second is None
        or choice_index(first) != choice_index(second)
        or first.get("finish_reason")
        or first_chunk.get("usage")
    ):
        return None
    first_delta, second_delta = choice_delta(first), choice_delta(second)
    if (
        "tool_calls" not in first_delta
        or second_delta.keys() != {"tool_calls"}
        or first_delta.keys() - {"role", "tool_calls"}
    ):
        return None
    calls = _collect_calls([*objs(first_delta["tool_calls"]), *objs(second_delta["tool_calls"])])
    if calls is None:
        return None
    return with_only_choice(
        {**first_chunk, **drop_nulls(second_chunk)},
        "choices",
        {**first, **drop_nulls(second), "delta": {**first_delta, "tool_calls": calls}},
    )


def _collect_calls(pieces: list[JsonObject]) -> list[JsonObject] | None:
    """Return one entry per call; None where it is not certain which piece belongs to which."""
    calls: dict[int, JsonObject] = {}
    for piece in map(drop_nulls, pieces):
        at = integer(piece.get("index"))
        earlier_piece = calls.get(at) if at is not None else None
        function = obj(piece.get("function"))
        if (
            at is None
            or (earlier_piece is None and not piece.get("id"))
            or (earlier_piece is not None and not _continues_arguments(piece))
        ):
            return None
        if earlier_piece is None:
            calls[at] = piece
            continue
        earlier_function = obj(earlier_piece.get("function"))
        arguments = text(earlier_function.get("arguments")) + text(function.get("arguments"))
        calls[at] = {**earlier_piece, "function": {**earlier_function, "arguments": arguments}}
    return list(calls.values())


def _continues_arguments(piece: JsonObject) -> bool:
    """Return whether a piece holds nothing but more of its call's arguments."""
    function = obj(piece.get("function"))
    return not piece.get("id") and not function.get("name") and piece.keys() <= {"index", "type", "function", "id"}
