"""The calls of one tool step that wait for their results, which mostly come in the order of the calls.

The next one in order is found by looking at it; for results in another order the calls are indexed once, so that any
number of parallel calls is paired in time linear in their number.
"""

from collections import deque
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal[0, 1]
ID: Final = 0
NAME: Final = 1
"""What a result may name of its call."""


class Waiting:
    """``entries``: (id, name) of every call, in order, answered ones too; "" for what is not known."""

    __slots__ = ("_first", "_indexed", "_queues", "_taken", "entries")

    def __init__(self) -> None:
        self.entries: list[tuple[str, str]] = []
        self._first = 0
        self._taken: set[int] = set()
        self._indexed = 0
        self._queues: dict[tuple[Kind, str], deque[int]] = {}

    def take(self, kind: Kind, wanted: str) -> int | None:
        """The place of the first call of this id or name that waits; it waits no longer. None if there is none."""
        place = self._first
        if place < len(self.entries) and self.entries[place][kind] == wanted:
            self._advance()
            return place
        return self._search(kind, wanted)

    def take_first(self) -> int | None:
        """The place of the first call that waits, whatever it is."""
        place = self._first
        if place >= len(self.entries):
            return None
        self._advance()
        return place

    @property
    def places(self) -> list[int]:
        """Of the calls that wait."""
        return [place for place in range(self._first, len(self.entries)) if place not in self._taken]

    def _advance(self) -> None:
        self._first += 1
        while self._first in self._taken:
            self._first += 1

    def _search(self, kind: Kind, wanted: str) -> int | None:
        for place in range(self._indexed, len(self.entries)):
            id, name = self.entries[place]
            self._queues.setdefault((ID, id), deque()).append(place)
            self._queues.setdefault((NAME, name), deque()).append(place)
        self._indexed = len(self.entries)
        queue = self._queues.get((kind, wanted))
        while queue:
            place = queue.popleft()
            if place >= self._first and place not in self._taken:
                self._taken.add(place)
                return place
        return None
