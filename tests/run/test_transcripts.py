"""``run_with_transcript``: the transcript of a case together with its result."""

from dataclasses import replace

from bridgecheck.drivers import resolve
from bridgecheck.files import cassettes_root, load_scenario, scenarios_root
from bridgecheck.run.execute import run_case, run_with_transcript
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Selection, plan

PLAIN = "messages/plain-text"


def test_both_sides_are_in_the_transcript() -> None:
    scenario = load_scenario(scenarios_root() / f"{PLAIN}.json")
    driver, library = resolve("python:bridgecheck_reference:adapter"), Library(cassettes_root())
    (case,) = plan(scenario, driver, Selection(addresses=(f"{PLAIN}::bridged-openai-chat-to-gemini-stream-wire",)))
    result, transcript, _ = run_with_transcript(case, scenario, driver, library)
    assert replace(result, seconds=0) == replace(run_case(case, scenario, driver, library), seconds=0)
    assert transcript is not None
    assert [exchange.request.dialect for exchange in transcript.client if exchange.request] == ["openai-chat"]
    assert [exchange.request.dialect for exchange in transcript.upstream if exchange.request] == ["gemini"]


def test_a_case_that_was_not_played_has_no_transcript() -> None:
    scenario = load_scenario(scenarios_root() / f"{PLAIN}.json")
    driver, library = resolve("native:"), Library(cassettes_root())
    (case,) = plan(scenario, driver, Selection(addresses=(f"{PLAIN}::bridged-openai-chat-to-gemini-stream-wire",)))
    result, transcript, _ = run_with_transcript(case, scenario, driver, library)
    assert result.status == "NOT_APPLICABLE"
    assert transcript is None
