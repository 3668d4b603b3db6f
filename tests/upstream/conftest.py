"""One answer of each dialect, whole and streamed, and a scenario made of them."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from bridgecheck.model.scenario import (
    Basis,
    ClientRequest,
    Expectation,
    Scenario,
    ScriptedAnswer,
    TurnRequestsAndScripts,
)
from bridgecheck.wire import DIALECTS, MODES, Dialect, JsonObject, Mode

TEXT = "hé\u2028😀"


def _gemini(text: str, **more: object) -> JsonObject:
    content = {"role": "model", "parts": [{"text": text}]}
    return {"candidates": [{"content": content, "index": 0, **more}], "modelVersion": "m"}


def _chunk(delta: JsonObject, finish: str | None = None) -> JsonObject:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


_MESSAGE: JsonObject = {
    "id": "m", "type": "message", "role": "assistant", "model": "c", "stop_reason": None, "stop_sequence": None,
    "content": [], "usage": {"input_tokens": 1, "output_tokens": 1},
}  # fmt: skip
_ENDED: JsonObject = {"stop_reason": "end_turn", "stop_sequence": None}


@dataclass(frozen=True)
class Sample:
    """Sample documents. ``request``: a body; ``unary``: its response; ``events``: the same streamed; ``error``: a 429."""

    request: JsonObject
    unary: JsonObject
    events: tuple[JsonObject, ...]
    error: JsonObject

    def body(self, dialect: Dialect, mode: Mode) -> JsonObject:
        return {**self.request, "stream": True} if mode == "stream" and dialect != "gemini" else self.request

    def answer(self, mode: Mode) -> ScriptedAnswer:
        return ScriptedAnswer(body=self.unary) if mode == "unary" else ScriptedAnswer(events=self.events)


SAMPLES: dict[Dialect, Sample] = {
    "gemini": Sample(
        {"contents": [{"role": "user", "parts": [{"text": "hi"}]}], "generationConfig": {"temperature": 0}},
        _gemini(TEXT, finishReason="STOP"),
        (_gemini(TEXT), _gemini("b", finishReason="STOP")),
        {"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}},
    ),
    "openai-chat": Sample(
        {"model": "m", "messages": [{"role": "user", "content": "hi"}], "unknown_key": None},
        {
            "id": "x", "object": "chat.completion", "created": 1, "model": "m", "x_more": [1],
            "choices": [{"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}],
        },
        (_chunk({"role": "assistant", "content": TEXT}), _chunk({"content": "b"}), _chunk({}, "stop")),
        {"error": {"message": "slow", "type": "rate_limit", "code": None, "param": None}},
    ),
    "anthropic": Sample(
        {"model": "c", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}], "unknown_key": 1},
        {**_MESSAGE, "content": [{"type": "text", "text": TEXT}], **_ENDED},
        (
            {"type": "message_start", "message": _MESSAGE},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": TEXT}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": _ENDED, "usage": {"output_tokens": 2}},
            {"type": "message_stop"},
        ),
        {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}},
    ),
}  # fmt: skip


@pytest.fixture(params=DIALECTS)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    chosen: Dialect = request.param
    return chosen


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Mode:
    chosen: Mode = request.param
    return chosen


@pytest.fixture
def sample(dialect: Dialect) -> Sample:
    return SAMPLES[dialect]


@pytest.fixture
def scenario_of() -> Callable[..., Scenario]:
    """Return a scenario of these turns; by default one turn in every dialect."""

    def make(*turns: TurnRequestsAndScripts, name: str = "text/hello") -> Scenario:
        plain = TurnRequestsAndScripts(
            {dialect: ClientRequest(found.request, "m") for dialect, found in SAMPLES.items()},
            {dialect: {mode: (found.answer(mode),) for mode in MODES} for dialect, found in SAMPLES.items()},
        )
        return Scenario(name, "t", "d", "w", "MAY", Basis("house", "none"), MODES, turns or (plain,), Expectation())

    return make
