"""@google/gemini-cli 0.61.0, headless, through the gateway to each provider.

The tests read its stream-json, and count its requests, which shows a silent retry. Its exit code shows little: it is 0
after an invalid answer too.
"""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest

from bridgecheck.client_models import CLIENT_MODELS
from bridgecheck.codec.camel_case import respell_request
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import objs
from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.cli_bridge.messages import to_records
from bridgecheck_reference.cli_bridge.run_folder import session_lines

from ..client_models.test_google_genai import event
from ..scripted_answers import ModelAnswer, ModelCall, ProviderError, answer
from .conftest import GEMINI_CLI, KEY, Gateway, require
from .conversations import assert_history, number_ids, stream_of
from .conversations import events as events_of_history
from .strict_provider import StrictProvider

pytestmark = [pytest.mark.realclients, pytest.mark.slow]

_RUN_S: Final = 90
_SETTINGS: Final = {
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 2},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "ide": {"enabled": False},
}


class Cli:
    """The command with its own home and project folder."""

    def __init__(self, node: str, folder: Path) -> None:
        self._node = node
        self.project = folder / "project"
        self.project.mkdir()
        self._home = folder / "home"
        (self._home / ".gemini").mkdir(parents=True)
        self.write_settings({})

    def write_settings(self, settings: JsonObject) -> None:
        """Write the settings of its home, with these in addition."""
        (self._home / ".gemini" / "settings.json").write_text(json.dumps({**_SETTINGS, **settings}))

    def write_session(self, *contents: JsonObject) -> str:
        """Write a session file with this history, and return the option that names it."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        path = self._home / f"session-{uuid4()}.jsonl"
        path.write_bytes(session_lines(to_records([dict(content) for content in contents], now), str(uuid4()), now))
        return f"--session-file={path}"

    def run(self, origin: str, prompt: str, *options: str) -> list[dict[str, Any]]:
        """Return the events of a run."""
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self._home), "TMPDIR": str(self._home), "GEMINI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": origin, "GEMINI_TELEMETRY_ENABLED": "false", "NO_BROWSER": "true",
            "NO_COLOR": "1", "CI": "1", "TERM": "dumb", "GEMINI_CLI_NO_RELAUNCH": "true",
        }  # fmt: skip
        command = [self._node, str(GEMINI_CLI), "-p", prompt, "-m", "gemini-2.5-flash", "--skip-trust", *options]
        process = subprocess.run(
            [*command, "-o", "stream-json"], cwd=self.project, env=environment, capture_output=True, text=True,
            timeout=_RUN_S, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        lines = [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]
        assert lines, process.stderr[-2000:]
        return lines


@pytest.fixture
def cli(node: str, tmp_path: Path) -> Cli:
    require(GEMINI_CLI.is_file(), "@google/gemini-cli", "run `make node_modules`")
    return Cli(node, tmp_path)


def events_of_kind(kind: str, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


def assistant_text(events: list[dict[str, Any]]) -> str:
    return "".join(event["content"] for event in events_of_kind("message", events) if event["role"] == "assistant")


def final_event(events: list[dict[str, Any]]) -> dict[str, Any]:
    assert events[-1]["type"] == "result", events[-1]
    return events[-1]


def test_a_text_turn(gateway: Gateway, cli: Cli) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("Hi there."), "stream"))
    events = cli.run(gateway.origin, "say hi")
    assert assistant_text(events) == "Hi there."
    assert final_event(events)["status"] == "success"
    assert final_event(events)["stats"]["input_tokens"] == 11
    assert len(gateway.upstream.log) == 1


def test_a_tool_turn(gateway: Gateway, cli: Cli) -> None:
    (cli.project / "note.txt").write_text("the word is marmalade")
    read = ModelCall("read_file", {"file_path": "note.txt"}, "toolu_a1")
    dialect = gateway.upstream.dialect
    gateway.upstream.play(
        answer(dialect, ModelAnswer(calls=(read,)), "stream"),
        answer(dialect, ModelAnswer("It is marmalade."), "stream"),
    )
    events = cli.run(gateway.origin, "what is the word in note.txt?")
    assert [event["tool_name"] for event in events_of_kind("tool_use", events)] == ["read_file"]
    assert [event["status"] for event in events_of_kind("tool_result", events)] == ["success"]
    assert assistant_text(events) == "It is marmalade."
    assert final_event(events)["status"] == "success"
    assert len(gateway.upstream.log) == 2
    sent = json.dumps(gateway.upstream.bodies[1])
    assert "the word is marmalade" in sent and "toolu_a1" in sent
    # The parameters of all its tools stand in parametersJsonSchema.
    assert "file_path" in json.dumps(gateway.upstream.bodies[0].get("tools"))


def test_text_before_a_call_stays_in_the_history(gateway: Gateway, cli: Cli) -> None:
    """The client drops an event with a blank text, its calls included: none stands beside other parts."""
    (cli.project / "note.txt").write_text("the word is marmalade")
    read = ModelCall("read_file", {"file_path": "note.txt"}, "toolu_a1")
    dialect = gateway.upstream.dialect
    gateway.upstream.play(
        answer(dialect, ModelAnswer("Let me look.", calls=(read,)), "stream"),
        answer(dialect, ModelAnswer("It is marmalade."), "stream"),
    )
    events = cli.run(gateway.origin, "what is the word in note.txt?")
    assert assistant_text(events) == "Let me look.It is marmalade."
    assert final_event(events)["status"] == "success"
    assert len(gateway.upstream.log) == 2
    sent = json.dumps(gateway.upstream.bodies[1])
    assert sent.index("Let me look.") < sent.index("toolu_a1") < sent.index("the word is marmalade")


def test_parallel_calls(gateway: Gateway, cli: Cli) -> None:
    (cli.project / "one.txt").write_text("first is alpha")
    (cli.project / "two.txt").write_text("second is beta")
    calls = tuple(ModelCall("read_file", {"file_path": f"{name}.txt"}, f"toolu_{name}") for name in ("one", "two"))
    dialect = gateway.upstream.dialect
    gateway.upstream.play(
        answer(dialect, ModelAnswer(calls=calls), "stream"), answer(dialect, ModelAnswer("Both read."), "stream")
    )
    events = cli.run(gateway.origin, "read both files")
    assert [event["status"] for event in events_of_kind("tool_result", events)] == ["success", "success"]
    assert assistant_text(events) == "Both read."
    assert len(gateway.upstream.log) == 2
    sent = json.dumps(gateway.upstream.bodies[1])
    assert sent.index("first is alpha") < sent.index("second is beta")


def test_thinking(gateway: Gateway, cli: Cli) -> None:
    gateway.upstream.play(
        answer(gateway.upstream.dialect, ModelAnswer("42", reasoning="**Sum** Six by seven."), "stream")
    )
    events = cli.run(gateway.origin, "6*7?")
    assert assistant_text(events) == "42", "thoughts are not shown as text"
    assert final_event(events)["status"] == "success"
    assert len(gateway.upstream.log) == 1


@pytest.mark.slow
def test_a_429_is_retried(gateway: Gateway, cli: Cli) -> None:
    dialect = gateway.upstream.dialect
    gateway.upstream.play(
        answer(dialect, ProviderError(429, "slow down"), "unary"), answer(dialect, ModelAnswer("At last."), "stream")
    )
    events = cli.run(gateway.origin, "say hi")
    assert assistant_text(events) == "At last."
    assert final_event(events)["status"] == "success"
    assert len(gateway.upstream.log) == 2


def test_a_cut_stream_is_not_a_success(gateway: Gateway, cli: Cli) -> None:
    """Half an answer must not look complete: the client retries, or reports an error in its result."""
    cut = answer(gateway.upstream.dialect, ModelAnswer("Half an", stop=""), "stream", cut=True)
    gateway.upstream.play(*[cut] * 4)
    events = cli.run(gateway.origin, "say hi")
    assert assistant_text(events).startswith("Half an")
    assert final_event(events)["status"] == "error"
    assert gateway.upstream.misses == 0


def content(role: str, *parts: JsonObject) -> JsonObject:
    return {"role": role, "parts": list(parts)}


_GAUGE: Final = {"functionCall": {"id": "toolu_a1", "name": "gauge", "args": {"at": "Kökar"}}}
_HEIGHT: Final = {"functionResponse": {"id": "toolu_a1", "name": "gauge", "response": {"output": "3 m"}}}


@pytest.mark.row("S5.20")
def test_the_answer_rests_on_the_earlier_messages(gateway: Gateway, cli: Cli) -> None:
    """A history of texts, a call and its result arrives whole and in order, in front of the question."""
    session = cli.write_session(
        content("user", {"text": "My name is Ida."}), content("model", {"text": "Hello Ida."}),
        content("user", {"text": "How high?"}), content("model", {"text": "I look."}, _GAUGE),
        content("user", _HEIGHT), content("model", {"text": "3 m, Ida."}),
    )  # fmt: skip
    provider, dialect = gateway.upstream, gateway.upstream.dialect
    provider.play(answer(dialect, ModelAnswer("You are Ida."), "stream"))
    shown = cli.run(gateway.origin, "Who am I?", session)
    assert assistant_text(shown) == "You are Ida." and final_event(shown)["status"] == "success"
    assert provider.refused == [] and len(provider.log) == 1
    assert_history(
        dialect, provider.bodies[0], ("user", "My name is Ida."), ("assistant", "Hello Ida."), ("user", "How high?"),
        ("assistant", "I look."), ("call", "gauge"), ("result", "3 m"), ("assistant", "3 m, Ida."),
        ("user", "Who am I?"),
    )  # fmt: skip


@pytest.mark.row("S5.21")
def test_a_short_history_stays_short(gateway: Gateway, cli: Cli) -> None:
    """Two messages and the question, and of those before them nothing: no more turns than that reach the provider, run
    after run."""
    provider, dialect = gateway.upstream, gateway.upstream.dialect
    for run in range(2):
        session = cli.write_session(content("user", {"text": f"Note {run}."}), content("model", {"text": "Noted."}))
        provider.play(answer(dialect, ModelAnswer("Done."), "stream"))
        assert assistant_text(cli.run(gateway.origin, f"Job {run}.", session)) == "Done."
        assert_history(
            dialect, provider.bodies[0], ("user", f"Note {run}."), ("assistant", "Noted."), ("user", f"Job {run}.")
        )
        assert provider.refused == [] and len(provider.log) == 1


@pytest.mark.row("S5.22")
def test_tools_of_an_mcp_server(gateway: Gateway, cli: Cli, tmp_path: Path) -> None:
    """A real server over stdio: its tool is offered and called, and the result reaches the model and the events."""
    server, log = Path(__file__).with_name("mcp_stdio_server.py"), tmp_path / "calls.jsonl"
    cli.write_settings({
        "mcpServers": {"tide": {"command": sys.executable, "args": [str(server), str(log)], "trust": True}}
    })  # fmt: skip
    provider, dialect = gateway.upstream, gateway.upstream.dialect
    call = ModelCall("mcp_tide_gauge", {"at": "Kökar"}, "toolu_a1")
    provider.play(
        answer(dialect, ModelAnswer("I look.", calls=(call,)), "stream"),
        answer(dialect, ModelAnswer("It is 3 m."), "stream"),
    )
    shown = cli.run(gateway.origin, "how high?")
    assert [json.loads(line) for line in log.read_text().splitlines()] == [{"at": "Kökar"}]
    (use,), (result,) = events_of_kind("tool_use", shown), events_of_kind("tool_result", shown)
    assert (use["tool_name"], use["parameters"]) == ("mcp_tide_gauge", {"at": "Kökar"})
    assert result["tool_id"] == use["tool_id"] and result["status"] == "success"
    assert assistant_text(shown) == "I look.It is 3 m." and final_event(shown)["status"] == "success"
    assert provider.refused == [] and len(provider.log) == 2
    first, second = provider.bodies
    tools = json.dumps(first["tools"])
    assert "mcp_tide_gauge" in tools and "Height of the tide at a harbour" in tools
    assert_history(
        dialect, second, ("user", "how high?"), ("assistant", "I look."), ("call", "mcp_tide_gauge"),
        ("result", "3 m at Kökar"),
    )  # fmt: skip


@pytest.mark.parametrize("upstream", ["openai-chat", "anthropic"])
def test_a_session_is_resumed_after_a_tool_turn(gateways: dict[Dialect, Gateway], cli: Cli, upstream: Dialect) -> None:
    """Its second run sends the results of the first run's calls twice; the provider has to get them once. Gemini itself
    refuses them, so that is no matter of a conversion."""
    gateway = gateways[upstream]
    (cli.project / "one.txt").write_text("first is alpha")
    (cli.project / "two.txt").write_text("second is beta")
    calls = tuple(ModelCall("read_file", {"file_path": f"{name}.txt"}, f"toolu_{name}") for name in ("one", "two"))
    provider, dialect = gateway.upstream, gateway.upstream.dialect
    provider.play(
        *number_ids([
            answer(dialect, ModelAnswer("Reading.", calls=calls), "stream"),
            answer(dialect, ModelAnswer("Alpha and beta."), "stream"),
            answer(dialect, ModelAnswer("Alpha."), "stream"),
            answer(dialect, ModelAnswer("Welcome."), "stream"),
        ])
    )  # fmt: skip
    questions = ("read both files", "which was first?", "thank you")
    shown = [cli.run(gateway.origin, questions[0])]
    shown += [cli.run(gateway.origin, question, "--resume", "latest") for question in questions[1:]]
    assert [final_event(events)["status"] for events in shown] == ["success"] * 3
    assert [assistant_text(events) for events in shown] == ["Reading.Alpha and beta.", "Alpha.", "Welcome."]
    assert provider.refused == [] and len(provider.log) == 4
    history = [
        ("user", questions[0]), ("assistant", "Reading."), ("call", "read_file"), ("call", "read_file"),
        ("result", "first is alpha"), ("result", "second is beta"), ("assistant", "Alpha and beta."),
        ("user", questions[1]), ("assistant", "Alpha."), ("user", questions[2]),
    ]  # fmt: skip
    for body, length in zip(provider.bodies, (1, 6, 8, 10), strict=True):
        assert_history(dialect, body, *history[:length])


def test_a_cut_stream_is_tried_again_and_the_session_goes_on(gateway: Gateway, cli: Cli) -> None:
    provider, dialect = gateway.upstream, gateway.upstream.dialect
    provider.play(
        *number_ids([
            answer(dialect, ModelAnswer("In Nor", stop=""), "stream", cut=True),
            answer(dialect, ModelAnswer("In Norway."), "stream"),
            answer(dialect, ModelAnswer("Welcome."), "stream"),
        ])
    )  # fmt: skip
    first = cli.run(gateway.origin, "where is Oslo?")
    assert final_event(first)["status"] == "success" and assistant_text(first).endswith("In Norway.")
    second = cli.run(gateway.origin, "thank you", "--resume", "latest")
    assert assistant_text(second) == "Welcome."
    assert provider.refused == [] and len(provider.log) == 3
    answered = [event for event in events_of_history(dialect, provider.bodies[2]) if event[0] == "assistant"]
    assert answered[-1][1].endswith("In Norway.")


READ_ONE: Final = {"functionCall": {"id": "c1", "name": "read_file", "args": {"file_path": "one.txt"}}}
READ_TWO: Final = {"functionCall": {"id": "c2", "name": "read_file", "args": {"file_path": "two.txt"}}}
SIGNED: Final = {**READ_ONE, "thoughtSignature": "U0lH"}
ANSWERS_WITH_CALLS: Final[dict[str, list[JsonObject]]] = {
    "a call": [event(READ_ONE, finish="STOP")],
    "a signed call, and an empty end": [event(SIGNED), event({"text": ""}, finish="STOP")],
    "texts before a call": [event({"text": "One "}), event({"text": "moment."}), event(READ_ONE, finish="STOP")],
    "a thought before a call": [event({"text": "**Hm** tide.", "thought": True}), event(SIGNED, finish="STOP")],
    "two calls": [event(SIGNED, READ_TWO, finish="STOP")],
    "a signed text before a call": [
        event({"text": "One moment.", "thoughtSignature": "U0lH"}), event(READ_ONE, finish="STOP"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("answer_name", ANSWERS_WITH_CALLS)
def test_its_model_says_what_it_sends(cli: Cli, answer_name: str) -> None:
    """After a call in the same run, and after ``--resume``."""
    for name in ("one", "two"):
        (cli.project / f"{name}.txt").write_text(f"{name} metre")
    final = [event({"text": "Low."}, finish="STOP")]
    documents = (ANSWERS_WITH_CALLS[answer_name], final, final)
    with StrictProvider("gemini", takes_all=True) as provider:
        provider.play(*(stream_of("gemini", events) for events in documents))
        cli.run(provider.base_url, "how high?")
        cli.run(provider.base_url, "and now?", "--resume", "latest")
        _, after_call, resumed = [list(objs(respell_request(body)["contents"])) for body in provider.bodies]
    model, resuming = CLIENT_MODELS["gemini-cli"], CLIENT_MODELS["gemini-cli-resume"]
    answers = [Response("gemini", "stream", tuple(events)) for events in documents[:2]]
    start = next(at for at, content in enumerate(after_call) if content["role"] == "model")
    results = after_call[start + 1 :]
    assert after_call == model.resend([*after_call[:start], *model.remember(answers[0]).messages, *results])
    start = next(at for at, content in enumerate(resumed) if content["role"] == "model")
    first, second = (resuming.remember(found).messages for found in answers)
    assert resumed == resuming.resend([*resumed[:start], *first, *results, *second, resumed[-1]])
