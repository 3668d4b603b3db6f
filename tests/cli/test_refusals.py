"""Bad input is refused before anything runs: exit 2, the place, what was expected, the next command."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[[dict[str, Any]], Path]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--adapter", "nonsense"), "no such kind of adapter"),
        (("--adapter", "http:http://localhost:1"), "adapters of kind http: do not exist yet"),
        (("--adapter", "command:./shim"), "adapters of kind command: do not exist yet"),
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
def test_a_bad_command_line(cli: Cli, project: Path, arguments: tuple[str, ...], said: str) -> None:
    done = cli("run", *arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    assert not (project / "reports").exists()


def test_a_scenario_with_an_unknown_key(cli: Cli, put: Put, own_corpus: Path, scenario: dict[str, Any]) -> None:
    scenario["expects"] = {}
    path = put(scenario)
    done = cli("run", corpus=own_corpus)
    assert done.returncode == 2
    line = path.read_text().splitlines().index('  "expects": {}') + 1
    assert f"{path}:{line}:" in done.stderr
    assert "unknown key 'expects'" in done.stderr
    assert "next: bridgecheck lint" in done.stderr


def test_a_scenario_without_its_recording(cli: Cli, put: Put, own_corpus: Path, scenario: dict[str, Any]) -> None:
    scenario["id"] = "messages/unrecorded"
    put(scenario)
    done = cli("run", corpus=own_corpus)
    assert done.returncode == 2
    assert "messages/unrecorded/gemini.unary.yaml" in done.stderr
    assert "next: bridgecheck regenerate messages/unrecorded" in done.stderr
    assert cli("run", "--scenario", "messages/plain", "--path", "native", corpus=own_corpus).returncode == 0


def test_a_cassette_that_lacks_an_answer(cli: Cli, own_corpus: Path) -> None:
    path = own_corpus / "cassettes" / "messages" / "plain" / "gemini.unary.yaml"
    head = path.read_text(encoding="utf-8").partition("interactions:")[0]
    path.write_text(f"{head}interactions: []\n", encoding="utf-8")
    done = cli("run", corpus=own_corpus)
    assert done.returncode == 2
    assert str(path) in done.stderr
    assert "next: bridgecheck regenerate messages/plain" in done.stderr


def test_a_cassette_that_is_broken(cli: Cli, own_corpus: Path) -> None:
    path = own_corpus / "cassettes" / "messages" / "plain" / "gemini.stream.yaml"
    path.write_text("interactions: [", encoding="utf-8")
    done = cli("run", corpus=own_corpus)
    assert done.returncode == 2
    assert str(path) in done.stderr


def test_a_folder_without_traffic(cli: Cli, project: Path) -> None:
    (project / "empty").mkdir()
    done = cli("run", "--traffic", "empty")
    assert done.returncode == 2
    assert "no traffic in this folder" in done.stderr


def test_an_interaction_that_is_not_there(cli: Cli, project: Path) -> None:
    (project / "own.jsonl").write_text(json.dumps({"id": "a/1"}) + "\n")
    done = cli("run", "--traffic", "own.jsonl::a/9")
    assert done.returncode == 2
    assert "no interaction matches 'a/9'" in done.stderr


def test_a_corpus_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    done = cli("run", corpus=tmp_path / "nowhere")
    assert done.returncode == 2
    assert "no corpus found" in done.stderr
