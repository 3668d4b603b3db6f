"""finish_alone, finish_with_text, usage_every, usage_last, usage_alone: in which chunks finish reason and counts stand.

Not where a stream gives several finish reasons: which one counts is another matter. Counts in a stream are those of the
whole answer so far, never to be added up. Not where a count falls on the way: which one counts then, the last or the
highest, is left to the adapter."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.normalise.tree import merge_fields
from bridgecheck.relations.chunk import (
    FINISH,
    USAGE,
    ChoicesKey,
    Documents,
    candidate_parts,
    choice_index,
    count_finished,
    drop_members,
    drop_nulls,
    identifying_members,
    join_neighbours,
    non_null_delta,
    only_choice,
    same_index_choices,
    split_documents,
    with_only_choice,
)
from bridgecheck.wire import JsonObject

_EMPTY_VALUES: Final[tuple[object, ...]] = ("", [], {})


def move_finish_to_own_chunk(documents: Documents, key: ChoicesKey) -> Documents:
    """Move the finish reason to a chunk after the last text, with counts, ratings and citations beside it."""
    if count_finished(documents, key) != 1:
        return documents
    return split_documents(documents, lambda document: _split_finish(document, key))


def move_finish_to_last_text(documents: Documents, key: ChoicesKey) -> Documents:
    """Move the finish reason to the chunk of the last text, with all that came beside it."""
    if count_finished(documents, key) != 1:
        return documents
    return join_neighbours(documents, lambda first, second: _join_finish(first, second, key))


def _split_finish(document: JsonObject, key: ChoicesKey) -> Iterator[JsonObject]:
    choice = only_choice(document, key)
    if choice is None or not choice.get(FINISH[key]) or _has_empty_content(choice, key):
        yield document
    elif key == "candidates":
        yield with_only_choice(document, key, {"content": choice["content"], "index": choice_index(choice)})
        content = drop_members(obj(choice["content"]), "parts")
        yield with_only_choice(document, key, {**choice, "content": {**content, "parts": [{"text": ""}]}})
    else:
        yield with_only_choice(drop_members(document, "usage"), key, {**choice, FINISH[key]: None})
        yield with_only_choice(document, key, {**drop_members(choice, "logprobs"), "delta": {}})


def _join_finish(first_chunk: JsonObject, second_chunk: JsonObject, key: ChoicesKey) -> JsonObject | None:
    first, second = same_index_choices(first_chunk, second_chunk, key) or ({}, {})
    if not second.get(FINISH[key]) or not _has_empty_content(second, key):
        return None
    if first.get(FINISH[key]) or _has_empty_content(first, key):
        return None
    last = drop_members(drop_nulls(second), "content", "delta")
    return with_only_choice({**first_chunk, **drop_nulls(second_chunk)}, key, {**first, **last})


def _has_empty_content(choice: JsonObject, key: ChoicesKey) -> bool:
    """Return whether a candidate or choice holds nothing: an empty text is nothing, a signed one is not."""
    if key == "candidates":
        return all(part == {"text": ""} for part in candidate_parts(choice))
    return all(value in _EMPTY_VALUES for name, value in non_null_delta(choice).items() if name != "role")


def put_usage_on_every_chunk(documents: Documents, key: ChoicesKey) -> Documents:
    """Put the final counts in every chunk with content."""
    counts, bare = _take_out_usage(documents, key)
    if not counts or not any(_has_any_choice(chunk, key) for chunk in bare):
        return documents
    return tuple({**chunk, USAGE[key]: counts} if _has_any_choice(chunk, key) else chunk for chunk in bare)


def put_usage_on_last_chunk(documents: Documents, key: ChoicesKey) -> Documents:
    """Put the final counts in the last chunk with content, and in no other."""
    counts, bare = _take_out_usage(documents, key)
    at = max((at for at, chunk in enumerate(bare) if _has_any_choice(chunk, key)), default=-1)
    if not counts or at < 0:
        return documents
    return (*bare[:at], {**bare[at], USAGE[key]: counts}, *bare[at + 1 :])


def put_usage_in_own_chunk(documents: Documents, key: ChoicesKey) -> Documents:
    """Put the final counts in a chunk of their own, after all others."""
    counts, bare = _take_out_usage(documents, key)
    if not counts or not bare:
        return documents
    empty: JsonObject = {"choices": []} if key == "choices" else {}
    return (*bare, {**identifying_members(bare[-1], key), **empty, USAGE[key]: counts})


def _take_out_usage(documents: Documents, key: ChoicesKey) -> tuple[JsonObject, Documents]:
    """Return the final counts, and the chunks without any; chunks of nothing but counts are dropped. No counts where
    there are none, some fall, or the answer has no end, with which clients get their counts."""
    name = USAGE[key]
    counts: JsonObject = {}
    usages = [obj(document.get(name)) for document in documents if document.get(name)]
    for chunk in usages:
        merge_fields(counts, chunk)
    rest = tuple(
        drop_members(chunk, name)
        for chunk in documents
        if chunk.get(key) or not chunk.get(name) or "promptFeedback" in chunk
    )
    return (counts if count_finished(documents, key) and not _has_falling_count(usages) else {}), rest


def _has_any_choice(document: JsonObject, key: ChoicesKey) -> bool:
    return any(obj(choice) for choice in arr(document.get(key)))


def _has_falling_count(usages: Sequence[JsonObject]) -> bool:
    return any(
        (integer(later.get(name)) or 0) < (integer(value) or 0)
        for earlier, later in pairwise(usages)
        for name, value in earlier.items()
        if name in later
    )


def repeat_anthropic_usage(events: Documents) -> Documents:
    """Repeat the counts of ``message_start`` in ``message_delta``."""
    return _change_message_delta_usage(events, lambda start, counts: {**start, **counts})


def drop_repeated_anthropic_usage(events: Documents) -> Documents:
    """Drop from ``message_delta`` the counts that ``message_start`` has."""
    return _change_message_delta_usage(events, _drop_counts_of_start)


def _drop_counts_of_start(start: JsonObject, counts: JsonObject) -> JsonObject:
    return {key: value for key, value in counts.items() if key == "output_tokens" or (key, value) not in start.items()}


def _change_message_delta_usage(events: Documents, change: Callable[[JsonObject, JsonObject], JsonObject]) -> Documents:
    """Return the events with this usage changed. ``change`` gets that of ``message_start`` and its own."""
    first = next((event for event in events if event.get("type") == "message_start"), {})
    start = obj(obj(first.get("message")).get("usage"))
    return tuple(
        {**event, "usage": change(start, obj(event.get("usage")))} if event.get("type") == "message_delta" else event
        for event in events
    )
