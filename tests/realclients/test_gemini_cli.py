"""@google/gemini-cli 0.61.0, headless, through the gateway to each provider.

What it tells is its stream-json; how often it asked is what shows a silent retry. Its exit code tells little: an
invalid answer ends with 0.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from ..says import Call, Fails, ModelAnswer, answer
from .conftest import KEY, NODE_FOLDER, Stage, require

pytestmark = [pytest.mark.realclients, pytest.mark.slow]

_BUNDLE: Final = NODE_FOLDER / "node_modules" / "@google" / "gemini-cli" / "bundle" / "gemini.js"
_RUN_S: Final = 90
_SETTINGS: Final = {
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 2},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "ide": {"enabled": False},
}


class Cli:
    """One home and one project folder. ``says``: the events of a run, without its timestamps."""

    def __init__(self, node: str, folder: Path) -> None:
        self._node = node
        self.project = folder / "project"
        self.project.mkdir()
        self._home = folder / "home"
        (self._home / ".gemini").mkdir(parents=True)
        (self._home / ".gemini" / "settings.json").write_text(json.dumps(_SETTINGS))

    def says(self, origin: str, prompt: str) -> list[dict[str, Any]]:
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self._home), "TMPDIR": str(self._home), "GEMINI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": origin, "GEMINI_TELEMETRY_ENABLED": "false", "NO_BROWSER": "true",
            "NO_COLOR": "1", "CI": "1", "TERM": "dumb", "GEMINI_CLI_NO_RELAUNCH": "true",
        }  # fmt: skip
        command = [self._node, str(_BUNDLE), "-p", prompt, "-m", "gemini-2.5-flash", "--skip-trust"]
        done = subprocess.run(
            [*command, "-o", "stream-json"], cwd=self.project, env=environment, capture_output=True, text=True,
            timeout=_RUN_S, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        assert lines, done.stderr[-2000:]
        return lines


@pytest.fixture
def cli(node: str, tmp_path: Path) -> Cli:
    require(_BUNDLE.is_file(), "@google/gemini-cli", "run `make node_modules`")
    return Cli(node, tmp_path)


def of(kind: str, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


def spoken(events: list[dict[str, Any]]) -> str:
    return "".join(event["content"] for event in of("message", events) if event["role"] == "assistant")


def result(events: list[dict[str, Any]]) -> dict[str, Any]:
    assert events[-1]["type"] == "result", events[-1]
    return events[-1]


def test_a_text_turn(stage: Stage, cli: Cli) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("Hi there."), "stream"))
    events = cli.says(stage.origin, "say hi")
    assert spoken(events) == "Hi there."
    assert result(events)["status"] == "success"
    assert result(events)["stats"]["input_tokens"] == 11
    assert len(stage.upstream.log) == 1


def test_a_tool_turn(stage: Stage, cli: Cli) -> None:
    (cli.project / "note.txt").write_text("the word is marmalade")
    read = Call("read_file", {"file_path": "note.txt"}, "toolu_a1")
    dialect = stage.upstream.dialect
    stage.upstream.plays(
        answer(dialect, ModelAnswer(calls=(read,)), "stream"),
        answer(dialect, ModelAnswer("It is marmalade."), "stream"),
    )
    events = cli.says(stage.origin, "what is the word in note.txt?")
    assert [event["tool_name"] for event in of("tool_use", events)] == ["read_file"]
    assert [event["status"] for event in of("tool_result", events)] == ["success"]
    assert spoken(events) == "It is marmalade."
    assert result(events)["status"] == "success"
    assert len(stage.upstream.log) == 2
    sent = json.dumps(stage.upstream.bodies[1])
    assert "the word is marmalade" in sent and "toolu_a1" in sent
    # What every one of its tools takes stands in parametersJsonSchema.
    assert "file_path" in json.dumps(stage.upstream.bodies[0].get("tools"))


def test_parallel_calls(stage: Stage, cli: Cli) -> None:
    (cli.project / "one.txt").write_text("first is alpha")
    (cli.project / "two.txt").write_text("second is beta")
    calls = tuple(Call("read_file", {"file_path": f"{name}.txt"}, f"toolu_{name}") for name in ("one", "two"))
    dialect = stage.upstream.dialect
    stage.upstream.plays(
        answer(dialect, ModelAnswer(calls=calls), "stream"), answer(dialect, ModelAnswer("Both read."), "stream")
    )
    events = cli.says(stage.origin, "read both files")
    assert [event["status"] for event in of("tool_result", events)] == ["success", "success"]
    assert spoken(events) == "Both read."
    assert len(stage.upstream.log) == 2
    sent = json.dumps(stage.upstream.bodies[1])
    assert sent.index("first is alpha") < sent.index("second is beta")


def test_thinking(stage: Stage, cli: Cli) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("42", reasoning="**Sum** Six by seven."), "stream"))
    events = cli.says(stage.origin, "6*7?")
    assert spoken(events) == "42", "thoughts are not shown as text"
    assert result(events)["status"] == "success"
    assert len(stage.upstream.log) == 1


@pytest.mark.slow
def test_a_429_is_retried(stage: Stage, cli: Cli) -> None:
    dialect = stage.upstream.dialect
    stage.upstream.plays(
        answer(dialect, Fails(429, "slow down"), "unary"), answer(dialect, ModelAnswer("At last."), "stream")
    )
    events = cli.says(stage.origin, "say hi")
    assert spoken(events) == "At last."
    assert result(events)["status"] == "success"
    assert len(stage.upstream.log) == 2


def test_a_cut_stream_is_not_a_success(stage: Stage, cli: Cli) -> None:
    """Half an answer must not look whole: the client retries or reports, and says so in its result."""
    cut = answer(stage.upstream.dialect, ModelAnswer("Half an", stop=""), "stream", cut=True)
    stage.upstream.plays(*[cut] * 4)
    events = cli.says(stage.origin, "say hi")
    assert spoken(events).startswith("Half an")
    assert result(events)["status"] == "error"
    assert stage.upstream.misses == 0
