"""The two ends of a comparison: what both can say is compared, what only one can say needs a row in the table of
losses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bridgecheck.compare.loss_row import Side
from bridgecheck.compare.losses import Hop, hops, sort_losses
from bridgecheck.model.express import feature_of_path, is_by_convention, request_can_express, response_can_express
from bridgecheck.model.verdict import AppliedLoss
from bridgecheck.wire import Dialect

_NO_PLACE: Final = "the adapter says that its own types have no place for it"


@dataclass(frozen=True, slots=True)
class Ends:
    """``origin`` said it (the provider in a response, the client in a request), ``target`` got it; ``pivot``: what it
    went through, None if nothing; ``inexpressible``: features that the types of an ``outcome`` adapter have no place
    for."""

    side: Side
    origin: Dialect
    target: Dialect
    pivot: Dialect | None = None
    inexpressible: frozenset[str] = frozenset()

    @property
    def hops(self) -> tuple[Hop, ...]:
        return hops(self.origin, self.target, self.pivot)

    @property
    def same_dialect(self) -> bool:
        """One dialect, nothing rewritten: everything has to be equal."""
        return not self.hops

    @property
    def dialects(self) -> tuple[Dialect, ...]:
        found = (self.origin, self.target) if self.pivot is None else (self.origin, self.pivot, self.target)
        return tuple(dict.fromkeys(found))

    def can_express(self, feature: str) -> bool:
        """Whether everyone on the way can say this feature."""
        if self.same_dialect:
            return True
        if feature in self.inexpressible:
            return False
        return (
            response_can_express(feature, self.dialects)
            if self.side == "response"
            else request_can_express(feature, self.dialects)
        )

    def is_by_convention(self, feature: str) -> bool:
        """Whether someone on the way says it by an extension only: losing it is SHOULD."""
        return not self.same_dialect and is_by_convention(feature, self.dialects)

    def split_losses(self, paths: Iterable[str]) -> tuple[tuple[AppliedLoss, ...], tuple[str, ...]]:
        """What was projected away: declared losses, and the paths of silent ones."""
        found = list(dict.fromkeys(paths))
        own = [AppliedLoss(f"types.{feature}", path, _NO_PLACE) for path, feature in self._own(found)]
        told = {loss.path for loss in own}
        losses, silent = sort_losses(self.side, [path for path in found if path not in told], self.hops)
        return (*own, *losses), silent

    def _own(self, paths: Sequence[str]) -> list[tuple[str, str]]:
        """(path, feature) of what the adapter's own types have no place for."""
        if not self.inexpressible:
            return []
        return [(path, feature) for path in paths if (feature := feature_of_path(path, self.inexpressible))]
