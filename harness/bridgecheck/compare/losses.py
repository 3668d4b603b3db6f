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
from functools import lru_cache
from typing import Final

from bridgecheck.compare.loss_row import LossRow, Side
from bridgecheck.compare.losses_request import REQUEST_LOSSES
from bridgecheck.compare.losses_response import RESPONSE_LOSSES
from bridgecheck.model.verdict import AppliedLoss
from bridgecheck.wire import Dialect

LOSSES: Final[tuple[LossRow, ...]] = (*RESPONSE_LOSSES, *REQUEST_LOSSES)

Hop = tuple[Dialect, Dialect]


def hops(origin: Dialect, target: Dialect, pivot: Dialect | None) -> tuple[Hop, ...]:
    """The conversions a document goes through. () where it is passed on untouched: then nothing may be lost."""
    if pivot is not None and pivot not in (origin, target):
        return ((origin, pivot), (pivot, target))
    return () if origin == target else ((origin, target),)


def declared(side: Side, path: str, ways: Sequence[Hop]) -> AppliedLoss | None:
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
        loss = declared(side, path, ways)
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
