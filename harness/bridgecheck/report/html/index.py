"""A page over several reports: which adapters were looked at, when, and what was found. No order but the alphabet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from bridgecheck.model.published import FINDING_MEANS
from bridgecheck.report.age import good_until
from bridgecheck.report.html import head
from bridgecheck.report.html.environment import render
from bridgecheck.report.html.head import Control, Count
from bridgecheck.report.html.matrix import Matrix, matrix
from bridgecheck.report.html.names import STATUS_MEANS
from bridgecheck.report.html.published import Notice, counts, notices
from bridgecheck.report.model import Report
from bridgecheck.report.published import NOTHING, Beside
from bridgecheck.report.table import CONTROL, CONTROLS, Cell, Table
from bridgecheck.report.words import verdict_line

TEMPLATE: Final = "index.html.j2"


@dataclass(frozen=True, slots=True)
class Entry:
    """``link``: from the page to the report, as an address. ``folder``: tells reports of one adapter apart. ``base``:
    from the page to the report's folder, "" or with a slash behind it. ``beside``: what is published of the adapter."""

    report: Report
    link: str
    folder: str = ""
    base: str = ""
    beside: Beside = NOTHING


@dataclass(frozen=True, slots=True)
class Listed:
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
    findings: tuple[Count, ...]
    cases: tuple[Count, ...]
    control: Control
    notices: tuple[Notice, ...] | None
    recipe: str


def to_html(entries: Iterable[Entry], today: date) -> str:
    """The text of the page."""
    ordered = sorted(entries, key=_place)
    names = _names(ordered)
    listed = [
        _listed(entry, name, number, today) for number, (entry, name) in enumerate(zip(ordered, names, strict=True))
    ]
    return render(
        TEMPLATE,
        listed=listed,
        matrix=_matrix(ordered, names),
        means=STATUS_MEANS,
        words=FINDING_MEANS,
        today=today.isoformat(),
    )


def _place(entry: Entry) -> tuple[str, str, str, str]:
    info = entry.report.info
    return info.adapter.casefold(), info.version, info.started, entry.folder


def _names(entries: Sequence[Entry]) -> list[str]:
    """Adapter and version; with the folder where that is not enough."""
    short = [" ".join(filter(None, (one.report.info.adapter, one.report.info.version))) for one in entries]
    return [
        f"{name} ({entry.folder})" if short.count(name) > 1 else name
        for name, entry in zip(short, entries, strict=True)
    ]


def _listed(entry: Entry, name: str, number: int, today: date) -> Listed:
    report, published = entry.report, entry.beside.findings
    until = good_until(report.info)
    return Listed(
        name=name,
        adapter=report.info.adapter or "without a name",
        version=report.info.version,
        link=entry.link,
        date=report.info.started[:10],
        until=until.isoformat() if until else "",
        expired=until is not None and today > until,
        partial=head.partial(report),
        judgement=_judgement(report),
        tone=head.tone(report),
        findings=head.findings(report) if published is None else counts(published),
        cases=head.cases(report),
        control=head.control(report),
        notices=None if published is None else notices(published, entry.base, f"{number}-"),
        recipe=entry.beside.recipe,
    )


def _judgement(report: Report) -> str:
    """The word of the exit code, and what it does not tell: that failures were accepted."""
    word, accepted = verdict_line(report).partition(": ")[0], report.totals["deviation"]
    return f"{word}, {accepted} accepted" if accepted else word


def _matrix(entries: Sequence[Entry], names: Sequence[str]) -> Matrix:
    """Topics down, adapters across, all directions together; before them the controls of all runs."""
    tables = [entry.report.topics for entry in entries]
    topics = sorted({topic for table in tables for topic, _ in table.rows})
    rows = tuple((topic, (_control(topic, tables), *(_adapter(topic, table) for table in tables))) for topic in topics)
    links = {
        (topic, name): f"{entry.link}#table" for entry, name in zip(entries, names, strict=True) for topic in topics
    }
    return matrix(Table((CONTROL, *names), rows), links)


def _control(topic: str, tables: Iterable[Table]) -> Cell:
    cells = [cell for table in tables for key, cell in _cells(topic, table) if key in CONTROLS]
    return sum(cells, Cell())


def _adapter(topic: str, table: Table) -> Cell:
    return sum((cell for key, cell in _cells(topic, table) if key not in CONTROLS), Cell())


def _cells(topic: str, table: Table) -> Iterable[tuple[str, Cell]]:
    row = dict(table.rows).get(topic, ())
    return zip(table.columns, row, strict=False)
