"""The JavaScript SDKs against the gateway, in front of each provider: versions in ``node/package.json``."""

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from bridgecheck.wire import Dialect

from ..scripted_answers import ModelAnswer, ModelCall, ProviderError, answer
from .conftest import Gateway

pytestmark = pytest.mark.realclients

RunJs = Callable[[str, str, str], Any]

SCRIPTS: Final = ("openai.mjs", "genai.mjs", "anthropic.mjs")
PARALLEL: Final = ModelAnswer(
    calls=(
        ModelCall("get_weather", {"city": "Köln"}, "toolu_a1"),
        ModelCall("get_weather", {"city": "東京"}, "toolu_b2"),
    )
)


QUICK: Final[dict[str, Dialect]] = {"openai.mjs": "gemini", "genai.mjs": "anthropic", "anthropic.mjs": "openai-chat"}
"""A client, and the provider that it is tried with on every change; ``make slow`` tries all pairs."""


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_client_handles_text_tools_and_a_cut_stream(
    gateways: dict[Dialect, Gateway], run_js: RunJs, script: str
) -> None:
    """A unary response, a stream, parallel calls that the SDK answers, and a cut stream."""
    gateway = gateways[dialect := QUICK[script]]
    mode: Any = "stream" if script == "anthropic.mjs" else "unary"
    cut = answer(dialect, ModelAnswer("Hi there."), "stream", cut=True)
    gateway.upstream.play(
        answer(dialect, ModelAnswer("Hi there."), "unary"),
        answer(dialect, ModelAnswer("Hi \u2028there."), "stream"),
        answer(dialect, PARALLEL, mode), answer(dialect, ModelAnswer("Both mild."), mode),
        cut, cut,
    )  # fmt: skip
    unary, stream, tools, cut_stream = run_js(script, "unary,stream,tools,stream", gateway.origin)
    assert unary["text"] == "Hi there." and unary["finish"] in ("stop", "STOP", "end_turn")
    assert {11, 7} <= set(unary["usage"].values()) and 7 in stream["usage"].values()
    assert "".join(stream["pieces"]) == "Hi \u2028there." and len(stream["pieces"]) == 2
    assert tools == {"text": "Both mild.", "cities": ["Köln", "東京"]}
    assert "error" in cut_stream
    assert len(gateway.upstream.log) == 5


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_text(gateway: Gateway, run_js: RunJs, script: str) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("Hi there."), "unary"))
    result = run_js(script, "unary", gateway.origin)
    assert result["text"] == "Hi there."
    assert result["finish"] in ("stop", "STOP", "end_turn")
    assert {11, 7} <= set(result["usage"].values())
    assert len(gateway.upstream.log) == 1


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_stream(gateway: Gateway, run_js: RunJs, script: str) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("Hi \u2028there."), "stream"))
    result = run_js(script, "stream", gateway.origin)
    assert "".join(result["pieces"]) == "Hi \u2028there."
    assert len(result["pieces"]) == 2
    assert 7 in result["usage"].values()


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_parallel_calls_are_answered_by_the_sdk(gateway: Gateway, run_js: RunJs, script: str) -> None:
    dialect = gateway.upstream.dialect
    mode: Any = "stream" if script == "anthropic.mjs" else "unary"
    gateway.upstream.play(answer(dialect, PARALLEL, mode), answer(dialect, ModelAnswer("Both mild."), mode))
    assert run_js(script, "tools", gateway.origin) == {"text": "Both mild.", "cities": ["Köln", "東京"]}
    assert len(gateway.upstream.log) == 2
    sent = json.dumps(gateway.upstream.bodies[1], ensure_ascii=False)
    assert sent.index("mild in Köln") < sent.index("mild in 東京")


@pytest.mark.slow
def test_the_openai_stream_helper_with_strict_tools(gateway: Gateway, run_js: RunJs) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, PARALLEL, "stream"))
    result = run_js("openai.mjs", "helper", gateway.origin)
    assert result["finish"] == "tool_calls"
    assert [json.loads(call["arguments"]) for call in result["calls"]] == [{"city": "Köln"}, {"city": "東京"}]


@pytest.mark.slow
def test_gemini_calls_of_a_stream(gateway: Gateway, run_js: RunJs) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, PARALLEL, "stream"))
    result = run_js("genai.mjs", "parallel", gateway.origin)
    assert [(call["id"], call["args"]) for call in result["calls"]] == [
        ("toolu_a1", {"city": "Köln"}),
        ("toolu_b2", {"city": "東京"}),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("gateway", ["openai-chat", "anthropic"], indirect=True)
def test_a_gemini_chat_remembers_a_streamed_turn(gateway: Gateway, run_js: RunJs) -> None:
    """The SDK keeps a streamed turn only if each of its events has content."""
    dialect = gateway.upstream.dialect
    scripted = (answer(dialect, ModelAnswer(text), "stream") for text in ("Hi there.", "Still here."))
    gateway.upstream.play(*scripted)
    assert run_js("genai.mjs", "chat", gateway.origin)["text"] == "Hi there.Still here."
    sent = json.dumps(gateway.upstream.bodies[1])
    assert sent.index("say hi") < sent.index("Hi th") < sent.index("and again")


@pytest.mark.slow
@pytest.mark.parametrize("script", ["openai.mjs", "genai.mjs"])
def test_structured_output(gateway: Gateway, run_js: RunJs, script: str) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer('{"city": "Oslo"}'), "unary"))
    assert run_js(script, "structured", gateway.origin) == {"city": "Oslo"}
    assert '"city"' in json.dumps(gateway.upstream.bodies[0])


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", ["unary", "stream"])
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_429_is_retried_and_reported(gateway: Gateway, run_js: RunJs, script: str, behaviour: str) -> None:
    refusal = answer(gateway.upstream.dialect, ProviderError(429, "slow down", wait=0), "unary")
    gateway.upstream.play(refusal, refusal)
    result = run_js(script, behaviour, gateway.origin)
    assert result["status"] == 429
    assert "slow down" in result["message"]
    # @google/genai does not retry by itself; the other two are configured to, once.
    assert len(gateway.upstream.log) == (1 if script == "genai.mjs" else 2)


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_cut_stream_is_an_error(gateway: Gateway, run_js: RunJs, script: str) -> None:
    cut = answer(gateway.upstream.dialect, ModelAnswer("Hi there."), "stream", cut=True)
    gateway.upstream.play(cut, cut)
    assert "error" in run_js(script, "stream", gateway.origin)
    assert len(gateway.upstream.log) == 1
