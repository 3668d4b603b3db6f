"""One report as one HTML file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from bridgecheck.model.verdict import CaseResult, Status
from bridgecheck.report import words
from bridgecheck.report.deviations import DeviationUse
from bridgecheck.report.findings import group
from bridgecheck.report.html import cited
from bridgecheck.report.html.cards import Card, RuleShown, Shelf, card
from bridgecheck.report.html.environment import render
from bridgecheck.report.html.head import Top, top
from bridgecheck.report.html.matrix import Matrix, matrix
from bridgecheck.report.html.names import STATUS_MEANS, column, column_means
from bridgecheck.report.html.panels import with_documents, witnesses
from bridgecheck.report.html.published import Notice, notices
from bridgecheck.report.model import LossCount, Report
from bridgecheck.report.published import NOTHING, Beside
from bridgecheck.report.sidebyside import clipped
from bridgecheck.report.table import scenarios, topic, topics
from bridgecheck.report.traceability import traces

TEMPLATE: Final = "report.html.j2"
REMARKED: Final[tuple[Status, ...]] = ("REJECTED", "DISPUTED", "INHERITED", "NOTE")
"""Verdicts that are neither a pass nor a finding."""
UNJUDGED: Final[frozenset[Status]] = frozenset({"NOT_APPLICABLE", "INCONCLUSIVE"})
REASON: Final = 300
REMARKS: Final = 400
LOSSES: Final = 200
RULES: Final = 200
DEVIATIONS: Final = 400


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic with a row for each of its scenarios."""

    name: str
    count: str
    failed: bool
    matrix: Matrix


@dataclass(frozen=True, slots=True)
class Remark:
    """Verdicts that say the same. ``example``: the address of one of their cases."""

    status: Status
    check: str
    message: str
    cases: int
    example: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A rule that something was judged by, with what it came to."""

    rule: RuleShown
    check: str
    counts: str


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a filter. ``number``: how cards name it."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """All that the template prints."""

    top: Top
    notices: tuple[Notice, ...] | None
    recipe: str
    matrix: Matrix
    layers: tuple[tuple[str, Matrix], ...]
    cards: tuple[Card, ...]
    topics: tuple[Topic, ...]
    losses: tuple[LossCount, ...]
    more_losses: str
    rules: tuple[tuple[str, int], ...]
    judged: tuple[Judged, ...]
    remarks: tuple[Remark, ...]
    more_remarks: str
    unjudged: tuple[Remark, ...]
    deviations: tuple[DeviationUse, ...]
    labels: tuple[str, ...]
    columns: tuple[str, ...]
    topic_options: tuple[Option, ...]
    column_options: tuple[Option, ...]

    def topics_of(self, item: Card) -> str:
        """The numbers of its topics, as the filter reads them."""
        return _numbers(self.topic_options, item.topics)

    def columns_of(self, item: Card) -> str:
        return _numbers(self.column_options, tuple(column(key, self.columns) for key in item.columns))


def to_html(report: Report, today: date, beside: Beside = NOTHING, base: str = "") -> str:
    """The text of the file. ``report``: with the grounds of its scenarios, if they are to be shown. ``beside``: what is
    published of the adapter. ``base``: the way from the page to the report's folder."""
    return render(TEMPLATE, page=page(report, today, beside, base), means=STATUS_MEANS, column_means=column_means)


def page(report: Report, today: date, beside: Beside = NOTHING, base: str = "") -> Page:
    cards = _cards(report)
    links: dict[tuple[str, str], str] = {}
    for item in cards:
        for place in item.places:
            links.setdefault(place, f"#{item.id}")
    remarks = _remarks(report.cases)
    columns = report.topics.judged.columns
    names = tuple(dict.fromkeys(name for item in cards for name in item.topics))
    return Page(
        top=top(report, today),
        notices=None if beside.findings is None else notices(beside.findings, base),
        recipe=beside.recipe,
        matrix=matrix(report.topics, links),
        layers=_layers(report),
        cards=cards,
        topics=tuple(_topics(report)),
        losses=report.losses[:LOSSES],
        more_losses=words.also(len(report.losses), LOSSES),
        rules=tuple(report.rules.items())[:RULES],
        judged=tuple(_judged(report)),
        remarks=remarks[:REMARKS],
        more_remarks=words.also(len(remarks), REMARKS),
        unjudged=_unjudged(report.cases),
        deviations=report.uses[:DEVIATIONS],
        labels=tuple(dict.fromkeys(item.label for item in cards)),
        columns=columns,
        topic_options=_options(sorted(names)),
        column_options=_options(_in_order(columns, cards)),
    )


def _cards(report: Report) -> tuple[Card, ...]:
    """What gates first, then what does not yet, then what is accepted."""
    accepted = group(report.cases, report.info.target, "deviation")
    cases = {str(case.key): case for case in report.cases}
    shelf = Shelf(
        cases=cases,
        grounds={ground.id: ground for ground in report.grounds},
        witnesses=witnesses(report.cases),
        with_documents=with_documents((*report.findings, *report.newer, *accepted), cases),
        target=report.info.target,
    )
    return (
        *(card(finding, "finding", shelf) for finding in report.findings),
        *(card(finding, "newer", shelf) for finding in report.newer),
        *(card(finding, "accepted", shelf) for finding in accepted),
    )


def _layers(report: Report) -> tuple[tuple[str, Matrix], ...]:
    """The same table for each layer alone, where there are several."""
    names = sorted({case.key.layer for case in report.cases})
    if len(names) < 2:
        return ()
    return tuple((name, matrix(topics(c for c in report.cases if c.key.layer == name), {})) for name in names)


def _topics(report: Report) -> Iterable[Topic]:
    titles = {case.key.scenario: case.title for case in report.cases}
    by_topic: dict[str, list[CaseResult]] = {}
    for case in report.cases:
        by_topic.setdefault(topic(case), []).append(case)
    for name in sorted(by_topic):
        table = scenarios(by_topic[name])
        found = matrix(table, {}, titles)
        failed = sum(row.state == "failed" for row in found.rows)
        count = words.plural(len(found.rows), "scenario")
        yield Topic(name, f"{count}, {failed or 'none'} with a failure", failed > 0, found)


def _judged(report: Report) -> Iterable[Judged]:
    for trace in traces(report.checks):
        if trace.counts:
            rule = trace.rule
            shown = RuleShown(rule.id, rule.level, rule.text, cited.basis(rule.basis))
            yield Judged(shown, rule.check, ", ".join(f"{count} {status}" for status, count in trace.counts.items()))


def _remarks(cases: Iterable[CaseResult]) -> tuple[Remark, ...]:
    found: dict[tuple[Status, str, str], list[str]] = {}
    for case in cases:
        for verdict in case.verdicts:
            if verdict.status in REMARKED:
                message = clipped(verdict.message.partition("\n")[0], REASON)
                found.setdefault((verdict.status, verdict.check, message), []).append(str(case.key))
    return _sorted(found)


def _unjudged(cases: Iterable[CaseResult]) -> tuple[Remark, ...]:
    """Cases that came to no verdict, by reason."""
    found: dict[tuple[Status, str, str], list[str]] = {}
    for case in cases:
        if case.status in UNJUDGED:
            said = next((one for one in case.verdicts if one.status == case.status), None)
            message = clipped(said.message.partition("\n")[0], REASON) if said else "no check had anything to say"
            found.setdefault((case.status, said.check if said else "", message), []).append(str(case.key))
    return _sorted(found)[:REMARKS]


def _sorted(found: Mapping[tuple[Status, str, str], list[str]]) -> tuple[Remark, ...]:
    """By status, the commonest first."""
    rows = [Remark(*place, len(set(where)), where[0]) for place, where in found.items()]
    return tuple(sorted(rows, key=lambda row: (row.status, -row.cases, row.check, row.message)))


def _options(texts: Iterable[str]) -> tuple[Option, ...]:
    return tuple(Option(number, text) for number, text in enumerate(texts))


def _in_order(columns: Sequence[str], cards: Iterable[Card]) -> list[str]:
    met = {key for item in cards for key in item.columns}
    return [column(key, columns) for key in columns if key in met]


def _numbers(options: Iterable[Option], texts: tuple[str, ...]) -> str:
    return " ".join(str(option.number) for option in options if option.text in texts)
