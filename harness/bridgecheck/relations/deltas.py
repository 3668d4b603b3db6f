"""deltas_merged, deltas_split: where the pieces of one text begin and end.

Text is split between code points, in the middle, and never a signed part; pieces that carry more than their text
(signatures, log probabilities, a finish reason) are not touched."""

from collections.abc import Iterator
from typing import Final

from bridgecheck.model.jsonvalue import integer, obj, objs, text
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

_TEXT_PART_KEYS: Final = frozenset({"text", "thought"})
_TEXT_FIELDS: Final = ("content", "reasoning_content", "reasoning", "refusal")
_CALL_KEYS: Final = frozenset({"index", "id", "type", "function"})
_FUNCTION_KEYS: Final = frozenset({"name", "arguments"})
_MERGEABLE_KEYS: Final = frozenset({"index", "content", "safetyRatings"})
"""All that a Gemini candidate may hold if it is to be merged with its neighbour."""

ANTHROPIC_TEXTS: Final = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}


def halve_text(whole: str) -> tuple[str, str]:
    middle = len(whole) // 2
    return whole[:middle], whole[middle:]


# Gemini


def split_gemini_text(documents: Documents) -> Documents:
    return split_documents(documents, _split_gemini_chunk)


def _split_gemini_chunk(document: JsonObject) -> Iterator[JsonObject]:
    candidate = only_choice(document, "candidates")
    part = _only_text_part(candidate) if candidate is not None else None
    if candidate is None or part is None or len(text(part.get("text"))) < 2:
        yield document
        return
    head, tail = halve_text(text(part["text"]))
    bare: JsonObject = {key: candidate[key] for key in ("content", "index") if key in candidate}
    first = with_candidate_parts(bare, [{**part, "text": head}])
    yield with_only_choice(drop_members(document, "promptFeedback"), "candidates", first)
    yield with_only_choice(document, "candidates", with_candidate_parts(candidate, [{**part, "text": tail}]))


def merge_gemini_text(documents: Documents) -> Documents:
    return join_neighbours(documents, _merge_gemini_chunks)


def _merge_gemini_chunks(first_chunk: JsonObject, second_chunk: JsonObject) -> JsonObject | None:
    first, second = same_index_choices(first_chunk, second_chunk, "candidates") or ({}, {})
    part, more = _only_text_part(first), _only_text_part(second)
    if part is None or more is None or part.get("thought") != more.get("thought"):
        return None
    if not drop_nulls(first).keys() | drop_nulls(second).keys() <= _MERGEABLE_KEYS:
        return None
    merged = with_candidate_parts({**first, **second}, [{**part, "text": text(part["text"]) + text(more["text"])}])
    return with_only_choice({**first_chunk, **second_chunk}, "candidates", merged)


def _only_text_part(candidate: JsonObject) -> JsonObject | None:
    """Return the only part of a candidate, if it holds text and nothing else."""
    text_parts = candidate_parts(candidate)
    part = obj(text_parts[0]) if len(text_parts) == 1 else {}
    return part if part.keys() <= _TEXT_PART_KEYS and isinstance(part.get("text"), str) else None


# Chat


def split_chat_deltas(documents: Documents) -> Documents:
    """Split deltas of text or arguments, not where two calls share an index: a piece without id has no owner there."""
    return documents if _has_shared_or_missing_call_index(documents) else split_documents(documents, _split_chat_chunk)


def _has_shared_or_missing_call_index(documents: Documents) -> bool:
    ids: dict[tuple[int, object], set[str]] = {}
    for document in documents:
        for choice in objs(document.get("choices")):
            for call in objs(non_null_delta(choice).get("tool_calls")):
                ids.setdefault((choice_index(choice), call.get("index")), set()).add(text(call.get("id")))
    return any(index is None or len(call_ids - {""}) > 1 for (_, index), call_ids in ids.items())


def _split_chat_chunk(document: JsonObject) -> Iterator[JsonObject]:
    choice = only_choice(document, "choices")
    pieces = _split_chat_delta(non_null_delta(choice)) if choice is not None and not choice.get("logprobs") else None
    if choice is None or pieces is None:
        yield document
        return
    first = {"index": choice_index(choice), "delta": pieces[0], "finish_reason": None}
    yield with_only_choice(drop_members(document, "usage"), "choices", first)
    yield with_only_choice(document, "choices", {**choice, "delta": pieces[1]})


def _split_chat_delta(fields: JsonObject) -> tuple[JsonObject, JsonObject] | None:
    role = {"role": fields["role"]} if "role" in fields else {}
    name = _only_text_field(fields)
    if name and len(text(fields[name])) > 1:
        head, tail = halve_text(text(fields[name]))
        return {**role, name: head}, {name: tail}
    call = _only_unsigned_call(fields)
    function = obj(call.get("function")) if call else {}
    if call is None or len(text(function.get("arguments"))) < 2:
        return None
    head, tail = halve_text(text(function["arguments"]))
    rest = {"index": call["index"], "function": {"arguments": tail}}
    return {**role, "tool_calls": [{**call, "function": {**function, "arguments": head}}]}, {"tool_calls": [rest]}


def merge_chat_deltas(documents: Documents) -> Documents:
    return documents if _has_shared_or_missing_call_index(documents) else join_neighbours(documents, _merge_chat_chunks)


def _merge_chat_chunks(first_chunk: JsonObject, second_chunk: JsonObject) -> JsonObject | None:
    first, second = same_index_choices(first_chunk, second_chunk, "choices") or ({}, {})
    if any(choice.get("finish_reason") or choice.get("logprobs") for choice in (first, second)):
        return None
    has_usage = first_chunk.get("usage") or second_chunk.get("usage")
    merged = None if has_usage else _merge_chat_delta(non_null_delta(first), non_null_delta(second))
    return None if merged is None else with_only_choice(first_chunk, "choices", {**first, "delta": merged})


def _merge_chat_delta(first: JsonObject, second: JsonObject) -> JsonObject | None:
    name = _only_text_field(first)
    if "role" in second:
        return None
    if name and name == _only_text_field(second):
        return {**first, name: text(first[name]) + text(second[name])}
    call, more = _only_unsigned_call(first), _only_unsigned_call(second)
    if call is None or more is None or call["index"] != more["index"] or more.get("id"):
        return None
    function, rest = obj(call.get("function")), obj(more.get("function"))
    if rest.get("name"):
        return None
    arguments = text(function.get("arguments")) + text(rest.get("arguments"))
    return {**first, "tool_calls": [{**call, "function": {**function, "arguments": arguments}}]}


def _only_text_field(fields: JsonObject) -> str:
    """Return the field of the text that a delta is a piece of, "" if it holds anything else."""
    names = fields.keys() - {"role"}
    name = next(iter(names)) if len(names) == 1 else ""
    return name if name in _TEXT_FIELDS and isinstance(fields[name], str) else ""


def _only_unsigned_call(fields: JsonObject) -> JsonObject | None:
    """Return the only call that a delta is a piece of, if that is all it holds and the call is unsigned and indexed."""
    calls = list(objs(fields.get("tool_calls")))
    if fields.keys() - {"role"} != {"tool_calls"} or len(calls) != 1:
        return None
    call = drop_nulls(calls[0])
    function = drop_nulls(obj(call.get("function")))
    plain = call.keys() <= _CALL_KEYS and function.keys() <= _FUNCTION_KEYS and integer(call.get("index")) is not None
    return {**call, "function": function} if plain else None


# Anthropic


def split_anthropic_deltas(documents: Documents) -> Documents:
    return split_documents(documents, _split_anthropic_event)


def _split_anthropic_event(event: JsonObject) -> Iterator[JsonObject]:
    delta = obj(event.get("delta"))
    name = ANTHROPIC_TEXTS.get(text(delta.get("type")), "")
    whole = text(delta.get(name)) if event.get("type") == "content_block_delta" else ""
    if len(whole) < 2:
        yield event
        return
    for piece in halve_text(whole):
        yield {**event, "delta": {**delta, name: piece}}


def merge_anthropic_deltas(documents: Documents) -> Documents:
    return join_neighbours(documents, _merge_anthropic_events)


def _merge_anthropic_events(first: JsonObject, second: JsonObject) -> JsonObject | None:
    if any(event.get("type") != "content_block_delta" for event in (first, second)):
        return None
    delta, more = obj(first.get("delta")), obj(second.get("delta"))
    name = ANTHROPIC_TEXTS.get(text(delta.get("type")), "")
    if not name or first.get("index") != second.get("index") or delta.get("type") != more.get("type"):
        return None
    if not delta.keys() | more.keys() <= {"type", name}:
        return None
    return {**first, "delta": {**delta, name: text(delta.get(name)) + text(more.get(name))}}
