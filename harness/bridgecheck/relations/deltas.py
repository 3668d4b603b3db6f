"""deltas_merged, deltas_split: where the pieces of one text begin and end.

Text is split between code points, in the middle, and never a signed part; pieces that carry more than their text
(signatures, log probabilities, a finish reason) are not touched.
"""

from collections.abc import Iterator
from typing import Final

from bridgecheck.model.jsonvalue import integer, obj, objs, text
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

_PLAIN: Final = frozenset({"text", "thought"})
_TEXTS: Final = ("content", "reasoning_content", "reasoning", "refusal")
_CALL: Final = frozenset({"index", "id", "type", "function"})
_FUNCTION: Final = frozenset({"name", "arguments"})
_BARE: Final = frozenset({"index", "content", "safetyRatings"})
"""All that a Gemini candidate may say if it is to be merged with its neighbour."""

ANTHROPIC_TEXTS: Final = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}


def halves(whole: str) -> tuple[str, str]:
    middle = len(whole) // 2
    return whole[:middle], whole[middle:]


# Gemini


def split_gemini(documents: Documents) -> Documents:
    return each(documents, _gemini_apart)


def _gemini_apart(document: JsonObject) -> Iterator[JsonObject]:
    candidate = only(document, "candidates")
    part = _plain_part(candidate) if candidate is not None else None
    if candidate is None or part is None or len(text(part.get("text"))) < 2:
        yield document
        return
    head, tail = halves(text(part["text"]))
    first = {"content": candidate["content"], **({"index": candidate["index"]} if "index" in candidate else {})}
    yield with_only(without(document, "promptFeedback"), "candidates", with_parts(first, [{**part, "text": head}]))
    yield with_only(document, "candidates", with_parts(candidate, [{**part, "text": tail}]))


def merge_gemini(documents: Documents) -> Documents:
    return joined(documents, _gemini_together)


def _gemini_together(one: JsonObject, other: JsonObject) -> JsonObject | None:
    first, second = only(one, "candidates"), only(other, "candidates")
    if first is None or second is None or index(first) != index(second):
        return None
    ours, theirs = _plain_part(first), _plain_part(second)
    bare = said(first).keys() | said(second).keys() <= _BARE
    if ours is None or theirs is None or not bare or ours.get("thought") != theirs.get("thought"):
        return None
    whole = {**ours, "text": text(ours["text"]) + text(theirs["text"])}
    return with_only({**one, **other}, "candidates", with_parts({**first, **second}, [whole]))


def _plain_part(candidate: JsonObject) -> JsonObject | None:
    """The one part of a candidate that says its text and nothing else."""
    found = parts(candidate)
    part = obj(found[0]) if len(found) == 1 else {}
    return part if part.keys() <= _PLAIN and isinstance(part.get("text"), str) else None


# Chat


def split_chat(documents: Documents) -> Documents:
    """Not where two calls share an index: there a piece without an id has no owner."""
    return documents if _shared(documents) else each(documents, _chat_apart)


def _shared(documents: Documents) -> bool:
    ids: dict[object, set[str]] = {}
    for document in documents:
        for choice in objs(document.get("choices")):
            for call in objs(delta(choice).get("tool_calls")):
                ids.setdefault((index(choice), call.get("index")), set()).add(text(call.get("id")))
    return any(None in key for key in ids if isinstance(key, tuple)) or any(
        len(seen - {""}) > 1 for seen in ids.values()
    )


def _chat_apart(document: JsonObject) -> Iterator[JsonObject]:
    choice = only(document, "choices")
    pieces = _chat_halves(delta(choice)) if choice is not None and not choice.get("logprobs") else None
    if choice is None or pieces is None:
        yield document
        return
    head, tail = pieces
    yield with_only(
        without(document, "usage"), "choices", {"index": index(choice), "delta": head, "finish_reason": None}
    )
    yield with_only(document, "choices", {**choice, "delta": tail})


def _chat_halves(fields: JsonObject) -> tuple[JsonObject, JsonObject] | None:
    role = {"role": fields["role"]} if "role" in fields else {}
    name = _text_name(fields)
    if name and len(text(fields[name])) > 1:
        head, tail = halves(text(fields[name]))
        return {**role, name: head}, {name: tail}
    call = _plain_call(fields)
    function = obj(call.get("function")) if call else {}
    if call is None or len(text(function.get("arguments"))) < 2:
        return None
    head, tail = halves(text(function["arguments"]))
    begun = {**call, "function": {**function, "arguments": head}}
    return {**role, "tool_calls": [begun]}, {
        "tool_calls": [{"index": call["index"], "function": {"arguments": tail}}],
    }


def merge_chat(documents: Documents) -> Documents:
    return documents if _shared(documents) else joined(documents, _chat_together)


def _chat_together(one: JsonObject, other: JsonObject) -> JsonObject | None:
    first, second = only(one, "choices"), only(other, "choices")
    if first is None or second is None or index(first) != index(second):
        return None
    more = any(one.get("usage") or choice.get("finish_reason") or choice.get("logprobs") for choice in (first, second))
    made = None if more or other.get("usage") else _joined_delta(delta(first), delta(second))
    return None if made is None else with_only(one, "choices", {**first, "delta": made})


def _joined_delta(ours: JsonObject, theirs: JsonObject) -> JsonObject | None:
    name = _text_name(ours)
    if name and name == _text_name(theirs) and "role" not in theirs:
        return {**ours, name: text(ours[name]) + text(theirs[name])}
    call, more = _plain_call(ours), _plain_call(theirs)
    if call is None or more is None or call["index"] != more["index"] or more.get("id") or "role" in theirs:
        return None
    function, rest = obj(call.get("function")), obj(more.get("function"))
    if rest.get("name"):
        return None
    whole = text(function.get("arguments")) + text(rest.get("arguments"))
    return {**ours, "tool_calls": [{**call, "function": {**function, "arguments": whole}}]}


def _text_name(fields: JsonObject) -> str:
    """Which text a delta is a piece of, if it says nothing else; ""."""
    names = fields.keys() - {"role"}
    name = next(iter(names)) if len(names) == 1 else ""
    return name if name in _TEXTS and isinstance(fields[name], str) else ""


def _plain_call(fields: JsonObject) -> JsonObject | None:
    """The one call that a delta is a piece of, if it says nothing else and the call is neither signed nor without an
    index."""
    calls = list(objs(fields.get("tool_calls")))
    if fields.keys() - {"role"} != {"tool_calls"} or len(calls) != 1:
        return None
    call = said(calls[0])
    function = said(obj(call.get("function")))
    plain = call.keys() <= _CALL and function.keys() <= _FUNCTION and integer(call.get("index")) is not None
    return {**call, "function": function} if plain else None


# Anthropic


def split_anthropic(documents: Documents) -> Documents:
    return each(documents, _event_apart)


def _event_apart(event: JsonObject) -> Iterator[JsonObject]:
    said_in = obj(event.get("delta"))
    name = ANTHROPIC_TEXTS.get(text(said_in.get("type")), "")
    whole = text(said_in.get(name)) if event.get("type") == "content_block_delta" else ""
    pieces = halves(whole) if len(whole) > 1 else (whole,)
    if len(pieces) == 1:
        yield event
        return
    for piece in pieces:
        yield {**event, "delta": {**said_in, name: piece}}


def merge_anthropic(documents: Documents) -> Documents:
    return joined(documents, _events_together)


def _events_together(one: JsonObject, other: JsonObject) -> JsonObject | None:
    if one.get("type") != "content_block_delta" or other.get("type") != "content_block_delta":
        return None
    ours, theirs = obj(one.get("delta")), obj(other.get("delta"))
    name = ANTHROPIC_TEXTS.get(text(ours.get("type")), "")
    same = one.get("index") == other.get("index") and ours.get("type") == theirs.get("type")
    plain = ours.keys() | theirs.keys() <= {"type", name}
    if not (name and same and plain):
        return None
    return {**one, "delta": {**ours, name: text(ours.get(name)) + text(theirs.get(name))}}
