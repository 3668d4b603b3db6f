"""What live cassettes contradict, by playing the native control case with them, once a process."""

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.provenance import LIVE, recording_of
from bridgecheck.checks import judge
from bridgecheck.checks.live_contradictions import Contradictions, find_contradictions_by_provider
from bridgecheck.drivers.driver import IDENTITY
from bridgecheck.errors import BridgecheckError
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.script_expectations import without_script_expectations
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run import play_wire
from bridgecheck.run.record import build_evidence
from bridgecheck.run.turns import scenario_turns
from bridgecheck.wire import Dialect, Mode


def find_contradicted_musts(scenario: Scenario, dialect: Dialect, mode: Mode, cassette: Cassette) -> Contradictions:
    """Return what a cassette contradicts of what is expected of its answers: nothing where it is not live, or where the
    scenario has no client of its dialect and so no control."""
    if cassette.source != LIVE or any(dialect not in turn.client for turn in scenario.turns):
        return Contradictions(dialect)
    scenario = without_script_expectations(scenario)
    key = CaseKey(scenario.id, "native", dialect, dialect, mode, "wire")
    try:
        recorded = [interaction.response for interaction in cassette.decode_interactions(dialect, mode)]
        record = play_wire.play(IDENTITY, key, scenario_turns(scenario, key, recorded))
    except BridgecheckError:  # which the case itself tells
        return Contradictions(dialect)
    return find_contradictions_by_provider(dialect, judge(build_evidence(key, record, scenario, IDENTITY)))


def name_answer(cassette: Cassette) -> str:
    """Return whose live answer it is: ``gpt-5.4-nano of 2026-11-20``."""
    recording = recording_of(cassette.metadata)
    model, day = (recording.model, recording.recorded_at[:10]) if recording else ("", "")
    return " of ".join(filter(None, (model or "the provider", day)))
