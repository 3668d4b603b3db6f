"""The entries of the ledger, counted by direction and by importance, and the declared losses that no longer happen."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.compare.loss_row import Side as LossSide
from bridgecheck.compare.losses import LOCATIONS, LOSSES, find_declared_loss
from bridgecheck.documented_leaves import Leaf, Side
from bridgecheck.ledger.documents import is_at_or_below
from bridgecheck.ledger.fate import BAD, FATES, Fate, Ruling
from bridgecheck.model.evidence import ReportedLoss
from bridgecheck.wire import Dialect


@dataclass(frozen=True, slots=True)
class Entry:
    """One leaf in one direction. ``path``: of the leaf, "" for the base document itself. ``base_name``: the base it was
    run in. ``declared_losses``: what the adapter itself declared of the first run."""

    client: Dialect
    upstream: Dialect
    side: Side
    path: str
    base_name: str
    ruling: Ruling
    declared_losses: tuple[ReportedLoss, ...] = ()

    @property
    def ends(self) -> tuple[Dialect, Dialect]:
        """(the sender's dialect, the receiver's dialect)"""
        return (self.client, self.upstream) if self.side == "request" else (self.upstream, self.client)

    @property
    def bad(self) -> bool:
        return self.ruling.fate in BAD


@dataclass(frozen=True, slots=True)
class UnrunLeaf:
    """A documented leaf that was not run: by a fault of the ledger itself, or because the adapter ended too often."""

    leaf: Leaf
    why: str


Importance: TypeAlias = Literal["content", "control", "accounts", "details"]
IMPORTANCE: Final[dict[Importance, str]] = {
    "content": "what was said, called, answered and shown, why it ended, and what went wrong",
    "control": "how the model is to answer: settings, tools, thinking, form",
    "accounts": "token counts",
    "details": "names, times, ratings and figures about an answer",
}

_STARTS: Final[dict[Importance, tuple[str, ...]]] = {
    "accounts": ("usage", "message.usage"),
    "content": (
        "error.message", "error.type", "error.code", "error.status", "candidates[].content",
        "candidates[].finishReason", "candidates[].index", "promptFeedback.blockReason", "choices", "content",
        "contents", "content_block", "messages", "system", "systemInstruction", "stop_reason", "delta",
    ),
    "details": (
        "error", "candidates", "promptFeedback", "choices[].logprobs", "choices[].message.annotations",
        "choices[].message.audio.id", "choices[].message.audio.expires_at", "delta.stop_sequence", "labels", "metadata",
        "user", "id", "created", "createTime", "model", "modelVersion", "modelStatus", "responseId", "request_id",
        "service_tier", "stop_sequence", "system_fingerprint", "message",
    ),
}  # fmt: skip
"""Beginnings of paths, the longest that fits counts; what is not here is control."""


def leaf_importance(path: str) -> Importance:
    """Return the class of a leaf; of a base document ("") content."""
    if not path:
        return "content"
    bare = path[path.index("].") + 2 :] if path.startswith("[") else path
    fitting = {start: name for name, starts in _STARTS.items() for start in starts if _begins_with(bare, start)}
    return fitting[max(fitting, key=len)] if fitting else "control"


def _begins_with(path: str, start: str) -> bool:
    """Return whether a path is or lies below the start; ``usage`` covers the figures of all dialects."""
    return path.startswith("usage") if start == "usage" else is_at_or_below(path, start)


Counts: TypeAlias = tuple[int, ...]
"""In the order of ``FATES``."""


@dataclass(frozen=True, slots=True)
class UnneededLossRow:
    """A row of the table of losses whose leaves all arrive in this direction."""

    row: str
    origin: Dialect
    target: Dialect
    leaves: tuple[str, ...]


def count_by_client_upstream_and_side(entries: Sequence[Entry]) -> dict[tuple[Dialect, Dialect, str], Counts]:
    """Return (client, upstream, side) -> leaves per fate, in the order of the entries."""
    found: dict[tuple[Dialect, Dialect, str], Counter[Fate]] = {}
    for entry in _exclude_good_bases(entries):
        found.setdefault((entry.client, entry.upstream, entry.side), Counter())[entry.ruling.fate] += 1
    return {key: _to_counts(counter) for key, counter in found.items()}


def count_by_importance(entries: Sequence[Entry]) -> dict[str, Counts]:
    """Return class of importance -> leaves per fate."""
    found: dict[str, Counter[Fate]] = {name: Counter() for name in IMPORTANCE}
    for entry in _exclude_good_bases(entries):
        found[leaf_importance(entry.path)][entry.ruling.fate] += 1
    return {name: _to_counts(counter) for name, counter in found.items()}


def count_without_good_bases(entries: Sequence[Entry]) -> Counts:
    return _to_counts(Counter(entry.ruling.fate for entry in _exclude_good_bases(entries)))


def find_unneeded_loss_rows(entries: Sequence[Entry]) -> tuple[UnneededLossRow, ...]:
    """Return the rows that cover leaves of a direct conversion that none needs: what they declare lost arrives. Rows
    whose targets have a place are no excuse."""
    arrived: dict[tuple[str, Dialect, Dialect], list[str]] = {}
    required: set[tuple[str, Dialect, Dialect]] = set()
    for entry in entries:
        origin, target = entry.ends
        if origin == target:
            continue
        required |= {(row, origin, target) for row in entry.ruling.losses}
        for row in _covering_losses(entry):
            arrived.setdefault((row, origin, target), []).append(entry.path)
    order = {row.name: number for number, row in enumerate(LOSSES)}
    found = [
        UnneededLossRow(*key, tuple(dict.fromkeys(paths))) for key, paths in arrived.items() if key not in required
    ]
    return tuple(sorted(found, key=lambda row: (order.get(row.row, 0), row.origin, row.target)))


def _exclude_good_bases(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries without the bases, which are counted only where something is wrong with them."""
    return [entry for entry in entries if entry.path or entry.bad]


def _to_counts(counter: Counter[Fate]) -> Counts:
    return tuple(counter[fate] for fate in FATES)


def _covering_losses(entry: Entry) -> list[str]:
    side: LossSide = "request" if entry.side == "request" else "response"
    found = [find_declared_loss(side, path, (entry.ends,)) for path in entry.ruling.paths]
    return [row.rule for row in found if row is not None and row.rule not in LOCATIONS]
