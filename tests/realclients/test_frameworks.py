"""Agent frameworks through the gateway, with a strict provider of another dialect behind it: two to four turns each.

What a framework remembers and shows is to be the same as without a gateway, which ``frameworks/measured.json`` says,
with the versions."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from bridgecheck import normalise
from bridgecheck.model.exchange import Request
from bridgecheck.model.prompt import CallPart, ResultPart, TextPart
from bridgecheck.wire import DIALECTS, Dialect, JsonObject, Mode

from .conftest import Gateway, require
from .framework_clients import (
    FRAMEWORKS,
    KINDS,
    MODELS,
    SIGNATURE,
    Framework,
    FrameworkProcesses,
    is_installed,
    response,
)
from .measure_frameworks import FILE

pytestmark = [pytest.mark.realclients, pytest.mark.slow]

MEASURED: Final = json.loads(FILE.read_text("utf-8"))
PLAYED: Final = [name for name, kind in KINDS.items() if kind.model != "our-model"]
CONVERSATIONS: Final = [
    pytest.param(framework, dialect, name, id=f"{framework.name}-{dialect}-{name.replace(' ', '-')}")
    for framework in FRAMEWORKS
    for dialect in DIALECTS
    for name in PLAYED
    if dialect != framework.dialect and KINDS[name].includes(framework)
]

Step = tuple[str, ...]


@pytest.fixture(scope="session")
def processes() -> Iterator[FrameworkProcesses]:
    require(is_installed(), "the environment of the agent frameworks", "run `make frameworks`")
    with FrameworkProcesses() as running:
        yield running


@pytest.mark.parametrize(("framework", "dialect", "name"), CONVERSATIONS)
def test_a_framework_goes_on_as_without_a_gateway(
    processes: FrameworkProcesses, gateways: dict[Dialect, Gateway], framework: Framework, dialect: Dialect, name: str
) -> None:
    for mode in KINDS[name].modes:
        expected = MEASURED[framework.name]["measured"][name]
        expected = expected.get("both") or expected[mode]
        bodies, turns = play(processes, gateways[dialect], framework, name, mode)
        assert [turn["shown"] for turn in turns] == expected["shown"]
        assert [turn for turn in turns if "error" in turn] == (turns[:1] if "errors" in expected else [])
        direct = direct_histories(framework, name, expected["requests"])
        if name == "cut stream" and framework.program == "vercel":
            # An error event, which the gateway makes of a cut, lets the AI SDK keep the text before it.
            direct[0].insert(1, ("assistant", "Mild, then colder."))
        assert [history(dialect, body) for body in bodies[1:]] == direct
        if name == "thoughts and a signed call" and dialect == "gemini" and framework.name not in WITHOUT_SIGNATURES:
            assert SIGNATURE in json.dumps(bodies[1])


WITHOUT_SIGNATURES: Final = ("langgraph-openai", "ai-sdk-openai")
"""They send id, name and arguments of a call alone: Gemini 3 gets the placeholder, which the provider demands."""


def play(
    processes: FrameworkProcesses, gateway: Gateway, framework: Framework, name: str, mode: Mode
) -> tuple[list[JsonObject], list[dict[str, Any]]]:
    """Return the requests that the provider took, and what came of each turn."""
    kind, provider = KINDS[name], gateway.upstream
    answers = (*kind.turns, *kind.turns[-1:])
    provider.play(*(response(provider.dialect, turn, mode, number) for number, turn in enumerate(answers)))
    turns = processes.play(
        framework, gateway.origin, MODELS[provider.dialect], kind.users, thinking=kind.thinking,
        streamed=mode == "stream", handoff=kind.handoff,
    )  # fmt: skip
    assert provider.refused == []
    return provider.bodies, turns


def direct_histories(framework: Framework, name: str, requests: list[Any]) -> list[list[Step]]:
    """Return what each measured request after the first said."""
    first = KINDS[name].users[0]
    listed: list[Any] = [{"role": "user", "parts": [{"text": first}], "content": first}]
    found = []
    for request in requests:
        listed = listed[: len(listed) - len(request.get("drops", []))] + request["new"]
        found.append(history(framework.dialect, {"contents": listed, "messages": listed}))
    return found


def history(dialect: Dialect, body: JsonObject) -> list[Step]:
    """Return who said what in a request: texts, calls, and results each with the city of the call that it answers."""
    steps: list[Step] = []
    open_calls: list[tuple[str, str]] = []
    for turn in normalise.request(Request(dialect, "unary", body)).turns:
        role = "assistant" if turn.role == "assistant" else "user"
        for part in turn.parts:
            if isinstance(part, TextPart):
                _add_text(steps, role, part.text)
            elif isinstance(part, CallPart):
                arguments: Any = part.call.args
                open_calls.append((part.call.id, arguments.get("city", "")))
                steps.append(("call", part.call.name, open_calls[-1][1]))
            elif isinstance(part, ResultPart):
                at = next((at for at, (identifier, _) in enumerate(open_calls) if identifier == part.id), 0)
                steps.append(("result", open_calls.pop(at)[1], *_RESULT.findall(json.dumps(part.value))))
    return steps


_RESULT: Final = re.compile(r"mild in \w+|Expert")
_RENDERED: Final = "<assistant_thinking>"
"""How pydantic-ai says to Anthropic what was thought without a signature, as all thoughts of other providers are."""


def _add_text(steps: list[Step], role: str, text: str) -> None:
    # Anthropic takes no text of white space, and LangGraph sends none.
    if not text.strip() or text.startswith(_RENDERED):
        return
    if role == "assistant" and steps and steps[-1][0] == role:
        text = steps.pop()[1] + text
    # A system message in mid-conversation is said to be one where the client's dialect has a word for it.
    steps.append((role, text.removeprefix("<system>").removesuffix("</system>")))
