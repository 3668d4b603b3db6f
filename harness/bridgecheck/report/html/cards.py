"""A finding as a card: what is wrong, the rule and the scenario behind it, and its cases with their documents."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.checks import CHECKS
from bridgecheck.checks.check import Check
from bridgecheck.model.counts import plural
from bridgecheck.model.published_finding import Published
from bridgecheck.model.verdict import CaseResult, Status, Verdict
from bridgecheck.report import sentences
from bridgecheck.report.effects import describe_effect
from bridgecheck.report.findings import Finding
from bridgecheck.report.html.matrix import spell_column, write_gt_as_arrow
from bridgecheck.report.html.panels import CasePanel, ControlCases, addresses_example_first, make_case_panel
from bridgecheck.report.same_cause import weight
from bridgecheck.report.scenario_rationales import ScenarioRationale
from bridgecheck.report.side_by_side import clip
from bridgecheck.report.table import case_topic

CardKind: TypeAlias = Literal["finding", "newer", "accepted"]

MAX_HEADLINE: Final = 300
MAX_DIRECTIONS: Final = 3
"""Directions that are named of one of the worst findings."""
MAX_DIFFERENCES: Final = 3
"""Of the example; all of them stand in its panel."""
MAX_CRASH_LINES: Final = 12
MAX_CRASH_WIDTH: Final = 500
MAX_PANELS: Final = 60
"""Cases of one finding that are shown; the addresses of others follow."""
MAX_PANELS_OF_PAGE: Final = 240
"""Cases of all findings that are shown, so that a page of many findings can be sent; of each finding two at least."""

_CHECKS: Final = {check.id: check for check in CHECKS}
_ONLY_WARNS: Final = "A warning, though the check is a MUST: "


def _rules_of_warning(verdict: Verdict, check: Check) -> Sequence[str]:
    return verdict.rules if verdict.check == check.id and verdict.status == "WARN" else ()


@dataclass(frozen=True, slots=True)
class Card:
    """One finding on the page. ``cases``: all of its cases, the example first; ``panels``: of the first of them.
    ``rationales``: of the scenarios of the report, by id. ``published``: what is published of it, () for nothing."""

    finding: Finding
    kind: CardKind
    cases: Sequence[CaseResult]
    panels: tuple[CasePanel, ...]
    rationales: Mapping[str, ScenarioRationale]
    options: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()

    @property
    def id(self) -> str:
        """The HTML id of the card."""
        return f"{self.kind}-{self.finding.first_fingerprint}"

    @property
    def status_or_kind(self) -> str:
        """The status, or why the finding does not gate."""
        return self.finding.status if self.kind == "finding" else self.kind

    @property
    def check(self) -> Check | None:
        """None for a check that this release does not have."""
        return _CHECKS.get(self.finding.check)

    @property
    def headline(self) -> str:
        """The summary of the finding, clipped; notes stand beside their differences."""
        return clip(self.finding.one_line_summary, MAX_HEADLINE)

    @property
    def effect(self) -> str:
        """What a user of the adapter notices."""
        return describe_effect(self.finding)

    @property
    def directions_and_cases(self) -> str:
        """Return ``OpenAI Chat→Gemini, Anthropic→Gemini; 14 cases``."""
        columns = self.columns
        shown = [spell_column(name) for name in columns[:MAX_DIRECTIONS]]
        more = (
            f" and {plural(len(columns) - MAX_DIRECTIONS, 'more direction')}" if len(columns) > MAX_DIRECTIONS else ""
        )
        return f"{', '.join(shown)}{more}; {plural(len(self.cases), 'case')}"

    @property
    def cells_and_explained_checks(self) -> Iterator[str]:
        """Where the finding shows, and what it explains: sentences."""
        for line in (sentences.finding_cells_line(self.finding), sentences.explained_checks_line(self.finding)):
            if line:
                yield write_gt_as_arrow(line[0].upper() + line[1:])

    @property
    def why_a_warning(self) -> str:
        """A sentence: why what a MUST check found is a WARN; "" for anything else."""
        check = self.check
        if check is None or check.level != "MUST" or self.finding.status != "WARN":
            return ""
        grounds = [self.rationales[id] for id, _ in self.scenario_ids_and_titles if id in self.rationales]
        if grounds and all(ground.level != "MUST" for ground in grounds):
            return f"{_ONLY_WARNS}what provokes it is rare, or no source makes it a duty: the scenario is a SHOULD."
        used = {rule for case in self.cases for verdict in case.verdicts for rule in _rules_of_warning(verdict, check)}
        lesser = [rule.id for rule in check.rules if rule.id in used and rule.level != "MUST"]
        if lesser:
            return f"{_ONLY_WARNS}the rule {lesser[0]} is a SHOULD."
        return f"{_ONLY_WARNS}an adapter may do this on purpose, and be right."

    @property
    def last_lines_unless_differences(self) -> tuple[str, ...]:
        """The last lines of a message or traceback, which say what was raised; () where there are differences."""
        lines = () if self.finding.differences else self.finding.crash_or_message_rest[-MAX_CRASH_LINES:]
        return tuple(clip(line, MAX_CRASH_WIDTH) for line in lines)

    @property
    def scenario_ids_and_titles(self) -> tuple[tuple[str, str], ...]:
        """(id, title) of each scenario in which the finding shows."""
        return tuple({case.key.scenario: case.title for case in self.cases}.items())

    @property
    def command_for_any_case(self) -> str:
        """The command that runs a case again, with a word where its address belongs."""
        return shlex.join(("bridgecheck", "run", *self.options, "--scenario", "ADDRESS"))

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(case_topic, self.cases)))

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.column for cell in self.finding.cells))


MAX_WORST: Final = 3
_WORST_STATUSES: Final[tuple[Status, ...]] = ("FAIL", "WARN", "ERROR")
"""Worst first for a reader who asks what is wrong with the adapter; an ERROR says nothing of it."""


def choose_worst(cards: Sequence[Card]) -> tuple[Card, ...]:
    """Return the worst findings of the page, each with another effect and publication: failures before warnings, calls
    and content before the rest, then what hits most cases. What is accepted counts like the rest: users notice it."""

    def severity(card: Card) -> tuple[int, int, int]:
        return _WORST_STATUSES.index(card.finding.status), weight(card.finding.check), -len(card.cases)

    found: list[Card] = []
    shown: set[str] = set()
    for card in sorted(cards, key=severity):
        own = {card.effect, *(item.title for item in card.published[:1])}
        if shown.isdisjoint(own):
            found.append(card)
            shown |= own
    return tuple(found[:MAX_WORST])


@dataclass(frozen=True, slots=True)
class CardSources:
    """What cards are made from: the cases by address, the rationales by scenario, the control's results, and which
    cases are shown with their documents. ``published``: what is published, with the first fingerprints of the findings
    that it stands for. ``max_panels``: of one finding."""

    cases: Mapping[str, CaseResult]
    rationales: Mapping[str, ScenarioRationale]
    control: ControlCases
    with_documents: frozenset[str]
    options: tuple[str, ...]
    published: Mapping[Published, frozenset[str]]
    max_panels: int = MAX_PANELS


def choose_max_panels(findings: int) -> int:
    """Return how many cases of each finding a page with so many findings shows."""
    return min(MAX_PANELS, max(2, MAX_PANELS_OF_PAGE // max(findings, 1)))


def make_card(finding: Finding, kind: CardKind, sources: CardSources) -> Card:
    ordered = [sources.cases[address] for address in addresses_example_first(finding)]
    panels = tuple(_make_panel(case, finding, sources) for case in ordered[: sources.max_panels])
    published = tuple(item for item in sources.published if finding.first_fingerprint in sources.published[item])
    return Card(finding, kind, ordered, panels, sources.rationales, sources.options, published)


def find_published_cards(
    published: Iterable[Published], findings: Sequence[Finding]
) -> Mapping[Published, frozenset[str]]:
    """Return for what is published the first fingerprint of each finding that it stands for: those that share a
    fingerprint and its case with it. A finding without its case shares one as a consequence does, and counts where
    there is no other."""
    found: dict[Published, frozenset[str]] = {}
    for item in published:
        alike = [finding for finding in findings if not set(item.fingerprints).isdisjoint(finding.fingerprints)]
        own = [finding for finding in alike if item.case in finding.cases]
        found[item] = frozenset(finding.first_fingerprint for finding in own or alike)
    return found


def _make_panel(case: CaseResult, finding: Finding, sources: CardSources) -> CasePanel:
    is_whole = len(finding.differences) <= MAX_DIFFERENCES and str(case.key) == finding.example
    fits = str(case.key) in sources.with_documents
    shown = finding.differences if is_whole else ()
    return make_case_panel(case, finding.check, sources.control, fits, sources.options, shown)
