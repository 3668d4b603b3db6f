"""Topics down, paths across, as a page shows it: each cell with a sign, a word for it, and where its findings are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.report.html.names import arrows, column, column_means
from bridgecheck.report.table import CONTROLS, Cell, Table
from bridgecheck.report.words import plural

State: TypeAlias = Literal["good", "warned", "accepted", "failed", "unjudged", "empty"]

SIGN: Final[dict[State, str]] = {"failed": "✕", "warned": "△", "accepted": "◇"}


@dataclass(frozen=True, slots=True)
class Square:
    """One cell. ``said``: the same in words. ``link``: where it leads, "" for nowhere."""

    text: str
    state: State
    said: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """One column. ``short``: its text where there is little room. ``control``: it is none of the adapter's."""

    key: str
    text: str
    short: str
    means: str
    control: bool


@dataclass(frozen=True, slots=True)
class Row:
    """``note``: what is said beside the name, ``link``: where that leads; "" for nothing. ``state``: the worst of its
    cells."""

    name: str
    squares: tuple[Square, ...]
    note: str = ""
    link: str = ""
    state: State = "good"


@dataclass(frozen=True, slots=True)
class Matrix:
    heads: tuple[Head, ...]
    rows: tuple[Row, ...]
    total: tuple[Square, ...]


def matrix(table: Table, links: Mapping[tuple[str, str], str], notes: Mapping[str, str] | None = None) -> Matrix:
    """The controls come last, for it is the adapter that is looked at. ``links``: (row, column) -> where the cell
    leads. ``notes``: row -> what is said beside it."""
    found = table.judged
    judged = found.only([*(key for key in found.columns if key not in CONTROLS), *_controls(found.columns)])
    rows = []
    for name, cells in judged.rows:
        squares = tuple(
            square(cell, links.get((name, key), "")) for key, cell in zip(judged.columns, cells, strict=True)
        )
        rows.append(Row(name, squares, (notes or {}).get(name, ""), state=state(sum(cells, Cell()))))
    heads = tuple(_head(key, judged.columns) for key in judged.columns)
    return Matrix(heads, tuple(rows), tuple(map(square, judged.total)))


def _controls(columns: Sequence[str]) -> list[str]:
    return [key for key in columns if key in CONTROLS]


def _head(key: str, columns: Sequence[str]) -> Head:
    return Head(key, column(key, columns), arrows(key), column_means(key), key in CONTROLS)


def square(cell: Cell, link: str = "") -> Square:
    """``link`` is taken where there is something to look at."""
    found = state(cell)
    sign = SIGN.get(found, "")
    return Square(f"{sign} {cell}".strip(), found, said(cell), link if sign else "")


def state(cell: Cell) -> State:
    """The worst there is in it."""
    if not cell.judged:
        return "unjudged" if cell.unjudged else "empty"
    if cell.failed:
        return "failed"
    if cell.deviations:
        return "accepted"
    return "warned" if cell.warned else "good"


def said(cell: Cell) -> str:
    """``2 of 24 cases failed, 1 warned``."""
    if not cell.judged:
        return "nothing applicable" if cell.unjudged else "no case"
    parts = [f"{cell.failed} of {plural(cell.judged, 'case')} failed"] if cell.failed else []
    parts += [f"{cell.deviations} of {plural(cell.judged, 'case')} failed and accepted"] if cell.deviations else []
    parts = parts or [f"{plural(cell.judged, 'case')} without a failure"]
    return ", ".join([*parts, *([f"{cell.warned} warned"] if cell.warned else [])])
