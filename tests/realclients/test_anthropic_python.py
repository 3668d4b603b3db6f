"""The anthropic SDK against the gateway, in front of each provider. SDK: anthropic 2.11.0."""

import asyncio
import json
from typing import Any

import anthropic
import pytest

from ..scripted_answers import MODEL, ModelAnswer, ModelCall, ProviderError, answer
from .conftest import KEY, Gateway

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
    calls=(
        ModelCall("get_weather", {"city": "Köln"}, "toolu_a1"),
        ModelCall("get_weather", {"city": "東京"}, "toolu_b2"),
    ),
)


def client(gateway: Gateway, **options: Any) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=gateway.origin, api_key=KEY, **options)


def test_text(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("Hi there."), "unary"))
    with client(gateway) as sdk:
        response = sdk.messages.create(model=MODEL, messages=HELLO, max_tokens=100)
    assert [block.model_dump(exclude_none=True) for block in response.content] == [
        {"type": "text", "text": "Hi there."}
    ]
    assert response.stop_reason == "end_turn"
    assert (response.usage.input_tokens, response.usage.output_tokens) == (11, 7)


def test_text_async_stream(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("Hi there."), "stream"))

    async def run() -> tuple[list[str], anthropic.types.Message]:
        async with (
            anthropic.AsyncAnthropic(base_url=gateway.origin, api_key=KEY) as sdk,
            sdk.messages.stream(model=MODEL, messages=HELLO, max_tokens=100) as stream,
        ):
            pieces = [piece async for piece in stream.text_stream]
            return pieces, await stream.get_final_message()

    pieces, final = asyncio.run(run())
    assert pieces == ["Hi th", "ere."]
    assert final.stop_reason == "end_turn"
    assert final.usage.output_tokens == 7


@pytest.mark.parametrize("streamed", [False, True])
def test_thinking(gateway: Gateway, streamed: bool) -> None:
    mode: Any = "stream" if streamed else "unary"
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("42", reasoning="Six by seven."), mode))
    options: dict[str, Any] = {
        "model": MODEL, "messages": HELLO, "max_tokens": 8192,
        "thinking": {"type": "enabled", "budget_tokens": 2048},
    }  # fmt: skip
    with client(gateway) as sdk:
        if streamed:
            with sdk.messages.stream(**options) as stream:
                response = stream.get_final_message()
        else:
            response = sdk.messages.create(**options)
    kinds = [block.type for block in response.content]
    assert kinds == ["thinking", "text"]
    assert getattr(response.content[0], "thinking", None) == "Six by seven."


@pytest.mark.parametrize("streamed", [False, True])
def test_a_tool_turn_with_parallel_calls(gateway: Gateway, streamed: bool) -> None:
    dialect = gateway.upstream.dialect
    mode: Any = "stream" if streamed else "unary"
    gateway.upstream.play(answer(dialect, PARALLEL, mode), answer(dialect, ModelAnswer("Both mild."), mode))
    messages: list[Any] = [{"role": "user", "content": "weather?"}]

    def send(sdk: anthropic.Anthropic) -> anthropic.types.Message:
        tools: Any = [WEATHER]
        if not streamed:
            return sdk.messages.create(model=MODEL, messages=messages, max_tokens=100, tools=tools)
        with sdk.messages.stream(model=MODEL, messages=messages, max_tokens=100, tools=tools) as stream:
            return stream.get_final_message()

    with client(gateway) as sdk:
        first = send(sdk)
        assert first.stop_reason == "tool_use"
        assert [block.type for block in first.content] == ["text", "tool_use", "tool_use"], "no thinking was asked for"
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
        second = send(sdk)
    assert [block.text for block in second.content if block.type == "text"] == ["Both mild."]
    sent = json.dumps(gateway.upstream.bodies[1], ensure_ascii=False)
    assert sent.index("mild in Köln") < sent.index("mild in 東京")
    if dialect == "gemini":
        assert "c2lnbmF0dXJlLW9uZQ==" in sent, "the signature of the first call did not come back"


def test_images_arrive_in_messages_and_in_results(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("Pixels."), "unary"))
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    use = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "see"}, image]}
    messages: list[Any] = [
        {"role": "user", "content": [{"type": "text", "text": "what?"}, image]},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]
    tools: Any = [WEATHER]
    with client(gateway) as sdk:
        sdk.messages.create(model=MODEL, messages=messages, max_tokens=100, tools=tools)
    assert json.dumps(gateway.upstream.bodies[0]).count(PIXEL) == 2


@pytest.mark.slow
@pytest.mark.parametrize("streamed", [False, True])
def test_a_429_is_retried_and_then_raised(gateway: Gateway, streamed: bool) -> None:
    refusal = answer(gateway.upstream.dialect, ProviderError(429, "slow down", wait=0), "unary")
    gateway.upstream.play(refusal, refusal)
    with client(gateway, max_retries=1) as sdk, pytest.raises(anthropic.RateLimitError, match="slow down"):
        sdk.messages.create(model=MODEL, messages=HELLO, max_tokens=100, stream=streamed)
    assert len(gateway.upstream.log) == 2


def test_a_cut_stream_is_an_error_after_its_text_was_delivered(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("Hi there."), "stream", cut=True))
    texts: list[str] = []
    with client(gateway, max_retries=0) as sdk, pytest.raises(Exception) as raised:
        for event in sdk.messages.create(model=MODEL, messages=HELLO, max_tokens=100, stream=True):
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                texts.append(event.delta.text)
    assert "".join(texts) == "Hi there."
    if gateway.upstream.dialect != "anthropic":
        assert isinstance(raised.value, anthropic.APIError)


def test_tokens_are_counted(gateway: Gateway) -> None:
    from bridgecheck.upstream.wire_response import WireResponse

    document = {"totalTokens": 5} if gateway.upstream.dialect == "gemini" else {"input_tokens": 5}
    gateway.upstream.play(WireResponse(200, (("content-type", "application/json"),), (json.dumps(document).encode(),)))
    with client(gateway) as sdk:
        counted = sdk.messages.count_tokens(model=MODEL, messages=HELLO).input_tokens
    if gateway.upstream.dialect == "openai-chat":
        assert 1 < counted < 20 and gateway.upstream.log == []
    else:
        assert counted == 5
