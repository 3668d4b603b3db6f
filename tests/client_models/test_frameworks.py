"""The models of agent frameworks beside what the frameworks themselves did: ``realclients/frameworks/measured.json``.

For each conversation, in both modes: the model's memory of the first answer is what the framework's next request holds
in its place, and what the model says is shown is what the framework printed."""

import itertools
import json
from typing import Any, Final

import pytest

from bridgecheck.client_models import CLIENT_MODELS
from bridgecheck.model.exchange import Response
from bridgecheck.wire import Mode

from ..realclients.framework_clients import FRAMEWORKS, KINDS, document, events
from ..realclients.measure_frameworks import FILE

MEASURED: Final = json.loads(FILE.read_text("utf-8"))
MODELS: Final = {
    "openai-agents": "openai-agents", "langchain-openai": "langgraph-openai",
    "vercel-openai-compatible": "ai-sdk-compatible", "pydantic-ai-openai": "pydantic-ai-openai",
}  # fmt: skip
"""Client model -> the framework that it is a model of."""
COMPARED: Final = [name for name, kind in KINDS.items() if not kind.turns[0].is_cut]


def answer(model: str, name: str, mode: Mode, at: int = 0) -> Response:
    """Return an answer of a conversation as the client receives it."""
    kind, dialect = KINDS[name], CLIENT_MODELS[model].dialect
    if mode == "unary":
        return Response(dialect, mode, (document(dialect, kind.turns[at], at, kind.model),))
    return Response(dialect, mode, tuple(events(dialect, kind.turns[at], at, kind.model)))


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("model", MODELS)
def test_the_model_remembers_and_shows_what_the_framework_does(model: str, name: str) -> None:
    framework = next(framework for framework in FRAMEWORKS if framework.name == MODELS[model])
    kind = KINDS[name]
    for mode in kind.modes if kind.includes(framework) else ():
        measured: Any = MEASURED[framework.name]["measured"][name]
        measured = measured.get("both") or measured[mode]
        new = measured["requests"][0]["new"]
        expected = tuple(itertools.takewhile(lambda message: message["role"] in ("assistant", "model"), new))
        remembered = CLIENT_MODELS[model].remember(answer(model, name, mode))
        assert remembered.messages == expected and not remembered.forgets_question
        last = next(at for at, turn in enumerate(kind.turns) if not turn.calls)
        texts = [CLIENT_MODELS[model].shows(answer(model, name, mode, at)) for at in range(last + 1)]
        if name != "thoughts alone":  # pydantic-ai asks again then, and shows that answer
            assert measured["shown"][0] == (texts[-1] if mode == "unary" else "".join(texts))


@pytest.mark.parametrize("model", MODELS)
def test_the_model_names_the_version_that_was_measured(model: str) -> None:
    for version in CLIENT_MODELS[model].version.split(", "):
        assert f" {version.split()[-1]}" in MEASURED[MODELS[model]]["versions"]
