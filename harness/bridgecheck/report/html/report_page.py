"""One report as one HTML file."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import groupby, product
from typing import Final

from bridgecheck.model.published_finding import Published
from bridgecheck.model.verdict import CaseResult, Status, Verdict
from bridgecheck.report.findings import Finding
from bridgecheck.report.html.cards import (
    Card,
    CardKind,
    CardSources,
    choose_max_panels,
    choose_worst,
    find_published_cards,
    make_card,
)
from bridgecheck.report.html.matrix import Matrix, make_judged_matrix_controls_last, spell_column_if_few
from bridgecheck.report.html.page_header import ReportSummary
from bridgecheck.report.html.panels import index_control_cases_by_upstream, select_documented_cases
from bridgecheck.report.html.rendering import render_page
from bridgecheck.report.model import Report, RuleTrace, trace_rules
from bridgecheck.report.publication import NO_FINDINGS_AND_RECIPE, FindingsAndRecipe
from bridgecheck.report.rests_on import RestsOnRow, group_alike_scenarios
from bridgecheck.report.side_by_side import clip
from bridgecheck.report.table import case_topic, count_by_scenario_and_direction, count_by_topic_and_direction

TEMPLATE: Final = "report.html.j2"
REMARK_STATUSES: Final[tuple[Status, ...]] = ("REJECTED", "DISPUTED", "INHERITED", "NOTE")
"""Verdicts that are neither a pass nor a finding."""
UNJUDGED_STATUSES: Final[frozenset[Status]] = frozenset({"NOT_APPLICABLE", "INCONCLUSIVE"})
MAX_REASON: Final = 300


@dataclass(frozen=True, slots=True)
class RemarkRow:
    """Verdicts that say the same. ``example``: the address of one of their cases."""

    status: Status
    check: str
    message: str
    cases: int
    example: str


@dataclass(frozen=True)
class ReportPage:
    """All that the template prints. ``base``: the relative address of the report's folder."""

    report: Report
    summary: ReportSummary
    cards: tuple[Card, ...]
    published_files: FindingsAndRecipe
    base: str

    @cached_property
    def matrix(self) -> Matrix:
        """Topics and directions; each cell leads to the first card that it is about."""
        links: dict[tuple[str, str], str] = {}
        for card in self.cards:
            for cell in product(card.topics, card.columns):
                links.setdefault(cell, f"#{card.id}")
        return make_judged_matrix_controls_last(self.report.topics, links)

    @property
    def wire_sdk_and_http_matrices(self) -> Iterable[tuple[str, Matrix]]:
        """The same table for each layer alone, where there are several."""
        names = sorted({case.key.layer for case in self.report.cases})
        for name in names if len(names) > 1 else ():
            cases = [case for case in self.report.cases if case.key.layer == name]
            yield name, make_judged_matrix_controls_last(count_by_topic_and_direction(cases), {})

    @property
    def topics(self) -> Iterable[tuple[str, Matrix]]:
        """Each topic with a row for each of its scenarios."""
        titles = {case.key.scenario: case.title for case in self.report.cases}
        for topic, cases in groupby(sorted(self.report.cases, key=case_topic), key=case_topic):
            yield topic, make_judged_matrix_controls_last(count_by_scenario_and_direction(cases), {}, titles)

    @cached_property
    def rests_on(self) -> tuple[RestsOnRow, ...]:
        """What scenarios rest on, those of a topic that rest on the same in one row."""
        return tuple(group_alike_scenarios(self.report.rests_on, self.report.info.start_date))

    @property
    def judged(self) -> list[RuleTrace]:
        """The rules that something was judged by."""
        return [trace for trace in trace_rules(self.report.checks) if trace.counts]

    @cached_property
    def rejected_disputed_inherited_noted(self) -> tuple[RemarkRow, ...]:
        verdicts = ((case, verdict) for case in self.report.cases for verdict in case.verdicts)
        return _group_remarks((case, verdict) for case, verdict in verdicts if verdict.status in REMARK_STATUSES)

    @cached_property
    def unjudged(self) -> tuple[RemarkRow, ...]:
        """Cases that came to no verdict, by reason."""
        cases = [case for case in self.report.cases if case.status in UNJUDGED_STATUSES]
        unknown = [Verdict("", "INCONCLUSIVE", "no check applied")]
        deciding = ([verdict for verdict in case.verdicts if verdict.status == case.status] for case in cases)
        return _group_remarks((case, (found or unknown)[0]) for case, found in zip(cases, deciding, strict=True))

    @cached_property
    def worst(self) -> tuple[Card, ...]:
        """What the top of the page shows; () where nothing was found."""
        return choose_worst(self.cards)

    @cached_property
    def topic_options(self) -> list[str]:
        """The topics in the filter of cards, which names them by their numbers."""
        return sorted({topic for card in self.cards for topic in card.topics})

    @cached_property
    def column_options(self) -> list[str]:
        """The directions in the filter of cards."""
        used = {key for card in self.cards for key in card.columns}
        return [self.title_column(key) for key in self.report.topics.judged_columns.columns if key in used]

    def title_column(self, key: str) -> str:
        return spell_column_if_few(key, self.report.topics.judged_columns.columns)

    def topic_numbers(self, card: Card) -> list[int]:
        """Return the numbers of the topics of a card, as the filter reads them."""
        return [number for number, topic in enumerate(self.topic_options) if topic in card.topics]

    def column_numbers(self, card: Card) -> list[int]:
        titles = set(map(self.title_column, card.columns))
        return [number for number, title in enumerate(self.column_options) if title in titles]


def to_html(
    report: Report, today: date, published_files: FindingsAndRecipe = NO_FINDINGS_AND_RECIPE, base: str = ""
) -> str:
    """Return the text of the file. ``report``: with the rationales that are to be shown. ``published_files``: what lies
    beside the report. ``base``: the relative address of the report's folder."""
    return render_page(TEMPLATE, page=make_report_page(report, today, published_files, base))


def make_report_page(
    report: Report, today: date, published_files: FindingsAndRecipe = NO_FINDINGS_AND_RECIPE, base: str = ""
) -> ReportPage:
    return ReportPage(
        report,
        ReportSummary(report, today),
        tuple(_make_cards(report, published_files.findings or ())),
        published_files,
        base,
    )


def _make_cards(report: Report, published: Iterable[Published]) -> Iterable[Card]:
    """Yield what gates first, then what does not yet, then what is accepted."""
    accepted = report.accepted_findings
    cases = {str(case.key): case for case in report.cases}
    every = (*report.findings, *report.newer_findings, *accepted)
    max_panels = choose_max_panels(len(every))
    sources = CardSources(
        cases=cases,
        rationales={rationale.id: rationale for rationale in report.rationales},
        control=index_control_cases_by_upstream(report.cases),
        with_documents=select_documented_cases(every, cases, max_panels=max_panels),
        options=report.info.options_to_repeat,
        max_panels=max_panels,
        published=find_published_cards(published, every),
    )
    kinds: dict[CardKind, tuple[Finding, ...]] = {
        "finding": report.findings, "newer": report.newer_findings, "accepted": accepted,
    }  # fmt: skip
    for kind, findings in kinds.items():
        yield from (make_card(finding, kind, sources) for finding in findings)


def _group_remarks(verdicts: Iterable[tuple[CaseResult, Verdict]]) -> tuple[RemarkRow, ...]:
    """Return a row for verdicts with the same first line, by status, the commonest first."""
    found: dict[tuple[Status, str, str], list[str]] = {}
    for case, verdict in verdicts:
        message = clip(verdict.message.partition("\n")[0], MAX_REASON)
        found.setdefault((verdict.status, verdict.check, message), []).append(str(case.key))
    rows = [RemarkRow(*key, len(set(cases)), cases[0]) for key, cases in found.items()]
    return tuple(sorted(rows, key=lambda row: (row.status, -row.cases, row.check, row.message)))
