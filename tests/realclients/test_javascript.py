"""The JavaScript SDKs against the gateway, in front of each provider: versions in ``node/package.json``."""

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from bridgecheck.wire import Dialect

from ..says import Call, Fails, ModelAnswer, answer
from .conftest import Stage

pytestmark = pytest.mark.realclients

RunJs = Callable[[str, str, str], Any]

SCRIPTS: Final = ("openai.mjs", "genai.mjs", "anthropic.mjs")
PARALLEL: Final = ModelAnswer(
    calls=(Call("get_weather", {"city": "Köln"}, "toolu_a1"), Call("get_weather", {"city": "東京"}, "toolu_b2"))
)


QUICK: Final[dict[str, Dialect]] = {"openai.mjs": "gemini", "genai.mjs": "anthropic", "anthropic.mjs": "openai-chat"}
"""A client, and the provider that it is tried with on every change; ``make slow`` tries all pairs."""


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_client_in_one_process(stages: dict[Dialect, Stage], run_js: RunJs, script: str) -> None:
    """A unary response, a stream, parallel calls that the SDK answers, and a cut stream."""
    stage = stages[dialect := QUICK[script]]
    mode: Any = "stream" if script == "anthropic.mjs" else "unary"
    cut = answer(dialect, ModelAnswer("Hi there."), "stream", cut=True)
    stage.upstream.plays(
        answer(dialect, ModelAnswer("Hi there."), "unary"),
        answer(dialect, ModelAnswer("Hi \u2028there."), "stream"),
        answer(dialect, PARALLEL, mode), answer(dialect, ModelAnswer("Both mild."), mode),
        cut, cut,
    )  # fmt: skip
    unary, stream, tools, broken = run_js(script, "unary,stream,tools,stream", stage.origin)
    assert unary["text"] == "Hi there." and unary["finish"] in ("stop", "STOP", "end_turn")
    assert {11, 7} <= set(unary["usage"].values()) and 7 in stream["usage"].values()
    assert "".join(stream["pieces"]) == "Hi \u2028there." and len(stream["pieces"]) == 2
    assert tools == {"text": "Both mild.", "asked": ["Köln", "東京"]}
    assert "error" in broken
    assert len(stage.upstream.log) == 5


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_text(stage: Stage, run_js: RunJs, script: str) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("Hi there."), "unary"))
    done = run_js(script, "unary", stage.origin)
    assert done["text"] == "Hi there."
    assert done["finish"] in ("stop", "STOP", "end_turn")
    assert {11, 7} <= set(done["usage"].values())
    assert len(stage.upstream.log) == 1


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_stream(stage: Stage, run_js: RunJs, script: str) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("Hi \u2028there."), "stream"))
    done = run_js(script, "stream", stage.origin)
    assert "".join(done["pieces"]) == "Hi \u2028there."
    assert len(done["pieces"]) == 2
    assert 7 in done["usage"].values()


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_parallel_calls_are_answered_by_the_sdk(stage: Stage, run_js: RunJs, script: str) -> None:
    dialect = stage.upstream.dialect
    mode: Any = "stream" if script == "anthropic.mjs" else "unary"
    stage.upstream.plays(answer(dialect, PARALLEL, mode), answer(dialect, ModelAnswer("Both mild."), mode))
    assert run_js(script, "tools", stage.origin) == {"text": "Both mild.", "asked": ["Köln", "東京"]}
    assert len(stage.upstream.log) == 2
    sent = json.dumps(stage.upstream.bodies[1], ensure_ascii=False)
    assert sent.index("mild in Köln") < sent.index("mild in 東京")


@pytest.mark.slow
def test_the_openai_stream_helper_with_strict_tools(stage: Stage, run_js: RunJs) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, PARALLEL, "stream"))
    done = run_js("openai.mjs", "helper", stage.origin)
    assert done["finish"] == "tool_calls"
    assert [json.loads(call["arguments"]) for call in done["calls"]] == [{"city": "Köln"}, {"city": "東京"}]


@pytest.mark.slow
def test_gemini_calls_of_a_stream(stage: Stage, run_js: RunJs) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, PARALLEL, "stream"))
    done = run_js("genai.mjs", "parallel", stage.origin)
    assert [(call["id"], call["args"]) for call in done["calls"]] == [
        ("toolu_a1", {"city": "Köln"}),
        ("toolu_b2", {"city": "東京"}),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("script", ["openai.mjs", "genai.mjs"])
def test_structured_output(stage: Stage, run_js: RunJs, script: str) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer('{"city": "Oslo"}'), "unary"))
    assert run_js(script, "structured", stage.origin) == {"city": "Oslo"}
    assert '"city"' in json.dumps(stage.upstream.bodies[0])


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", ["unary", "stream"])
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_429(stage: Stage, run_js: RunJs, script: str, behaviour: str) -> None:
    refused = answer(stage.upstream.dialect, Fails(429, "slow down", wait=0), "unary")
    stage.upstream.plays(refused, refused)
    done = run_js(script, behaviour, stage.origin)
    assert done["status"] == 429
    assert "slow down" in done["message"]
    # @google/genai does not retry by itself; the other two were told to, once.
    assert len(stage.upstream.log) == (1 if script == "genai.mjs" else 2)


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_cut_stream_is_an_error(stage: Stage, run_js: RunJs, script: str) -> None:
    cut = answer(stage.upstream.dialect, ModelAnswer("Hi there."), "stream", cut=True)
    stage.upstream.plays(cut, cut)
    assert "error" in run_js(script, "stream", stage.origin)
    assert len(stage.upstream.log) == 1
