"""The one table of losses: what a dialect cannot be told, and why.

Whatever one end said and the other did not get must be equal, or match a row here, or it is a silent loss and a FAIL.
The judge owns the table; no adapter can extend it. Each row names its paths: a feature of the normal form
(``usage.tool_prompt``) or a leaf that has no place there (``other:`` and its path in the document). A path covers
what lies below it; ``*`` stands for one key, never for everything. Casing and underscores do not count in document
paths.

The rows themselves stand in ``losses_response`` and ``losses_request``.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bridgecheck.compare.loss_row import LossRow, Side
from bridgecheck.compare.losses_request import REQUEST_LOSSES
from bridgecheck.compare.losses_response import RESPONSE_LOSSES
from bridgecheck.model.express import feature_of_path, request_can_express, response_can_express
from bridgecheck.model.verdict import AppliedLoss
from bridgecheck.wire import Dialect

LOSSES: Final[tuple[LossRow, ...]] = (*RESPONSE_LOSSES, *REQUEST_LOSSES)

Hop = tuple[Dialect, Dialect]


def conversion_hops(origin: Dialect, target: Dialect, pivot: Dialect | None) -> tuple[Hop, ...]:
    """The conversions a document goes through. () where it is passed on untouched: then nothing may be lost."""
    if pivot is not None and pivot not in (origin, target):
        return ((origin, pivot), (pivot, target))
    return () if origin == target else ((origin, target),)


def find_declared_loss(side: Side, path: str, ways: Sequence[Hop]) -> AppliedLoss | None:
    """The first row that covers this path on one of these conversions, None if the loss would be silent."""
    for origin, target in ways:
        row = _row(side, path, origin, target)
        if row is not None:
            return AppliedLoss(row.name, path, row.reason)
    return None


def sort_losses(
    side: Side, paths: Iterable[str], ways: Sequence[Hop]
) -> tuple[tuple[AppliedLoss, ...], tuple[str, ...]]:
    """Declared losses, and the paths that no row covers; each path once, in order."""
    applied: list[AppliedLoss] = []
    silent: list[str] = []
    for path in dict.fromkeys(paths):
        loss = find_declared_loss(side, path, ways)
        if loss is None:
            silent.append(path)
        else:
            applied.append(loss)
    return tuple(applied), tuple(silent)


@lru_cache(maxsize=4096)
def _row(side: Side, path: str, origin: Dialect, target: Dialect) -> LossRow | None:
    return next((row for row in LOSSES if row.covers(side, origin, target) and _reaches(row.paths, path)), None)


def _reaches(patterns: Sequence[str], path: str) -> bool:
    keys = _keys(path)
    return any(_starts(keys, _keys(pattern)) for pattern in patterns)


def _starts(keys: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    if len(keys) < len(pattern):
        return False
    return all(want in ("*", have) for have, want in zip(keys, pattern, strict=False))


@lru_cache(maxsize=4096)
def _keys(path: str) -> tuple[str, ...]:
    """Keys of a path, list indices left out, casing levelled."""
    return tuple(key.replace("_", "").lower() for key in re.split(r"[.:]", re.sub(r"\[[^\]]*\]", "", path)) if key)


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
        return conversion_hops(self.origin, self.target, self.pivot)

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
