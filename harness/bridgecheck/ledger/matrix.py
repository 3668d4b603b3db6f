"""The ledger as counts, and rows of the table of losses that no longer happen."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bridgecheck.compare.loss_row import Side as LossSide
from bridgecheck.compare.losses import LOSSES, find_declared_loss
from bridgecheck.ledger.entry import Entry
from bridgecheck.ledger.fate import FATES, Fate
from bridgecheck.ledger.importance import IMPORTANCE, importance
from bridgecheck.wire import Dialect

Counts: TypeAlias = tuple[int, ...]
"""In the order of ``FATES``."""


@dataclass(frozen=True, slots=True)
class Stale:
    """A row of the table of losses whose leaves all arrive in this direction."""

    row: str
    origin: Dialect
    target: Dialect
    leaves: tuple[str, ...]


def by_direction(entries: Sequence[Entry]) -> dict[tuple[Dialect, Dialect, str], Counts]:
    """(client, upstream, side) -> leaves per fate, in the order of the entries."""
    found: dict[tuple[Dialect, Dialect, str], Counter[Fate]] = {}
    for entry in _leaves(entries):
        found.setdefault((entry.client, entry.upstream, entry.side), Counter())[entry.ruling.fate] += 1
    return {key: _counts(counter) for key, counter in found.items()}


def by_importance(entries: Sequence[Entry]) -> dict[str, Counts]:
    """Class of importance -> leaves per fate."""
    found: dict[str, Counter[Fate]] = {name: Counter() for name in IMPORTANCE}
    for entry in _leaves(entries):
        found[importance(entry.path)][entry.ruling.fate] += 1
    return {name: _counts(counter) for name, counter in found.items()}


def total(entries: Sequence[Entry]) -> Counts:
    """Leaves per fate."""
    return _counts(Counter(entry.ruling.fate for entry in _leaves(entries)))


def stale(entries: Sequence[Entry]) -> tuple[Stale, ...]:
    """Rows that cover leaves of a direct conversion and that none of them needs: what they declare lost arrives."""
    arrived: dict[tuple[str, Dialect, Dialect], list[str]] = {}
    needed: set[tuple[str, Dialect, Dialect]] = set()
    for entry in entries:
        origin, target = entry.ends
        if origin == target:
            continue
        needed |= {(row, origin, target) for row in entry.ruling.losses}
        for row in _covering(entry):
            arrived.setdefault((row, origin, target), []).append(entry.path)
    order = {row.name: at for at, row in enumerate(LOSSES)}
    found = [Stale(*key, tuple(dict.fromkeys(paths))) for key, paths in arrived.items() if key not in needed]
    return tuple(sorted(found, key=lambda one: (order.get(one.row, 0), one.origin, one.target)))


def _leaves(entries: Sequence[Entry]) -> list[Entry]:
    """Without the bases, which are counted only where something is wrong with them."""
    return [entry for entry in entries if entry.path or entry.bad]


def _counts(counter: Counter[Fate]) -> Counts:
    return tuple(counter[fate] for fate in FATES)


def _covering(entry: Entry) -> list[str]:
    side: LossSide = "request" if entry.side == "request" else "response"
    found = [find_declared_loss(side, path, (entry.ends,)) for path in entry.ruling.paths]
    return [row.rule for row in found if row is not None]
