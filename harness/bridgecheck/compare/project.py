"""The two ends of a comparison: what both can say is compared, what only one can say needs a row in the table of
losses."""

from collections.abc import Iterable
from dataclasses import dataclass

from bridgecheck.compare.loss_row import Side
from bridgecheck.compare.losses import Hop, hops, sort_losses
from bridgecheck.model.express import by_convention, can_answer, can_ask
from bridgecheck.model.verdict import AppliedLoss
from bridgecheck.wire import Dialect


@dataclass(frozen=True, slots=True)
class Ends:
    """``origin`` said it (the provider in a response, the client in a request), ``target`` got it; ``pivot``: what it
    went through, None if nothing."""

    side: Side
    origin: Dialect
    target: Dialect
    pivot: Dialect | None = None

    @property
    def ways(self) -> tuple[Hop, ...]:
        return hops(self.origin, self.target, self.pivot)

    @property
    def straight(self) -> bool:
        """One dialect, nothing rewritten: everything has to be equal."""
        return not self.ways

    @property
    def dialects(self) -> tuple[Dialect, ...]:
        found = (self.origin, self.target) if self.pivot is None else (self.origin, self.pivot, self.target)
        return tuple(dict.fromkeys(found))

    def can(self, feature: str) -> bool:
        """Whether everyone on the way can say this feature."""
        if self.straight:
            return True
        return can_answer(feature, self.dialects) if self.side == "response" else can_ask(feature, self.dialects)

    def by_convention(self, feature: str) -> bool:
        """Whether someone on the way says it by an extension only: losing it is SHOULD."""
        return not self.straight and by_convention(feature, self.dialects)

    def sort(self, paths: Iterable[str]) -> tuple[tuple[AppliedLoss, ...], tuple[str, ...]]:
        """What was projected away: declared losses, and the paths of silent ones."""
        return sort_losses(self.side, paths, self.ways)
