"""The anthropic SDK against the gateway, in front of each provider. SDK: anthropic 2.11.0."""

import asyncio
import json
from typing import Any

import anthropic
import pytest

from ..says import MODEL, Call, Fails, ModelAnswer, answer
from .conftest import KEY, Stage

pytestmark = pytest.mark.realclients

WEATHER: dict[str, Any] = {
    "name": "get_weather",
    "description": "Weather of a city",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
HELLO: list[Any] = [{"role": "user", "content": "say hi"}]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PARALLEL = ModelAnswer(
    "Looking.",
    calls=(Call("get_weather", {"city": "Köln"}, "toolu_a1"), Call("get_weather", {"city": "東京"}, "toolu_b2")),
)


def client(stage: Stage, **options: Any) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=stage.origin, api_key=KEY, **options)


def test_text(stage: Stage) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("Hi there."), "unary"))
    with client(stage) as asked:
        done = asked.messages.create(model=MODEL, messages=HELLO, max_tokens=100)
    assert [block.model_dump(exclude_none=True) for block in done.content] == [{"type": "text", "text": "Hi there."}]
    assert done.stop_reason == "end_turn"
    assert (done.usage.input_tokens, done.usage.output_tokens) == (11, 7)


def test_text_async_stream(stage: Stage) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("Hi there."), "stream"))

    async def run() -> tuple[list[str], anthropic.types.Message]:
        async with (
            anthropic.AsyncAnthropic(base_url=stage.origin, api_key=KEY) as asked,
            asked.messages.stream(model=MODEL, messages=HELLO, max_tokens=100) as stream,
        ):
            pieces = [piece async for piece in stream.text_stream]
            return pieces, await stream.get_final_message()

    pieces, final = asyncio.run(run())
    assert pieces == ["Hi th", "ere."]
    assert final.stop_reason == "end_turn"
    assert final.usage.output_tokens == 7


@pytest.mark.parametrize("streamed", [False, True])
def test_thinking(stage: Stage, streamed: bool) -> None:
    mode: Any = "stream" if streamed else "unary"
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("42", reasoning="Six by seven."), mode))
    options: dict[str, Any] = {
        "model": MODEL, "messages": HELLO, "max_tokens": 8192,
        "thinking": {"type": "enabled", "budget_tokens": 2048},
    }  # fmt: skip
    with client(stage) as asked:
        if streamed:
            with asked.messages.stream(**options) as stream:
                done = stream.get_final_message()
        else:
            done = asked.messages.create(**options)
    kinds = [block.type for block in done.content]
    assert kinds == ["thinking", "text"]
    assert getattr(done.content[0], "thinking", None) == "Six by seven."


@pytest.mark.parametrize("streamed", [False, True])
def test_a_tool_turn_with_parallel_calls(stage: Stage, streamed: bool) -> None:
    dialect = stage.upstream.dialect
    mode: Any = "stream" if streamed else "unary"
    stage.upstream.plays(answer(dialect, PARALLEL, mode), answer(dialect, ModelAnswer("Both mild."), mode))
    messages: list[Any] = [{"role": "user", "content": "weather?"}]

    def ask(asked: anthropic.Anthropic) -> anthropic.types.Message:
        tools: Any = [WEATHER]
        if not streamed:
            return asked.messages.create(model=MODEL, messages=messages, max_tokens=100, tools=tools)
        with asked.messages.stream(model=MODEL, messages=messages, max_tokens=100, tools=tools) as stream:
            return stream.get_final_message()

    with client(stage) as asked:
        first = ask(asked)
        assert first.stop_reason == "tool_use"
        calls = [block for block in first.content if block.type == "tool_use"]
        assert [(call.name, call.input) for call in calls] == [
            ("get_weather", {"city": "Köln"}),
            ("get_weather", {"city": "東京"}),
        ]
        assert [block.text for block in first.content if block.type == "text"] == ["Looking."]
        messages.append(
            {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in first.content]}
        )
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": f"mild in {dict(call.input)['city']}"}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})
        second = ask(asked)
    assert [block.text for block in second.content if block.type == "text"] == ["Both mild."]
    sent = json.dumps(stage.upstream.bodies[1], ensure_ascii=False)
    assert sent.index("mild in Köln") < sent.index("mild in 東京")
    if dialect == "gemini":
        assert "c2lnbmF0dXJlLW9uZQ==" in sent, "the signature of the first call did not come back"


def test_an_image_arrives_beside_text_and_in_a_result(stage: Stage) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("Pixels."), "unary"))
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    use = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "see"}, image]}
    messages: list[Any] = [
        {"role": "user", "content": [{"type": "text", "text": "what?"}, image]},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]
    tools: Any = [WEATHER]
    with client(stage) as asked:
        asked.messages.create(model=MODEL, messages=messages, max_tokens=100, tools=tools)
    assert json.dumps(stage.upstream.bodies[0]).count(PIXEL) == 2


@pytest.mark.slow
@pytest.mark.parametrize("streamed", [False, True])
def test_a_429_is_retried_and_then_raised(stage: Stage, streamed: bool) -> None:
    refused = answer(stage.upstream.dialect, Fails(429, "slow down", wait=0), "unary")
    stage.upstream.plays(refused, refused)
    with client(stage, max_retries=1) as asked, pytest.raises(anthropic.RateLimitError, match="slow down"):
        asked.messages.create(model=MODEL, messages=HELLO, max_tokens=100, stream=streamed)
    assert len(stage.upstream.log) == 2


def test_a_cut_stream_is_an_error_and_what_was_said_stays(stage: Stage) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("Hi there."), "stream", cut=True))
    said: list[str] = []
    with client(stage, max_retries=0) as asked, pytest.raises(Exception) as raised:
        for event in asked.messages.create(model=MODEL, messages=HELLO, max_tokens=100, stream=True):
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                said.append(event.delta.text)
    assert "".join(said) == "Hi there."
    if stage.upstream.dialect != "anthropic":
        assert isinstance(raised.value, anthropic.APIError)


def test_tokens_are_counted(stage: Stage) -> None:
    from bridgecheck.upstream.wire_response import WireResponse

    document = {"totalTokens": 5} if stage.upstream.dialect == "gemini" else {"input_tokens": 5}
    stage.upstream.plays(WireResponse(200, (("content-type", "application/json"),), (json.dumps(document).encode(),)))
    with client(stage) as asked:
        counted = asked.messages.count_tokens(model=MODEL, messages=HELLO).input_tokens
    if stage.upstream.dialect == "openai-chat":
        assert 1 < counted < 20 and stage.upstream.log == []
    else:
        assert counted == 5
