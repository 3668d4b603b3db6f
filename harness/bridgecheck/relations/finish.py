"""finish_alone, finish_with_text: whether the finish reason comes with the last text or after it.

Not where a stream gives several reasons: which one counts is another matter.
"""

from collections.abc import Iterator
from typing import Final

from bridgecheck.model.jsonvalue import obj
from bridgecheck.relations.chunk import (
    FINISH,
    Many,
    candidate_parts,
    choice_delta,
    choice_index,
    count_finishes,
    drop_members,
    drop_nulls,
    join_neighbours,
    only_choice,
    split_documents,
    with_only_choice,
)
from bridgecheck.relations.relation import Documents, Vary
from bridgecheck.wire import JsonObject

_EMPTY_VALUES: Final[tuple[object, ...]] = ("", [], {})


def move_finish_to_own_chunk(many: Many) -> Vary:
    """Return a variation with the finish reason in a chunk after the last text. Counts, ratings and citations stay
    beside it."""

    def vary(documents: Documents) -> Documents:
        return (
            split_documents(documents, lambda document: _split_finish(document, many))
            if count_finishes(documents, many) == 1
            else documents
        )

    return vary


def move_finish_to_last_text(many: Many) -> Vary:
    """Return a variation with the finish reason in the chunk of the last text, with all that came beside it."""

    def vary(documents: Documents) -> Documents:
        if count_finishes(documents, many) != 1:
            return documents
        return join_neighbours(documents, lambda first, second: _join_finish(first, second, many))

    return vary


def _split_finish(document: JsonObject, many: Many) -> Iterator[JsonObject]:
    choice = only_choice(document, many)
    if choice is None or not choice.get(FINISH[many]) or _is_empty_choice(choice, many):
        yield document
    elif many == "candidates":
        yield with_only_choice(document, many, {"content": choice["content"], "index": choice_index(choice)})
        content = drop_members(obj(choice["content"]), "parts")
        yield with_only_choice(document, many, {**choice, "content": {**content, "parts": [{"text": ""}]}})
    else:
        yield with_only_choice(drop_members(document, "usage"), many, {**choice, FINISH[many]: None})
        yield with_only_choice(document, many, {**drop_members(choice, "logprobs"), "delta": {}})


def _join_finish(first_chunk: JsonObject, second_chunk: JsonObject, many: Many) -> JsonObject | None:
    first, second = only_choice(first_chunk, many), only_choice(second_chunk, many)
    if first is None or second is None or choice_index(first) != choice_index(second):
        return None
    if (
        _is_empty_choice(first, many)
        or first.get(FINISH[many])
        or not second.get(FINISH[many])
        or not _is_empty_choice(second, many)
    ):
        return None
    last = drop_members(drop_nulls(second), "content", "delta")
    return with_only_choice({**first_chunk, **drop_nulls(second_chunk)}, many, {**first, **last})


def _is_empty_choice(choice: JsonObject, many: Many) -> bool:
    """Return whether a candidate or choice holds nothing: an empty text is nothing, a signed one is not."""
    if many == "candidates":
        return all(part == {"text": ""} for part in candidate_parts(choice))
    return all(value in _EMPTY_VALUES for name, value in choice_delta(choice).items() if name != "role")
