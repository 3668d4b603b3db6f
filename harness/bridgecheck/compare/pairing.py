"""Results paired with calls: ids are compared as a graph, not as strings.

Every call gets its number in the whole history as id, every result the number of the call it answers. A result
without an id answers the oldest unanswered call of its name in the step before it. One that answers no call is an
orphan.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bridgecheck.model.prompt import CallPart, Part, ResultPart, Turn

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


def paired(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns with numbers in place of ids, and the call's name on every result."""
    history = _History()
    return tuple(replace(turn, parts=tuple(_pair(part, history) for part in turn.parts)) for turn in turns)


def orphans(turns: Sequence[Turn]) -> int:
    """How many results answer no call."""
    return sum(isinstance(part, ResultPart) and part.id == ORPHAN for turn in paired(turns) for part in turn.parts)


def without_orphans(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns, paired, without results that answer no call, and without turns that held nothing else."""
    kept = (
        replace(turn, parts=tuple(part for part in turn.parts if not isinstance(part, ResultPart) or part.id != ORPHAN))
        for turn in paired(turns)
    )
    return tuple(turn for turn in kept if turn.parts)


def _pair(part: Part, history: _History) -> Part:
    if isinstance(part, CallPart):
        return history.call(part)
    return history.result(part) if isinstance(part, ResultPart) else part
