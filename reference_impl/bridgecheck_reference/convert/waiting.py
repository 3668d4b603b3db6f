"""Which call of a tool step a result answers, for results in another order than the calls.

The calls are indexed once, so that any number of parallel calls is paired in time linear in their number.
"""

from collections import deque
from collections.abc import Container
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal[0, 1]
ID: Final[Kind] = 0
NAME: Final[Kind] = 1
"""What a result may name of its call."""


class Index:
    """The calls of one step, by id and by name. ``size``: how many were added."""

    __slots__ = ("_places", "size")

    def __init__(self) -> None:
        self.size = 0
        self._places: dict[tuple[Kind, str], deque[int]] = {}

    def add(self, id: str, name: str) -> None:
        """One more call, "" for what is not known."""
        self._places.setdefault((ID, id), deque()).append(self.size)
        self._places.setdefault((NAME, name), deque()).append(self.size)
        self.size += 1

    def find(self, kind: Kind, wanted: str, taken: Container[int]) -> int | None:
        """The first call of this id or name that is not taken; it is not given out again. None if there is none."""
        queue = self._places.get((kind, wanted))
        while queue:
            place = queue.popleft()
            if place not in taken:
                return place
        return None
