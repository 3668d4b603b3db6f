"""A finding as a card: what is wrong, the rule and the scenario behind it, and its cases with their documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.checks import CHECKS
from bridgecheck.checks.rules import rules_of
from bridgecheck.model.scenario import Source
from bridgecheck.model.verdict import CaseResult, Level
from bridgecheck.report import words
from bridgecheck.report.findings import Finding
from bridgecheck.report.grounds import Ground
from bridgecheck.report.html import cited, differences
from bridgecheck.report.html.cited import Cited
from bridgecheck.report.html.names import arrows
from bridgecheck.report.html.panels import Panel, Witnesses, panel
from bridgecheck.report.sidebyside import clipped
from bridgecheck.report.table import topic

Kind: TypeAlias = Literal["finding", "newer", "accepted"]

HEADLINE: Final = 300
DIFFERENCES: Final = 3
"""Of the example; all of them stand in its panel."""
CRASH_LINES: Final = 12
CRASH_WIDTH: Final = 500
PANELS: Final = 60
"""Cases of one finding that are shown; the addresses of others follow."""
ADDRESSES: Final = 300
GROUNDS: Final = 3
"""Scenarios with all that is said of them; of others the titles."""
SCENARIOS: Final = 40
SOURCES: Final = 20

_LEVELS: Final[dict[str, Level]] = {check.id: check.level for check in CHECKS}
_RULES: Final[dict[str, str]] = {check.id: check.rule for check in CHECKS}


@dataclass(frozen=True, slots=True)
class RuleShown:
    id: str
    level: str
    text: str
    basis: Cited


@dataclass(frozen=True, slots=True)
class GroundShown:
    """``basis`` None: the corpus at hand does not have the scenario, only its id and title are known."""

    id: str
    title: str
    description: str = ""
    why: str = ""
    level: str = ""
    basis: Cited | None = None
    sources: tuple[Cited, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """``id``: of the card on its page. ``label``: its status, or why it does not gate. ``places``: topics and columns
    it shows in. ``count``: of cases beside the example, in words. ``further``: addresses of cases without a panel;
    ``more``: how many have not even that."""

    id: str
    kind: Kind
    status: str
    label: str
    check: str
    level: str
    demands: str
    headline: str
    where: str
    also: str
    fingerprint: str
    topics: tuple[str, ...]
    columns: tuple[str, ...]
    differences: tuple[differences.Shown, ...]
    more_differences: str
    body: tuple[str, ...]
    count: str
    rules: tuple[RuleShown, ...]
    scenarios: tuple[GroundShown, ...]
    further_scenarios: tuple[tuple[str, str], ...]
    more_scenarios: str
    panels: tuple[Panel, ...]
    further: tuple[str, ...]
    more: str
    command: str

    @property
    def places(self) -> Iterator[tuple[str, str]]:
        return ((name, key) for name in self.topics for key in self.columns)


@dataclass(frozen=True, slots=True)
class Shelf:
    """What cards are made from: the cases by address, the grounds by scenario, the control's results, and which cases
    are shown with their documents."""

    cases: Mapping[str, CaseResult]
    grounds: Mapping[str, Ground]
    witnesses: Witnesses
    with_documents: frozenset[str]
    target: str


LABEL: Final[dict[Kind, str]] = {"finding": "", "newer": "newer", "accepted": "accepted"}


def card(finding: Finding, kind: Kind, shelf: Shelf) -> Card:
    ordered = [finding.example, *(case for case in finding.cases if case != finding.example)]
    shown = [shelf.cases[address] for address in ordered[:PANELS]]
    rest = ordered[PANELS:]
    name = f"{kind}-{finding.fingerprint}"
    every = [shelf.cases[address] for address in ordered]
    scenarios = list(dict.fromkeys(case.key.scenario for case in every))
    titles = {case.key.scenario: case.title for case in every}
    return Card(
        id=name,
        kind=kind,
        status=finding.status,
        label=LABEL[kind] or finding.status,
        check=finding.check,
        level=_LEVELS.get(finding.check, ""),
        demands=_RULES.get(finding.check, ""),
        headline=clipped(_headline(finding), HEADLINE),
        where=_sentence(arrows(words.cells_line(finding))),
        also=_sentence(words.also_line(finding)),
        fingerprint=finding.fingerprint,
        topics=tuple(dict.fromkeys(topic(case) for case in every)),
        columns=tuple(dict.fromkeys(cell.column for cell in finding.cells)),
        differences=tuple(map(differences.show, finding.differences[:DIFFERENCES])),
        more_differences=words.also(len(finding.differences), DIFFERENCES),
        count=words.plural(len(ordered) - 1, "more case"),
        body=() if finding.differences else _tail(finding.body),
        rules=_rules(finding.check),
        scenarios=tuple(_ground(name, titles[name], shelf.grounds.get(name)) for name in scenarios[:GROUNDS]),
        further_scenarios=tuple((name, titles[name]) for name in scenarios[GROUNDS:SCENARIOS]),
        more_scenarios=words.also(len(scenarios), SCENARIOS),
        panels=tuple(_panel(case, finding, shelf) for case in shown),
        further=tuple(rest[:ADDRESSES]),
        more=words.also(len(rest), ADDRESSES),
        command=finding.command_line,
    )


def _panel(case: CaseResult, finding: Finding, shelf: Shelf) -> Panel:
    fits = str(case.key) in shelf.with_documents
    told = finding.differences if len(finding.differences) <= DIFFERENCES and str(case.key) == finding.example else ()
    return panel(case, finding.check, shelf.witnesses, fits, shelf.target, told)


def _rules(check: str) -> tuple[RuleShown, ...]:
    return tuple(RuleShown(rule.id, rule.level, rule.text, cited.basis(rule.basis)) for rule in rules_of(check))


def _ground(name: str, title: str, said: Ground | None) -> GroundShown:
    if said is None:
        return GroundShown(name, title)
    sources: Sequence[Source] = said.sources[:SOURCES]
    return GroundShown(
        name,
        said.title,
        said.description,
        said.why,
        said.level,
        cited.basis(said.basis),
        tuple(map(cited.source, sources)),
        said.evidence[:SOURCES],
    )


def _tail(body: Sequence[str]) -> tuple[str, ...]:
    """The last lines, where a traceback says what was raised."""
    return tuple(clipped(line, CRASH_WIDTH) for line in body[-CRASH_LINES:])


def _headline(finding: Finding) -> str:
    """With the note of the first difference: ``events[5].choice[0] differs: two calls under one index``."""
    note = finding.differences[0].note if finding.differences else ""
    return finding.headline if not note or note in finding.headline else f"{finding.headline}: {note}"


def _sentence(text: str) -> str:
    """With a capital, for it stands alone."""
    return text[:1].upper() + text[1:]
