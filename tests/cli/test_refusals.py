"""Bad input is refused before anything runs: exit 2, the place, what was expected, the next command."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Refused = Callable[..., str]
Put = Callable[[dict[str, Any]], Path]


@pytest.mark.parametrize(
    ("arguments", "said"),
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
def test_a_bad_command_line(refused: Refused, arguments: tuple[str, ...], said: str) -> None:
    assert said in refused("run", *arguments).replace("\n", " ")


def test_a_scenario_with_an_unknown_key(refused: Refused, put: Put, own_corpus: Path, scenario: dict[str, Any]) -> None:
    scenario["expects"] = {}
    path = put(scenario)
    words = refused("run", corpus=own_corpus)
    line = path.read_text().splitlines().index('  "expects": {}') + 1
    assert f"{path}:{line}:" in words
    assert "unknown key 'expects'" in words
    assert "next: bridgecheck lint" in words


def test_a_scenario_without_its_recording(
    refused: Refused, put: Put, own_corpus: Path, scenario: dict[str, Any]
) -> None:
    scenario["id"] = "messages/unrecorded"
    put(scenario)
    words = refused("run", corpus=own_corpus)
    assert "messages/unrecorded/gemini.unary.yaml" in words
    assert "next: bridgecheck regenerate messages/unrecorded" in words


def test_a_cassette_that_lacks_an_answer(refused: Refused, own_corpus: Path) -> None:
    path = own_corpus / "cassettes" / "messages" / "plain" / "gemini.unary.yaml"
    head = path.read_text(encoding="utf-8").partition("interactions:")[0]
    path.write_text(f"{head}interactions: []\n", encoding="utf-8")
    words = refused("run", corpus=own_corpus)
    assert str(path) in words
    assert "next: bridgecheck regenerate messages/plain" in words


def test_a_cassette_that_is_broken(refused: Refused, own_corpus: Path) -> None:
    path = own_corpus / "cassettes" / "messages" / "plain" / "gemini.stream.yaml"
    path.write_text("interactions: [", encoding="utf-8")
    words = refused("run", corpus=own_corpus)
    assert str(path) in words


def test_a_folder_without_traffic(refused: Refused, project: Path) -> None:
    (project / "empty").mkdir()
    words = refused("run", "--traffic", "empty")
    assert "no traffic in this folder" in words


def test_an_interaction_that_is_not_there(refused: Refused, project: Path) -> None:
    (project / "own.jsonl").write_text(json.dumps({"id": "a/1"}) + "\n")
    words = refused("run", "--traffic", "own.jsonl::a/9")
    assert "no interaction matches 'a/9'" in words


def test_a_corpus_that_is_not_there(refused: Refused, tmp_path: Path) -> None:
    words = refused("run", corpus=tmp_path / "nowhere")
    assert "no corpus found" in words


def test_a_report_folder_that_cannot_be_made_is_refused_before_anything_runs(refused: Refused, project: Path) -> None:
    (project / "file").write_text("")
    said = refused("run", "--report", "file/inside")
    assert "cannot be written" in said
    assert "file/inside" in said
