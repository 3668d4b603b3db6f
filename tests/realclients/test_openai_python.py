"""The openai SDK against the gateway, in front of each provider. SDK: openai 3.52.0."""

import asyncio
import base64
import json
from typing import Any

import openai
import pytest
from pydantic import BaseModel

from ..scripted_answers import MODEL, ModelAnswer, ModelCall, ProviderError, answer
from .conftest import KEY, Gateway

pytestmark = pytest.mark.realclients

WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}
HELLO: list[Any] = [{"role": "user", "content": "say hi"}]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PARALLEL = ModelAnswer(
    calls=(
        ModelCall("get_weather", {"city": "Köln"}, "toolu_a1"),
        ModelCall("get_weather", {"city": "東京"}, "toolu_b2"),
    )
)


def client(gateway: Gateway, **options: Any) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{gateway.origin}/v1", api_key=KEY, **options)


def test_text(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("Hi there."), "unary"))
    with client(gateway) as sdk:
        response = sdk.chat.completions.create(model=MODEL, messages=HELLO)
    assert response.choices[0].message.content == "Hi there."
    assert response.choices[0].finish_reason == "stop"
    assert response.usage is not None and (response.usage.prompt_tokens, response.usage.completion_tokens) == (11, 7)
    assert len(gateway.upstream.log) == 1


def test_text_async_stream(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("Hi there."), "stream"))

    async def run() -> list[Any]:
        async with openai.AsyncOpenAI(base_url=f"{gateway.origin}/v1", api_key=KEY) as sdk:
            stream = await sdk.chat.completions.create(
                model=MODEL, messages=HELLO, stream=True, stream_options={"include_usage": True}
            )
            return [chunk async for chunk in stream]

    chunks = asyncio.run(run())
    deltas = [choice.delta.content for chunk in chunks for choice in chunk.choices if choice.delta.content]
    assert deltas == ["Hi th", "ere."]
    assert [choice.finish_reason for chunk in chunks for choice in chunk.choices if choice.finish_reason] == ["stop"]
    usage = [chunk.usage for chunk in chunks if chunk.usage]
    assert (usage[-1].prompt_tokens, usage[-1].completion_tokens) == (11, 7)


def test_thinking(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("42", reasoning="Six by seven."), "unary"))
    with client(gateway) as sdk:
        response = sdk.chat.completions.create(model=MODEL, messages=HELLO)
    message = response.choices[0].message.model_dump()
    assert message["content"] == "42"
    assert message["reasoning_content"] == "Six by seven."


def test_a_tool_turn_with_parallel_calls(gateway: Gateway) -> None:
    dialect = gateway.upstream.dialect
    gateway.upstream.play(answer(dialect, PARALLEL, "unary"), answer(dialect, ModelAnswer("Both mild."), "unary"))
    messages: list[Any] = [{"role": "user", "content": "weather?"}]
    with client(gateway) as sdk:
        first = sdk.chat.completions.create(model=MODEL, messages=messages, tools=[WEATHER])
        message = first.choices[0].message
        assert first.choices[0].finish_reason == "tool_calls"
        assert message.tool_calls is not None
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            assert call.type == "function"
            city = json.loads(call.function.arguments)["city"]
            messages.append({"role": "tool", "tool_call_id": call.id, "content": f"mild in {city}"})
        second = sdk.chat.completions.create(model=MODEL, messages=messages, tools=[WEATHER])
    assert second.choices[0].message.content == "Both mild."
    sent = json.dumps(gateway.upstream.bodies[1], ensure_ascii=False)
    assert "mild in Köln" in sent and "mild in 東京" in sent
    assert sent.index("mild in Köln") < sent.index("mild in 東京")
    assert len(gateway.upstream.log) == 2


def test_the_stream_helper_parses_calls_of_strict_tools(gateway: Gateway) -> None:
    """The helper finalises a call when the next index begins, and parses the arguments of strict tools then."""
    gateway.upstream.play(answer(gateway.upstream.dialect, PARALLEL, "stream"))
    tool = openai.pydantic_function_tool(City, name="get_weather")
    with (
        client(gateway) as sdk,
        sdk.chat.completions.stream(model=MODEL, messages=HELLO, tools=[tool]) as stream,
    ):
        events = [event for event in stream if event.type == "tool_calls.function.arguments.done"]
        final = stream.get_final_completion()
    assert [(event.index, event.parsed_arguments) for event in events] == [
        (0, City(city="Köln")),
        (1, City(city="東京")),
    ]
    assert final.choices[0].finish_reason == "tool_calls"


class City(BaseModel):
    """Weather of a city"""

    city: str


def test_structured_output(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer('{"city": "Oslo"}'), "unary"))
    with client(gateway) as sdk:
        response = sdk.chat.completions.parse(model=MODEL, messages=HELLO, response_format=City)
    assert response.choices[0].message.parsed == City(city="Oslo")
    assert '"city"' in json.dumps(gateway.upstream.bodies[0])


def test_an_image_arrives(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("A pixel."), "unary"))
    url = f"data:image/png;base64,{PIXEL}"
    content: Any = [{"type": "text", "text": "what?"}, {"type": "image_url", "image_url": {"url": url}}]
    with client(gateway) as sdk:
        sdk.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": content}])
    sent = json.dumps(gateway.upstream.bodies[0])
    assert PIXEL in sent and "image/png" in sent


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_a_429_is_retried_and_then_raised(gateway: Gateway, mode: Any) -> None:
    refusal = answer(gateway.upstream.dialect, ProviderError(429, "slow down", wait=0), "unary")
    gateway.upstream.play(refusal, refusal)
    with client(gateway, max_retries=1) as sdk, pytest.raises(openai.RateLimitError, match="slow down") as raised:
        sdk.chat.completions.create(model=MODEL, messages=HELLO, stream=mode == "stream")
    assert raised.value.response.headers["retry-after"] == "0"
    assert len(gateway.upstream.log) == 2


def test_a_cut_stream_is_an_error_after_its_text_was_delivered(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("Hi there."), "stream", cut=True))
    texts: list[str] = []
    with client(gateway) as sdk, pytest.raises((openai.APIError, openai.APIConnectionError)):
        for chunk in sdk.chat.completions.create(model=MODEL, messages=HELLO, stream=True):
            texts += [choice.delta.content for choice in chunk.choices if choice.delta.content]
    assert "".join(texts) == "Hi there."


@pytest.mark.parametrize("gateway", ["gemini", "anthropic"], indirect=True)
def test_the_error_of_an_invalid_request_names_the_field(gateway: Gateway) -> None:
    """Not in front of an OpenAI host: there the request passes through unchanged, and the host checks it."""
    gateway.upstream.play()
    wrong: Any = [{"role": "user", "content": "x"}, {"role": "tool", "content": "no id"}]
    with client(gateway) as sdk, pytest.raises(openai.BadRequestError, match="tool_call_id"):
        sdk.chat.completions.create(model=MODEL, messages=wrong)
    assert gateway.upstream.log == []


def test_embeddings_are_decoded_from_base64(gateway: Gateway) -> None:
    if gateway.upstream.dialect == "anthropic":
        with client(gateway, max_retries=0) as sdk, pytest.raises(openai.APIStatusError) as raised:
            sdk.embeddings.create(model=MODEL, input="x")
        assert raised.value.status_code in (404, 501)
        return
    vector = [0.5, -0.25]
    if gateway.upstream.dialect == "gemini":
        document: dict[str, Any] = {"embeddings": [{"values": vector}]}
    else:
        packed = base64.b64encode(b"\x00\x00\x00?\x00\x00\x80\xbe").decode()
        document = {
            "object": "list", "data": [{"object": "embedding", "index": 0, "embedding": packed}], "model": MODEL,
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }  # fmt: skip
    from bridgecheck.upstream.wire_response import WireResponse

    gateway.upstream.play(WireResponse(200, (("content-type", "application/json"),), (json.dumps(document).encode(),)))
    with client(gateway) as sdk:
        response = sdk.embeddings.create(model=MODEL, input="x")
    assert response.data[0].embedding == vector
