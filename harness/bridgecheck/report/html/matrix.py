"""Topics down, paths across, as a page shows it: each cell with a sign, a word for it, and where its findings are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.model.counts import plural
from bridgecheck.model.verdict import CaseKey, Status
from bridgecheck.report.table import CONTROL_COLUMN, CONTROL_COLUMNS, NATIVE_COLUMN, Cell, Table
from bridgecheck.wire.facts import RECORDS

STATUS_GLYPHS: Final[dict[str, str]] = {"FAIL": "✕", "ERROR": "⚠", "WARN": "△", "PASS": "✓"}
"""A sign beside the word, so that colour never speaks alone."""

STATUS_MEANS: Final[dict[Status, str]] = {
    "ERROR": "the harness or its environment failed; no statement about the adapter",
    "FAIL": "a MUST is broken",
    "WARN": "a SHOULD is broken",
    "INCONCLUSIVE": "no verdict was possible",
    "REJECTED": "refused loudly, naming the field, where that is allowed",
    "DISPUTED": "sources disagree",
    "INHERITED": "the upstream document has the same violation",
    "NOTE": "a MAY, or robustness against what providers are not known to send",
    "PASS": "preserved, or a declared loss",
    "NOT_APPLICABLE": "the pair cannot express it, or the adapter does not claim it",
}


def dialect_name(name: str) -> str:
    return next((record.title for record in RECORDS.values() if record.name == name), name)


MAX_SPELLED_COLUMNS: Final = 4
"""Up to so many directions, a table has room for their names."""


def write_gt_as_arrow(text: str) -> str:
    """Write the directions in a sentence as ``G→O``."""
    return text.replace(">", "→")


def spell_column_if_few(name: str, columns: Sequence[str]) -> str:
    """Return ``G→O``, or ``Gemini→OpenAI Chat`` where there are few columns of the kind. Others by their own names."""
    few = sum(">" in column for column in columns) <= MAX_SPELLED_COLUMNS
    return spell_column(name) if few else write_gt_as_arrow(name)


def spell_column(name: str) -> str:
    """Return ``Gemini→OpenAI Chat`` for ``G>O``. Others by their own names."""
    client, over, upstream = name.partition(">")
    if not over:
        return name
    return f"{_letter_dialect_name(client)}→{_letter_dialect_name(upstream)}"


def describe_control_or_direction(name: str) -> str:
    """Return ``Gemini client over OpenAI Chat``."""
    if name == CONTROL_COLUMN:
        return "identity adapter: documents pass untouched"
    if name == NATIVE_COLUMN:
        return "the provider's own SDK, without an adapter"
    client, _, upstream = name.partition(">")
    return f"{_letter_dialect_name(client)} client over {_letter_dialect_name(upstream)}"


def _letter_dialect_name(letter: str) -> str:
    """Return the dialect behind a letter of the table."""
    return next((record.title for record in RECORDS.values() if record.letter == letter), letter)


def describe_case_route(key: CaseKey) -> str:
    """Return ``OpenAI Chat client over Gemini, stream, wire layer``."""
    return f"{dialect_name(key.client)} client over {dialect_name(key.upstream)}, {key.mode}, {key.layer} layer"


def status_glyph(status: str) -> str:
    return STATUS_GLYPHS.get(status, "·")


CellState: TypeAlias = Literal["good", "warned", "accepted", "failed", "unjudged", "empty"]

STATE_SIGN: Final[dict[CellState, str]] = {"failed": "✕", "warned": "△", "accepted": "◇"}


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One cell. ``describe_cell``: the same in words. ``link``: where it leads, "" for nowhere."""

    text: str
    state: CellState
    description: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """One column. ``short``: its text where there is little room. ``control``: it is none of the adapter's."""

    key: str
    text: str
    short: str
    description: str
    control: bool


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One row. ``note``: text beside the name, "" for none. ``state``: the worst of its cells."""

    name: str
    cells: tuple[MatrixCell, ...]
    note: str
    state: CellState


@dataclass(frozen=True, slots=True)
class Matrix:
    columns: tuple[MatrixColumn, ...]
    rows: tuple[MatrixRow, ...]
    total: tuple[MatrixCell, ...]


def make_judged_matrix_controls_last(
    table: Table, links: Mapping[tuple[str, str], str], row_notes: Mapping[str, str] | None = None
) -> Matrix:
    """``links``: (row, column) -> where the cell leads. ``row_notes``: row -> what is said beside it."""
    found = table.judged_columns
    judged = found.cut_rows_to_columns(sorted(found.columns, key=CONTROL_COLUMNS.__contains__))
    rows = []
    for name, cells in judged.rows:
        squares = tuple(
            make_matrix_cell(cell, links.get((name, key), "")) for key, cell in zip(judged.columns, cells, strict=True)
        )
        rows.append(MatrixRow(name, squares, (row_notes or {}).get(name, ""), worst_cell_state(sum(cells, Cell()))))
    heads = tuple(
        MatrixColumn(
            key, spell_column_if_few(key, judged.columns), write_gt_as_arrow(key),
            describe_control_or_direction(key), key in CONTROL_COLUMNS,
        )
        for key in judged.columns
    )  # fmt: skip
    return Matrix(heads, tuple(rows), tuple(map(make_matrix_cell, judged.totals)))


def make_matrix_cell(cell: Cell, link: str = "") -> MatrixCell:
    """Make the cell; it has the ``link`` where there is something to look at."""
    found = worst_cell_state(cell)
    sign = STATE_SIGN.get(found, "")
    return MatrixCell(f"{sign} {cell}".strip(), found, describe_cell(cell), link if sign else "")


def worst_cell_state(cell: Cell) -> CellState:
    if not cell.judged:
        return "unjudged" if cell.unjudged else "empty"
    return "failed" if cell.failed else "accepted" if cell.deviations else "warned" if cell.warned else "good"


def describe_cell(cell: Cell) -> str:
    """Return ``2 of 24 cases failed, 1 warned``."""
    if not cell.judged:
        return "nothing applicable" if cell.unjudged else "no case"
    parts = [f"{cell.failed} of {plural(cell.judged, 'case')} failed"] if cell.failed else []
    parts += [f"{cell.deviations} of {plural(cell.judged, 'case')} failed and accepted"] if cell.deviations else []
    parts = parts or [f"{plural(cell.judged, 'case')} without a failure"]
    return ", ".join([*parts, *([f"{cell.warned} warned"] if cell.warned else [])])
