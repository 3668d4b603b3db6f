"""The scenarios through the project's own eyes: the loader takes them, their documents are what a provider sends."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bridgecheck import validate
from bridgecheck.codec.body import decode_response
from bridgecheck.files import load_scenario
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.scenario import Scenario, ScriptedAnswer
from bridgecheck.wire import Dialect, Mode

from .conftest import SCENARIOS, files, raw

MALFORMED = {
    "broken-streams/json-instead-of-events": "the document of a unary answer in place of a stream",
    "chunks/choices-null": "chunks whose choices are null or missing",
    "chunks/delta-null-with-finish": "the last chunk's delta is null",
    "errors/body-is-an-array": "the error document stands in an array",
    "google-openai/error-in-an-array": "the error document stands in an array",
    "modalities/speech-of-chat": "one chunk has no choices, as recorded of gpt-audio",
    "tools/index-missing": "the pieces of calls have no index",
}
"""Scenarios whose documents are wrong on purpose, and how."""

LOOSE = {
    "builtin-tools/search-beside-functions": "Gemini's own {google_search: {}} among the tools of a Chat request",
    "builtin-tools/search-of-chat": "Gemini's own {google_search: {}} among the tools of a Chat request",
    "messages/content-without-role": "parts is one object and no list, as in Google's own first examples",
    "messages/system-instruction-object": "parts is one object and no list, as in Google's own first examples",
    "multimodal/image-url-as-string": "image_url is a string and no object, as OpenAI once took it",
}
"""Scenarios whose client asks in a form that its provider takes and does not document, and how."""

HEADERS = (("content-type", "text/event-stream"),)


def answers(scenario: Scenario) -> Iterator[tuple[Dialect, Mode, ScriptedAnswer]]:
    for turn in scenario.turns:
        for dialect, modes in turn.upstream.items():
            for mode, script in modes.items():
                for answer in script:
                    yield dialect, mode, answer


def documents(dialect: Dialect, mode: Mode, answer: ScriptedAnswer) -> tuple[object, ...]:
    if answer.raw is not None:
        return decode_response(dialect, mode, answer.status, HEADERS, answer.raw, answer.end).documents
    return answer.events if answer.events is not None else (answer.body,)


def violations(dialect: Dialect, mode: Mode, answer: ScriptedAnswer) -> list[str]:
    shape: Mode = "unary" if answer.body is not None else mode
    return [found for one in documents(dialect, mode, answer) for found in validate.response(dialect, shape, one)]


def violations_of(scenario_id: str) -> dict[str, list[str]]:
    scenario = load_scenario(SCENARIOS / f"{scenario_id}.json")
    found = {f"{dialect}.{mode}": violations(dialect, mode, answer) for dialect, mode, answer in answers(scenario)}
    return {place: wrong for place, wrong in found.items() if wrong}


@pytest.mark.parametrize("path", files(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_loader_takes_it(path: Path) -> None:
    scenario = load_scenario(path)
    assert scenario.turns
    assert scenario.expect.wire or scenario.level != "MUST"


@pytest.mark.parametrize("scenario_id", [one for one in raw() if one not in MALFORMED])
def test_the_scripted_documents_are_valid(scenario_id: str) -> None:
    assert violations_of(scenario_id) == {}


@pytest.mark.parametrize("scenario_id", MALFORMED)
def test_what_is_malformed_on_purpose_is_seen_as_such(scenario_id: str) -> None:
    assert violations_of(scenario_id)


@pytest.mark.parametrize("scenario_id", raw())
def test_the_client_requests_are_valid_or_loose_on_purpose(scenario_id: str) -> None:
    """Turns that send back what was received are left out: their bodies hold placeholders."""
    scenario = load_scenario(SCENARIOS / f"{scenario_id}.json")
    found = {
        dialect: validate.request(dialect, obj(request.body)) for dialect, request in scenario.turns[0].client.items()
    }
    wrong = {dialect: places for dialect, places in found.items() if places}
    assert bool(wrong) is (scenario_id in LOOSE), wrong
