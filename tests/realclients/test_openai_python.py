"""The openai SDK against the gateway, in front of each provider. SDK: openai 3.52.0."""

import asyncio
import base64
import json
from typing import Any

import openai
import pytest
from pydantic import BaseModel

from ..says import MODEL, Call, Fails, ModelAnswer, answer
from .conftest import KEY, Stage

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
    calls=(Call("get_weather", {"city": "Köln"}, "toolu_a1"), Call("get_weather", {"city": "東京"}, "toolu_b2"))
)


def client(stage: Stage, **options: Any) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{stage.origin}/v1", api_key=KEY, **options)


def test_text(stage: Stage) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("Hi there."), "unary"))
    with client(stage) as openai_client:
        done = openai_client.chat.completions.create(model=MODEL, messages=HELLO)
    assert done.choices[0].message.content == "Hi there."
    assert done.choices[0].finish_reason == "stop"
    assert done.usage is not None and (done.usage.prompt_tokens, done.usage.completion_tokens) == (11, 7)
    assert len(stage.upstream.log) == 1


def test_text_async_stream(stage: Stage) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("Hi there."), "stream"))

    async def run() -> list[Any]:
        async with openai.AsyncOpenAI(base_url=f"{stage.origin}/v1", api_key=KEY) as asked:
            stream = await asked.chat.completions.create(
                model=MODEL, messages=HELLO, stream=True, stream_options={"include_usage": True}
            )
            return [chunk async for chunk in stream]

    chunks = asyncio.run(run())
    deltas = [choice.delta.content for chunk in chunks for choice in chunk.choices if choice.delta.content]
    assert deltas == ["Hi th", "ere."]
    assert [choice.finish_reason for chunk in chunks for choice in chunk.choices if choice.finish_reason] == ["stop"]
    usage = [chunk.usage for chunk in chunks if chunk.usage]
    assert (usage[-1].prompt_tokens, usage[-1].completion_tokens) == (11, 7)


def test_thinking(stage: Stage) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("42", reasoning="Six by seven."), "unary"))
    with client(stage) as asked:
        done = asked.chat.completions.create(model=MODEL, messages=HELLO)
    message = done.choices[0].message.model_dump()
    assert message["content"] == "42"
    assert message["reasoning_content"] == "Six by seven."


def test_a_tool_turn_with_parallel_calls(stage: Stage) -> None:
    dialect = stage.upstream.dialect
    stage.upstream.plays(answer(dialect, PARALLEL, "unary"), answer(dialect, ModelAnswer("Both mild."), "unary"))
    messages: list[Any] = [{"role": "user", "content": "weather?"}]
    with client(stage) as asked:
        first = asked.chat.completions.create(model=MODEL, messages=messages, tools=[WEATHER])
        message = first.choices[0].message
        assert first.choices[0].finish_reason == "tool_calls"
        assert message.tool_calls is not None
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            assert call.type == "function"
            city = json.loads(call.function.arguments)["city"]
            messages.append({"role": "tool", "tool_call_id": call.id, "content": f"mild in {city}"})
        second = asked.chat.completions.create(model=MODEL, messages=messages, tools=[WEATHER])
    assert second.choices[0].message.content == "Both mild."
    sent = json.dumps(stage.upstream.bodies[1], ensure_ascii=False)
    assert "mild in Köln" in sent and "mild in 東京" in sent
    assert sent.index("mild in Köln") < sent.index("mild in 東京")
    assert len(stage.upstream.log) == 2


def test_the_stream_helper_with_strict_tools(stage: Stage) -> None:
    """It finalises a call when the index moves on, and reads the arguments of strict tools then."""
    stage.upstream.plays(answer(stage.upstream.dialect, PARALLEL, "stream"))
    tool = openai.pydantic_function_tool(City, name="get_weather")
    with (
        client(stage) as asked,
        asked.chat.completions.stream(model=MODEL, messages=HELLO, tools=[tool]) as stream,
    ):
        done = [event for event in stream if event.type == "tool_calls.function.arguments.done"]
        final = stream.get_final_completion()
    assert [(event.index, event.parsed_arguments) for event in done] == [
        (0, City(city="Köln")),
        (1, City(city="東京")),
    ]
    assert final.choices[0].finish_reason == "tool_calls"


class City(BaseModel):
    """Weather of a city"""

    city: str


def test_structured_output(stage: Stage) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer('{"city": "Oslo"}'), "unary"))
    with client(stage) as asked:
        done = asked.chat.completions.parse(model=MODEL, messages=HELLO, response_format=City)
    assert done.choices[0].message.parsed == City(city="Oslo")
    assert '"city"' in json.dumps(stage.upstream.bodies[0])


def test_an_image_arrives(stage: Stage) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("A pixel."), "unary"))
    url = f"data:image/png;base64,{PIXEL}"
    content: Any = [{"type": "text", "text": "what?"}, {"type": "image_url", "image_url": {"url": url}}]
    with client(stage) as asked:
        asked.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": content}])
    sent = json.dumps(stage.upstream.bodies[0])
    assert PIXEL in sent and "image/png" in sent


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_a_429_is_retried_and_then_raised(stage: Stage, mode: Any) -> None:
    refused = answer(stage.upstream.dialect, Fails(429, "slow down", wait=0), "unary")
    stage.upstream.plays(refused, refused)
    with client(stage, max_retries=1) as asked, pytest.raises(openai.RateLimitError, match="slow down") as raised:
        asked.chat.completions.create(model=MODEL, messages=HELLO, stream=mode == "stream")
    assert raised.value.response.headers["retry-after"] == "0"
    assert len(stage.upstream.log) == 2


def test_a_cut_stream_is_an_error_and_what_was_said_stays(stage: Stage) -> None:
    stage.upstream.plays(answer(stage.upstream.dialect, ModelAnswer("Hi there."), "stream", cut=True))
    said: list[str] = []
    with client(stage) as asked, pytest.raises((openai.APIError, openai.APIConnectionError)):
        for chunk in asked.chat.completions.create(model=MODEL, messages=HELLO, stream=True):
            said += [choice.delta.content for choice in chunk.choices if choice.delta.content]
    assert "".join(said) == "Hi there."


@pytest.mark.parametrize("stage", ["gemini", "anthropic"], indirect=True)
def test_a_request_that_is_not_allowed_names_the_field(stage: Stage) -> None:
    """Not in front of an OpenAI host: there it passes through untouched, and the host judges it."""
    stage.upstream.plays()
    wrong: Any = [{"role": "user", "content": "x"}, {"role": "tool", "content": "no id"}]
    with client(stage) as asked, pytest.raises(openai.BadRequestError, match="tool_call_id"):
        asked.chat.completions.create(model=MODEL, messages=wrong)
    assert stage.upstream.log == []


def test_embeddings_are_base64_unless_asked_otherwise(stage: Stage) -> None:
    if stage.upstream.dialect == "anthropic":
        with client(stage, max_retries=0) as asked, pytest.raises(openai.APIStatusError) as raised:
            asked.embeddings.create(model=MODEL, input="x")
        assert raised.value.status_code in (404, 501)
        return
    vector = [0.5, -0.25]
    if stage.upstream.dialect == "gemini":
        document: dict[str, Any] = {"embeddings": [{"values": vector}]}
    else:
        packed = base64.b64encode(b"\x00\x00\x00?\x00\x00\x80\xbe").decode()
        document = {
            "object": "list", "data": [{"object": "embedding", "index": 0, "embedding": packed}], "model": MODEL,
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }  # fmt: skip
    from bridgecheck.upstream.wire_response import WireResponse

    stage.upstream.plays(WireResponse(200, (("content-type", "application/json"),), (json.dumps(document).encode(),)))
    with client(stage) as asked:
        done = asked.embeddings.create(model=MODEL, input="x")
    assert done.data[0].embedding == vector
