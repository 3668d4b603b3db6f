"""The table of a report: topics down, paths across.

Columns: ``control`` (the identity adapter at wire level: where it fails, the judge is wrong), ``native sdk`` (the
upstream's own SDK, flag off), and one for each direction that was bridged (flag on, wire and SDK level together).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from operator import add
from typing import Final

from bridgecheck.model.verdict import EXCUSES, CaseKey, CaseResult
from bridgecheck.wire import CLIENT_DIALECTS, DIALECTS, Dialect
from bridgecheck.wire.facts import RECORDS

CONTROL_COLUMN: Final = "control"
NATIVE_COLUMN: Final = "native sdk"
CONTROL_COLUMNS: Final = (CONTROL_COLUMN, NATIVE_COLUMN)
"""The columns that are none of the adapter's."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Cases of one topic on one path. ``failed``: FAIL and ERROR; ``good`` all other verdicts; ``warned`` those of the
    good that are WARN; ``deviations`` excused failures; ``unjudged``: NOT_APPLICABLE and INCONCLUSIVE."""

    good: int = 0
    warned: int = 0
    failed: int = 0
    deviations: int = 0
    unjudged: int = 0

    @property
    def judged(self) -> int:
        return self.good + self.failed + self.deviations

    def __add__(self, cell: "Cell") -> "Cell":
        return Cell(*map(add, astuple(self), astuple(cell)))

    def __str__(self) -> str:
        """``24`` all good, ``22/24`` two failed, ``22/24 2a`` two failed and are excused, ``24 2w`` two warned, ``-``
        nothing judged, "" no case at all."""
        if not self.judged:
            return "-" if self.unjudged else ""
        count = f"{self.good}/{self.judged}" if self.failed or self.deviations else str(self.good)
        excused = f"{self.deviations}a" if self.deviations else ""
        warned = f"{self.warned}w" if self.warned else ""
        return " ".join(filter(None, (count, excused, warned)))


@dataclass(frozen=True, slots=True)
class Table:
    """``rows``: (topic, cells in the order of ``columns``); ``totals``: their sums."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]

    def cut_rows_to_columns(self, columns: Sequence[str]) -> "Table":
        """Return the table with no other columns than these."""
        indices = [self.columns.index(head) for head in columns]
        return Table(tuple(columns), tuple((name, tuple(cells[i] for i in indices)) for name, cells in self.rows))

    @property
    def judged_columns(self) -> "Table":
        """The table without columns in which nothing could be judged."""
        judged = [head for head, cell in zip(self.columns, self.totals, strict=True) if cell.judged]
        return self.cut_rows_to_columns(judged)

    @property
    def totals(self) -> tuple[Cell, ...]:
        return tuple(sum((cells[i] for _, cells in self.rows), Cell()) for i in range(len(self.columns)))


def count_by_topic_and_direction(cases: Iterable[CaseResult]) -> Table:
    """Return the table with a row for each topic; columns without a case are omitted."""
    return _count_cases((case_topic(case), case) for case in cases)


def count_by_scenario_and_direction(cases: Iterable[CaseResult]) -> Table:
    return _count_cases((case.key.scenario, case) for case in cases)


def planned_table(cases: Iterable[tuple[str, CaseKey, bool]]) -> Table:
    """Return the table of cases that did not run yet, given as (topic, key, is idle): every cell counts those that are
    played. Columns in which nothing is are omitted: directions that the adapter does not route."""
    cells: dict[tuple[str, str], Cell] = {}
    for name, key, is_idle in cases:
        position = name, control_or_direction_name(key)
        cells[position] = cells.get(position, Cell()) + (Cell(unjudged=1) if is_idle else Cell(good=1))
    return _build_table(cells).judged_columns


def _count_cases(named: Iterable[tuple[str, CaseResult]]) -> Table:
    cells: dict[tuple[str, str], Cell] = {}
    for name, case in named:
        position = name, control_or_direction_name(case.key)
        cells[position] = cells.get(position, Cell()) + _case_cell(case)
    return _build_table(cells)


def _build_table(cells: Mapping[tuple[str, str], Cell]) -> Table:
    columns = sorted({name for _, name in cells}, key=_COLUMN_ORDER.index)
    names = sorted({name for name, _ in cells})
    return Table(tuple(columns), tuple((name, tuple(cells.get((name, c), Cell()) for c in columns)) for name in names))


def control_or_direction_name(key: CaseKey) -> str:
    """Return the head of the column a case stands in."""
    if key.path == "native":
        return CONTROL_COLUMN if key.layer == "wire" else NATIVE_COLUMN
    return direction_letters(key.client, key.upstream)


def direction_letters(client: Dialect, upstream: Dialect) -> str:
    """Return ``G>O``: a Gemini client, an OpenAI Chat upstream."""
    return f"{RECORDS[client].letter}>{RECORDS[upstream].letter}"


def letter_legend(columns: Iterable[str]) -> str:
    """Return what the letters of these heads stand for; of heads without a direction, what any may stand for."""
    used = {letter for head in columns if ">" in head for letter in head}
    names = {RECORDS[dialect].letter: RECORDS[dialect].title for dialect in DIALECTS}
    own = {RECORDS["outcome"].letter: "a library's own types"} if used else {}
    return ", ".join(f"{letter} {name}" for letter, name in (names | own).items() if not used or letter in used)


def case_topic(case: CaseResult) -> str:
    """Return the topic of the case; if it names none, the first part of its scenario's id."""
    return case.topic or case.key.scenario.split("/", 1)[0]


_COLUMN_ORDER: Final = (
    *CONTROL_COLUMNS,
    *(direction_letters(client, upstream) for client in CLIENT_DIALECTS for upstream in DIALECTS),
)


def _case_cell(case: CaseResult) -> Cell:
    counted = case.counted_as
    if counted in EXCUSES:
        return Cell(deviations=1)
    if counted in ("FAIL", "ERROR"):
        return Cell(failed=1)
    if counted in ("NOT_APPLICABLE", "INCONCLUSIVE"):
        return Cell(unjudged=1)
    return Cell(good=1, warned=int(counted == "WARN"))
