"""Recorded traffic, which has no expectation: each interaction becomes a few cases, judged by the checks and the laws.

    native   U -> U   the identity: it must be clean, or the judge is wrong; and law.fold
    bridged  U -> U   through the pivot and back, request and answer
    bridged  C -> U   the recorded answer for a client of another dialect (any request serves); law.fold_square
    bridged  U -> C   the recorded request to a provider of another dialect (any answer serves); law.request_roundtrip

U is the dialect that was recorded. What the adapter does not route is one NOT_APPLICABLE case, so that it is counted.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from bridgecheck.cassette.traffic import TrafficItem
from bridgecheck.checks import judge
from bridgecheck.checks.notices import HARNESS
from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import IDENTITY
from bridgecheck.errors import BadTraffic
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.relations.choose import NONE, Relating
from bridgecheck.run import canned, laws, relations, wire
from bridgecheck.run.discreet import discreet
from bridgecheck.run.execute import Played, guarded, not_applicable
from bridgecheck.run.plan import Case, Selection
from bridgecheck.run.record import Record, Turn
from bridgecheck.run.verdicts import evidence, views
from bridgecheck.wire import DIALECTS, Dialect

_MODEL: Final = "recorded-model"


def plan(item: TrafficItem, driver: Driver, selection: Selection) -> list[Case]:
    """The cases of one interaction, the native one first."""
    return [case for case in _cases(item, driver) if selection.takes(case.key)]


def _cases(item: TrafficItem, driver: Driver) -> Iterator[Case]:
    recorded = item.interaction.response
    own, mode = recorded.dialect, recorded.mode
    yield Case(CaseKey(item.id, "native", own, own, mode, "wire"))
    straight = CaseKey(item.id, "bridged", own, own, mode, "wire")
    why_not = _why_not(item, driver, own)
    yield Case(straight, why_not)
    if item.operation != "generate" or not _converts(driver):
        return
    for other in DIALECTS:
        if other != own and (other, own) in driver.info.routes:
            yield Case(CaseKey(item.id, "bridged", other, own, mode, "wire"))
        if other != own and (own, other) in driver.info.routes and _askable(item):
            yield Case(CaseKey(item.id, "bridged", own, other, mode, "wire"))


def _why_not(item: TrafficItem, driver: Driver, own: Dialect) -> str:
    if item.operation != "generate":
        return f"the endpoint {item.operation} is not converted"
    if not _converts(driver):
        return f"{driver.info.name} gives no documents: recorded traffic is played at the wire layer"
    if (own, own) not in driver.info.routes:
        return f"{driver.info.name} does not route {own} to {own}"
    return ""


def _converts(driver: Driver) -> bool:
    return driver.converter is not None or driver.identity


def _askable(item: TrafficItem) -> bool:
    """Whether the recorded request is one to convert: it is there, and the provider did not refuse it."""
    return item.interaction.request is not None and item.interaction.response.status < 400


def run_case(case: Case, item: TrafficItem, driver: Driver, relating: Relating = NONE) -> CaseResult:
    """Plays and judges one case. Never raises."""
    started = time.perf_counter()
    played = not_applicable(case.why_not) if case.why_not else guarded(lambda: _play(case.key, item, driver, relating))
    result = CaseResult(
        key=case.key,
        adapter=driver.info.name,
        verdicts=played.verdicts,
        title=item.title,
        topic=topic(item.where),
        source="traffic",
        seconds=round(time.perf_counter() - started, 6),
        crash=played.crash,
        where=item.where,
        views=played.views,
    )
    return discreet(result)


def broken(bad: BadTraffic, adapter: str) -> CaseResult:
    """The ERROR of a line or interaction that cannot be read. Nothing is known of its dialects; the key says where."""
    key = CaseKey(Path(bad.where).name, "native", DIALECTS[0], DIALECTS[0], "unary", "wire")
    verdict = Verdict(HARNESS, "ERROR", str(bad))
    return discreet(CaseResult(key, adapter, (verdict,), bad.what, topic(bad.where), "traffic", where=bad.where))


def topic(where: str) -> str:
    """The recording's file, without folder, suffix and line."""
    return Path(where.rpartition(":")[0] or where).stem


def _play(key: CaseKey, item: TrafficItem, driver: Driver, relating: Relating) -> Played:
    acting = IDENTITY if key.path == "native" else driver
    if item.interaction.request is None and key.path == "native":
        record = _unasked(item.interaction)
    else:
        record = wire.play(acting, key, [_turn(key, item.interaction)])
    found = evidence(key, record, None, acting)
    varied = relations.on_wire(found, acting, relating) if item.operation == "generate" else ()
    verdicts = (*judge(found), *laws.verdicts(found, acting), *varied)
    return Played(verdicts, views(found.transcript, verdicts), record.crash)


def _turn(key: CaseKey, recorded: Interaction) -> Turn:
    """What was recorded on the side that speaks its dialect, the canned counterpart on the other. A request that the
    provider refused is no allowed input: its error answer is bridged to the canned one."""
    request, response = recorded.request, recorded.response
    refused = key.path == "bridged" and response.status >= 400
    if request is None or key.client != response.dialect or refused:
        asked = canned.request(key.client, key.mode, _model(request))
    else:
        asked = replace(request, mode=key.mode)
    answer = response if key.upstream == response.dialect else canned.response(key.upstream, key.mode)
    return Turn(lambda received: asked, (answer,))


def _model(request: Request | None) -> str:
    return (request.model if request else "") or _MODEL


def _unasked(recorded: Interaction) -> Record:
    """Traffic recorded without its request: the answer passes through the identity, and that is all there is to see."""
    answer: Response = replace(recorded.response, chunks=None)
    record = Record()
    record.upstream.append(Interaction(None, recorded.response))
    record.answer(None, answer, 0, "uc" * len(answer.documents))
    return record
