"""The scenarios as the project reads them: the loader accepts them, and their documents are valid for the provider."""

from collections.abc import Iterator

from bridgecheck import validate
from bridgecheck.codec.body import decode_response
from bridgecheck.errors import BridgecheckError
from bridgecheck.files import load_scenario
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.scenario import Scenario, ScriptedAnswer
from bridgecheck.wire import Dialect, JsonObject, Mode

from .conftest import SCENARIOS, files

MALFORMED = {
    "broken-streams/json-instead-of-events": "the document of a unary answer in place of a stream",
    "chunks/choices-null": "chunks whose choices are null or missing",
    "chunks/delta-null-with-finish": "the last chunk's delta is null",
    "errors/body-is-an-array": "the error document stands in an array",
    "errors/body-is-a-string": "the error document is a text",
    "google-openai/error-in-an-array": "the error document stands in an array",
    "modalities/speech-of-chat": "one chunk has no choices, as recorded of gpt-audio",
    "tools/index-missing": "the pieces of calls have no index",
}
"""Scenarios whose documents are wrong on purpose, and how."""

LOOSE = {
    "builtin-tools/search-beside-functions": "Gemini's own {google_search: {}} among the tools of a Chat request",
    "builtin-tools/search-of-chat": "Gemini's own {google_search: {}} among the tools of a Chat request",
    "multimodal/image-url-as-string": "image_url is a string and no object, as OpenAI once took it",
    "tools/description-null": "description is null, as SDKs that fill in every field send it",
}
"""Scenarios whose client's request has a form that its provider accepts without documenting it, and which."""

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
    return [
        violation
        for document in documents(dialect, mode, answer)
        for violation in validate.response(dialect, shape, document)
    ]


def violations_of(scenario_id: str) -> dict[str, list[str]]:
    scenario = load_scenario(SCENARIOS / f"{scenario_id}.json")
    found = {f"{dialect}.{mode}": violations(dialect, mode, answer) for dialect, mode, answer in answers(scenario)}
    return {script: mistakes for script, mistakes in found.items() if mistakes}


def test_the_loader_takes_every_file() -> None:
    failures = []
    for path in files():
        try:
            scenario = load_scenario(path)
        except BridgecheckError as error:
            failures.append(str(error))
            continue
        if not scenario.turns or (scenario.level == "MUST" and not scenario.expect.wire):
            failures.append(scenario.id)
    assert not failures


def test_the_scripted_documents_are_valid_or_malformed_on_purpose(corpus: dict[str, JsonObject]) -> None:
    failures = {}
    for scenario_id in corpus:
        found = violations_of(scenario_id)
        if bool(found) is not (scenario_id in MALFORMED):
            failures[scenario_id] = found or f"is valid, but listed: {MALFORMED[scenario_id]}"
    assert not failures


def test_the_client_requests_are_valid_or_loose_on_purpose(corpus: dict[str, JsonObject]) -> None:
    """Turns that send back received content are skipped: their bodies hold placeholders."""
    failures: dict[str, object] = {}
    for scenario_id in corpus:
        requests = load_scenario(SCENARIOS / f"{scenario_id}.json").turns[0].client
        found = {dialect: validate.request(dialect, obj(request.body)) for dialect, request in requests.items()}
        found = {dialect: paths for dialect, paths in found.items() if paths}
        if bool(found) is not (scenario_id in LOOSE):
            failures[scenario_id] = found or f"is valid, but listed: {LOOSE[scenario_id]}"
    assert not failures
