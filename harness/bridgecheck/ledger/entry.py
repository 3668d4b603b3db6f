"""One line of the ledger."""

from dataclasses import dataclass

from bridgecheck.ledger.fate import BAD, Ruling
from bridgecheck.ledger.kinds import Side
from bridgecheck.ledger.shapes import Leaf
from bridgecheck.model.evidence import DeclaredLoss
from bridgecheck.wire import Dialect


@dataclass(frozen=True, slots=True)
class Entry:
    """One leaf in one direction. ``path``: of the leaf, "" for the base document itself. ``place``: the base it was run
    in. ``said_lost``: what the adapter itself declared of the first run."""

    client: Dialect
    upstream: Dialect
    side: Side
    path: str
    place: str
    ruling: Ruling
    said_lost: tuple[DeclaredLoss, ...] = ()

    @property
    def ends(self) -> tuple[Dialect, Dialect]:
        """(who said it, who got it)"""
        return (self.client, self.upstream) if self.side == "request" else (self.upstream, self.client)

    @property
    def bad(self) -> bool:
        return self.ruling.fate in BAD


@dataclass(frozen=True, slots=True)
class Unrun:
    """A documented leaf that could not be run, a fault of the ledger itself."""

    leaf: Leaf
    why: str
