"""Shards: the cases of a run dealt out to several machines.

``--shard 2/5`` takes every fifth case, beginning with the second, of all cases in the order of their addresses. So the
shards of one run share no case, leave none out, and differ by one case at most, whatever order the cases came in.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from bridgecheck.errors import BadShard

T = TypeVar("T")

OPTION: Final = "--shard"
"""As it stands on the command line, and in a report of a part."""

_SAID: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class Shard:
    """The ``index``-th (from 1) of ``count`` shards; 1 of 1 is the whole."""

    index: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def takes(self, items: Sequence[T], address: Callable[[T], str]) -> list[T]:
        """Those of the items that are this shard's, in the order they came in."""
        if self.count == 1:
            return list(items)
        ranked = sorted(range(len(items)), key=lambda place: (address(items[place]), place))
        return [items[place] for place in sorted(ranked[self.index - 1 :: self.count])]


def shard(said: str) -> Shard:
    """``"2/5"`` as a Shard, ``""`` as the whole. Raises BadShard."""
    if not said:
        return Shard()
    match = _SAID.fullmatch(said)
    index, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= index <= count:
        raise BadShard(f"--shard {said} is no shard", "", "I/N with 1 <= I <= N, e.g. --shard 2/5")
    return Shard(index, count)
