"""Conversations of several turns with the Python SDKs, over each other provider, which is strict.

Asserted for every turn: what the user reads, and all that the provider receives: questions, answers, calls with their
results, and Gemini's own signature on the calls."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from bridgecheck.wire import Dialect

from .conftest import KEY, Gateway
from .conversations import (
    CONVERSATIONS,
    CUT,
    MODELS,
    SYSTEM,
    Conversation,
    assert_signatures,
    expected_requests,
    received_requests,
    weather,
)

pytestmark = pytest.mark.realclients

PARAMETERS: Final = {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False,
}  # fmt: skip


class Chat(Protocol):
    """A client with its history. ``keeps_cut_question``: whether a question whose answer broke off stays in it."""

    keeps_cut_question: bool

    def ask(self, question: str) -> str: ...
    def close(self) -> None: ...


def get_weather(city: str) -> str:
    """Weather of a city"""
    return weather(city)


_GOOGLE_CONFIG: Final = types.GenerateContentConfig(system_instruction=SYSTEM, tools=[get_weather])


class GoogleChat:
    """``chats`` of google-genai, which answers the calls itself."""

    keeps_cut_question = False

    def __init__(self, origin: str, model: str, streamed: bool) -> None:
        self._client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=origin))
        self._chat = self._client.chats.create(model=model, config=_GOOGLE_CONFIG)
        self._streamed = streamed

    def ask(self, question: str) -> str:
        if self._streamed:
            return "".join(chunk.text or "" for chunk in self._chat.send_message_stream(question))
        return self._chat.send_message(question).text or ""

    def close(self) -> None:
        self._client.close()


class GoogleAsyncChat:
    """The same with ``aio``."""

    keeps_cut_question = False

    def __init__(self, origin: str, model: str, streamed: bool) -> None:
        self._runner = asyncio.Runner()
        self._client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=origin)).aio
        self._chat = self._client.chats.create(model=model, config=_GOOGLE_CONFIG)
        self._streamed = streamed

    def ask(self, question: str) -> str:
        return self._runner.run(self._ask(question))

    async def _ask(self, question: str) -> str:
        if self._streamed:
            return "".join([chunk.text or "" async for chunk in await self._chat.send_message_stream(question)])
        return (await self._chat.send_message(question)).text or ""

    def close(self) -> None:
        self._runner.run(self._client.aclose())
        self._runner.close()


class OpenAIChat:
    """openai: ``create``, or the ``stream`` helper; the message that it returns goes into the history as it is."""

    keeps_cut_question = True

    def __init__(self, origin: str, model: str, streamed: bool) -> None:
        self._client = openai.OpenAI(base_url=f"{origin}/v1", api_key=KEY)
        self._model, self._streamed = model, streamed
        self._messages: list[Any] = [{"role": "system", "content": SYSTEM}]
        function = {"name": "get_weather", "description": "Weather of a city", "parameters": PARAMETERS, "strict": True}
        self._tools: list[Any] = [{"type": "function", "function": function}]

    def ask(self, question: str) -> str:
        self._messages.append({"role": "user", "content": question})
        while True:
            message = self._send().choices[0].message
            self._messages.append(message)
            if not message.tool_calls:
                return str(message.content)
            for call in message.tool_calls:
                city = json.loads(call.function.arguments)["city"]
                self._messages.append({"role": "tool", "tool_call_id": call.id, "content": weather(city)})

    def _send(self) -> Any:
        options: dict[str, Any] = {"model": self._model, "messages": self._messages, "tools": self._tools}
        if not self._streamed:
            return self._client.chat.completions.create(**options)
        with self._client.chat.completions.stream(**options) as stream:
            return stream.get_final_completion()

    def close(self) -> None:
        self._client.close()


class AnthropicChat:
    """anthropic: the tool runner, unary or streamed. The history is what each of its messages held."""

    keeps_cut_question = True

    def __init__(self, origin: str, model: str, streamed: bool) -> None:
        self._client = anthropic.Anthropic(base_url=origin, api_key=KEY)
        self._model, self._streamed = model, streamed
        self._messages: list[Any] = []

    def ask(self, question: str) -> str:
        self._messages.append({"role": "user", "content": question})
        tool = anthropic.beta_tool(get_weather)
        runner: Any = self._client.beta.messages.tool_runner(
            model=self._model, max_tokens=2000, system=SYSTEM, messages=list(self._messages), tools=[tool],
            stream=self._streamed,
        )  # type: ignore[call-overload]  # fmt: skip
        shown = ""
        for step in runner:
            message = step.get_final_message() if self._streamed else step
            self._messages.append({"role": "assistant", "content": message.content})
            results = runner.generate_tool_call_response()
            if results is not None:
                self._messages.append(results)
            shown = "".join(block.text for block in message.content if block.type == "text")
        return shown

    def close(self) -> None:
        self._client.close()


CLIENTS: Final[dict[str, tuple[Callable[[str, str, bool], Chat], Dialect]]] = {
    "google-genai": (GoogleChat, "gemini"), "google-genai aio": (GoogleAsyncChat, "gemini"),
    "openai": (OpenAIChat, "openai-chat"), "anthropic": (AnthropicChat, "anthropic"),
}  # fmt: skip
"""Client, and the dialect that it speaks: it is tried over the others."""
ROUTES: Final = [
    pytest.param(name, upstream, id=f"{name} over {upstream}")
    for name, (_, own) in CLIENTS.items()
    for upstream in MODELS
    if upstream != own
]


@pytest.fixture
def open_chat(gateways: dict[Dialect, Gateway]) -> Iterator[Callable[[str, Dialect, bool], Chat]]:
    chats: list[Chat] = []

    def open_one(name: str, upstream: Dialect, streamed: bool) -> Chat:
        chats.append(CLIENTS[name][0](gateways[upstream].origin, MODELS[upstream], streamed))
        return chats[-1]

    yield open_one
    for chat in chats:
        chat.close()


def assert_conversation(gateway: Gateway, chat: Chat, conversation: Conversation, streamed: bool) -> None:
    """Play it, and compare what is shown and what arrives."""
    provider = gateway.upstream
    provider.play(*conversation.responses(provider.dialect, "stream" if streamed else "unary"))
    for turn in conversation.turns:
        if turn.cut:
            with pytest.raises(Exception):  # noqa: B017 - each SDK has its own
                chat.ask(turn.question)
        else:
            shown = chat.ask(turn.question)
            assert shown.endswith(turn.shown), [refusal.problem for refusal in provider.refused]
    assert provider.refused == [] and provider.misses == 0
    received = received_requests(provider.dialect, provider.bodies)
    assert received == expected_requests(conversation, keeps_cut_question=chat.keeps_cut_question)
    if provider.dialect == "gemini":
        assert_signatures(provider.bodies)


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda conversation: conversation.name)
@pytest.mark.parametrize("streamed", [False, True], ids=["unary", "streamed"])
@pytest.mark.parametrize(("name", "upstream"), ROUTES)
def test_a_conversation(
    gateways: dict[Dialect, Gateway], open_chat: Callable[[str, Dialect, bool], Chat], name: str, upstream: Dialect,
    streamed: bool, conversation: Conversation,
) -> None:  # fmt: skip
    assert_conversation(gateways[upstream], open_chat(name, upstream, streamed), conversation, streamed)


@pytest.mark.parametrize(("name", "upstream"), ROUTES)
def test_a_conversation_goes_on_after_a_cut_stream(
    gateways: dict[Dialect, Gateway], open_chat: Callable[[str, Dialect, bool], Chat], name: str, upstream: Dialect
) -> None:
    assert_conversation(gateways[upstream], open_chat(name, upstream, True), CUT, True)
