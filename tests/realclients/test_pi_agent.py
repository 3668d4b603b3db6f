"""The agent core of pi (@mariozechner/pi-agent-core 0.73.1) against the gateway: over each provider, and over gemini-cli."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from ..scripted_answers import ModelAnswer, ModelCall, answer
from .conftest import KEY, Gateway, require
from .conversations import MODELS, assert_history, number_ids
from .served_cli import MODEL, serve_cli

pytestmark = [pytest.mark.realclients, pytest.mark.slow]

_FOLDER: Final = Path(__file__).parent / "pi_agent"
_RUN_S: Final = 300
RunAgent: TypeAlias = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def run_agent(node: str) -> RunAgent:
    """Return a function: ``run_agent(origin, model, *questions, tools=False)`` returns what agent.mjs prints."""
    require((_FOLDER / "node_modules").is_dir(), "@mariozechner/pi-agent-core", "run `make pi_agent`")

    def run(origin: str, model: str, *questions: str, tools: bool = False) -> dict[str, Any]:
        command = [node, "agent.mjs", origin, KEY, model, "tools" if tools else "none", *questions]
        process = subprocess.run(command, cwd=_FOLDER, capture_output=True, text=True, timeout=_RUN_S, check=False)
        assert process.returncode == 0, process.stderr[-2000:]
        found: dict[str, Any] = json.loads(process.stdout)
        return found

    return run


def texts(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return role and text of each message."""
    found = []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        found.append((message["role"], "".join(block["text"] for block in blocks if block["type"] == "text")))
    return found


def test_a_tool_turn_streamed(gateway: Gateway, run_agent: RunAgent) -> None:
    provider, dialect = gateway.upstream, gateway.upstream.dialect
    call = ModelCall("gauge", {"at": "Kökar"}, "toolu_a1")
    provider.play(
        *number_ids([
            answer(dialect, ModelAnswer("I look.", calls=(call,)), "stream"),
            answer(dialect, ModelAnswer("It is 3 m."), "stream"),
            answer(dialect, ModelAnswer("Welcome."), "stream"),
        ])
    )  # fmt: skip
    shown = run_agent(gateway.origin, MODELS[dialect], "How high?", "Thank you.", tools=True)
    assert texts(shown["messages"]) == [
        ("user", "How high?"), ("assistant", "I look."), ("toolResult", "3 m at Kökar"), ("assistant", "It is 3 m."),
        ("user", "Thank you."), ("assistant", "Welcome."),
    ]  # fmt: skip
    assert shown["messages"][1]["stopReason"] == "toolUse" and shown["messages"][-1]["stopReason"] == "stop"
    assert len(shown["pieces"]) == 6, "each text comes in two pieces"
    assert shown["types"].count("tool_execution_end") == 1 and shown["types"].count("agent_end") == 2
    assert provider.refused == [] and len(provider.log) == 3
    history = [
        ("user", "How high?"), ("assistant", "I look."), ("call", "gauge"), ("result", "3 m at Kökar"),
        ("assistant", "It is 3 m."), ("user", "Thank you."),
    ]  # fmt: skip
    for body, length in zip(provider.bodies, (1, 4, 6), strict=True):
        assert_history(dialect, body, *history[:length])


@pytest.mark.row("S5.17", "S5.20")
def test_a_conversation_over_gemini_cli(node: str, tmp_path: Path, run_agent: RunAgent) -> None:
    with serve_cli(node, tmp_path) as served:
        served.provider.play(*(answer("gemini", ModelAnswer(text), "stream") for text in ("Hello Ida.", "Ida.")))
        shown = run_agent(served.origin, MODEL, "My name is Ida.", "Who am I?")
        assert texts(shown["messages"]) == [
            ("user", "My name is Ida."), ("assistant", "Hello Ida."), ("user", "Who am I?"), ("assistant", "Ida."),
        ]  # fmt: skip
        assert shown["messages"][-1]["usage"]["input"] == 11
        assert served.turns(1) == [
            ("user", [{"text": "My name is Ida."}]), ("model", [{"text": "Hello Ida."}]),
            ("user", [{"text": "Who am I?"}]),
        ]  # fmt: skip
        assert served.provider.bodies[1]["systemInstruction"]["parts"] == [{"text": "Be brief."}]
        served.assert_nothing_left()


def test_tools_over_gemini_cli_are_an_error_of_the_agent(node: str, tmp_path: Path, run_agent: RunAgent) -> None:
    """The program has no place for a client's tools: the agent is told so, and nothing starts."""
    with serve_cli(node, tmp_path) as served:
        shown = run_agent(served.origin, MODEL, "How high?", tools=True)
        last = shown["messages"][-1]
        assert last["stopReason"] == "error" and "tools: gemini-cli has no place for it" in last["errorMessage"]
        assert served.provider.log == [] and served.folders == []
