"""Chunks of Gemini and Chat streams with one candidate or choice, read and written anew.

Only what is understood whole is varied: ``only_choice`` gives None for a chunk with several candidates, with none, or
in another spelling (google's snake_case)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.wire import JsonObject

Documents: TypeAlias = tuple[JsonObject, ...]

Vary: TypeAlias = Callable[[Documents], Documents]
"""The events of one stream, sent in another way; the same events where there is nothing to vary."""

Recut: TypeAlias = Callable[[Sequence[bytes]], tuple[bytes, ...]]
"""The same for the chunks of a body."""

ChoicesKey: TypeAlias = Literal["candidates", "choices"]

FINISH: Final[dict[ChoicesKey, str]] = {"candidates": "finishReason", "choices": "finish_reason"}
USAGE: Final[dict[ChoicesKey, str]] = {"candidates": "usageMetadata", "choices": "usage"}


def only_choice(document: JsonObject, key: ChoicesKey) -> JsonObject | None:
    """Return the only candidate or choice of a chunk, None for none or several."""
    found = arr(document.get(key))
    return obj(found[0]) if len(found) == 1 and isinstance(found[0], dict) else None


def same_index_choices(first: JsonObject, second: JsonObject, key: ChoicesKey) -> tuple[JsonObject, JsonObject] | None:
    """Return the only candidates or choices of two chunks, None unless each has one and both have the same index."""
    earlier, later = only_choice(first, key), only_choice(second, key)
    if earlier is None or later is None or choice_index(earlier) != choice_index(later):
        return None
    return earlier, later


def with_only_choice(document: JsonObject, key: ChoicesKey, choice: JsonObject) -> JsonObject:
    return {**document, key: [choice]}


def drop_members(document: JsonObject, *names: str) -> JsonObject:
    return {name: value for name, value in document.items() if name not in names}


def drop_nulls(fields: JsonObject) -> JsonObject:
    return {name: value for name, value in fields.items() if value is not None}


def choice_index(choice: JsonObject) -> int:
    return integer(choice.get("index")) or 0


def non_null_delta(choice: JsonObject) -> JsonObject:
    return drop_nulls(obj(choice.get("delta")))


def candidate_parts(candidate: JsonObject) -> list[object]:
    return arr(obj(candidate.get("content")).get("parts"))


def with_candidate_parts(candidate: JsonObject, parts: Sequence[object]) -> JsonObject:
    return {**candidate, "content": {**obj(candidate.get("content")), "parts": list(parts)}}


def count_finished(chunks: Documents, key: ChoicesKey) -> int:
    """Return how many chunks have a finish reason."""
    return sum(any(obj(choice).get(FINISH[key]) for choice in arr(chunk.get(key))) for chunk in chunks)


def identifying_members(document: JsonObject, key: ChoicesKey) -> JsonObject:
    """Return the members that identify the response in each of its chunks: ids, model, time."""
    return drop_members(document, key, USAGE[key], "promptFeedback", "error")


def join_neighbours(documents: Documents, join: Callable[[JsonObject, JsonObject], JsonObject | None]) -> Documents:
    """Join neighbouring documents where ``join`` can; it returns None where it cannot."""
    result: list[JsonObject] = []
    for document in documents:
        merged = join(result[-1], document) if result else None
        if merged is None:
            result.append(document)
        else:
            result[-1] = merged
    return tuple(result)


def split_documents(documents: Documents, split: Callable[[JsonObject], Iterator[JsonObject]]) -> Documents:
    return tuple(piece for document in documents for piece in split(document))
