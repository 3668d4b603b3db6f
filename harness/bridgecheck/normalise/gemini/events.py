"""A Gemini answer gathered from its events; a unary answer is one event.

Parts are kept apart, candidate by candidate, in the order of arrival; everything else is folded, last non-null.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.codec.casing import camel
from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.normalise.gemini import calls as gemini_calls
from bridgecheck.normalise.tree import Fields, merge_fields
from bridgecheck.wire import JsonObject

JOINED: Final[frozenset[str]] = frozenset({"logprobsResult.chosenCandidates", "logprobsResult.topCandidates"})
"""Paths in a candidate whose lists come in pieces."""


@dataclass
class Candidate:
    """``rest``: the candidate without its parts."""

    parts: list[object] = field(default_factory=list)
    rest: JsonObject = field(default_factory=dict)


@dataclass
class Gathered:
    """``top``: the document without its candidates. ``strange``: events and candidates that are no objects.
    ``usages``: how many different usage objects there were."""

    candidates: dict[int, Candidate] = field(default_factory=dict)
    top: JsonObject = field(default_factory=dict)
    strange: list[object] = field(default_factory=list)
    usages: int = 0


def gather(events: Iterable[object]) -> Gathered:
    """All events of one answer. An event that is a list (the streaming endpoint sends errors so) is its members."""
    found = Gathered()
    for event in _flat(events):
        if isinstance(event, dict):
            _event(found, Fields(camel(event)))
        else:
            found.strange.append(event)
    for candidate in found.candidates.values():
        candidate.parts = gemini_calls.joined(candidate.parts)
    return found


def _flat(events: Iterable[object]) -> Iterable[object]:
    for event in events:
        yield from arr(event) if isinstance(event, list) else [event]


def _event(found: Gathered, event: Fields) -> None:
    for position, value in enumerate(event.take_items("candidates")):
        if not isinstance(value, dict):
            found.strange.append(value)
            continue
        index = integer(value.get("index"))
        _candidate(found.candidates.setdefault(position if index is None else index, Candidate()), Fields(value))
    if event.has("candidates"):
        found.strange.append(event.take("candidates"))
    usage = obj(event.rest.get("usageMetadata"))
    if usage and usage != found.top.get("usageMetadata"):
        found.usages += 1
    merge_fields(found.top, event.rest)


def _candidate(candidate: Candidate, fields: Fields) -> None:
    fields.take_integer("index")
    content = fields.take_child("content")
    candidate.parts += content.take_items("parts")
    fields.put_back("content", content.rest)
    merge_fields(candidate.rest, fields.rest, JOINED)
