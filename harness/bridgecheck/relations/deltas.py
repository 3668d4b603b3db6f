"""deltas_merged, deltas_split: where the pieces of one text begin and end.

Text is split between code points, in the middle, and never a signed part; pieces that carry more than their text
(signatures, log probabilities, a finish reason) are not touched.
"""

from collections.abc import Iterator
from typing import Final

from bridgecheck.model.jsonvalue import integer, obj, objs, text
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

_TEXT_PART_KEYS: Final = frozenset({"text", "thought"})
_TEXT_FIELDS: Final = ("content", "reasoning_content", "reasoning", "refusal")
_CALL_KEYS: Final = frozenset({"index", "id", "type", "function"})
_FUNCTION_KEYS: Final = frozenset({"name", "arguments"})
_MERGEABLE_KEYS: Final = frozenset({"index", "content", "safetyRatings"})
"""All that a Gemini candidate may hold if it is to be merged with its neighbour."""

ANTHROPIC_TEXTS: Final = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}


def split_text(joined_text: str) -> tuple[str, str]:
    middle = len(joined_text) // 2
    return joined_text[:middle], joined_text[middle:]


# Gemini


def split_gemini_text(documents: Documents) -> Documents:
    return split_documents(documents, _split_gemini_chunk)


def _split_gemini_chunk(document: JsonObject) -> Iterator[JsonObject]:
    candidate = only_choice(document, "candidates")
    part = _only_text_part(candidate) if candidate is not None else None
    if candidate is None or part is None or len(text(part.get("text"))) < 2:
        yield document
        return
    head, tail = split_text(text(part["text"]))
    first = {"content": candidate["content"], **({"index": candidate["index"]} if "index" in candidate else {})}
    yield with_only_choice(
        drop_members(document, "promptFeedback"), "candidates", with_candidate_parts(first, [{**part, "text": head}])
    )
    yield with_only_choice(document, "candidates", with_candidate_parts(candidate, [{**part, "text": tail}]))


def merge_gemini_text(documents: Documents) -> Documents:
    return join_neighbours(documents, _merge_gemini_chunks)


def _merge_gemini_chunks(first_chunk: JsonObject, second_chunk: JsonObject) -> JsonObject | None:
    first, second = only_choice(first_chunk, "candidates"), only_choice(second_chunk, "candidates")
    if first is None or second is None or choice_index(first) != choice_index(second):
        return None
    first_fields, second_fields = _only_text_part(first), _only_text_part(second)
    bare = drop_nulls(first).keys() | drop_nulls(second).keys() <= _MERGEABLE_KEYS
    if (
        first_fields is None
        or second_fields is None
        or not bare
        or first_fields.get("thought") != second_fields.get("thought")
    ):
        return None
    joined_text = {**first_fields, "text": text(first_fields["text"]) + text(second_fields["text"])}
    return with_only_choice(
        {**first_chunk, **second_chunk}, "candidates", with_candidate_parts({**first, **second}, [joined_text])
    )


def _only_text_part(candidate: JsonObject) -> JsonObject | None:
    """Return the only part of a candidate, if it holds text and nothing else."""
    text_parts = candidate_parts(candidate)
    part = obj(text_parts[0]) if len(text_parts) == 1 else {}
    return part if part.keys() <= _TEXT_PART_KEYS and isinstance(part.get("text"), str) else None


# Chat


def split_chat_deltas(documents: Documents) -> Documents:
    """Split every delta of text or arguments, but not where two calls share an index: there a piece without an id has
    no owner."""
    return documents if _has_shared_call_index(documents) else split_documents(documents, _split_chat_chunk)


def _has_shared_call_index(documents: Documents) -> bool:
    ids: dict[object, set[str]] = {}
    for document in documents:
        for choice in objs(document.get("choices")):
            for call in objs(choice_delta(choice).get("tool_calls")):
                ids.setdefault((choice_index(choice), call.get("index")), set()).add(text(call.get("id")))
    return any(None in key for key in ids if isinstance(key, tuple)) or any(
        len(call_ids - {""}) > 1 for call_ids in ids.values()
    )


def _split_chat_chunk(document: JsonObject) -> Iterator[JsonObject]:
    choice = only_choice(document, "choices")
    pieces = _split_chat_delta(choice_delta(choice)) if choice is not None and not choice.get("logprobs") else None
    if choice is None or pieces is None:
        yield document
        return
    head, tail = pieces
    yield with_only_choice(
        drop_members(document, "usage"),
        "choices",
        {"index": choice_index(choice), "delta": head, "finish_reason": None},
    )
    yield with_only_choice(document, "choices", {**choice, "delta": tail})


def _split_chat_delta(fields: JsonObject) -> tuple[JsonObject, JsonObject] | None:
    role = {"role": fields["role"]} if "role" in fields else {}
    name = _only_text_field(fields)
    if name and len(text(fields[name])) > 1:
        head, tail = split_text(text(fields[name]))
        return {**role, name: head}, {name: tail}
    call = _only_plain_call(fields)
    function = obj(call.get("function")) if call else {}
    if call is None or len(text(function.get("arguments"))) < 2:
        return None
    head, tail = split_text(text(function["arguments"]))
    first_call = {**call, "function": {**function, "arguments": head}}
    return {**role, "tool_calls": [first_call]}, {
        "tool_calls": [{"index": call["index"], "function": {"arguments": tail}}],
    }


def merge_chat_deltas(documents: Documents) -> Documents:
    return documents if _has_shared_call_index(documents) else join_neighbours(documents, _merge_chat_chunks)


def _merge_chat_chunks(first_chunk: JsonObject, second_chunk: JsonObject) -> JsonObject | None:
    first, second = only_choice(first_chunk, "choices"), only_choice(second_chunk, "choices")
    if first is None or second is None or choice_index(first) != choice_index(second):
        return None
    rest_call = any(
        first_chunk.get("usage") or choice.get("finish_reason") or choice.get("logprobs") for choice in (first, second)
    )
    merged_delta = (
        None if rest_call or second_chunk.get("usage") else _merge_deltas(choice_delta(first), choice_delta(second))
    )
    return None if merged_delta is None else with_only_choice(first_chunk, "choices", {**first, "delta": merged_delta})


def _merge_deltas(first_fields: JsonObject, second_fields: JsonObject) -> JsonObject | None:
    name = _only_text_field(first_fields)
    if name and name == _only_text_field(second_fields) and "role" not in second_fields:
        return {**first_fields, name: text(first_fields[name]) + text(second_fields[name])}
    call, rest_call = _only_plain_call(first_fields), _only_plain_call(second_fields)
    if (
        call is None
        or rest_call is None
        or call["index"] != rest_call["index"]
        or rest_call.get("id")
        or "role" in second_fields
    ):
        return None
    function, rest = obj(call.get("function")), obj(rest_call.get("function"))
    if rest.get("name"):
        return None
    joined_text = text(function.get("arguments")) + text(rest.get("arguments"))
    return {**first_fields, "tool_calls": [{**call, "function": {**function, "arguments": joined_text}}]}


def _only_text_field(fields: JsonObject) -> str:
    """Return the field of the text that a delta is a piece of, "" if it holds anything else."""
    names = fields.keys() - {"role"}
    name = next(iter(names)) if len(names) == 1 else ""
    return name if name in _TEXT_FIELDS and isinstance(fields[name], str) else ""


def _only_plain_call(fields: JsonObject) -> JsonObject | None:
    """Return the only call that a delta is a piece of, if it holds nothing else and the call is neither signed nor
    without an index."""
    calls = list(objs(fields.get("tool_calls")))
    if fields.keys() - {"role"} != {"tool_calls"} or len(calls) != 1:
        return None
    call = drop_nulls(calls[0])
    function = drop_nulls(obj(call.get("function")))
    plain = call.keys() <= _CALL_KEYS and function.keys() <= _FUNCTION_KEYS and integer(call.get("index")) is not None
    return {**call, "function": function} if plain else None


# Anthropic


def split_anthropic_deltas(documents: Documents) -> Documents:
    return split_documents(documents, _split_event)


def _split_event(event: JsonObject) -> Iterator[JsonObject]:
    event_delta = obj(event.get("delta"))
    name = ANTHROPIC_TEXTS.get(text(event_delta.get("type")), "")
    joined_text = text(event_delta.get(name)) if event.get("type") == "content_block_delta" else ""
    pieces = split_text(joined_text) if len(joined_text) > 1 else (joined_text,)
    if len(pieces) == 1:
        yield event
        return
    for piece in pieces:
        yield {**event, "delta": {**event_delta, name: piece}}


def merge_anthropic_deltas(documents: Documents) -> Documents:
    return join_neighbours(documents, _merge_events)


def _merge_events(first_chunk: JsonObject, second_chunk: JsonObject) -> JsonObject | None:
    if first_chunk.get("type") != "content_block_delta" or second_chunk.get("type") != "content_block_delta":
        return None
    first_fields, second_fields = obj(first_chunk.get("delta")), obj(second_chunk.get("delta"))
    name = ANTHROPIC_TEXTS.get(text(first_fields.get("type")), "")
    same = first_chunk.get("index") == second_chunk.get("index") and first_fields.get("type") == second_fields.get(
        "type"
    )
    plain = first_fields.keys() | second_fields.keys() <= {"type", name}
    if not (name and same and plain):
        return None
    return {
        **first_chunk,
        "delta": {**first_fields, name: text(first_fields.get(name)) + text(second_fields.get(name))},
    }
