"""The command as users run it, in its own process, over a corpus of one scenario with a regenerated recording."""

import atexit
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, Final

import pytest

from ..faulty_adapters.forks import Forks

ROOT = Path(__file__).resolve().parents[2]

ENTRY: Final = """[[deviation]]
fingerprint = "{}"
check = "{}"
direction = "openai-chat-to-gemini"
reason = "{}"
cases = ["messages/plain::{{stream,unary}}-wire *"]
"""
MARK: Final = "918a1c0d50"
"""The fingerprint of what ``Trims`` fails."""
TEXT_IS_OFF: Final = ENTRY.format(MARK, "response.text", "as agreed")
MENDED: Final = "0123456789"
FIXED: Final = ENTRY.format(MENDED, "response.usage", "mended since")
"""An entry for what does not fail any more."""

ANSWER = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "Four."}]}, "finishReason": "STOP", "index": 0}],
    "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2, "totalTokenCount": 9},
    "modelVersion": "gemini-2.5-flash",
    "responseId": "r-1",
}
SCENARIO = {
    "id": "messages/plain",
    "title": "A question and its answer",
    "description": "The text of the answer arrives byte for byte.",
    "why": "Everything else rests on it.",
    "level": "MUST",
    "basis": {
        "kind": "documented", "ref": "https://ai.google.dev/api/generate-content#v1beta.Candidate", "date": "2026-11-20",
        "duty": "The content is what the model generated.",
    },
    "since": "0.1.0",
    "tags": ["plain"],
    "modes": ["unary", "stream"],
    "client": {
        "gemini": {
            "model": "gemini-2.5-flash",
            "body": {"contents": [{"role": "user", "parts": [{"text": "2 + 2?"}]}]},
        },
        "openai-chat": {
            "body": {"model": "gemini-2.5-flash", "messages": [{"role": "user", "content": "2 + 2?"}]},
        },
    },
    "upstream": {"gemini": {"unary": [{"body": ANSWER}], "stream": [{"events": [ANSWER]}]}},
    "expect": {
        "outcome": {"text": "Four."},
        "wire": [{"on": "client_response", "dialect": "gemini", "mode": "unary",
                  "path": "candidates[0].content.parts[0].text", "equals": "Four."}],
    },
}  # fmt: skip

ADAPTERS = '''
"""Adapters of the tests: a bridge for one text answer, and what can go wrong in one."""

import os
import time


class Bridge:
    name, version = "mine", "7"
    routes = (("openai-chat", "gemini"),)

    def to_upstream(self, body, **rest):
        return {"contents": [{"role": "user", "parts": [{"text": body["messages"][0]["content"]}]}]}

    def from_upstream(self, body, *, status, **rest):
        message = {"role": "assistant", "content": self.text(body)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        base = {"id": "c", "object": "chat.completion", "created": 1, "model": "gemini-2.5-flash"}
        return status, base | {"choices": [choice], "usage": USAGE}

    def stream(self, **rest):
        return Stream(self)

    def text(self, body):
        return body["candidates"][0]["content"]["parts"][0]["text"]


class Stream:
    def __init__(self, bridge):
        self.bridge = bridge

    def feed(self, event):
        delta = {"role": "assistant", "content": self.bridge.text(event)}
        choice = {"index": 0, "delta": delta, "finish_reason": "stop"}
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gemini-2.5-flash"}
        return [base | {"choices": [choice]}]

    def close(self):
        return []


USAGE = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}


class Trims(Bridge):
    def text(self, body):
        return super().text(body).rstrip(".")


class Raises(Bridge):
    def text(self, body):
        return body["candidate"]


class Dies(Bridge):
    def text(self, body):
        os._exit(9)


class Garbles(Bridge):
    def text(self, body):
        raise ValueError("half a character: \\ud83d")


class Slow(Bridge):
    def text(self, body):
        open("started", "w").close()
        time.sleep(1)
        return super().text(body)


bridge, trims, raises, dies, garbles, slow = Bridge(), Trims(), Raises(), Dies(), Garbles(), Slow()
'''

Cli = Callable[..., subprocess.CompletedProcess[str]]
Refused = Callable[..., str]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with an adapter module, to run in."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "adapters.py").write_text(ADAPTERS, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def recorded_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus whose cassettes were made by ``bridgecheck regenerate``; read-only."""
    corpus = tmp_path_factory.mktemp("corpus")
    (corpus / "cassettes").mkdir()
    write_scenario(corpus, SCENARIO)
    result = run_cli(corpus, corpus, "regenerate")
    assert result.returncode == 0, result.stderr
    assert "2 cassettes changed" in result.stdout
    return corpus


@pytest.fixture
def own_corpus(recorded_corpus: Path, tmp_path: Path) -> Path:
    """A writable copy of the recorded corpus."""
    import shutil

    return Path(shutil.copytree(recorded_corpus, tmp_path / "corpus"))


@pytest.fixture
def scenario() -> dict[str, Any]:
    """A writable copy of the scenario's document."""
    return json.loads(json.dumps(SCENARIO))  # type: ignore[no-any-return]


@pytest.fixture
def put(own_corpus: Path) -> Callable[[dict[str, Any]], Path]:
    return lambda document: write_scenario(own_corpus, document)


@pytest.fixture
def cli(project: Path, recorded_corpus: Path) -> Cli:
    """``cli("run", "--path", "native", corpus=..., NAME="of a variable")``: the finished process. A run has no worker
    processes unless ``-n`` is given: each takes seconds to start."""

    def call(*arguments: str, corpus: Path = recorded_corpus, **env: str) -> subprocess.CompletedProcess[str]:
        alone = ("-n", "0") if arguments[:1] == ("run",) and not {"-n", "--help"}.intersection(arguments) else ()
        return run_cli(project, corpus, *arguments, *alone, **env)

    return call


@pytest.fixture
def refusal_of(
    project: Path, recorded_corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Refused:
    """``refusal_of("run", "--tag", "nope", corpus=...)``: the message of a command that must exit with 2, run in this
    process."""

    def call(*arguments: str, corpus: Path = recorded_corpus) -> str:
        from bridgecheck.cli import main

        monkeypatch.chdir(project)
        monkeypatch.setattr(sys, "path", [str(project), *sys.path])
        monkeypatch.setattr(sys, "argv", ["bridgecheck", *arguments])
        monkeypatch.setenv("BRIDGECHECK_CORPUS", str(corpus))
        with pytest.raises(SystemExit) as ended:
            main()
        monkeypatch.delitem(sys.modules, "adapters", raising=False)
        assert ended.value.code == 2
        assert not (project / "reports").exists()
        return capsys.readouterr().err

    return call


@pytest.fixture
def suite(project: Path, recorded_corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """``suite("--bridgecheck", "-n", "2")``: pytest in the project, finished; in this process unless
    workers are requested. The plugin is named, so that it loads whether or not the package's entry point is installed."""

    def call(*arguments: str, corpus: Path = recorded_corpus, **env: str) -> subprocess.CompletedProcess[str]:
        command = ["-p", "bridgecheck.pytest_plugin", "-p", "xdist.plugin", "-p", "no:cacheprovider", *arguments]
        alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | env
        if "-n" not in arguments or "0" in arguments:
            return in_this_process(project, command, {"BRIDGECHECK_CORPUS": str(corpus), "COLUMNS": "200"} | alone)
        return _forks().run("pytest", *command, folder=project, env=run_environment(corpus) | alone)

    return call


def in_this_process(folder: Path, arguments: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run pytest in this process and return the result as of its own process. Modules imported from the folder are unloaded."""
    here = ["-p", "no:faulthandler", "-p", "no:unraisableexception", "-p", "no:threadexception", "--capture=sys"]
    out, err = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        patch.setattr(sys, "path", [str(folder), *sys.path])
        for name, value in env.items():
            patch.setenv(name, value)
        code = pytest.main([*here, *arguments])
    for name, module in list(sys.modules.items()):
        if str(folder) in (getattr(module, "__file__", None) or ""):
            del sys.modules[name]
    importlib.invalidate_caches()
    return subprocess.CompletedProcess(["pytest", *arguments], int(code), out.getvalue(), err.getvalue())


@pytest.fixture
def environment(recorded_corpus: Path) -> dict[str, str]:
    return run_environment(recorded_corpus)


def write_scenario(corpus: Path, document: dict[str, Any]) -> Path:
    path = corpus / "scenarios" / f"{document['id']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return path


def run_cli(folder: Path, corpus: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return run_module("bridgecheck", *arguments, folder=folder, env=run_environment(corpus) | env)


def run_module(module: str, *arguments: str, folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run ``python -m module`` in a fork that has already imported its dependencies."""
    return _forks().run(module, *arguments, folder=folder, env=env)


@cache
def _forks() -> Forks:
    """Return the fork server of this worker, which ends with it."""
    forks = Forks("bridgecheck", "bridgecheck_reference")
    atexit.register(forks.__exit__, None, None, None)
    return forks.__enter__()


def run_environment(corpus: Path) -> dict[str, str]:
    """Return the environment of a run: this checkout, the corpus, a wide terminal."""
    sources = os.pathsep.join([str(ROOT / "harness"), str(ROOT / "reference_impl"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": sources, "BRIDGECHECK_CORPUS": str(corpus), "COLUMNS": "200"}
