"""Invalid input is refused before anything runs: exit 2, the location, what was expected, the next command."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Refused = Callable[..., str]
Put = Callable[[dict[str, Any]], Path]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--adapter", "nonsense"), "no such kind of adapter"),
        (("--adapter", "http:http://localhost:1"), "the port where the gateway calls its provider"),
        (("--adapter", "command:./shim"), "cannot be started: No such file or directory"),
        (("--adapter", "python:adapters:nothing"), "has no 'nothing'"),
        (("--scenario", "messages/plian"), "did you mean messages/plain"),
        (("--scenario", "messages/plain::bridged-nowhere"), "no case matches"),
        (("--tag", "nope"), "no scenario has the tag nope"),
        (("--traffic", "not-there"), "no such traffic file or folder"),
        (("--traffic", "adapters.py"), "no traffic file"),
        (("--report", "adapters.py"), "--report names a file"),
        (("--mode", "sometimes"), "--mode"),
        (("-n", "-1"), "-n"),
        (("--no-such-option",), "no-such-option"),
    ],
)
def test_an_invalid_command_line_is_refused(refusal_of: Refused, arguments: tuple[str, ...], message: str) -> None:
    assert message in refusal_of("run", *arguments).replace("\n", " ")


def test_a_scenario_with_an_unknown_key_is_refused(
    refusal_of: Refused, put: Put, own_corpus: Path, scenario: dict[str, Any]
) -> None:
    scenario["expects"] = {}
    path = put(scenario)
    message = refusal_of("run", corpus=own_corpus)
    line = path.read_text().splitlines().index('  "expects": {}') + 1
    assert f"{path}:{line}:" in message
    assert "unknown key 'expects'" in message
    assert "next: bridgecheck lint" in message


def test_a_scenario_without_its_recording_is_refused(
    refusal_of: Refused, put: Put, own_corpus: Path, scenario: dict[str, Any]
) -> None:
    scenario["id"] = "messages/unrecorded"
    put(scenario)
    message = refusal_of("run", corpus=own_corpus)
    assert "messages/unrecorded/gemini.unary.yaml" in message
    assert "next: bridgecheck regenerate messages/unrecorded" in message


def test_a_cassette_that_lacks_a_response_is_refused(refusal_of: Refused, own_corpus: Path) -> None:
    path = own_corpus / "cassettes" / "messages" / "plain" / "gemini.unary.yaml"
    head = path.read_text(encoding="utf-8").partition("interactions:")[0]
    path.write_text(f"{head}interactions: []\n", encoding="utf-8")
    message = refusal_of("run", corpus=own_corpus)
    assert str(path) in message
    assert "next: bridgecheck regenerate messages/plain" in message


def test_a_broken_cassette_is_refused(refusal_of: Refused, own_corpus: Path) -> None:
    path = own_corpus / "cassettes" / "messages" / "plain" / "gemini.stream.yaml"
    path.write_text("interactions: [", encoding="utf-8")
    message = refusal_of("run", corpus=own_corpus)
    assert str(path) in message


def test_a_folder_without_traffic_is_refused(refusal_of: Refused, project: Path) -> None:
    (project / "empty").mkdir()
    message = refusal_of("run", "--traffic", "empty")
    assert "no traffic in this folder" in message


def test_a_missing_interaction_is_refused(refusal_of: Refused, project: Path) -> None:
    (project / "own.jsonl").write_text(json.dumps({"id": "a/1", "url_path": "/v1/chat/completions"}) + "\n")
    message = refusal_of("run", "--traffic", "own.jsonl::a/9")
    assert "no interaction matches 'a/9'" in message


def test_a_missing_corpus_is_refused(refusal_of: Refused, tmp_path: Path) -> None:
    message = refusal_of("run", corpus=tmp_path / "nowhere")
    assert "no corpus found" in message


def test_an_unwritable_report_folder_is_refused_before_the_run(refusal_of: Refused, project: Path) -> None:
    (project / "file").write_text("")
    message = refusal_of("run", "--report", "file/inside")
    assert "cannot be written" in message
    assert "file/inside" in message
