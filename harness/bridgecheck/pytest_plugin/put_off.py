"""Which case is played next where a finished one may still be sent one of its requests again: none with the same one.

For gateways that this harness does not start, and so cannot end. Their provider listens on one fixed port, so one
process plays all the cases.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Generic, TypeVar

Item = TypeVar("Item")

_SLEEP_S: Final = 0.5


class PutOffCases(Generic[Item]):
    """Chooses what is played when an item's turn has come: the item, one that was put off, or a later one.

    ``seconds_until_free``: how long a case has to wait yet. ``sleep``: called where all that remain have to.
    """

    def __init__(
        self, seconds_until_free: Callable[[Item], float], sleep: Callable[[float], object] = time.sleep
    ) -> None:
        self._seconds_until_free = seconds_until_free
        self._sleep = sleep
        self._chosen: set[int] = set()

    def choose(self, item: Item, items: Sequence[Item]) -> Item:
        """Return one item of all ``items`` that was not returned before."""
        while True:
            waits: list[float] = []
            for candidate in self._remaining(item, items):
                seconds = self._seconds_until_free(candidate)
                if seconds <= 0:
                    self._chosen.add(id(candidate))
                    return candidate
                waits.append(seconds)
            self._sleep(min((*waits, _SLEEP_S)))

    def _remaining(self, item: Item, items: Sequence[Item]) -> Iterator[Item]:
        yield from (candidate for candidate in (item, *items) if id(candidate) not in self._chosen)
