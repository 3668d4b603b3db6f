"""Answers that gemini-cli recorded (``--record-responses``) play as the provider of a chat, turn by turn."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bridgecheck import normalise
from bridgecheck.cassette import import_recordings, store
from bridgecheck.cassette.formats.gemini_cli import write_gemini_cli
from bridgecheck.cassette.interactions import Cassette
from bridgecheck.checks import judge
from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.files import cassettes_root, load_scenario, scenarios_root
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run import play_chat
from bridgecheck.run.library import Library
from bridgecheck.run.record import Turn
from bridgecheck.upstream.relay import resolve_placeholders
from bridgecheck.wire import JsonObject
from bridgecheck_reference import adapter as reference

HELLO = Path(__file__).parent / "recordings" / "gemini-cli-0.61.0" / "hello.responses"
MODEL = "gemini-2.5-flash"
QUESTION = "(the message was not recorded)"


def read_golden(file: Path) -> Cassette:
    """Return the answers of a golden file as a cassette."""
    (cassette,) = import_recordings.import_file(file, file.parent, "gemini-cli").cassettes.values()
    return cassette


def make_turns(cassette: Cassette) -> list[Turn]:
    """Return a turn for each answer: a result for each call of the answer before, else a further question."""
    answers = [interaction.response("gemini", "stream") for interaction in cassette.interactions]
    contents: list[JsonObject] = [{"role": "user", "parts": [{"text": QUESTION}]}]
    turns: list[Turn] = []
    for number, answer in enumerate(answers):
        turns.append(_make_turn(list(contents), answer))
        calls = normalise.response(answer).first.tool_calls
        results: list[JsonObject] = [
            {"functionResponse": {"name": call.name, "id": f"$id:{number}.{index}", "response": {"output": "done"}}}
            for index, call in enumerate(calls)
        ]
        contents += [{"$received": number}, {"role": "user", "parts": results or [{"text": QUESTION}]}]
    return turns


def _make_turn(contents: list[JsonObject], answer: Response) -> Turn:
    def make_request(received: Sequence[Response]) -> Request:
        return Request("gemini", "stream", resolve_placeholders({"contents": contents}, received), MODEL)

    return Turn(make_request, (answer,))


def play(file: Path, path: str) -> Evidence:
    cassette = read_golden(file)
    key = CaseKey("traffic/golden", path, "gemini", "gemini", "stream", "chat")  # type: ignore[arg-type]
    driver = describe_adapter("python:bridgecheck_reference:adapter", reference)
    scenario = load_scenario(scenarios_root() / "conversations/plain-text.json")
    return play_chat.play(driver, key, make_turns(cassette), cassette, scenario, Library(cassettes_root()))


def checks_that_ran(evidence: Evidence) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for verdict in judge(evidence):
        found.setdefault(verdict.check, set()).add(verdict.status)
    return found


@pytest.mark.parametrize("path", ["native", "bridged"])
def test_the_golden_of_the_real_cli_plays(path: str) -> None:
    evidence = play(HELLO, path)
    assert [outcome.first.joined_text for outcome in evidence.client_outcomes] == ["Hello, Zoë!"]
    assert checks_that_ran(evidence)["chat.events"] == {"PASS"}


@pytest.mark.parametrize("path", ["native", "bridged"])
@pytest.mark.parametrize(
    "scenario", ["conversations/plain-text", "conversations/two-parallel-tools", "relay/text-beside-call-kept"]
)
def test_goldens_of_several_turns_play_as_conversations(scenario: str, path: str, tmp_path: Path) -> None:
    recorded = store.load_cassette(store.cassette_path(cassettes_root(), scenario, "gemini", "stream"))
    file = tmp_path / "several.responses"
    file.write_text(write_gemini_cli(recorded).text, encoding="utf-8")
    evidence = play(file, path)
    assert len(evidence.transcript.upstream) == len(recorded.interactions) >= 2
    ran = checks_that_ran(evidence)
    assert {status for statuses in ran.values() for status in statuses} == {"PASS"}, ran
    assert {"chat.events", "chat.history"} <= ran.keys()
    assert ("chat.native_equals_bridged" in ran) == (path == "bridged")


def test_a_golden_that_ends_too_early_is_noticed(tmp_path: Path) -> None:
    recorded = store.load_cassette(
        store.cassette_path(cassettes_root(), "conversations/plain-text", "gemini", "stream")
    )
    file = tmp_path / "short.responses"
    file.write_text(write_gemini_cli(recorded).text, encoding="utf-8")
    cassette = read_golden(file)
    key = CaseKey("traffic/golden", "native", "gemini", "gemini", "stream", "chat")
    driver = describe_adapter("python:bridgecheck_reference:adapter", reference)
    scenario = load_scenario(scenarios_root() / "conversations/plain-text.json")
    short = Cassette(cassette.metadata, cassette.interactions[:-1])
    evidence = play_chat.play(driver, key, make_turns(cassette), short, scenario, Library(cassettes_root()))
    assert "FAIL" in checks_that_ran(evidence)["relay.expected_calls"]
