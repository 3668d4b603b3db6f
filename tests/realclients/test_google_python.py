"""The google-genai SDK against the gateway, in front of each provider. SDK: google-genai 3.4.0."""

import asyncio
import base64
import json
from typing import Any

import pytest
from google import genai
from google.genai import errors, types
from pydantic import BaseModel

from ..scripted_answers import MODEL, ModelAnswer, ModelCall, ProviderError, answer
from .conftest import KEY, Gateway

pytestmark = pytest.mark.realclients

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PARALLEL = ModelAnswer(
    calls=(
        ModelCall("get_weather", {"city": "Köln"}, "toolu_a1"),
        ModelCall("get_weather", {"city": "東京"}, "toolu_b2"),
    )
)
WEATHER = types.Tool(
    function_declarations=[
        types.FunctionDeclaration(
            name="get_weather",
            description="Weather of a city",
            parameters_json_schema={"type": "object", "properties": {"city": {"type": "string"}}},
        )
    ]
)


def client(gateway: Gateway, **options: Any) -> genai.Client:
    return genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=gateway.origin, **options))


class City(BaseModel):
    city: str


def test_text(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("Hi there."), "unary"))
    sdk = client(gateway)
    response = sdk.models.generate_content(model=MODEL, contents="say hi")
    assert response.text == "Hi there."
    assert response.candidates is not None and response.candidates[0].finish_reason == types.FinishReason.STOP
    assert response.usage_metadata is not None
    assert (response.usage_metadata.prompt_token_count, response.usage_metadata.candidates_token_count) == (11, 7)
    assert len(gateway.upstream.log) == 1


def test_text_async_stream_on_every_api_version(gateway: Gateway) -> None:
    async def run(version: str) -> list[types.GenerateContentResponse]:
        gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("Hi there."), "stream"))
        sdk = client(gateway, api_version=version)
        stream = await sdk.aio.models.generate_content_stream(model=MODEL, contents="say hi")
        return [chunk async for chunk in stream]

    for version in ("v1", "v1beta", "v1alpha"):
        chunks = asyncio.run(run(version))
        assert [chunk.text for chunk in chunks if chunk.text] == ["Hi th", "ere."]
        finishes = [
            candidate.finish_reason
            for chunk in chunks
            for candidate in chunk.candidates or ()
            if candidate.finish_reason
        ]
        assert finishes == [types.FinishReason.STOP]


def test_thinking_arrives_as_a_thought_and_is_counted(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("42", reasoning="Six by seven."), "unary"))
    sdk = client(gateway)
    config = types.GenerateContentConfig(
        thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=2048), max_output_tokens=8192
    )
    response = sdk.models.generate_content(model=MODEL, contents="6*7?", config=config)
    assert response.candidates and response.candidates[0].content and response.candidates[0].content.parts
    parts = response.candidates[0].content.parts
    assert [(part.text, bool(part.thought)) for part in parts if part.text] == [("Six by seven.", True), ("42", False)]
    if gateway.upstream.dialect != "anthropic":  # Anthropic does not count thoughts separately
        assert response.usage_metadata is not None and response.usage_metadata.thoughts_token_count == 3


def test_parallel_calls_and_their_results(gateway: Gateway) -> None:
    dialect = gateway.upstream.dialect
    gateway.upstream.play(answer(dialect, PARALLEL, "stream"), answer(dialect, ModelAnswer("Both mild."), "unary"))
    sdk = client(gateway)
    config = types.GenerateContentConfig(
        tools=[WEATHER], automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True)
    )
    parts: list[types.Part] = []
    for chunk in sdk.models.generate_content_stream(model=MODEL, contents="weather?", config=config):
        for candidate in chunk.candidates or ():
            parts += (candidate.content.parts if candidate.content else None) or []
    calls = [part.function_call for part in parts if part.function_call]
    assert [(call.name, call.args, call.id) for call in calls] == [
        ("get_weather", {"city": "Köln"}, "toolu_a1"),
        ("get_weather", {"city": "東京"}, "toolu_b2"),
    ]
    results = [
        types.Part(
            function_response=types.FunctionResponse(
                id=call.id, name=call.name, response={"output": f"mild in {(call.args or {})['city']}"}
            )
        )
        for call in calls
    ]
    history = [
        types.Content(role="user", parts=[types.Part(text="weather?")]),
        types.Content(role="model", parts=[part for part in parts if part.function_call]),
        types.Content(role="user", parts=results),
    ]
    response = sdk.models.generate_content(model=MODEL, contents=history, config=config)  # type: ignore[arg-type]
    assert response.text == "Both mild."
    sent = json.dumps(gateway.upstream.bodies[1], ensure_ascii=False)
    assert sent.index("mild in Köln") < sent.index("mild in 東京")


def test_automatic_function_calling_in_a_chat(gateway: Gateway) -> None:
    """The SDK sends results without the ids of their calls: the gateway pairs them by name and order."""
    dialect = gateway.upstream.dialect
    gateway.upstream.play(answer(dialect, PARALLEL, "unary"), answer(dialect, ModelAnswer("Both mild."), "unary"))

    def get_weather(city: str) -> str:
        """Weather of a city"""
        return f"mild in {city}"

    sdk = client(gateway)
    chat = sdk.chats.create(model=MODEL, config=types.GenerateContentConfig(tools=[get_weather]))
    assert chat.send_message("weather?").text == "Both mild."
    assert len(gateway.upstream.log) == 2
    sent = json.dumps(gateway.upstream.bodies[1], ensure_ascii=False)
    assert sent.index("mild in Köln") < sent.index("mild in 東京")


# A provider of the client's own dialect ends its streams as it likes: its events are passed on as they are.
OTHER_DIALECTS = pytest.mark.parametrize("gateway", ["openai-chat", "anthropic"], indirect=True)


@OTHER_DIALECTS
@pytest.mark.parametrize("first", [ModelAnswer("Hi there."), ModelAnswer("Hi there.", reasoning="A greeting.")])
def test_a_chat_remembers_a_streamed_turn(gateway: Gateway, first: ModelAnswer) -> None:
    """The SDK keeps a streamed turn only if each of its events has content."""
    dialect = gateway.upstream.dialect
    gateway.upstream.play(answer(dialect, first, "stream"), answer(dialect, ModelAnswer("Still here."), "stream"))
    sdk = client(gateway)
    chat = sdk.chats.create(model=MODEL)
    assert "".join(chunk.text or "" for chunk in chat.send_message_stream("say hi")) == "Hi there."
    assert "".join(chunk.text or "" for chunk in chat.send_message_stream("and again")) == "Still here."
    sent = json.dumps(gateway.upstream.bodies[1])
    assert sent.index("say hi") < sent.index("Hi th") < sent.index("and again")


@OTHER_DIALECTS
def test_a_chat_remembers_streamed_calls(gateway: Gateway) -> None:
    dialect = gateway.upstream.dialect
    first = ModelAnswer("One moment.", calls=PARALLEL.calls)
    gateway.upstream.play(answer(dialect, first, "stream"), answer(dialect, ModelAnswer("Both mild."), "stream"))

    def get_weather(city: str) -> str:
        """Weather of a city"""
        return f"mild in {city}"

    sdk = client(gateway)
    chat = sdk.chats.create(model=MODEL, config=types.GenerateContentConfig(tools=[get_weather]))
    texts = [chunk.text or "" for chunk in chat.send_message_stream("weather?")]
    assert "".join(texts) == "One moment.Both mild."
    sent = json.dumps(gateway.upstream.bodies[1], ensure_ascii=False)
    assert sent.index("weather?") < sent.index("One m") < sent.index("mild in Köln") < sent.index("mild in 東京")


def test_structured_output(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer('{"city": "Oslo"}'), "unary"))
    config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=City)
    sdk = client(gateway)
    response = sdk.models.generate_content(model=MODEL, contents="where?", config=config)
    assert response.parsed == City(city="Oslo")
    assert '"city"' in json.dumps(gateway.upstream.bodies[0])


def test_an_image_arrives(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("A pixel."), "unary"))
    image = types.Part.from_bytes(data=base64.b64decode(PIXEL), mime_type="image/png")
    sdk = client(gateway)
    sdk.models.generate_content(model=MODEL, contents=[image, "what?"])
    sent = json.dumps(gateway.upstream.bodies[0])
    # The SDK writes URL-safe base64, which only Gemini takes.
    assert PIXEL in (sent.replace("-M9Q", "+M9Q") if gateway.upstream.dialect == "gemini" else sent)
    assert "image/png" in sent


@pytest.mark.slow
@pytest.mark.parametrize("streamed", [False, True])
def test_a_429_is_raised_without_a_retry_and_names_the_retry_delay(gateway: Gateway, streamed: bool) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ProviderError(429, "slow down", wait=7), "unary"))
    sdk = client(gateway)
    with pytest.raises(errors.ClientError, match="slow down") as raised:
        if streamed:
            list(sdk.models.generate_content_stream(model=MODEL, contents="hi"))
        else:
            sdk.models.generate_content(model=MODEL, contents="hi")
    assert raised.value.code == 429 and raised.value.status == "RESOURCE_EXHAUSTED"
    assert len(gateway.upstream.log) == 1
    if gateway.upstream.dialect != "gemini":  # a response of Gemini passes through unchanged
        assert "7s" in json.dumps(raised.value.details)


def test_a_cut_stream_is_an_error_after_its_text_was_delivered(gateway: Gateway) -> None:
    gateway.upstream.play(answer(gateway.upstream.dialect, ModelAnswer("Hi there."), "stream", cut=True))
    texts: list[str] = []
    sdk = client(gateway)
    with pytest.raises(Exception) as raised:
        for chunk in sdk.models.generate_content_stream(model=MODEL, contents="hi"):
            texts.append(chunk.text or "")
    assert "".join(texts) == "Hi there."
    assert isinstance(raised.value, errors.ServerError), "an error event, not a broken connection"


def test_tokens_are_counted(gateway: Gateway) -> None:
    from bridgecheck.upstream.wire_response import WireResponse

    document = {"totalTokens": 5} if gateway.upstream.dialect == "gemini" else {"input_tokens": 5}
    gateway.upstream.play(WireResponse(200, (("content-type", "application/json"),), (json.dumps(document).encode(),)))
    sdk = client(gateway)
    counted = sdk.models.count_tokens(model=MODEL, contents="how many tokens are these?").total_tokens
    assert counted is not None
    if gateway.upstream.dialect == "openai-chat":  # OpenAI has no such endpoint: the count is an estimate
        assert 3 < counted < 20 and gateway.upstream.log == []
    else:
        assert counted == 5
