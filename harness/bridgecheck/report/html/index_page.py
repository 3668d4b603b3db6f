"""A page over several reports: which adapters were looked at, when, and what was found. No order but the alphabet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from bridgecheck.model.published import FINDING_MEANS
from bridgecheck.report.html import page_header
from bridgecheck.report.html.citations import FindingNotice, count_finding_statuses, make_notices
from bridgecheck.report.html.matrix import STATUS_MEANS, Matrix, make_matrix
from bridgecheck.report.html.page_header import ControlResult, StatusCount
from bridgecheck.report.html.rendering import render_page
from bridgecheck.report.model import Report
from bridgecheck.report.published import NO_PUBLISHED_FILES, PublishedFiles
from bridgecheck.report.sentences import verdict_line
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
    published_files: PublishedFiles = NO_PUBLISHED_FILES


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One line of the page. ``until``: its last day, "" if not known. ``findings``: what is published, else all of
    the report. ``notices`` None: nothing says what is published."""

    name: str
    adapter: str
    version: str
    link: str
    date: str
    until: str
    expired: bool
    partial: str
    judgement: str
    tone: str
    findings: tuple[StatusCount, ...]
    cases: tuple[StatusCount, ...]
    control: ControlResult
    notices: tuple[FindingNotice, ...] | None
    recipe: str


def to_html(entries: Iterable[IndexEntry], today: date) -> str:
    """The text of the page."""
    ordered = sorted(entries, key=_alphabetical_key)
    names = _unique_names(ordered)
    listed = [
        _make_index_row(entry, name, number, today)
        for number, (entry, name) in enumerate(zip(ordered, names, strict=True))
    ]
    return render_page(
        TEMPLATE,
        listed=listed,
        matrix=_adapter_matrix(ordered, names),
        means=STATUS_MEANS,
        finding_words=FINDING_MEANS,
        today=today.isoformat(),
    )


def _alphabetical_key(entry: IndexEntry) -> tuple[str, str, str, str]:
    info = entry.report.info
    return info.adapter.casefold(), info.version, info.started, entry.folder


def _unique_names(entries: Sequence[IndexEntry]) -> list[str]:
    """Adapter and version; with the folder where that is not enough."""
    short = [" ".join(filter(None, (entry.report.info.adapter, entry.report.info.version))) for entry in entries]
    return [
        f"{name} ({entry.folder})" if short.count(name) > 1 else name
        for name, entry in zip(short, entries, strict=True)
    ]


def _make_index_row(entry: IndexEntry, name: str, number: int, today: date) -> IndexRow:
    report, published = entry.report, entry.published_files.findings
    until = report.info.valid_until
    return IndexRow(
        name=name,
        adapter=report.info.adapter or "without a name",
        version=report.info.version,
        link=entry.link,
        date=report.info.started[:10],
        until=until.isoformat() if until else "",
        expired=until is not None and today > until,
        partial=page_header.partial_notice(report),
        judgement=_judgement_text(report),
        tone=page_header.report_tone(report),
        findings=page_header.count_findings(report) if published is None else count_finding_statuses(published),
        cases=page_header.count_cases(report),
        control=page_header.control_result(report),
        notices=None if published is None else make_notices(published, entry.base, f"{number}-"),
        recipe=entry.published_files.recipe,
    )


def _judgement_text(report: Report) -> str:
    """The word of the exit code, and what it does not tell: that failures were accepted."""
    word, accepted = verdict_line(report).partition(": ")[0], report.totals["deviation"]
    return f"{word}, {accepted} accepted" if accepted else word


def _adapter_matrix(entries: Sequence[IndexEntry], names: Sequence[str]) -> Matrix:
    """Topics down, adapters across, all directions together; before them the controls of all runs."""
    tables = [entry.report.topics for entry in entries]
    topics = sorted({topic for table in tables for topic, _ in table.rows})
    rows = tuple(
        (topic, (_control_cell(topic, tables), *(_adapter_cell(topic, table) for table in tables))) for topic in topics
    )
    links = {
        (topic, name): f"{entry.link}#table" for entry, name in zip(entries, names, strict=True) for topic in topics
    }
    return make_matrix(Table((CONTROL_COLUMN, *names), rows), links)


def _control_cell(topic: str, tables: Iterable[Table]) -> Cell:
    cells = [cell for table in tables for key, cell in _topic_cells(topic, table) if key in CONTROL_COLUMNS]
    return sum(cells, Cell())


def _adapter_cell(topic: str, table: Table) -> Cell:
    return sum((cell for key, cell in _topic_cells(topic, table) if key not in CONTROL_COLUMNS), Cell())


def _topic_cells(topic: str, table: Table) -> Iterable[tuple[str, Cell]]:
    row = dict(table.rows).get(topic, ())
    return zip(table.columns, row, strict=False)
