"""Finding the object of a document that a leaf belongs to, along the leaf's steps."""

from collections.abc import Iterator, Sequence
from typing import Final

from bridgecheck.ledger.kinds import Steps
from bridgecheck.ledger.shapes import Leaf
from bridgecheck.model.jsonvalue import arr, obj
from bridgecheck.wire import JsonObject

MADE: Final[frozenset[str]] = frozenset(
    {
        "toolConfig",
        "functionCallingConfig",
        "generationConfig",
        "thinkingConfig",
        "stream_options",
        "output_config",
        "prompt_tokens_details",
        "completion_tokens_details",
    }
)
"""Objects that a leaf may bring with it: any document may hold them and need not."""

_TAGS: Final = ("type", "role")


def places(top: object, steps: Steps) -> list[JsonObject]:
    """The objects that hold the leaf, in document order; if there are none, those that could hold it."""
    found = list(_walk(top, steps[:-1]))
    return [one for one in found if steps[-1] in one] or found


def make(top: object, steps: Steps) -> None:
    """Make the objects that the leaf brings with it."""
    for end in range(1, len(steps)):
        key = steps[end - 1]
        if key in MADE:
            for holder in _walk(top, steps[: end - 1]):
                holder.setdefault(key, {})


def holds(top: object, leaf: Leaf) -> bool:
    """Whether the document has a value of the leaf's kind there."""
    return any(leaf.key in one and fits(one[leaf.key], leaf) for one in _walk(top, leaf.steps[:-1]))


def takes(top: object, leaf: Leaf) -> bool:
    """Whether there is an object that the leaf belongs to, without a value of another kind in its place."""
    return any(leaf.key not in one or fits(one[leaf.key], leaf) for one in _walk(top, leaf.steps[:-1]))


def fits(value: object, leaf: Leaf) -> bool:
    """Whether a value is of the leaf's kind; null is of every kind."""
    if value is None:
        return True
    if leaf.kind == "flag":
        return isinstance(value, bool)
    if leaf.kind in ("integer", "number"):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, {"text": str, "object": dict, "texts": list, "objects": list}[leaf.kind])


def put(top: object, where: str, value: object) -> None:
    """Set a value at a dotted path with indices; objects on the way are made."""
    *way, last = where.split(".")
    holder: object = top
    for step in way:
        holder = arr(holder)[int(step)] if step.isdigit() else obj(holder).setdefault(step, {})
    obj(holder)[last] = value


def _walk(top: object, steps: Sequence[str]) -> Iterator[JsonObject]:
    if not steps:
        if isinstance(top, dict):
            yield obj(top)
        return
    step, rest = steps[0], steps[1:]
    if step.startswith("["):
        for member in arr(top):
            if step == "[]" or _tagged(member, step[1:-1]):
                yield from _walk(member, rest)
    elif step.startswith("("):
        if _tagged(top, step[1:-1]):
            yield from _walk(top, rest)
    elif isinstance(top, dict) and step in top:
        yield from _walk(top[step], rest)


def _tagged(member: object, tag: str) -> bool:
    return any(obj(member).get(key) == tag for key in _TAGS)
