"""One report as one HTML file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from bridgecheck.model.verdict import CaseResult, Status
from bridgecheck.report import sentences
from bridgecheck.report.findings import group_findings
from bridgecheck.report.gate import DeviationUse
from bridgecheck.report.html import citations
from bridgecheck.report.html.cards import Card, CardSources, RuleItem, make_card
from bridgecheck.report.html.citations import FindingNotice, make_notices
from bridgecheck.report.html.matrix import STATUS_MEANS, Matrix, column_title, describe_column, make_matrix
from bridgecheck.report.html.page_header import PageHeader, make_page_header
from bridgecheck.report.html.panels import index_control_cases, select_documented_cases
from bridgecheck.report.html.rendering import render_page
from bridgecheck.report.model import LossCount, Report, trace_rules
from bridgecheck.report.published import NO_PUBLISHED_FILES, PublishedFiles
from bridgecheck.report.side_by_side import clip
from bridgecheck.report.table import case_topic, scenario_table, topic_table

TEMPLATE: Final = "report.html.j2"
REMARK_STATUSES: Final[tuple[Status, ...]] = ("REJECTED", "DISPUTED", "INHERITED", "NOTE")
"""Verdicts that are neither a pass nor a finding."""
UNJUDGED_STATUSES: Final[frozenset[Status]] = frozenset({"NOT_APPLICABLE", "INCONCLUSIVE"})
MAX_REASON: Final = 300
MAX_REMARKS: Final = 400
MAX_LOSSES: Final = 200
MAX_RULES: Final = 200
MAX_DEVIATIONS: Final = 400


@dataclass(frozen=True, slots=True)
class TopicSection:
    """One topic with a row for each of its scenarios."""

    name: str
    count: str
    failed: bool
    matrix: Matrix


@dataclass(frozen=True, slots=True)
class RemarkRow:
    """Verdicts that say the same. ``example``: the address of one of their cases."""

    status: Status
    check: str
    message: str
    cases: int
    example: str


@dataclass(frozen=True, slots=True)
class RuleResult:
    """A rule that something was judged by, with what it came to."""

    rule: RuleItem
    check: str
    counts: str


@dataclass(frozen=True, slots=True)
class FilterOption:
    """One choice of a filter. ``number``: how cards name it."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class ReportPage:
    """All that the template prints."""

    top: PageHeader
    notices: tuple[FindingNotice, ...] | None
    recipe: str
    matrix: Matrix
    layers: tuple[tuple[str, Matrix], ...]
    cards: tuple[Card, ...]
    topics: tuple[TopicSection, ...]
    losses: tuple[LossCount, ...]
    more_losses: str
    rules: tuple[tuple[str, int], ...]
    judged: tuple[RuleResult, ...]
    remarks: tuple[RemarkRow, ...]
    more_remarks: str
    unjudged: tuple[RemarkRow, ...]
    deviations: tuple[DeviationUse, ...]
    labels: tuple[str, ...]
    columns: tuple[str, ...]
    topic_options: tuple[FilterOption, ...]
    column_options: tuple[FilterOption, ...]

    def topic_numbers(self, item: Card) -> str:
        """The numbers of its topics, as the filter reads them."""
        return _option_numbers(self.topic_options, item.topics)

    def column_numbers(self, item: Card) -> str:
        return _option_numbers(self.column_options, tuple(column_title(key, self.columns) for key in item.columns))


def to_html(report: Report, today: date, published_files: PublishedFiles = NO_PUBLISHED_FILES, base: str = "") -> str:
    """Return the text of the file. ``report``: with the rationales that are to be shown. ``published_files``: what lies
    beside the report. ``base``: the relative address of the report's folder."""
    return render_page(
        TEMPLATE,
        page=make_report_page(report, today, published_files, base),
        means=STATUS_MEANS,
        column_means=describe_column,
    )


def make_report_page(
    report: Report, today: date, published_files: PublishedFiles = NO_PUBLISHED_FILES, base: str = ""
) -> ReportPage:
    cards = _make_cards(report)
    links: dict[tuple[str, str], str] = {}
    for item in cards:
        for cell in item.matrix_cells:
            links.setdefault(cell, f"#{item.id}")
    remarks = _collect_remarks(report.cases)
    columns = report.topics.judged_columns.columns
    names = tuple(dict.fromkeys(name for item in cards for name in item.topics))
    return ReportPage(
        top=make_page_header(report, today),
        notices=None if published_files.findings is None else make_notices(published_files.findings, base),
        recipe=published_files.recipe,
        matrix=make_matrix(report.topics, links),
        layers=_layer_matrices(report),
        cards=cards,
        topics=tuple(_topic_sections(report)),
        losses=report.losses[:MAX_LOSSES],
        more_losses=sentences.remainder_note(len(report.losses), MAX_LOSSES),
        rules=tuple(report.rules.items())[:MAX_RULES],
        judged=tuple(_rule_results(report)),
        remarks=remarks[:MAX_REMARKS],
        more_remarks=sentences.remainder_note(len(remarks), MAX_REMARKS),
        unjudged=_collect_unjudged(report.cases),
        deviations=report.deviation_uses[:MAX_DEVIATIONS],
        labels=tuple(dict.fromkeys(item.label for item in cards)),
        columns=columns,
        topic_options=_filter_options(sorted(names)),
        column_options=_filter_options(_used_column_titles(columns, cards)),
    )


def _make_cards(report: Report) -> tuple[Card, ...]:
    """What gates first, then what does not yet, then what is accepted."""
    accepted = group_findings(report.cases, report.info.target, "deviation")
    cases = {str(case.key): case for case in report.cases}
    shelf = CardSources(
        cases=cases,
        grounds={ground.id: ground for ground in report.rationales},
        witnesses=index_control_cases(report.cases),
        with_documents=select_documented_cases((*report.findings, *report.newer_findings, *accepted), cases),
        target=report.info.target,
    )
    return (
        *(make_card(finding, "finding", shelf) for finding in report.findings),
        *(make_card(finding, "newer", shelf) for finding in report.newer_findings),
        *(make_card(finding, "accepted", shelf) for finding in accepted),
    )


def _layer_matrices(report: Report) -> tuple[tuple[str, Matrix], ...]:
    """The same table for each layer alone, where there are several."""
    names = sorted({case.key.layer for case in report.cases})
    if len(names) < 2:
        return ()
    return tuple((name, make_matrix(topic_table(c for c in report.cases if c.key.layer == name), {})) for name in names)


def _topic_sections(report: Report) -> Iterable[TopicSection]:
    titles = {case.key.scenario: case.title for case in report.cases}
    by_topic: dict[str, list[CaseResult]] = {}
    for case in report.cases:
        by_topic.setdefault(case_topic(case), []).append(case)
    for name in sorted(by_topic):
        table = scenario_table(by_topic[name])
        found = make_matrix(table, {}, titles)
        failed = sum(row.state == "failed" for row in found.rows)
        count = sentences.plural(len(found.rows), "scenario")
        yield TopicSection(name, f"{count}, {failed or 'none'} with a failure", failed > 0, found)


def _rule_results(report: Report) -> Iterable[RuleResult]:
    for trace in trace_rules(report.checks):
        if trace.counts:
            rule = trace.rule
            shown = RuleItem(rule.id, rule.level, rule.text, citations.cite_basis(rule.basis))
            yield RuleResult(
                shown, rule.check, ", ".join(f"{count} {status}" for status, count in trace.counts.items())
            )


def _collect_remarks(cases: Iterable[CaseResult]) -> tuple[RemarkRow, ...]:
    found: dict[tuple[Status, str, str], list[str]] = {}
    for case in cases:
        for verdict in case.verdicts:
            if verdict.status in REMARK_STATUSES:
                message = clip(verdict.message.partition("\n")[0], MAX_REASON)
                found.setdefault((verdict.status, verdict.check, message), []).append(str(case.key))
    return _sort_remarks(found)


def _collect_unjudged(cases: Iterable[CaseResult]) -> tuple[RemarkRow, ...]:
    """Cases that came to no verdict, by reason."""
    found: dict[tuple[Status, str, str], list[str]] = {}
    for case in cases:
        if case.status in UNJUDGED_STATUSES:
            verdict_of_status = next((verdict for verdict in case.verdicts if verdict.status == case.status), None)
            message = (
                clip(verdict_of_status.message.partition("\n")[0], MAX_REASON)
                if verdict_of_status
                else "no check applied"
            )
            found.setdefault((case.status, verdict_of_status.check if verdict_of_status else "", message), []).append(
                str(case.key)
            )
    return _sort_remarks(found)[:MAX_REMARKS]


def _sort_remarks(found: Mapping[tuple[Status, str, str], list[str]]) -> tuple[RemarkRow, ...]:
    """By status, the commonest first."""
    rows = [RemarkRow(*cell, len(set(where)), where[0]) for cell, where in found.items()]
    return tuple(sorted(rows, key=lambda row: (row.status, -row.cases, row.check, row.message)))


def _filter_options(texts: Iterable[str]) -> tuple[FilterOption, ...]:
    return tuple(FilterOption(number, text) for number, text in enumerate(texts))


def _used_column_titles(columns: Sequence[str], cards: Iterable[Card]) -> list[str]:
    met = {key for item in cards for key in item.columns}
    return [column_title(key, columns) for key in columns if key in met]


def _option_numbers(options: Iterable[FilterOption], texts: tuple[str, ...]) -> str:
    return " ".join(str(option.number) for option in options if option.text in texts)
