"""What is known of a member of an answer: by bridgecheck's wire types here, by the SDKs' types in ``sdk_types``."""

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

from typing_extensions import is_typeddict

from bridgecheck import validate
from bridgecheck.documented_leaves import EVENTS, MEMBERS_BELOW, UNIONS, Tagged, is_documented, leaf_path, path_keys
from bridgecheck.wire import Dialect
from bridgecheck.wire import anthropic_documents as anthropic
from bridgecheck.wire import gemini_documents as gemini
from bridgecheck.wire import openai_chat_documents as openai

Kind: TypeAlias = Literal["text", "integer", "number", "flag", "object", "list", "null"]
"""Of a JSON value. A number is an integer if it is written without fraction."""

Keys: TypeAlias = tuple[str, ...]
"""Names on the way to a member as ``documented_leaves.path_keys`` spells them: no case, underscore, index or tag."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Of one member. ``kinds``: empty if any will do. ``values``: the only texts it may be, empty if any will do.
    ``is_required``: whether each object of its kind has it; False where that depends on the kind."""

    kinds: frozenset[Kind] = frozenset()
    values: frozenset[str] = frozenset()
    is_required: bool = False

    def merge(self, second: "Knowledge") -> "Knowledge":
        """What is known of a member that is either: of no kinds in one, it may be anything."""
        is_open = not self.kinds or not second.kinds
        has_free_text = any("text" in known.kinds and not known.values for known in (self, second))
        return Knowledge(
            frozenset() if is_open else self.kinds | second.kinds,
            frozenset() if has_free_text else self.values | second.values,
            self.is_required and second.is_required,
        )


_ANSWERS: Final[Mapping[Dialect, tuple[type, ...]]] = {
    "gemini": (gemini.GenerateContentResponse,),
    "openai-chat": (openai.ChatCompletion, openai.ChatCompletionChunk),
    "anthropic": (anthropic.Message,),
}
_KINDS: Final[Mapping[object, Kind]] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "flag",
    type(None): "null",
    dict: "object",
    list: "list",
}


def wire_knowledge(dialect: Dialect, path: str) -> Knowledge | None:
    """Return what the wire types say of a path of ``members`` (``choices[].message.tool_calls[function].id``), None
    for one that no type names. Below an object without a type of its own: nothing but that it is documented."""
    exact, by_keys = _wire_tables(dialect)
    found = exact.get(path) or by_keys.get(path_keys(path))
    if found is not None or dialect not in _ANSWERS:
        return found
    return Knowledge() if is_documented(dialect, "response", path) and _has_types(dialect, path) else None


@lru_cache(maxsize=8)
def top_members(dialect: Dialect) -> dict[str, Knowledge]:
    """Return the members of an answer, or of an event of a stream, by name."""
    return {name: known for shape in _ANSWERS.get(dialect, ()) for (name,), known in _own_members(shape)}


def _own_members(shape: type) -> Iterator[tuple[tuple[str], Knowledge]]:
    for steps, known in _shape_members(shape, ()):
        if len(steps) == 1:
            yield (steps[0],), known


def _has_types(dialect: Dialect, path: str) -> bool:
    """Return whether a documented path has members that someone named: below a free object everything is documented."""
    keys = path_keys(path)
    rows = MEMBERS_BELOW.get(dialect, {})
    return any(".".join(keys[:end]) in rows for end in range(1, len(keys)))


@lru_cache(maxsize=8)
def _wire_tables(dialect: Dialect) -> tuple[dict[str, Knowledge], dict[Keys, Knowledge]]:
    """Return what is known by exact path, and by keys where a path has tags that no type names."""
    exact: dict[str, Knowledge] = {}
    by_keys: dict[Keys, Knowledge] = {}
    shapes = (*_ANSWERS.get(dialect, ()), *((validate.ERRORS[dialect],) if dialect in validate.ERRORS else ()))
    found = [entry for shape in shapes for entry in _shape_members(shape, ())]
    if dialect == "anthropic":
        found += _tagged_members(EVENTS, (), "[{}]")
    for steps, known in found:
        path, keys = leaf_path(steps), path_keys(leaf_path(steps))
        exact[path] = exact[path].merge(known) if path in exact else known
        by_keys[keys] = by_keys[keys].merge(known) if keys in by_keys else known
    return exact, by_keys


_Steps: TypeAlias = tuple[str, ...]
_Found: TypeAlias = Iterator[tuple[_Steps, Knowledge]]


def _shape_members(shape: type, at: _Steps) -> _Found:
    required = cast(frozenset[str], getattr(shape, "__required_keys__", frozenset()))
    for key, hint in get_type_hints(shape).items():
        members = _union_members(hint)
        kinds = frozenset(kind for member in members for kind in _kinds_of(member))
        values = frozenset(
            str(value) for member in members if get_origin(member) is Literal for value in get_args(member)
        )
        yield (*at, key), Knowledge(kinds, values, key in required)
        for member in members:
            yield from _members_below(shape, key, member, (*at, key))


def _members_below(shape: type, key: str, hint: object, at: _Steps) -> _Found:
    origin, tagged = get_origin(hint), UNIONS.get((shape, key))
    if origin is list:
        item = get_args(hint)[0]
        if tagged is not None:
            yield from _tagged_members(tagged, at, "[{}]")
        elif is_typeddict(item):
            yield from _shape_members(cast(type, item), (*at, "[]"))
        else:
            yield (*at, "[]"), Knowledge(frozenset(_kinds_of(item)))
    elif is_typeddict(hint):
        yield from _shape_members(cast(type, hint), at)
    elif origin is dict and tagged is not None:
        yield from _tagged_members(tagged, at, "({})")


def _tagged_members(tagged: Tagged, at: _Steps, form: str) -> _Found:
    tags = frozenset(tagged.shapes)
    for tag, shape in tagged.shapes.items():
        for steps, known in _shape_members(shape, (*at, form.format(tag))):
            is_tag = steps == (*at, form.format(tag), tagged.key)
            yield steps, Knowledge(known.kinds, tags, known.is_required) if is_tag else known


def _union_members(hint: object) -> tuple[object, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _kinds_of(hint: object) -> Iterator[Kind]:
    origin = get_origin(hint)
    if origin is Literal:
        yield "text"
    elif is_typeddict(hint):
        yield "object"
    elif hint is float:
        yield from ("number", "integer")
    else:
        yield _KINDS[origin or hint]
