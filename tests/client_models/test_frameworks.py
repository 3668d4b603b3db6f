"""The models of agent frameworks beside what the frameworks themselves did: ``realclients/frameworks/measured.json``.

For each conversation, in both modes: what the model makes of the answers is what the framework's next requests hold in
their place, and what the model says is shown is what the framework printed."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from bridgecheck.client_models import CLIENT_MODELS
from bridgecheck.model.exchange import Response
from bridgecheck.wire import JsonObject, Mode

from ..realclients.framework_clients import ALIAS, FRAMEWORKS, KINDS, document, events, name_invented_ids
from ..realclients.measure_frameworks import FILE

RENDERED_THINKING: Final = "<assistant_thinking>"
MEASURED: Final = json.loads(FILE.read_text("utf-8"))
MODELS: Final = {
    "openai-agents": "openai-agents", "langchain-openai": "langgraph-openai",
    "vercel-openai-compatible": "ai-sdk-compatible", "vercel-openai": "ai-sdk-openai",
    "pydantic-ai-openai": "pydantic-ai-openai", "langchain-anthropic": "langgraph-anthropic",
    "pydantic-ai-anthropic": "pydantic-ai-anthropic", "vercel-anthropic": "ai-sdk-anthropic",
    "langchain-google": "langgraph-google", "pydantic-ai-google": "pydantic-ai-google",
    "vercel-google": "ai-sdk-google",
}  # fmt: skip
"""Client model -> the framework that it is a model of."""
MODELS_OF_GEMINI_3: Final = ("langchain-google", "vercel-google")
"""They sign calls for models that are called so alone."""
QUESTION: Final = {
    "gemini": {"role": "user", "parts": [{"text": "How is the weather?"}]},
    "openai-chat": {"role": "user", "content": "How is the weather?"},
    "anthropic": {"role": "user", "content": "How is the weather?"},
}  # fmt: skip


def conversations_of(model: str) -> list[str]:
    """Return the conversations that a framework was measured with and that its model speaks of."""
    framework = next(framework for framework in FRAMEWORKS if framework.name == MODELS[model])
    return [
        name
        for name, kind in KINDS.items()
        if kind.includes(framework)
        and not kind.turns[0].is_cut
        and not (model in MODELS_OF_GEMINI_3 and kind.model == ALIAS)
    ]


COMPARED: Final = [
    (model, name, mode) for model in MODELS for name in conversations_of(model) for mode in KINDS[name].modes
]


def answer(model: str, name: str, mode: Mode, at: int = 0) -> Response:
    """Return an answer of a conversation as the client receives it."""
    kind, dialect = KINDS[name], CLIENT_MODELS[model].dialect
    turn = kind.turns[min(at, len(kind.turns) - 1)]
    if mode == "unary":
        return Response(dialect, mode, (document(dialect, turn, at, kind.model),))
    return Response(dialect, mode, tuple(events(dialect, turn, at, kind.model)))


def measured_of(model: str, name: str, mode: Mode) -> Any:
    measured: Any = MEASURED[MODELS[model]]["measured"][name]
    return measured.get("both") or measured[mode]


def histories(measured: Any, question: JsonObject) -> Iterator[list[JsonObject]]:
    """Yield the history of each measured request after the first."""
    listed = [question]
    for request in measured["requests"]:
        listed = listed[: len(listed) - len(request.get("drops", []))] + request["new"]
        yield listed


def is_no_answer(message: JsonObject) -> bool:
    return message["role"] in ("user", "tool", "system") and RENDERED_THINKING not in json.dumps(message)


def without_invented_ids(value: Any) -> Any:
    if isinstance(value, list):
        return [without_invented_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    known = {key: item for key, item in value.items() if not (key == "id" and str(item).startswith("invented "))}
    return {key: without_invented_ids(item) for key, item in known.items()}


@pytest.mark.parametrize(("model", "name", "mode"), COMPARED)
def test_the_model_sends_what_the_framework_does(model: str, name: str, mode: Mode) -> None:
    client = CLIENT_MODELS[model]
    history: list[JsonObject] = [QUESTION[client.dialect]]
    count = 1
    for at, expected in enumerate(histories(measured_of(model, name, mode), QUESTION[client.dialect])):
        remembered = client.remember(answer(model, name, mode, at))
        assert not remembered.forgets_question
        rest = [message for message in expected if is_no_answer(message)]
        history += [*remembered.messages, *without_invented_ids(rest[count:])]
        count = len(rest)
        assert name_invented_ids(client.resend(history), {}) == expected


SHOWN: Final = [case for case in COMPARED if not (case[1] == "thoughts alone" and case[0].startswith("pydantic-ai"))]
"""Without thoughts alone, after which pydantic-ai asks again and shows the answer to that."""


@pytest.mark.parametrize(("model", "name", "mode"), SHOWN)
def test_the_model_shows_what_the_framework_does(model: str, name: str, mode: Mode) -> None:
    turns = KINDS[name].turns
    last = next(at for at, turn in enumerate(turns) if not turn.calls)
    texts = [CLIENT_MODELS[model].shows(answer(model, name, mode, at)) for at in range(last + 1)]
    assert measured_of(model, name, mode)["shown"][0] == (texts[-1] if mode == "unary" else "".join(texts))


@pytest.mark.parametrize("model", MODELS)
def test_a_model_is_compared_in_five_conversations_and_more(model: str) -> None:
    assert len(conversations_of(model)) >= 5


@pytest.mark.parametrize("model", MODELS)
def test_the_model_names_the_version_that_was_measured(model: str) -> None:
    for version in CLIENT_MODELS[model].version.split(", "):
        assert f" {version.split()[-1]}" in MEASURED[MODELS[model]]["versions"]
