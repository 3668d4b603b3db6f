"""usage_every, usage_last, usage_alone: in which chunks the counts stand.

Counts in a stream are those of the whole answer so far, never to be added up. Not where a count falls on the way: which
one counts then, the last or the highest, is left to the adapter.
"""

from collections.abc import Sequence
from itertools import pairwise

from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.normalise.tree import merge_fields
from bridgecheck.relations.chunk import USAGE, Many, count_finishes, drop_members, shared_members
from bridgecheck.relations.relation import Documents, Vary
from bridgecheck.wire import JsonObject


def put_usage_on_every_chunk(many: Many) -> Vary:
    """Return a variation with the final counts in every chunk with content."""

    def vary(documents: Documents) -> Documents:
        counts, bare = _take_usage_out(documents, many)
        if not counts or not any(_has_content(document, many) for document in bare):
            return documents
        return tuple(
            {**document, USAGE[many]: counts} if _has_content(document, many) else document for document in bare
        )

    return vary


def put_usage_on_last_chunk(many: Many) -> Vary:
    """Return a variation with the final counts in the last chunk with content, and in no other."""

    def vary(documents: Documents) -> Documents:
        counts, bare = _take_usage_out(documents, many)
        at = max((at for at, document in enumerate(bare) if _has_content(document, many)), default=-1)
        if not counts or at < 0:
            return documents
        return (*bare[:at], {**bare[at], USAGE[many]: counts}, *bare[at + 1 :])

    return vary


def put_usage_in_own_chunk(many: Many) -> Vary:
    """Return a variation with the final counts in a chunk of their own, after all others."""

    def vary(documents: Documents) -> Documents:
        counts, bare = _take_usage_out(documents, many)
        if not counts or not bare:
            return documents
        empty: JsonObject = {"choices": []} if many == "choices" else {}
        return (*bare, {**shared_members(bare[-1], many), **empty, USAGE[many]: counts})

    return vary


def _take_usage_out(documents: Documents, many: Many) -> tuple[JsonObject, Documents]:
    """Return the final counts, and the chunks without any; chunks of nothing but counts are dropped. No counts where
    there are none, some fall, or the answer has no end, with which clients get their counts."""
    name = USAGE[many]
    counts: JsonObject = {}
    usages = [obj(document.get(name)) for document in documents if document.get(name)]
    for chunk in usages:
        merge_fields(counts, chunk)
    rest = tuple(
        drop_members(chunk, name)
        for chunk in documents
        if chunk.get(many) or not chunk.get(name) or "promptFeedback" in chunk
    )
    return (counts if count_finishes(documents, many) and not _has_falling_count(usages) else {}), rest


def _has_content(document: JsonObject, many: Many) -> bool:
    return any(obj(choice) for choice in arr(document.get(many)))


def _has_falling_count(usages: Sequence[JsonObject]) -> bool:
    return any(
        (integer(later.get(name)) or 0) < (integer(value) or 0)
        for earlier, later in pairwise(usages)
        for name, value in earlier.items()
        if name in later
    )


def repeat_anthropic_usage(events: Documents) -> Documents:
    """Repeat the counts of ``message_start`` in ``message_delta``."""
    start = _start_usage(events)
    return tuple(
        {**event, "usage": {**start, **obj(event.get("usage"))}} if event.get("type") == "message_delta" else event
        for event in events
    )


def drop_repeated_anthropic_usage(events: Documents) -> Documents:
    """Drop from ``message_delta`` the counts that ``message_start`` has."""
    start = _start_usage(events)
    return tuple(
        {**event, "usage": _new_counts(event, start)} if event.get("type") == "message_delta" else event
        for event in events
    )


def _start_usage(events: Documents) -> JsonObject:
    first = next((event for event in events if event.get("type") == "message_start"), {})
    return obj(obj(first.get("message")).get("usage"))


def _new_counts(event: JsonObject, start: JsonObject) -> JsonObject:
    counts = obj(event.get("usage"))
    return {
        name: value for name, value in counts.items() if name == "output_tokens" or (name, value) not in start.items()
    }
