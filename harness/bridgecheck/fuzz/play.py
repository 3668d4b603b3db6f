"""Judges a generated scenario in every direction that an adapter routes: no file, no cassette, no SDK."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from bridgecheck.checks import judge
from bridgecheck.codec import body as body_codec
from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import IDENTITY
from bridgecheck.files.scenario_file import to_scenario
from bridgecheck.model.exchange import Response
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, CaseResult
from bridgecheck.run import laws, play_wire
from bridgecheck.run.execute import PlayedCase, catch_harness_errors, harness_error
from bridgecheck.run.longer_limits import HangCount, MachineStalled, try_again_with_longer_limits
from bridgecheck.run.plan import Selection, plan
from bridgecheck.run.record import build_evidence
from bridgecheck.run.turns import scenario_turns
from bridgecheck.upstream import wire_response
from bridgecheck.wire import Dialect, JsonObject, Mode


@dataclass(frozen=True, slots=True)
class DialectBounds:
    """The dialects of clients and upstreams whose cases are played."""

    clients: tuple[Dialect, ...]
    upstreams: tuple[Dialect, ...]


def play_document(
    document: JsonObject, driver: Driver, bounds: DialectBounds, on_hang: Callable[[], None] = lambda: None
) -> Iterator[CaseResult]:
    """Yield the result of every case at the wire layer, those of the identity adapter included. ``on_hang``: called
    where the adapter gave no answer in time."""
    scenario = to_scenario(document)
    responses: dict[tuple[Dialect, Mode], list[Response]] = {}
    for case in plan(scenario, driver, Selection()):
        key = case.key
        in_bounds = key.client in bounds.clients and key.upstream in bounds.upstreams
        if case.why_not or key.layer != "wire" or not in_bounds:
            continue
        script_key = key.upstream, key.mode
        if script_key not in responses:
            responses[script_key] = _scripted_responses(scenario, *script_key)
        played = _play_until_answered(partial(_play_and_judge_case, scenario, key, responses[script_key]), driver)
        if played.has_hung:
            on_hang()
        yield CaseResult(key, driver.info.name, played.verdicts, scenario.title, scenario.topic, crash=played.crash)


def _scripted_responses(scenario: Scenario, dialect: Dialect, mode: Mode) -> list[Response]:
    scripted = [
        response
        for turn in scenario.turns
        for response in wire_response.scripted_responses(turn.upstream[dialect][mode], dialect, mode)
    ]
    return [body_codec.decode_response(dialect, mode, row.status, row.headers, row.writes, row.end) for row in scripted]


def _play_until_answered(play: Callable[[Driver], PlayedCase], driver: Driver) -> PlayedCase:
    """Play a case; again, with longer limits, if it hit its limit."""

    def play_with_limit(factor: float) -> PlayedCase:
        return catch_harness_errors(partial(play, driver.with_time(factor)))

    first = play_with_limit(1)
    if not first.has_hung:
        return first
    try:
        return try_again_with_longer_limits(first, play_with_limit, lambda played: played.has_hung)
    except MachineStalled as stalled:
        return harness_error(str(stalled), stalled)


def _play_and_judge_case(scenario: Scenario, key: CaseKey, responses: list[Response], driver: Driver) -> PlayedCase:
    adapter = IDENTITY if key.path == "native" else driver
    record = play_wire.play(adapter, key, scenario_turns(scenario, key, responses))
    case_evidence, hangs = build_evidence(key, record, scenario, adapter), HangCount()
    verdicts = (*judge(case_evidence), *laws.judge_laws(case_evidence, adapter, hangs))
    return PlayedCase(verdicts, {}, record.crash, case_evidence.transcript, has_hung_in_relation=hangs.count > 0)
