"""Chunks of Gemini and Chat streams with one candidate or choice, read and written anew.

Only what is understood whole is varied: ``only`` gives None for a chunk with several candidates, with none, or in
another spelling (google's snake_case).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.relations.relation import Documents
from bridgecheck.wire import JsonObject

Many: TypeAlias = Literal["candidates", "choices"]

FINISH: Final[dict[Many, str]] = {"candidates": "finishReason", "choices": "finish_reason"}
USAGE: Final[dict[Many, str]] = {"candidates": "usageMetadata", "choices": "usage"}


def only(document: JsonObject, many: Many) -> JsonObject | None:
    """The one candidate or choice of a chunk."""
    found = arr(document.get(many))
    return obj(found[0]) if len(found) == 1 and isinstance(found[0], dict) else None


def with_only(document: JsonObject, many: Many, one: JsonObject) -> JsonObject:
    return {**document, many: [one]}


def without(document: JsonObject, *names: str) -> JsonObject:
    return {name: value for name, value in document.items() if name not in names}


def said(fields: JsonObject) -> JsonObject:
    """Without what is null: it says nothing."""
    return {name: value for name, value in fields.items() if value is not None}


def index(one: JsonObject) -> int:
    return integer(one.get("index")) or 0


def delta(choice: JsonObject) -> JsonObject:
    return said(obj(choice.get("delta")))


def parts(candidate: JsonObject) -> list[object]:
    return arr(obj(candidate.get("content")).get("parts"))


def with_parts(candidate: JsonObject, made: Sequence[object]) -> JsonObject:
    return {**candidate, "content": {**obj(candidate.get("content")), "parts": list(made)}}


def finishes(documents: Documents, many: Many) -> int:
    """How many chunks give a reason why the answer ended."""
    return sum(any(obj(one).get(FINISH[many]) for one in arr(document.get(many))) for document in documents)


def envelope(document: JsonObject, many: Many) -> JsonObject:
    """What names the answer in each of its chunks: ids, model, time."""
    return without(document, many, USAGE[many], "promptFeedback", "error")


def joined(documents: Documents, join: Callable[[JsonObject, JsonObject], JsonObject | None]) -> Documents:
    """Neighbours made one wherever ``join`` can; it gives None where it cannot."""
    made: list[JsonObject] = []
    for document in documents:
        together = join(made[-1], document) if made else None
        if together is None:
            made.append(document)
        else:
            made[-1] = together
    return tuple(made)


def each(documents: Documents, apart: Callable[[JsonObject], Iterator[JsonObject]]) -> Documents:
    """Every document replaced by what it is taken apart into."""
    return tuple(piece for document in documents for piece in apart(document))
