"""What the tables of this package are made of: base documents, and the two values that a leaf is run with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from bridgecheck.wire import JsonObject

ALPHA: Final = "canary-alpha"
BETA: Final = "canary-beta"
"""Words that stand in no base document and in no adapter: whatever holds one of them at the far side came from here."""

SAME: Final = "(same)"
"""In ``Sample.also``: the value that the leaf itself has in this run."""


@dataclass(frozen=True, slots=True)
class Base:
    """A minimal valid document; of a stream, its events. ``status``: of an answer."""

    documents: tuple[JsonObject, ...]
    status: int = 200


def one(document: JsonObject, status: int = 200) -> Base:
    """A base of one document."""
    return Base((document,), status)


@dataclass(frozen=True, slots=True)
class Sample:
    """The two values of a leaf, unless those of its kind will do.

    ``bases``: the bases it is run in; () the first that holds the leaf, or else the object it belongs to. ``place``:
    which of several matching places of a base, -1 the last. ``everywhere``: the leaf is set wherever it stands, as in
    every event of a stream. ``also``: (dotted path with indices, value) set in both runs and in the base, ``SAME`` for
    what has to change with the leaf.
    """

    a: object = None
    b: object = None
    bases: tuple[str, ...] = ()
    place: int = 0
    everywhere: bool = False
    also: tuple[tuple[str, object], ...] = ()


Bases: TypeAlias = Mapping[str, Base]
Samples: TypeAlias = Mapping[str, "Sample | tuple[Sample, ...]"]
"""Path (``path@kind`` where one path is of two kinds) -> how the leaf is run: once, or in several ways."""
LeftOut: TypeAlias = Mapping[str, str]
"""Path, or the beginning of one -> why the leaves there are not run."""


@dataclass(frozen=True, slots=True)
class Table:
    """Everything the ledger says of one side of one dialect."""

    bases: Bases
    samples: Samples
    left_out: LeftOut
