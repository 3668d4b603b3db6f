"""The one table of losses: what a dialect cannot express, and why; and the two ends of a comparison, which apply it.

What one end sent and the other did not receive must be equal, or match a row here, or it is a silent loss and a FAIL.
The judge owns the table; no adapter can extend it. It holds what a dialect documents: a member that single hosts add
has no row, its loss is a note (``checks/documents``). Each row names its paths: a feature of the normal form
(``usage.tool_prompt``) or a leaf that has no field there (``other:`` and its path in the document). A path covers
what lies below it; ``*`` stands for one key. Casing and underscores do not count in document paths."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from bridgecheck.compare import losses_from_anthropic, losses_from_chat, losses_from_gemini
from bridgecheck.compare.loss_row import LossRow, Side
from bridgecheck.documented_leaves import path_keys
from bridgecheck.model.express import feature_of_path, request_can_express, response_can_express
from bridgecheck.model.verdict import ADAPTERS_WORD, AppliedLoss
from bridgecheck.wire import Dialect

Hop: TypeAlias = tuple[Dialect, Dialect]
"""One conversion: from a dialect to another."""

_OF_DIALECTS: Final = (("gemini", losses_from_gemini), ("chat", losses_from_chat), ("anthropic", losses_from_anthropic))
_NO_TYPE: Final = "the adapter says that its own types have no place for it"


def _citations_and_other_to_outcome_loss_row(name: str, origin: Dialect) -> LossRow:
    reason = "citations and what only one provider says have no form that the types of all libraries share"
    targets = frozenset[Dialect]({"outcome"})
    return LossRow(f"{name}.own_types", "response", origin, targets, ("citations", "other"), reason, "docs/outcome.md")


LOSSES: Final[tuple[LossRow, ...]] = (
    *(row for _, table in _OF_DIALECTS for row in table.RESPONSE_LOSSES),
    *(_citations_and_other_to_outcome_loss_row(name, table.RESPONSE_LOSSES[0].origin) for name, table in _OF_DIALECTS),
    *(row for _, table in _OF_DIALECTS for row in table.REQUEST_LOSSES),
)


LOCATIONS: Final = {row.name: row.location for row in LOSSES if row.location}
"""Row -> where its targets have room for what it declares lost. Its name is one of both sides' rows."""


def conversion_hops(origin: Dialect, target: Dialect, pivot: Dialect | None) -> tuple[Hop, ...]:
    """Return the conversions a document goes through. () where it is passed on unchanged: then nothing may be lost.
    Within one dialect that dialect as ``pivot`` means: it is read and written anew."""
    if pivot is not None and pivot not in (origin, target):
        return ((origin, pivot), (pivot, target))
    return () if origin == target and pivot is None else ((origin, target),)


def find_declared_loss(side: Side, path: str, hops: Sequence[Hop]) -> AppliedLoss | None:
    """Return the first row that covers this path on one of these conversions, None if the loss would be silent."""
    for origin, target in hops:
        row = _find_row(side, path, origin, target)
        if row is not None:
            return AppliedLoss(row.name, path, row.reason)
    return None


@lru_cache(maxsize=4096)
def _find_row(side: Side, path: str, origin: Dialect, target: Dialect) -> LossRow | None:
    keys = path_keys(path)
    rows = (row for row in LOSSES if row.covers(side, origin, target))
    return next((row for row in rows if any(_is_below(keys, path_keys(path)) for path in row.paths)), None)


def _is_below(keys: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Return whether a path lies at or below the path of a row."""
    if len(keys) < len(pattern):
        return False
    return all(expected in ("*", key) for key, expected in zip(keys, pattern, strict=False))


@dataclass(frozen=True, slots=True)
class Ends:
    """The two ends of a comparison. ``origin``: who sent it (the provider a response, the client a request);
    ``target``: who received it; ``pivot``: the dialect that it went through, None if none; ``inexpressible``: features
    that the types of an ``outcome`` adapter have no place for."""

    side: Side
    origin: Dialect
    target: Dialect
    pivot: Dialect | None = None
    inexpressible: frozenset[str] = frozenset()

    @property
    def conversions(self) -> tuple[Hop, ...]:
        """The conversions between the ends, () for none."""
        return conversion_hops(self.origin, self.target, self.pivot)

    @property
    def unconverted(self) -> bool:
        """Whether nothing is converted: everything has to be equal."""
        return not self.conversions

    @property
    def dialects(self) -> tuple[Dialect, ...]:
        """The dialects on the route, each once."""
        route = (self.origin, self.target) if self.pivot is None else (self.origin, self.pivot, self.target)
        return tuple(dict.fromkeys(route))

    def can_express(self, feature: str) -> bool:
        """Return whether every dialect on the route can express this feature."""
        if self.unconverted:
            return True
        if feature in self.inexpressible:
            return False
        can_express = response_can_express if self.side == "response" else request_can_express
        return can_express(feature, self.dialects)

    def split_losses(self, paths: Iterable[str]) -> tuple[tuple[AppliedLoss, ...], tuple[str, ...]]:
        """Return the declared losses among these paths, and the paths of silent ones; each path once, in order."""
        of_types: list[AppliedLoss] = []
        declared: list[AppliedLoss] = []
        silent: list[str] = []
        for path in dict.fromkeys(paths):
            feature = feature_of_path(path, self.inexpressible) if self.inexpressible else ""
            loss = None if feature else find_declared_loss(self.side, path, self.conversions)
            if feature:
                of_types.append(AppliedLoss(f"{ADAPTERS_WORD}{feature}", path, _NO_TYPE))
            elif loss is not None:
                declared.append(loss)
            else:
                silent.append(path)
        return (*of_types, *declared), tuple(silent)
