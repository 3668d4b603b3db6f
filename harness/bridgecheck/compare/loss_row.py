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
        """What some dialect cannot tell this provider, a request of ``outcome`` cannot either."""
        told_by = origin in (self.origin, "outcome") if side == "request" else origin == self.origin
        return side == self.side and told_by and target in self.targets
