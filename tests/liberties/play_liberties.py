"""Plays liberties over the corpus and over recorded traffic at wire level, and lists what the judge holds against them."""

import copy
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeAlias

from liberty import Conversion, Liberty, LibertyAdapter

from bridgecheck.cassette.traffic import TrafficItem, read_traffic
from bridgecheck.drivers.driver import Driver, describe_adapter
from bridgecheck.files.corpus import cassettes_root, scenarios, scenarios_root
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult
from bridgecheck.run import traffic
from bridgecheck.run.execute import run_with_transcript
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case, Selection, plan
from bridgecheck.wire import JsonObject

ACCUSING: Final = ("FAIL", "WARN", "ERROR")
SAMPLE_SIZE: Final = 300
"""Recordings of the fixed sample."""

_TRAFFIC: Final = Path(__file__).resolve().parents[3] / "shared" / "real_traffic"


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


def play_corpus(liberties: Sequence[Liberty], globs: Sequence[str] = ()) -> Played:
    """Play every case at wire level in which one of the liberties has a say. ``globs``: of addresses; empty for all."""
    adapter = LibertyAdapter(*liberties)
    driver = describe_adapter("liberty:" + "+".join(liberty.name for liberty in liberties), adapter)
    cases = 0
    changed: list[str] = []
    accusations: list[Accusation] = []
    for scenario, case in _cases(driver, globs):
        if not any(liberty.changes(case.key.client, case.key.upstream) for liberty in liberties):
            continue
        cases += 1
        plain, made = _play_reference(scenario, case)
        if not _may_change(liberties, made):
            continue
        result, transcript, _ = run_with_transcript(case, scenario, driver, _library())
        if _documents(transcript) == _documents(plain):
            continue
        changed.append(str(case.key))
        accusations += _accusations(result)
    return Played(cases, tuple(changed), tuple(accusations))


def play_reference(addresses: Sequence[str]) -> tuple[Accusation, ...]:
    """Play the reference alone in these cases, and return what is held against it."""
    driver = describe_adapter("liberty:none", LibertyAdapter())
    cases = _cases(driver, addresses) if addresses else ()
    results = (run_with_transcript(case, scenario, driver, _library())[0] for scenario, case in cases)
    return tuple(accusation for result in results for accusation in _accusations(result))


def play_recordings(liberties: Sequence[Liberty], *, whole: bool) -> Played:
    """Play recorded traffic: the fixed sample, or all of it. Empty where there is none. ``changed`` stays empty."""
    adapter = LibertyAdapter(*liberties)
    driver = describe_adapter("liberty:" + "+".join(liberty.name for liberty in liberties), adapter)
    cases = 0
    accusations: list[Accusation] = []
    for item in recordings() if whole else recordings()[:SAMPLE_SIZE]:
        for case in traffic.plan(item, driver, Selection(paths=("bridged",))):
            if not case.why_not and any(liberty.changes(case.key.client, case.key.upstream) for liberty in liberties):
                cases += 1
                accused = list(_accusations(traffic.run_case(case, item, driver)))
                accusations += _without_those_of_reference(accused, case, item) if accused else ()
    return Played(cases, (), tuple(accusations))


def _without_those_of_reference(accused: list[Accusation], case: Case, item: TrafficItem) -> Iterator[Accusation]:
    """Yield what is held against the liberty and not against the reference alone, which loses what one host sends."""
    driver = describe_adapter("liberty:none", LibertyAdapter())
    alone = {(row.check, row.status) for row in _accusations(traffic.run_case(case, item, driver))}
    yield from (row for row in accused if (row.check, row.status) not in alone)


@cache
def recordings() -> tuple[TrafficItem, ...]:
    """Return the recorded interactions that can be read, in an order that is random but always the same; () where the
    folder is absent."""
    folder = Path(os.environ.get("BRIDGECHECK_TRAFFIC") or _TRAFFIC)
    if not folder.is_dir():
        return ()
    items = [item for item in read_traffic(folder) if isinstance(item, TrafficItem)]
    return tuple(sorted(items, key=lambda item: sha256(item.id.encode()).digest()))


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


_Made: TypeAlias = list[tuple[JsonObject, Conversion]]
_REFERENCE: dict[str, tuple[CaseTranscript | None, _Made]] = {}
"""Address -> what the reference alone did there, and the requests that it made."""


def _play_reference(scenario: Scenario, case: Case) -> tuple[CaseTranscript | None, _Made]:
    address = str(case.key)
    if address not in _REFERENCE:
        adapter = LibertyAdapter()
        driver = describe_adapter("liberty:none", adapter)
        _REFERENCE[address] = run_with_transcript(case, scenario, driver, _library())[1], adapter.made
    return _REFERENCE[address]


def _may_change(liberties: Sequence[Liberty], made: _Made) -> bool:
    """Return whether one of the liberties changes something in a case. What changes no request that the reference made
    changes no later turn."""
    if not all(liberty.is_about_requests_alone for liberty in liberties):
        return True
    return any(_changes_request(liberty, *request) for liberty in liberties for request in made)


def _changes_request(liberty: Liberty, document: JsonObject, conversion: Conversion) -> bool:
    if liberty.upstream_request is None or not liberty.changes(conversion.client, conversion.upstream):
        return False
    try:
        return liberty.upstream_request(copy.deepcopy(document), conversion) != document
    except NotImplementedError:
        return True


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
