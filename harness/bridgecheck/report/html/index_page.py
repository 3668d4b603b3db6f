"""A page over several reports: which adapters were looked at, when, and what was found. No order but the alphabet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from bridgecheck.report.html.citations import count_finding_statuses
from bridgecheck.report.html.matrix import Matrix, make_judged_matrix_controls_last
from bridgecheck.report.html.page_header import ReportSummary, StatusCount
from bridgecheck.report.html.rendering import render_page
from bridgecheck.report.model import Report
from bridgecheck.report.publication import NO_FINDINGS_AND_RECIPE, FindingsAndRecipe
from bridgecheck.report.table import CONTROL_COLUMN, CONTROL_COLUMNS, Cell, Table

TEMPLATE: Final = "index.html.j2"


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One report of the page. ``link``: its relative address. ``folder``: tells reports of one adapter apart. ``base``:
    the relative address of the report's folder, "" or ending in a slash. ``published_files``: what lies beside it."""

    report: Report
    link: str
    folder: str = ""
    base: str = ""
    published_files: FindingsAndRecipe = NO_FINDINGS_AND_RECIPE


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One line of the page."""

    entry: IndexEntry
    name: str
    summary: ReportSummary

    @property
    def published_or_report_finding_counts(self) -> tuple[StatusCount, ...]:
        """What is published, else all of the report."""
        published = self.entry.published_files.findings
        return self.summary.finding_counts if published is None else count_finding_statuses(published)


def to_html(entries: Iterable[IndexEntry], today: date) -> str:
    ordered = sorted(entries, key=_alphabetical_key)
    names = _versioned_names_unique_by_folder(ordered)
    rows = [
        IndexRow(entry, name, ReportSummary(entry.report, today)) for entry, name in zip(ordered, names, strict=True)
    ]
    return render_page(
        TEMPLATE, rows=rows, matrix=_matrix_of_topics_by_adapter(ordered, names), today=today.isoformat()
    )


def _alphabetical_key(entry: IndexEntry) -> tuple[str, str, str, str]:
    info = entry.report.info
    return info.adapter.casefold(), info.version, info.started, entry.folder


def _versioned_names_unique_by_folder(entries: Sequence[IndexEntry]) -> list[str]:
    """Return adapter and version; with the folder where that is not enough."""
    short = [" ".join(filter(None, (entry.report.info.adapter, entry.report.info.version))) for entry in entries]
    named = zip(short, entries, strict=True)
    return [f"{name} ({entry.folder})" if short.count(name) > 1 else name for name, entry in named]


def _matrix_of_topics_by_adapter(entries: Sequence[IndexEntry], names: Sequence[str]) -> Matrix:
    """Put topics down, adapters across, all directions together; before them the controls of all runs."""
    tables = [entry.report.topics for entry in entries]
    topics = sorted({topic for table in tables for topic, _ in table.rows})
    rows = []
    for topic in topics:
        control = sum((_sum_cells(topic, table, True) for table in tables), Cell())
        rows.append((topic, (control, *(_sum_cells(topic, table, False) for table in tables))))
    named = list(zip(entries, names, strict=True))
    links = {(topic, name): f"{entry.link}#table" for entry, name in named for topic in topics}
    return make_judged_matrix_controls_last(Table((CONTROL_COLUMN, *names), tuple(rows)), links)


def _sum_cells(topic: str, table: Table, of_control: bool) -> Cell:
    """Return the cases of a topic in the columns of the control, or in all others."""
    row = zip(table.columns, dict(table.rows).get(topic, ()), strict=False)
    return sum((cell for key, cell in row if (key in CONTROL_COLUMNS) == of_control), Cell())
