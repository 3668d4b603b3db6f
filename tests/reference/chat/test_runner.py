"""One question without a screen: its output, its tools and its exit code."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.chat.client import ChatClient
from bridgecheck_reference.chat.events import ToolCallRequest
from bridgecheck_reference.chat.layers import Scope, merge_settings, parse_settings
from bridgecheck_reference.chat.main import choose_auth
from bridgecheck_reference.chat.runner import ExitCode, FatalToolError, Runner, State
from bridgecheck_reference.chat.settings import ChatSettings
from bridgecheck_reference.errors import ConfigError

from .conversation import MODEL, Script, Time, call, event, refusal, text


class Screen:
    """What a runner did, in order."""

    def __init__(self, *answers: object, tool_error: Exception | None = None, **settings: object) -> None:
        self.output: list[str] = []
        self.script = Script(*answers)
        self._tool_error = tool_error
        client = ChatClient(self.script, MODEL, around=Time().surroundings(), settings=ChatSettings(**settings))
        self.runner = Runner(
            client, self._run_tool, lambda text: self.output.append(text), lambda line: self.output.append(f"! {line}"),
            lambda message: self.output.append(f"login: {message}"),
        )  # fmt: skip

    async def _run_tool(self, request: ToolCallRequest) -> dict[str, object]:
        if self._tool_error:
            raise self._tool_error
        self.output.append(f"run {request.name}")
        return {"output": "ok"}

    def ask(self, token: CancelToken | None = None) -> ExitCode | None:
        return asyncio.run(asyncio.wait_for(self.runner.ask("hi", "p", token), 60))


@pytest.mark.row("S4.33")
def test_tools_run_after_the_stream_and_their_results_go_back() -> None:
    both = [event({"functionCall": {"name": "f", "args": {}, "id": "1"}}, {"text": "I look. "}), *text("Wait. ")]
    screen = Screen(both, text("Done."))
    assert screen.ask() is ExitCode.OK
    assert screen.output == ["I look. ", "Wait. ", "run f", "Done."]
    (sent,) = screen.script.contents()[-1]["parts"]
    assert sent["functionResponse"] == {"id": "1", "name": "f", "response": {"output": "ok"}}


@pytest.mark.row("S4.12")
def test_credentials_that_are_not_taken() -> None:
    screen = Screen(refusal(401, "bad key"), raise_unauthorized=True)
    assert (screen.ask(), screen.output) == (ExitCode.AUTHENTICATION, ["login: bad key"])


@pytest.mark.row("S4.12")
def test_other_failures_are_shown() -> None:
    screen = Screen(refusal(400, "bad request"))
    assert (screen.ask(), screen.output) == (ExitCode.FAILED, ["! Error: bad request (HTTP 400)"])


@pytest.mark.row("S4.12", "S4.10")
def test_a_cancelled_question_is_no_failure() -> None:
    token = CancelToken()
    token.cancel()
    screen = Screen(text("a"))
    assert (screen.ask(token), screen.output) == (ExitCode.CANCELLED, ["! Cancelled."])


@pytest.mark.parametrize(
    ("answers", "settings", "code"),
    [
        ([[event(finish="STOP")]] * 4, {}, ExitCode.OK),
        ([call(), text("x")], {"max_session_turns": 1}, ExitCode.TURN_LIMIT),
    ],
)
def test_exit_codes(answers: list[object], settings: dict[str, object], code: ExitCode) -> None:
    assert Screen(*answers, **settings).ask() is code


def test_a_tool_that_ends_everything() -> None:
    screen = Screen(call(), tool_error=FatalToolError("disk full"))
    assert (screen.ask(), screen.output) == (ExitCode.TOOL, ["! disk full"])


@pytest.mark.row("S4.8", "S4.9", "S4.13")
def test_while_it_responds_no_other_question_is_taken() -> None:
    screen = Screen(call(), text("a"), refusal(400))
    results: list[object] = []

    async def ask_meanwhile(request: ToolCallRequest) -> dict[str, object]:
        results.extend([screen.runner.state, await screen.runner.ask("two", "p2")])
        return {}

    screen.runner._run_tool = ask_meanwhile
    assert screen.runner.state is State.IDLE
    assert screen.ask() is ExitCode.OK
    assert results == [State.RESPONDING, None]
    assert screen.ask() is ExitCode.FAILED
    assert screen.runner.state is State.IDLE


@pytest.mark.row("S4.37")
def test_settings_of_later_scopes_win_member_by_member() -> None:
    layers = {
        Scope.WORKSPACE: {"a": {"x": 2}, "list": [2]},
        Scope.USER: {"a": {"x": 1, "y": 1}, "list": [1], "b": 1},
        Scope.SYSTEM: {"b": 3},
        Scope.SYSTEM_DEFAULTS: {"c": 0, "b": 0},
    }
    assert merge_settings(layers) == {"a": {"x": 2, "y": 1}, "list": [2], "b": 3, "c": 0}


@pytest.mark.row("S4.3")
def test_every_file_that_cannot_be_read_is_named() -> None:
    with pytest.raises(ConfigError, match=r"Error in a: .*\nError in b: expected an object, got list"):
        parse_settings([(Scope.USER, "a", "{"), (Scope.WORKSPACE, "b", "[]")])


@pytest.mark.row("S4.5")
@pytest.mark.parametrize(
    ("settings", "env", "auth"),
    [
        ({}, {"GEMINI_API_KEY": "k"}, "gemini-api-key"),
        ({"security": {"auth": {"selectedType": "gateway"}}}, {"GEMINI_API_KEY": "k"}, "gateway"),
        ({}, {"GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1"}, "gateway"),
        ({}, {}, ""),
    ],
)
def test_a_key_is_enough_to_authenticate(settings: dict[str, object], env: dict[str, str], auth: str) -> None:
    assert choose_auth(settings, env) == auth


def run_program(folder: Path, question: str, **env: str) -> tuple[int, str]:
    process = subprocess.run(
        [sys.executable, "-m", "bridgecheck_reference.chat.main"], input=question, cwd=folder, text=True,
        env={"HOME": str(folder / "home"), **env}, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    return process.returncode, process.stderr


@pytest.mark.row("S4.2", "S4.3", "S4.7")
def test_the_program_says_why_it_ends(tmp_path: Path) -> None:
    assert run_program(tmp_path, "hi")[0] == ExitCode.AUTHENTICATION
    code, stderr = run_program(tmp_path, " ", GEMINI_API_KEY="k")
    assert (code, "no question" in stderr) == (ExitCode.INPUT, True)
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini" / "settings.json").write_text("{")
    code, stderr = run_program(tmp_path, "hi", GEMINI_API_KEY="k")
    assert (code, stderr.startswith("Error in ")) == (ExitCode.CONFIGURATION, True)
    (tmp_path / ".gemini" / "settings.json").write_bytes(b"\xff")
    code, stderr = run_program(tmp_path, "hi", GEMINI_API_KEY="k")
    assert (code, stderr.startswith("An unexpected critical error occurred:\n")) == (1, True)
