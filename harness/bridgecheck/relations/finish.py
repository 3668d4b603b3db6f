"""finish_alone, finish_with_text: whether the reason why an answer ended comes with its last words or after them.

Not where a stream gives several reasons: which one counts is another matter.
"""

from collections.abc import Iterator
from typing import Final

from bridgecheck.model.jsonvalue import obj
from bridgecheck.relations.chunk import (
    FINISH,
    Many,
    delta,
    each,
    finishes,
    index,
    joined,
    only,
    parts,
    said,
    with_only,
    without,
)
from bridgecheck.relations.relation import Documents, Vary
from bridgecheck.wire import JsonObject

_NOTHING: Final[tuple[object, ...]] = ("", [], {})


def alone(many: Many) -> Vary:
    """The reason in a chunk after the last words. Counts, ratings and citations stay beside it."""

    def vary(documents: Documents) -> Documents:
        return each(documents, lambda document: _apart(document, many)) if finishes(documents, many) == 1 else documents

    return vary


def with_text(many: Many) -> Vary:
    """The reason in the chunk of the last words, with all that came beside it."""

    def vary(documents: Documents) -> Documents:
        if finishes(documents, many) != 1:
            return documents
        return joined(documents, lambda one, other: _together(one, other, many))

    return vary


def _apart(document: JsonObject, many: Many) -> Iterator[JsonObject]:
    one = only(document, many)
    if one is None or not one.get(FINISH[many]) or _silent(one, many):
        yield document
    elif many == "candidates":
        yield with_only(document, many, {"content": one["content"], "index": index(one)})
        content = without(obj(one["content"]), "parts")
        yield with_only(document, many, {**one, "content": {**content, "parts": [{"text": ""}]}})
    else:
        yield with_only(without(document, "usage"), many, {**one, FINISH[many]: None})
        yield with_only(document, many, {**without(one, "logprobs"), "delta": {}})


def _together(one: JsonObject, other: JsonObject, many: Many) -> JsonObject | None:
    first, second = only(one, many), only(other, many)
    if first is None or second is None or index(first) != index(second):
        return None
    if _silent(first, many) or first.get(FINISH[many]) or not second.get(FINISH[many]) or not _silent(second, many):
        return None
    last = without(said(second), "content", "delta")
    return with_only({**one, **said(other)}, many, {**first, **last})


def _silent(one: JsonObject, many: Many) -> bool:
    """Whether a candidate or choice says nothing: an empty text is nothing, a signed one is not."""
    if many == "candidates":
        return all(part == {"text": ""} for part in parts(one))
    return all(value in _NOTHING for name, value in delta(one).items() if name != "role")
