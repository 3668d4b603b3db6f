"""Base documents and the values that a leaf is run with, and how to set a leaf in a document."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from bridgecheck.documented_leaves import Leaf, Steps
from bridgecheck.model.jsonvalue import arr, obj
from bridgecheck.wire import JsonObject

ALPHA: Final = "canary-alpha"
BETA: Final = "canary-beta"
"""Words that stand in no base document and in no adapter: whatever holds one of them at the far side came from here."""

PNG: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
BYTES: Final = ("Y2FuYXJ5LWFscGhh", "Y2FuYXJ5LWJldGE=")
SIGNED: Final = ("Y2FuYXJ5LWFscGhhLXNpZ25hdHVyZQ==", "Y2FuYXJ5LWJldGEtc2lnbmF0dXJl")
"""Base64 of a few words: of ALPHA and BETA, and of each with ``-signature`` behind it."""


def canary_pair(template: object) -> tuple[object, object]:
    """Return the JSON value twice, with ALPHA and with BETA in place of each ``canary`` in it."""
    source = json.dumps(template)
    return json.loads(source.replace("canary", ALPHA)), json.loads(source.replace("canary", BETA))


def schema_with_property(name: str) -> JsonObject:
    """Return the JSON schema of an object that has one text of this name."""
    return {"type": "object", "properties": {name: {"type": "string"}}}


SAME: Final = "(same)"
"""In ``Sample.also``: the value that the leaf itself has in this run."""


@dataclass(frozen=True, slots=True)
class Base:
    """A minimal valid document; of a stream, its events. ``status``: of an answer."""

    documents: tuple[JsonObject, ...]
    status: int = 200


def single_document(document: JsonObject, status: int = 200) -> Base:
    return Base((document,), status)


@dataclass(frozen=True, slots=True)
class Sample:
    """The two values of a leaf, unless those of its key or its kind will do (``VALUES_OF_KEY``, ``VALUES``).

    ``bases``: the bases it is run in; () the first that holds the leaf, or else the object it belongs to.
    ``occurrence``: which of several matching objects of a base, -1 the last. ``everywhere``: the leaf is set wherever
    it stands, as in every event of a stream. ``also``: (dotted path with indices, value) set in both runs and in the
    base, ``SAME`` for what has to change with the leaf."""

    a: object = None
    b: object = None
    bases: tuple[str, ...] = ()
    occurrence: int = 0
    everywhere: bool = False
    also: tuple[tuple[str, object], ...] = ()


Bases: TypeAlias = Mapping[str, Base]
Samples: TypeAlias = Mapping[str, "Sample | tuple[Sample, ...]"]
"""Path (``path@kind`` where one path is of two kinds) -> how the leaf is run: once, or several times."""
LeftOut: TypeAlias = Mapping[str, str]
"""Path, or the beginning of one -> why the leaves there are not run. Tags need no row."""


@dataclass(frozen=True, slots=True)
class Table:
    """How the leaves of one side of one dialect are run."""

    bases: Bases
    samples: Samples
    left_out: LeftOut


OPTIONAL_OBJECTS: Final[frozenset[str]] = frozenset({
    "toolConfig", "functionCallingConfig", "generationConfig", "thinkingConfig", "stream_options", "output_config",
    "prompt_tokens_details", "completion_tokens_details",
})  # fmt: skip
"""Objects that a leaf may bring with it: any document may hold them and need not."""

_TAGS: Final = ("type", "role")


def is_at_or_below(path: str, start: str) -> bool:
    """Return whether a documented path is this one or lies below it, tags included."""
    return path == start or (path.startswith(start) and path[len(start)] in ".[(")


def find_holders_or_possible_holders(top: object, steps: Steps) -> list[JsonObject]:
    """Return the objects that hold the leaf, in document order; if there are none, those that could hold it."""
    found = list(_walk_steps(top, steps[:-1]))
    return [holder for holder in found if steps[-1] in holder] or found


def add_optional_objects(top: object, steps: Steps) -> None:
    """Add the optional objects on the way to the leaf that are missing."""
    for end in range(1, len(steps)):
        key = steps[end - 1]
        if key in OPTIONAL_OBJECTS:
            for holder in _walk_steps(top, steps[: end - 1]):
                holder.setdefault(key, {})


def has_leaf(top: object, leaf: Leaf) -> bool:
    """Return whether the document has a value of the leaf's kind there."""
    return any(leaf.key in holder and fits_kind(holder[leaf.key], leaf) for holder in _walk_steps(top, leaf.steps[:-1]))


def has_room(top: object, leaf: Leaf) -> bool:
    """Return whether an object that the leaf belongs to is there, without a value of another kind in its place."""
    return any(
        leaf.key not in holder or fits_kind(holder[leaf.key], leaf) for holder in _walk_steps(top, leaf.steps[:-1])
    )


def fits_kind(value: object, leaf: Leaf) -> bool:
    """Return whether a value is of the leaf's kind; null is of every kind."""
    if value is None:
        return True
    if leaf.kind == "flag":
        return isinstance(value, bool)
    if leaf.kind in ("integer", "number"):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, {"text": str, "tag": str, "object": dict, "texts": list, "objects": list}[leaf.kind])


def set_value(top: object, path: str, value: object) -> None:
    """Set a value at a dotted path with indices; objects that the path goes through are made."""
    *steps, last = path.split(".")
    holder: object = top
    for step in steps:
        holder = arr(holder)[int(step)] if step.isdigit() else obj(holder).setdefault(step, {})
    obj(holder)[last] = value


def _walk_steps(top: object, steps: Sequence[str]) -> Iterator[JsonObject]:
    if not steps:
        if isinstance(top, dict):
            yield obj(top)
        return
    step, rest = steps[0], steps[1:]
    if step.startswith("["):
        for member in arr(top):
            if step == "[]" or _has_type_or_role(member, step[1:-1]):
                yield from _walk_steps(member, rest)
    elif step.startswith("("):
        if _has_type_or_role(top, step[1:-1]):
            yield from _walk_steps(top, rest)
    elif isinstance(top, dict) and step in top:
        yield from _walk_steps(top[step], rest)


def _has_type_or_role(member: object, tag: str) -> bool:
    return any(obj(member).get(key) == tag for key in _TAGS)
