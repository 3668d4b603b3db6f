"""Plays a case at chat level: a whole conversation through the adapter's chat, and over the bridge once more without.

path     the adapter's chat calls     is compared with
native   Gemini, flag off             what the provider sent
bridged  the provider, flag on        the same, and the conversation with the flag off over the same answers
"""

from collections.abc import Sequence
from dataclasses import replace

from bridgecheck import normalise
from bridgecheck.cassette.interactions import Cassette
from bridgecheck.checks.request_and_response_pairs import response_pairs
from bridgecheck.drivers import Driver
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.library import Library
from bridgecheck.run.record import NotPlayable, Turn, build_evidence
from bridgecheck.run.strategy import choose_strategy_above_wire
from bridgecheck.run.told_in_gemini import tell_in_gemini


def play(
    driver: Driver, key: CaseKey, turns: Sequence[Turn], cassette: Cassette, scenario: Scenario, library: Library
) -> Evidence:
    """Return the evidence of the conversation, with that of the flag off beside it. Raises NotPlayable."""
    _refuse_answers_that_are_requested_again(turns)
    if cassette.is_elicited:
        _refuse_calls_that_are_not_the_scripts(turns, key, scenario)
    record = choose_strategy_above_wire(driver, key, turns, library).play(cassette)
    evidence = build_evidence(key, record, scenario, driver)
    in_gemini = _tell_answers_in_gemini(evidence, turns, cassette) if key.path == "bridged" else None
    if in_gemini is None:
        return evidence
    native_key = replace(key, path="native", upstream="gemini")
    record = choose_strategy_above_wire(driver, native_key, turns, library).play(in_gemini)
    return replace(evidence, flag_off=build_evidence(native_key, record, scenario, driver))


def _refuse_answers_that_are_requested_again(turns: Sequence[Turn]) -> None:
    """Raise NotPlayable if an answer is none to a chat: it asks again, and the recording holds one answer a turn."""
    for number, turn in enumerate(turns, 1):
        outcome = normalise.response(turn.answers[0])
        is_usable = outcome.first.joined_text.strip() or outcome.first.tool_calls
        if len(turn.answers) > 1 or outcome.error is not None or not is_usable:
            raise NotPlayable(f"turn {number} has an answer without text or calls: a chat asks for it again")


def _refuse_calls_that_are_not_the_scripts(turns: Sequence[Turn], key: CaseKey, scenario: Scenario) -> None:
    """Raise NotPlayable where a live answer calls other functions than the script: what a chat's user goes on with,
    results above all, was written for the calls of the script."""
    for number, (turn, stated) in enumerate(zip(turns, scenario.turns, strict=True), 1):
        script = stated.upstream[key.upstream][key.mode][0]
        documents = script.events if script.events is not None else (script.body,)
        scripted = normalise.response(Response(key.upstream, key.mode, tuple(documents)))
        actual = normalise.response(turn.answers[0])
        names = [[call.name for call in outcome.first.tool_calls] for outcome in (scripted, actual)]
        if names[0] != names[1]:
            expected, called = (", ".join(row) or "nothing" for row in names)
            raise NotPlayable(f"turn {number} of the live conversation calls {called}, the script {expected}")


def _tell_answers_in_gemini(evidence: Evidence, turns: Sequence[Turn], cassette: Cassette) -> Cassette | None:
    """Return the answers of a conversation as Gemini gives them, functions by the names that the client knows: the
    recording itself where it is Gemini's; None where Gemini cannot tell them, or some turn had none."""
    if evidence.key.upstream == "gemini":
        return cassette
    answers = [pair.expected for pair in response_pairs(evidence)]
    return tell_in_gemini(answers, turns[0].make_request(()).model) if len(answers) == len(turns) else None
