"""Probes: a base document with one leaf in it, once with the one value and once with the other."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

from bridgecheck.ledger import (
    anthropic_answer,
    anthropic_request,
    chat_answer,
    chat_request,
    chat_stream,
    gemini_answer,
    gemini_request,
)
from bridgecheck.ledger.base import ALPHA, BETA, SAME, Base, Sample, Table
from bridgecheck.ledger.kinds import Kind, Side
from bridgecheck.ledger.places import fits, holds, make, places, put, takes
from bridgecheck.ledger.shapes import Leaf, leaves
from bridgecheck.wire import Dialect

TABLES: Final[dict[tuple[Dialect, Side], Table]] = {
    ("gemini", "request"): gemini_request.TABLE,
    ("gemini", "response"): gemini_answer.TABLE,
    ("gemini", "stream"): gemini_answer.STREAM_TABLE,
    ("openai-chat", "request"): chat_request.TABLE,
    ("openai-chat", "response"): chat_answer.TABLE,
    ("openai-chat", "stream"): chat_stream.TABLE,
    ("anthropic", "request"): anthropic_request.TABLE,
    ("anthropic", "response"): anthropic_answer.TABLE,
    ("anthropic", "stream"): anthropic_answer.STREAM_TABLE,
}

VALUES: Final[dict[Kind, tuple[object, object]]] = {
    "text": (ALPHA, BETA),
    "integer": (11, 12),
    "number": (0.25, 0.5),
    "flag": (True, False),
    "texts": ([ALPHA], [BETA]),
}
"""What a leaf is run with if its table says nothing. Objects always need values of their own."""


@dataclass(frozen=True, slots=True)
class Probe:
    """``base``: the document without the leaf, or with the base's own value; ``a`` and ``b``: with the leaf's two."""

    leaf: Leaf
    place: str
    base: Base
    a: Base
    b: Base
    values: tuple[object, object]

    @property
    def name(self) -> str:
        return f"{self.leaf.path} ({self.place})"


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A documented leaf that no base has room for or that has no values: a hole in the tables."""

    leaf: Leaf
    why: str


def probes(dialect: Dialect, side: Side) -> Iterator[Probe | Unplaced]:
    """One or more for every leaf that is not left out, in the order of the leaves."""
    table = TABLES[dialect, side]
    for leaf in leaves(dialect, side):
        if not left_out(leaf):
            yield from _probes(leaf, table)


def left_out(leaf: Leaf) -> str:
    """Why the leaf is not run, "" if it is."""
    table = TABLES[leaf.dialect, leaf.side]
    return next((why for start, why in table.left_out.items() if _under(leaf.path, start)), "")


def _under(path: str, start: str) -> bool:
    return path == start or (path.startswith(start) and path[len(start)] in ".[(")


def _probes(leaf: Leaf, table: Table) -> Iterator[Probe | Unplaced]:
    found = table.samples.get(f"{leaf.path}@{leaf.kind}") or table.samples.get(leaf.path) or Sample()
    for sample in found if isinstance(found, tuple) else (found,):
        yield from _sampled(leaf, table, sample)


def _sampled(leaf: Leaf, table: Table, sample: Sample) -> Iterator[Probe | Unplaced]:
    values = (sample.a, sample.b) if sample.a is not None else VALUES.get(leaf.kind)
    if values is None:
        yield Unplaced(leaf, "no values")
        return
    if not all(fits(value, leaf) for value in values):
        yield Unplaced(leaf, f"values that are no {leaf.kind}")
        return
    names = sample.bases or _found(leaf, table)
    if not names:
        yield Unplaced(leaf, "no base has room for it")
    for name in names:
        yield _probe(leaf, name, table.bases[name], sample, values)


def _found(leaf: Leaf, table: Table) -> tuple[str, ...]:
    """The first base that holds the leaf, or else the first in which it has a place."""
    for fit in (holds, takes):
        for name, base in table.bases.items():
            top = _top(leaf, _copy(base))
            make(top, leaf.steps)
            if fit(top, leaf):
                return (name,)
    return ()


def _probe(leaf: Leaf, name: str, base: Base, sample: Sample, values: tuple[object, object]) -> Probe:
    a, b = (_with(leaf, base, sample, value) for value in values)
    return Probe(leaf, name, _companions(leaf, base, sample), a, b, values)


def _companions(leaf: Leaf, base: Base, sample: Sample) -> Base:
    made = _copy(base)
    for where, value in sample.also:
        if value != SAME:
            put(_top(leaf, made), where, deepcopy(value))
    return made


def _with(leaf: Leaf, base: Base, sample: Sample, value: object) -> Base:
    made = _copy(base)
    top = _top(leaf, made)
    make(top, leaf.steps)
    holders = places(top, leaf.steps)
    for holder in holders if sample.everywhere else [holders[sample.place]]:
        holder[leaf.key] = deepcopy(value)
    for where, other in sample.also:
        put(top, where, deepcopy(value if other == SAME else other))
    return made


def _top(leaf: Leaf, base: Base) -> object:
    return list(base.documents) if leaf.side == "stream" else base.documents[0]


def _copy(base: Base) -> Base:
    return Base(tuple(deepcopy(document) for document in base.documents), base.status)
