"""Tool results: paired with their calls, and unwrapped to their values.

Ids are compared as a graph, not as strings: every call gets its number in the whole history as id, every result the
number of the call it answers. A result without an id answers the oldest unanswered call of its name in the step before
it. One that answers no call is an orphan.

The same result may travel as text, as an object or wrapped in one. Recorded wrappers of Gemini's
``functionResponse.response``: result, output, content, return_value (pydantic-ai's), content or error beside name (the
AI SDK's), error, and objects of the caller's own.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.prompt import CallPart, Part, ResultPart, Turn

WRAPPERS: Final[frozenset[str]] = frozenset({"output", "result", "content", "return_value"})
DEEPEST: Final = 8


def unwrap_result(value: object, is_error: bool | None) -> tuple[str, bool | None]:
    """(text, is it an error): wrappers opened, JSON text decoded; a scalar by its text, the rest by its canonical JSON.

    ``{"error": x}`` is the error x, also with a name beside it. "42" and 42 are one value, and so are an object and its
    JSON text. Error None: not one. Levelling a levelled value changes nothing.
    """
    error = True if is_error else None
    for _ in range(DEEPEST):
        opened, failed = _open(value)
        error = True if failed else error
        if opened is value:
            break
        value = opened
    return value if isinstance(value, str) else canonical(value), error


def _open(value: object) -> tuple[object, bool]:
    """One step: the value inside a wrapper or a JSON text, and whether the wrapper said error. The same object: nothing
    to open."""
    if isinstance(value, dict):
        return _unwrap(value)
    if isinstance(value, str) and value.strip()[:1] in tuple('{["-0123456789tfn'):
        return _decode(value), False
    return value, False


def _unwrap(value: dict[str, object]) -> tuple[object, bool]:
    if len(value) == 1:
        key = next(iter(value))
        if key in WRAPPERS:
            return value[key], False
        if key == "error":
            return value[key], True
    if set(value) == {"name", "content"}:
        return value["content"], False
    if set(value) == {"name", "error"}:
        return value["error"], True
    return value, False


def _decode(text: str) -> object:
    """The JSON value in a text, the text itself if there is none or it is a JSON string."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(found, str) or found != found:
        return text
    return found if isinstance(found, dict | list) or canonical(found) != text else text


ORPHAN: Final = "?"


@dataclass(slots=True)
class _Open:
    """A call seen so far: its number, and whether a result answered it."""

    number: str
    id: str
    name: str
    answered: bool = False


@dataclass(slots=True)
class _History:
    calls: list[_Open] = field(default_factory=list)
    by_id: dict[str, _Open] = field(default_factory=dict)

    def call(self, part: CallPart) -> CallPart:
        opened = _Open(str(len(self.calls) + 1), part.call.id, part.call.name)
        self.calls.append(opened)
        if part.call.id:
            self.by_id[part.call.id] = opened
        return CallPart(replace(part.call, id=opened.number))

    def result(self, part: ResultPart) -> ResultPart:
        found = self._find(part)
        if found is None:
            return replace(part, id=ORPHAN)
        found.answered = True
        return replace(part, id=found.number, name=found.name)

    def _find(self, part: ResultPart) -> _Open | None:
        if part.id:
            by_id = self.by_id.get(part.id)
            if by_id is not None or part.id == ORPHAN:
                return by_id
        waiting = [call for call in self.calls if not call.answered]
        named = [call for call in waiting if call.name == part.name]
        if part.id and named:
            named = [call for call in named if not call.id] or []
        return next(iter(named), None)


def pair_results(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns with numbers in place of ids, and the call's name on every result."""
    history = _History()
    return tuple(replace(turn, parts=tuple(_pair(part, history) for part in turn.parts)) for turn in turns)


def count_orphan_results(turns: Sequence[Turn]) -> int:
    """How many results answer no call."""
    return sum(
        isinstance(part, ResultPart) and part.id == ORPHAN for turn in pair_results(turns) for part in turn.parts
    )


def drop_orphan_results(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns, paired, without results that answer no call, and without turns that held nothing else."""
    kept = (
        replace(turn, parts=tuple(part for part in turn.parts if not isinstance(part, ResultPart) or part.id != ORPHAN))
        for turn in pair_results(turns)
    )
    return tuple(turn for turn in kept if turn.parts)


def _pair(part: Part, history: _History) -> Part:
    if isinstance(part, CallPart):
        return history.call(part)
    return history.result(part) if isinstance(part, ResultPart) else part
