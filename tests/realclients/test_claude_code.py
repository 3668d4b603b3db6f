"""Claude Code 2.1.330, headless (``-p``), over OpenAI and over Gemini 3: what it prints, and what its later requests hold.

Its binary comes with npm's package of the machine: ``make claude_code``. Nothing but the gateway is called."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from bridgecheck.wire import Dialect

from ..scripted_answers import ModelAnswer, ModelCall, answer
from .conftest import KEY, Gateway, require
from .conversations import MODELS, Event, assert_history, assert_signatures, number_ids

pytestmark = [pytest.mark.realclients, pytest.mark.slow]

_MODULES: Final = Path(__file__).parent / "claude_code" / "node_modules" / "@anthropic-ai"
_RUN_S: Final = 120


class ClaudeCode:
    """The command with its own home and project folder."""

    def __init__(self, binary: Path, folder: Path) -> None:
        self._binary = binary
        self.project = folder / "project"
        self.project.mkdir()
        self._home = folder / "home"
        self._home.mkdir()

    def run(self, gateway: Gateway, prompt: str, *options: str) -> str:
        """Return what a run printed."""
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self._home), "TMPDIR": str(self._home), "TERM": "dumb", "CI": "1",
            "ANTHROPIC_BASE_URL": gateway.origin, "ANTHROPIC_API_KEY": KEY, "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1",
        }  # fmt: skip
        command = [str(self._binary), "-p", prompt, "--model", MODELS[gateway.upstream.dialect], *options]
        process = subprocess.run(
            command, cwd=self.project, env=environment, capture_output=True, text=True, timeout=_RUN_S, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return process.stdout.strip() if process.returncode == 0 else f"exit {process.returncode}: {process.stdout}"


@pytest.fixture
def claude(tmp_path: Path) -> ClaudeCode:
    binaries = sorted(_MODULES.glob("claude-code-*/claude*"))
    require(binaries, "Claude Code", "run `make claude_code`")
    return ClaudeCode(binaries[0], tmp_path)


@pytest.fixture(params=["openai-chat", "gemini"])
def other_gateway(request: pytest.FixtureRequest, gateways: dict[Dialect, Gateway]) -> Iterator[Gateway]:
    """A gateway in front of each provider of another dialect. Everything that is sent is taken."""
    gateway = gateways[request.param]
    yield gateway
    assert gateway.upstream.refused == [] and gateway.upstream.misses == 0


def play(gateway: Gateway, *answers: ModelAnswer) -> None:
    gateway.upstream.play(*number_ids(answer(gateway.upstream.dialect, made, "stream") for made in answers))


def assert_histories(gateway: Gateway, lengths: tuple[int, ...], history: list[Event]) -> None:
    """The n-th request holds that many events of the history. Reminders of the client stand in the user's texts, and in
    system messages of their own where the provider has them."""
    provider = gateway.upstream
    for body, length in zip(provider.bodies, lengths, strict=True):
        assert_history(provider.dialect, without_reminders(body), *history[:length])
    if provider.dialect == "gemini":
        assert_signatures(provider.bodies[:2])  # with --continue it leaves them out, and Gemini does not demand them


def without_reminders(body: Any) -> Any:
    """Return the body without system messages behind the first message."""
    messages = body.get("messages")
    if messages is None:
        return body
    return {**body, "messages": messages[:1] + [found for found in messages[1:] if found["role"] != "system"]}


def test_texts_and_continue(claude: ClaudeCode, other_gateway: Gateway) -> None:
    play(other_gateway, ModelAnswer("In Norway."), ModelAnswer("In Switzerland."), ModelAnswer("Welcome."))
    questions = ("Where is Oslo?", "And Bern?", "Thank you.")
    assert claude.run(other_gateway, questions[0]) == "In Norway."
    assert claude.run(other_gateway, questions[1], "--continue") == "In Switzerland."
    assert claude.run(other_gateway, questions[2], "--continue") == "Welcome."
    history = [
        ("user", questions[0]), ("assistant", "In Norway."), ("user", questions[1]), ("assistant", "In Switzerland."),
        ("user", questions[2]),
    ]  # fmt: skip
    assert_histories(other_gateway, (1, 3, 5), history)


def test_a_tool_turn_and_continue(claude: ClaudeCode, other_gateway: Gateway) -> None:
    note = claude.project / "note.txt"
    note.write_text("the word is marmalade")
    read = ModelCall("Read", {"file_path": str(note)}, "toolu_a1")
    play(
        other_gateway, ModelAnswer("Reading.", calls=(read,)), ModelAnswer("It is marmalade."), ModelAnswer("Welcome.")
    )
    questions = ("What is the word in note.txt?", "Thank you.")
    assert claude.run(other_gateway, questions[0]) == "It is marmalade."
    assert claude.run(other_gateway, questions[1], "--continue") == "Welcome."
    history = [
        ("user", questions[0]), ("assistant", "Reading."), ("call", "Read"), ("result", "the word is marmalade"),
        ("assistant", "It is marmalade."), ("user", questions[1]),
    ]  # fmt: skip
    assert_histories(other_gateway, (1, 4, 6), history)


def test_parallel_calls(claude: ClaudeCode, other_gateway: Gateway) -> None:
    calls = []
    for name, line in (("one", "first is alpha"), ("two", "second is beta")):
        (claude.project / f"{name}.txt").write_text(line)
        calls.append(ModelCall("Read", {"file_path": str(claude.project / f"{name}.txt")}, f"toolu_{name}"))
    play(other_gateway, ModelAnswer(calls=tuple(calls)), ModelAnswer("Alpha and beta."), ModelAnswer("Welcome."))
    assert claude.run(other_gateway, "Read both files.") == "Alpha and beta."
    assert claude.run(other_gateway, "Thank you.", "--continue") == "Welcome."
    history = [
        ("user", "Read both files."), ("call", "Read"), ("call", "Read"), ("result", "first is alpha"),
        ("result", "second is beta"), ("assistant", "Alpha and beta."), ("user", "Thank you."),
    ]  # fmt: skip
    assert_histories(other_gateway, (1, 5, 7), history)


def test_thinking_takes_nothing_of_what_is_printed(claude: ClaudeCode, other_gateway: Gateway) -> None:
    play(other_gateway, ModelAnswer("42", reasoning="Six by seven."), ModelAnswer("Yes."))
    assert claude.run(other_gateway, "6*7?") == "42"
    assert claude.run(other_gateway, "Sure?", "--continue") == "Yes."
    assert_histories(other_gateway, (1, 3), [("user", "6*7?"), ("assistant", "42"), ("user", "Sure?")])


def test_a_cut_stream_is_not_taken_for_an_answer(claude: ClaudeCode, other_gateway: Gateway) -> None:
    """It tries again by itself, with another request."""
    dialect = other_gateway.upstream.dialect
    whole = ModelAnswer("In Norway.")
    cut = answer(dialect, ModelAnswer("In Nor"), "stream", cut=True)
    other_gateway.upstream.play(*number_ids([cut, answer(dialect, whole, "stream"), answer(dialect, whole, "unary")]))
    assert claude.run(other_gateway, "Where is Oslo?").endswith("In Norway.")
