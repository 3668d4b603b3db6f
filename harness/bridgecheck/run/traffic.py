"""Plays recorded traffic, which has no expectation: each interaction becomes a few cases, judged by the checks and the
laws.

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
from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import IDENTITY
from bridgecheck.errors import BadTraffic
from bridgecheck.model.exchange import Interaction
from bridgecheck.model.verdict import CaseKey, CaseResult
from bridgecheck.relations.choice import NO_RELATIONS, RelationChoice
from bridgecheck.run import laws, play_wire, relations
from bridgecheck.run.execute import JudgedCase, PlayedCase, catch_harness_errors, harness_error, not_applicable
from bridgecheck.run.longer_limits import HangCount
from bridgecheck.run.plan import Case, Selection
from bridgecheck.run.record import Record, Turn, build_evidence, document_views
from bridgecheck.run.turns import minimal_request, minimal_response
from bridgecheck.wire import DIALECTS, Dialect

_MODEL: Final = "recorded-model"


def plan(item: TrafficItem, driver: Driver, selection: Selection) -> list[Case]:
    """Return the cases of one interaction, the native one first."""
    return [case for case in _traffic_cases(item, driver) if selection.selects(case.key)]


def _traffic_cases(item: TrafficItem, driver: Driver) -> Iterator[Case]:
    recorded = item.interaction.response
    own, mode = recorded.dialect, recorded.mode
    unmodelled = "the endpoint is not modelled" if item.operation == "other" else ""
    yield Case(CaseKey(item.id, "native", own, own, mode, "wire"), unmodelled)
    yield Case(CaseKey(item.id, "bridged", own, own, mode, "wire"), _reason_not_to_bridge_own_pair(item, driver, own))
    if item.operation != "generate" or not _has_converter(driver):
        return
    has_request = item.interaction.request is not None and recorded.status < 400
    for dialect in DIALECTS:
        if dialect != own and (dialect, own) in driver.info.routes:
            yield Case(CaseKey(item.id, "bridged", dialect, own, mode, "wire"))
        if dialect != own and (own, dialect) in driver.info.routes and has_request:
            yield Case(CaseKey(item.id, "bridged", own, dialect, mode, "wire"))


def _reason_not_to_bridge_own_pair(item: TrafficItem, driver: Driver, own: Dialect) -> str:
    if item.operation != "generate":
        return f"the endpoint {item.operation} is not converted"
    if not _has_converter(driver):
        return f"{driver.info.name} gives no documents: recorded traffic is played at the wire layer"
    if (own, own) not in driver.info.routes:
        return f"{driver.info.name} does not route {own} to {own}"
    return ""


def _has_converter(driver: Driver) -> bool:
    return driver.converter is not None or driver.identity


def run_case(
    case: Case, item: TrafficItem, driver: Driver, relation_choice: RelationChoice = NO_RELATIONS
) -> CaseResult:
    """Play and judge one case. Never raises."""
    return judge_case(case, item, driver, relation_choice).result


def judge_case(
    case: Case, item: TrafficItem, driver: Driver, relation_choice: RelationChoice = NO_RELATIONS
) -> JudgedCase:
    """Play and judge as ``run_case`` does; return all that is known of it."""
    started = time.perf_counter()
    played = not_applicable(case.why_not)
    if not case.why_not:
        played = catch_harness_errors(lambda: _play(case.key, item, driver, relation_choice))
    topic = topic_of_file(item.where)
    result = played.result(case.key, driver.info.name, started, item.title, topic, "traffic", item.where)
    return JudgedCase(result, played.transcript, played.error, played.has_hung)


def unreadable_case(bad: BadTraffic, adapter: str) -> CaseResult:
    """Return the ERROR of what cannot be read. Nothing is known of its dialects; the key says where it is."""
    key = CaseKey(Path(bad.where).name, "native", DIALECTS[0], DIALECTS[0], "unary", "wire")
    topic = topic_of_file(bad.where)
    return harness_error(str(bad)).result(key, adapter, time.perf_counter(), bad.what, topic, "traffic", bad.where)


def topic_of_file(where: str) -> str:
    """Return the name of the recording's file, without folder, suffix and line."""
    return Path(where.rpartition(":")[0] or where).stem


def _play(key: CaseKey, item: TrafficItem, driver: Driver, relation_choice: RelationChoice) -> PlayedCase:
    acting = IDENTITY if key.path == "native" else driver
    if item.interaction.request is None and key.path == "native":
        record = _record_without_request(item.interaction)
    else:
        record = play_wire.play(acting, key, [_turn_with_minimal_counterpart(key, item.interaction)])
    evidence, hangs = build_evidence(key, record, None, acting), HangCount()
    is_related = item.operation == "generate"
    related = relations.relate_on_wire(evidence, acting, relation_choice, hangs) if is_related else ()
    verdicts = (*judge(evidence), *laws.judge_laws(evidence, acting, hangs), *related)
    views = document_views(evidence.transcript, verdicts)
    return PlayedCase(verdicts, views, record.crash, evidence.transcript, has_hung_in_relation=hangs.count > 0)


def _turn_with_minimal_counterpart(key: CaseKey, recorded: Interaction) -> Turn:
    """Return what was recorded on the side of its dialect, with the minimal counterpart on the far side. A request that
    the provider refused is no allowed input: the minimal one stands for it."""
    request, response = recorded.request, recorded.response
    is_refused = key.path == "bridged" and response.status >= 400
    if request is None or key.client != response.dialect or is_refused:
        sent = minimal_request(key.client, key.mode, (request.model if request else "") or _MODEL)
    else:
        sent = replace(request, mode=key.mode)
    answer = response if key.upstream == response.dialect else minimal_response(key.upstream, key.mode)
    return Turn(lambda received: sent, (answer,))


def _record_without_request(recorded: Interaction) -> Record:
    """Return the record of traffic without a request: the answer passes through the identity, nothing else happens."""
    answer, record = replace(recorded.response, chunks=None), Record()
    record.upstream.append(Interaction(None, recorded.response))
    record.add_client_answer(None, answer, 0, "uc" * len(answer.documents))
    return record
