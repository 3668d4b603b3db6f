"""One failed case: each thing that failed with both sides, what was said on the wire, rules, losses, the control."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from bridgecheck.model.verdict import AppliedLoss, CaseResult, Difference, Status, Verdict
from bridgecheck.report import words
from bridgecheck.report.findings import REPORTED, Finding, repeat_command
from bridgecheck.report.html import differences
from bridgecheck.report.html.documents import Document, documents
from bridgecheck.report.html.names import way
from bridgecheck.report.sidebyside import clipped
from bridgecheck.wire import Dialect, Mode

MESSAGE: Final = 2_000
DIFFERENCES: Final = 12
CRASH: Final = 6_000
LOSSES: Final = 40
DOCUMENTS: Final = 2_000_000
"""Characters of documents on one page; the simplest case of every finding comes first."""

Told: TypeAlias = tuple[Difference, ...]

Witnesses: TypeAlias = Mapping[tuple[str, Dialect, Mode], tuple[CaseResult, ...]]
"""(scenario, upstream, mode) -> the native cases of the same run: the identity adapter and the provider's own SDK."""


@dataclass(frozen=True, slots=True)
class Said:
    """One verdict that is no pass. ``excuse``: why it does not gate, "" if it does."""

    status: Status
    check: str
    message: str
    turn: int
    excuse: str
    differences: tuple[differences.Shown, ...]
    more: str


@dataclass(frozen=True, slots=True)
class Witness:
    """A case of the control beside this one."""

    address: str
    layer: str
    status: Status


@dataclass(frozen=True, slots=True)
class Panel:
    """``missing``: why there are no documents, "" where there are."""

    address: str
    title: str
    way: str
    status: Status
    source: str
    verdicts: tuple[Said, ...]
    crash: str
    documents: tuple[Document, ...]
    missing: str
    rules: tuple[tuple[str, int], ...]
    losses: tuple[AppliedLoss, ...]
    more_losses: str
    witnesses: tuple[Witness, ...]
    command: str


def witnesses(cases: Iterable[CaseResult]) -> Witnesses:
    found: dict[tuple[str, Dialect, Mode], tuple[CaseResult, ...]] = {}
    for case in cases:
        if case.key.path == "native":
            place = case.key.scenario, case.key.upstream, case.key.mode
            found[place] = (*found.get(place, ()), case)
    return found


def with_documents(
    findings: Iterable[Finding], cases: Mapping[str, CaseResult], room: int = DOCUMENTS
) -> frozenset[str]:
    """The addresses of cases whose documents fit on the page, each counted as often as it is shown there."""
    every = list(findings)
    times = Counter(address for finding in every for address in finding.cases)
    wanted = [finding.example for finding in every] + [address for finding in every for address in finding.cases]
    found: set[str] = set()
    for address in dict.fromkeys(wanted):
        size = times[address] * sum(map(len, cases[address].views.values()))
        if size <= room:
            found.add(address)
            room -= size
    return frozenset(found)


def panel(case: CaseResult, check: str, control: Witnesses, fits: bool, target: str, told: Told = ()) -> Panel:
    """``check``: of the finding; its verdicts come first and mark the documents. ``fits``: they are to be shown.
    ``told``: the differences that the finding shows itself."""
    wrong = [one for one in case.verdicts if one.status in REPORTED]
    own = [one for one in wrong if one.check == check]
    said = [*own, *(one for one in wrong if one.check != check)]
    said = [one for one in said if not told or (one.check, one.differences) != (check, told)]
    losses = list(dict.fromkeys(loss for one in case.verdicts for loss in one.losses))
    rules = Counter(rule for one in case.verdicts for rule in one.rules)
    return Panel(
        address=str(case.key),
        title=case.title,
        way=way(case.key),
        status=case.status,
        source=case.source,
        verdicts=tuple(map(_said, said)),
        crash=_crash(case.crash),
        documents=documents(case, own or wrong) if fits else (),
        missing=_missing(case, fits),
        rules=tuple(sorted(rules.items())),
        losses=tuple(losses[:LOSSES]),
        more_losses=words.also(len(losses), LOSSES),
        witnesses=_witnesses(case, control),
        command=shlex.join(repeat_command(case, target)),
    )


def _said(verdict: Verdict) -> Said:
    return Said(
        status=verdict.status,
        check=verdict.check,
        message=clipped(verdict.message, MESSAGE),
        turn=verdict.turn,
        excuse=words.excused(verdict.excuse) if verdict.excuse else "",
        differences=tuple(map(differences.show, verdict.differences[:DIFFERENCES])),
        more=words.also(len(verdict.differences), DIFFERENCES),
    )


def _missing(case: CaseResult, fits: bool) -> str:
    if not case.views:
        return "Nothing was kept of what was said."
    return "" if fits else "The documents would make this page too large; they are in report.json."


def _crash(text: str) -> str:
    """Its end, which says what was raised."""
    return text if len(text) <= CRASH else f"({len(text) - CRASH} characters left out)\n{text[-CRASH:]}"


def _witnesses(case: CaseResult, control: Witnesses) -> tuple[Witness, ...]:
    if case.key.path == "native":
        return ()
    beside = control.get((case.key.scenario, case.key.upstream, case.key.mode), ())
    return tuple(Witness(str(one.key), one.key.layer, one.status) for one in beside)
