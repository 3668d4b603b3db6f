"""Plays liberties over the corpus at wire level, and tells what the judge holds against them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from liberty import Liberty, LibertyAdapter

from bridgecheck.drivers.driver import Driver, describe_adapter
from bridgecheck.files.corpus import cassettes_root, scenarios, scenarios_root
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult
from bridgecheck.run.execute import run_with_transcript
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case, Selection, plan

ACCUSING = ("FAIL", "WARN", "ERROR")


@dataclass(frozen=True, slots=True)
class Accusation:
    """A verdict against an adapter that is right."""

    address: str
    check: str
    status: str
    message: str


@dataclass(frozen=True, slots=True)
class Played:
    """``cases``: how many were played. ``changed``: addresses of the cases in which a parsed document on either side
    differs from what the reference alone made there; the order of keys is no difference."""

    cases: int
    changed: tuple[str, ...]
    accusations: tuple[Accusation, ...]


def play(liberties: Sequence[Liberty], globs: Sequence[str] = ()) -> Played:
    """Play every case at wire level in which one of the liberties has a say. ``globs``: of addresses; empty for all."""
    adapter = LibertyAdapter(*liberties)
    driver = describe_adapter("liberty:" + "+".join(liberty.name for liberty in liberties), adapter)
    reference = describe_adapter("liberty:none", LibertyAdapter())
    cases = 0
    changed: list[str] = []
    accusations: list[Accusation] = []
    for scenario, case in _cases(driver, globs):
        if not any(liberty.changes(case.key.client, case.key.upstream) for liberty in liberties):
            continue
        cases += 1
        result, transcript, _ = run_with_transcript(case, scenario, driver, _library())
        if _documents(transcript) == _documents(_play_reference(reference, scenario, case)):
            continue
        changed.append(str(case.key))
        accusations += _accusations(result)
    return Played(cases, tuple(changed), tuple(accusations))


def _cases(driver: Driver, globs: Sequence[str]) -> Iterator[tuple[Scenario, Case]]:
    selection = Selection(paths=("bridged",), layers=("wire",), addresses=tuple(globs))
    for scenario in _scenarios():
        for case in plan(scenario, driver, selection):
            if not case.why_not and case.key.layer == "wire":
                yield scenario, case


@cache
def _scenarios() -> tuple[Scenario, ...]:
    return tuple(scenarios(scenarios_root()))


@cache
def _library() -> Library:
    return Library(cassettes_root())


_REFERENCE: dict[str, CaseTranscript | None] = {}


def _play_reference(reference: Driver, scenario: Scenario, case: Case) -> CaseTranscript | None:
    address = str(case.key)
    if address not in _REFERENCE:
        _REFERENCE[address] = run_with_transcript(case, scenario, reference, _library())[1]
    return _REFERENCE[address]


def _documents(transcript: CaseTranscript | None) -> object:
    """Return what stood in the documents of both sides, headers and times aside."""
    if transcript is None:
        return None
    sides = [
        [
            (
                interaction.request and interaction.request.body,
                interaction.response.status,
                interaction.response.documents,
            )
            for interaction in side
        ]
        for side in (transcript.client, transcript.upstream)
    ]
    return sides, transcript.crash, transcript.refused


def _accusations(result: CaseResult) -> Iterator[Accusation]:
    for verdict in result.verdicts:
        if verdict.status in ACCUSING:
            yield Accusation(str(result.key), verdict.check, verdict.status, verdict.message)
