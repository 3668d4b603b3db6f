"""A finding as a card: what is wrong, the rule and the scenario behind it, and its cases with their documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.checks import CHECKS, rules_of
from bridgecheck.model.scenario import Source
from bridgecheck.model.verdict import CaseResult, Level
from bridgecheck.report import sentences
from bridgecheck.report.findings import Finding
from bridgecheck.report.html import citations, panels
from bridgecheck.report.html.citations import Citation
from bridgecheck.report.html.matrix import use_arrows
from bridgecheck.report.html.panels import CasePanel, ControlCases, make_case_panel
from bridgecheck.report.rationales import Rationale
from bridgecheck.report.side_by_side import clip
from bridgecheck.report.table import case_topic

CardKind: TypeAlias = Literal["finding", "newer", "accepted"]

MAX_HEADLINE: Final = 300
MAX_DIFFERENCES: Final = 3
"""Of the example; all of them stand in its panel."""
MAX_CRASH_LINES: Final = 12
MAX_CRASH_WIDTH: Final = 500
MAX_PANELS: Final = 60
"""Cases of one finding that are shown; the addresses of others follow."""
MAX_ADDRESSES: Final = 300
MAX_FULL_SCENARIOS: Final = 3
"""Scenarios with all that is said of them; of others the titles."""
MAX_SCENARIOS: Final = 40
MAX_SOURCES: Final = 20

_LEVELS: Final[dict[str, Level]] = {check.id: check.level for check in CHECKS}
_CHECK_RULES: Final[dict[str, str]] = {check.id: check.requirement for check in CHECKS}


@dataclass(frozen=True, slots=True)
class RuleItem:
    id: str
    level: str
    text: str
    basis: Citation


@dataclass(frozen=True, slots=True)
class ScenarioItem:
    """``basis`` None: the corpus at hand does not have the scenario, only its id and title are known."""

    id: str
    title: str
    description: str = ""
    why: str = ""
    level: str = ""
    basis: Citation | None = None
    sources: tuple[Citation, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """One finding on the page. ``id``: the HTML id of the card. ``label``: its status, or why it does not gate.
    ``count``: the number of cases besides the example, as text. ``further``: addresses of cases without a panel;
    ``more``: how many cases are not even listed."""

    id: str
    kind: CardKind
    status: str
    label: str
    check: str
    level: str
    demands: str
    headline: str
    where: str
    explained_checks: str
    fingerprint: str
    topics: tuple[str, ...]
    columns: tuple[str, ...]
    differences: tuple[panels.DifferenceView, ...]
    more_differences: str
    body: tuple[str, ...]
    count: str
    rules: tuple[RuleItem, ...]
    scenarios: tuple[ScenarioItem, ...]
    further_scenarios: tuple[tuple[str, str], ...]
    more_scenarios: str
    panels: tuple[CasePanel, ...]
    further: tuple[str, ...]
    more: str
    command: str

    @property
    def matrix_cells(self) -> Iterator[tuple[str, str]]:
        return ((name, key) for name in self.topics for key in self.columns)


@dataclass(frozen=True, slots=True)
class CardSources:
    """What cards are made from: the cases by address, the grounds by scenario, the control's results, and which cases
    are shown with their documents."""

    cases: Mapping[str, CaseResult]
    grounds: Mapping[str, Rationale]
    witnesses: ControlCases
    with_documents: frozenset[str]
    target: str


KIND_LABEL: Final[dict[CardKind, str]] = {"finding": "", "newer": "newer", "accepted": "accepted"}


def make_card(finding: Finding, kind: CardKind, shelf: CardSources) -> Card:
    ordered = [finding.example, *(case for case in finding.cases if case != finding.example)]
    shown = [shelf.cases[address] for address in ordered[:MAX_PANELS]]
    rest = ordered[MAX_PANELS:]
    name = f"{kind}-{finding.fingerprint}"
    every = [shelf.cases[address] for address in ordered]
    scenarios = list(dict.fromkeys(case.key.scenario for case in every))
    titles = {case.key.scenario: case.title for case in every}
    return Card(
        id=name,
        kind=kind,
        status=finding.status,
        label=KIND_LABEL[kind] or finding.status,
        check=finding.check,
        level=_LEVELS.get(finding.check, ""),
        demands=_CHECK_RULES.get(finding.check, ""),
        headline=clip(_headline_with_note(finding), MAX_HEADLINE),
        where=_capitalise_first(use_arrows(sentences.finding_cells_line(finding))),
        explained_checks=_capitalise_first(sentences.explained_checks_line(finding)),
        fingerprint=finding.fingerprint,
        topics=tuple(dict.fromkeys(case_topic(case) for case in every)),
        columns=tuple(dict.fromkeys(cell.column for cell in finding.cells)),
        differences=tuple(map(panels.make_difference_view, finding.differences[:MAX_DIFFERENCES])),
        more_differences=sentences.remainder_note(len(finding.differences), MAX_DIFFERENCES),
        count=sentences.plural(len(ordered) - 1, "more case"),
        body=() if finding.differences else _last_lines(finding.body),
        rules=_rule_items(finding.check),
        scenarios=tuple(
            _scenario_item(name, titles[name], shelf.grounds.get(name)) for name in scenarios[:MAX_FULL_SCENARIOS]
        ),
        further_scenarios=tuple((name, titles[name]) for name in scenarios[MAX_FULL_SCENARIOS:MAX_SCENARIOS]),
        more_scenarios=sentences.remainder_note(len(scenarios), MAX_SCENARIOS),
        panels=tuple(_make_case_panel(case, finding, shelf) for case in shown),
        further=tuple(rest[:MAX_ADDRESSES]),
        more=sentences.remainder_note(len(rest), MAX_ADDRESSES),
        command=finding.command_line,
    )


def _make_case_panel(case: CaseResult, finding: Finding, shelf: CardSources) -> CasePanel:
    fits = str(case.key) in shelf.with_documents
    already_shown = (
        finding.differences if len(finding.differences) <= MAX_DIFFERENCES and str(case.key) == finding.example else ()
    )
    return make_case_panel(case, finding.check, shelf.witnesses, fits, shelf.target, already_shown)


def _rule_items(check: str) -> tuple[RuleItem, ...]:
    return tuple(RuleItem(rule.id, rule.level, rule.text, citations.cite_basis(rule.basis)) for rule in rules_of(check))


def _scenario_item(name: str, title: str, rationale: Rationale | None) -> ScenarioItem:
    if rationale is None:
        return ScenarioItem(name, title)
    sources: Sequence[Source] = rationale.sources[:MAX_SOURCES]
    return ScenarioItem(
        name,
        rationale.title,
        rationale.description,
        rationale.why,
        rationale.level,
        citations.cite_basis(rationale.basis),
        tuple(map(citations.cite_source, sources)),
        rationale.evidence[:MAX_SOURCES],
    )


def _last_lines(body: Sequence[str]) -> tuple[str, ...]:
    """The last lines, where a traceback says what was raised."""
    return tuple(clip(line, MAX_CRASH_WIDTH) for line in body[-MAX_CRASH_LINES:])


def _headline_with_note(finding: Finding) -> str:
    """With the note of the first difference: ``events[5].choice[0] differs: two calls under one index``."""
    note = finding.differences[0].note if finding.differences else ""
    return finding.headline if not note or note in finding.headline else f"{finding.headline}: {note}"


def _capitalise_first(text: str) -> str:
    """With a capital, for it stands alone."""
    return text[:1].upper() + text[1:]
