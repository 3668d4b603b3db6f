"""A rule about what a provider refuses, and a refusal found by it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from bridgecheck.model.jsonvalue import arr, obj
from bridgecheck.model.verdict import Level
from bridgecheck.wire import JsonObject

FieldPath: TypeAlias = str
LocatedObject: TypeAlias = tuple[FieldPath, JsonObject]


@dataclass(frozen=True, slots=True)
class Refusal:
    """``rule``: its name; ``path``: in the body; ``why``: what the provider says; ``basis``: where that stands."""

    rule: str
    path: FieldPath
    why: str
    basis: str
    level: Level = "MUST"


@dataclass(frozen=True, slots=True)
class Rule:
    """``find`` yields each path that breaks the rule. ``level``: SHOULD where reports of a refusal disagree."""

    name: str
    why: str
    basis: str
    find: Callable[[JsonObject], Iterator[FieldPath]]
    level: Level = "MUST"


def located_members(holder: JsonObject, key: str, path: str = "") -> Iterator[LocatedObject]:
    """Yield the members of a list as objects, each with its path. ``path``: of the holder, "" for the body."""
    start = f"{path}.{key}" if path else key
    return ((f"{start}[{at}]", obj(member)) for at, member in enumerate(arr(holder.get(key))))


def find_missing_messages(body: JsonObject) -> Iterator[FieldPath]:
    if not arr(body.get("messages")):
        yield "messages"


def foreign_key_finder(keys: frozenset[str]) -> Callable[[JsonObject], Iterator[FieldPath]]:
    """Return what finds these keys of other dialects in a body."""
    return lambda body: (key for key in body if key in keys)
