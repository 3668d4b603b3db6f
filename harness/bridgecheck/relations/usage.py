"""usage_every, usage_last, usage_alone: in which chunks the counts stand.

Counts in a stream are those of the whole answer so far, never to be added up. Not where a count falls on the way: which
one counts then, the last or the highest, is left to the adapter.
"""

from collections.abc import Sequence
from itertools import pairwise

from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.normalise.tree import merge_fields
from bridgecheck.relations.chunk import USAGE, Many, envelope, finishes, without
from bridgecheck.relations.relation import Documents, Vary
from bridgecheck.wire import JsonObject


def on_every(many: Many) -> Vary:
    """The final counts in every chunk that says something."""

    def vary(documents: Documents) -> Documents:
        counts, bare = _taken_out(documents, many)
        if not counts or not any(_speaks(document, many) for document in bare):
            return documents
        return tuple({**document, USAGE[many]: counts} if _speaks(document, many) else document for document in bare)

    return vary


def on_last(many: Many) -> Vary:
    """The final counts in the last chunk that says something, and in no other."""

    def vary(documents: Documents) -> Documents:
        counts, bare = _taken_out(documents, many)
        at = max((at for at, document in enumerate(bare) if _speaks(document, many)), default=-1)
        if not counts or at < 0:
            return documents
        return (*bare[:at], {**bare[at], USAGE[many]: counts}, *bare[at + 1 :])

    return vary


def alone(many: Many) -> Vary:
    """The final counts in a chunk of their own, after all others."""

    def vary(documents: Documents) -> Documents:
        counts, bare = _taken_out(documents, many)
        if not counts or not bare:
            return documents
        empty: JsonObject = {"choices": []} if many == "choices" else {}
        return (*bare, {**envelope(bare[-1], many), **empty, USAGE[many]: counts})

    return vary


def _taken_out(documents: Documents, many: Many) -> tuple[JsonObject, Documents]:
    """The final counts, and the chunks without any; chunks of nothing but counts are left out. No counts where there
    are none, some fall, or the answer has no end, with which clients get their counts."""
    name = USAGE[many]
    counts: JsonObject = {}
    given = [obj(document.get(name)) for document in documents if document.get(name)]
    for one in given:
        merge_fields(counts, one)
    kept = tuple(
        without(one, name) for one in documents if one.get(many) or not one.get(name) or "promptFeedback" in one
    )
    return (counts if finishes(documents, many) and not _falls(given) else {}), kept


def _speaks(document: JsonObject, many: Many) -> bool:
    return any(obj(one) for one in arr(document.get(many)))


def _falls(given: Sequence[JsonObject]) -> bool:
    return any(
        (integer(later.get(name)) or 0) < (integer(value) or 0)
        for earlier, later in pairwise(given)
        for name, value in earlier.items()
        if name in later
    )


def anthropic_every(events: Documents) -> Documents:
    """``message_delta`` says again what ``message_start`` has said."""
    start = _started(events)
    return tuple(
        {**event, "usage": {**start, **obj(event.get("usage"))}} if event.get("type") == "message_delta" else event
        for event in events
    )


def anthropic_last(events: Documents) -> Documents:
    """``message_delta`` says only what ``message_start`` has not."""
    start = _started(events)
    return tuple(
        {**event, "usage": _news(event, start)} if event.get("type") == "message_delta" else event for event in events
    )


def _started(events: Documents) -> JsonObject:
    first = next((event for event in events if event.get("type") == "message_start"), {})
    return obj(obj(first.get("message")).get("usage"))


def _news(event: JsonObject, start: JsonObject) -> JsonObject:
    counts = obj(event.get("usage"))
    return {
        name: value for name, value in counts.items() if name == "output_tokens" or (name, value) not in start.items()
    }
