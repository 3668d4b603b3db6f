"""One row of the loss table."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bridgecheck.wire import Dialect

Side: TypeAlias = Literal["response", "request"]


@dataclass(frozen=True, slots=True)
class LossRow:
    """``origin`` said it, and none of ``targets`` can. ``paths``: see ``losses``. ``source``: URL or recorded id."""

    name: str
    side: Side
    origin: Dialect
    targets: frozenset[Dialect]
    paths: tuple[str, ...]
    reason: str
    source: str

    def covers(self, side: Side, origin: Dialect, target: Dialect) -> bool:
        return side == self.side and origin == self.origin and target in self.targets
