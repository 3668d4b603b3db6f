"""The chat: one conversation, the same by the native generator, over the bridge, and straight over a provider."""

import asyncio
from collections.abc import Callable

import pytest

from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.chat.answer import InvalidStreamError
from bridgecheck_reference.chat.chat import Chat
from bridgecheck_reference.chat.settings import ChatSettings
from bridgecheck_reference.config import ProviderConfig
from bridgecheck_reference.errors import CallCancelled, ProviderError
from bridgecheck_reference.generator.bridge import ProviderBridge
from bridgecheck_reference.generator.native import NativeContentGenerator
from bridgecheck_reference.providers.fake import FakeProvider
from bridgecheck_reference.providers.gemini import GeminiProvider
from bridgecheck_reference.providers.protocol import create_provider

REQUEST = {
    "systemInstruction": {"parts": [{"text": "be brief"}]},
    "tools": [
        {
            "functionDeclarations": [
                {"name": "weather", "description": "Weather", "parametersJsonSchema": {"type": "object"}}
            ]
        }
    ],
    "generationConfig": {"topK": 64, "thinkingConfig": {"thinkingBudget": 8192, "includeThoughts": True}},
}


def event(*parts: dict[str, object], **more: object) -> dict[str, object]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}], "responseId": "r"}


CALLS = [
    {"functionCall": {"name": "weather", "args": {"city": "北京"}, "id": "a"}, "thoughtSignature": "c2ln"},
    {"functionCall": {"name": "weather", "args": {"n": 1.0}, "id": "b"}},
]
EVENTS = [
    event({"text": "hm ", "thought": True}),
    event({"text": "so", "thought": True}, {"text": "Let me "}),
    event({"text": "look."}),
    event(CALLS[0]),
    event(CALLS[1]),
    event(finishReason="STOP"),
]
RESULTS = [
    {"functionResponse": {"name": "weather", "id": id, "response": {"output": text}}}
    for id, text in (("a", "sunny"), ("b", "rain"))
]
LAST = [event({"text": "Sunny."}), event({"text": "", "thoughtSignature": "dGFpbA=="}), event(finishReason="STOP")]
BYE = event({"text": "Bye."}, finishReason="STOP")
HISTORY = [
    {"role": "user", "parts": [{"text": "weather in 北京?"}]},
    {"role": "model", "parts": [{"text": "Let me look."}, *CALLS]},
    {"role": "user", "parts": RESULTS},
    {"role": "model", "parts": [{"text": "Sunny."}]},
    {"role": "user", "parts": [{"text": "thanks"}]},
]
"""What the last request holds: thoughts do not come back, texts are one."""
ONCE = ChatSettings(stream_attempts=1)

PROVIDERS: dict[str, Callable[[ProviderConfig], object]] = {
    "native": NativeContentGenerator,
    "bridged": lambda config: ProviderBridge(GeminiProvider(config)),
    "direct": GeminiProvider,
}


async def converse(lab, provider_name: str) -> tuple[list[object], list[object]]:
    """The history of a conversation with a tool, and what the provider was sent."""
    async with lab.serving(lab.gemini(*EVENTS), lab.gemini(*LAST), lab.gemini(BYE)) as server:
        target = PROVIDERS[provider_name](ProviderConfig(api_key="k", base_url=server.url))
        chat = Chat(target, "gemini-3-x", request=REQUEST)
        for message in ("weather in 北京?", RESULTS, "thanks"):
            assert await lab.collect(await chat.stream(message))
        await target.close()
        return chat.history(), [request_.body for request_ in server.requests]


@pytest.mark.row("S1.51", "S4.41")
def test_native_bridged_and_direct_are_one_conversation(lab) -> None:
    conversations = {provider_name: asyncio.run(converse(lab, provider_name)) for provider_name in PROVIDERS}
    history, requests = conversations["native"]
    assert requests == [{**REQUEST, "contents": HISTORY[:turns]} for turns in (1, 3, 5)]
    assert [part["functionCall"]["id"] for part in history[1]["parts"][1:]] == ["weather__a", "weather__b"]
    assert history[-1] == {"role": "model", "parts": [{"text": "Bye."}]}
    assert conversations["bridged"] == conversations["native"]
    assert conversations["direct"] == conversations["native"]


@pytest.mark.row("S1.51")
@pytest.mark.parametrize("upstream", ["openai", "claude"])
def test_over_other_providers_bridged_and_direct_are_one_conversation(lab, upstream: str) -> None:
    chunks = [
        {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
         "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}
        for text, finish in (("ok", None), ("", "stop"))
    ]  # fmt: skip
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": {}}
    events = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "ok"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]

    async def main(bridged: bool) -> tuple[list[object], list[object]]:
        script = lab.openai(*chunks) if upstream == "openai" else lab.anthropic(*events)
        async with lab.serving(script) as server:
            provider = create_provider(upstream, {"api_key": "k", "base_url": server.url})
            chat = Chat(ProviderBridge(provider) if bridged else provider, "m")
            for message in ("hi", "again"):
                await lab.collect(await chat.stream(message))
            await provider.close()
            return chat.history(), [request_.body for request_ in server.requests]

    history, bodies = asyncio.run(main(bridged=False))
    assert [content["parts"] for content in history] == [[{"text": text}] for text in ("hi", "ok", "again", "ok")]
    assert [len(body["messages"]) for body in bodies] == [1, 3]
    assert asyncio.run(main(bridged=True)) == (history, bodies)


TEXT = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {"content": "ok"}, "finish_reason": "stop"}]}  # fmt: skip
FAILED = ProviderError("slow", body={"error": {"message": "slow"}}, dialect="openai-chat", status=400)
HALF = {**TEXT, "choices": [{"index": 0, "delta": {"content": "ha"}, "finish_reason": None}]}


def test_failed_or_abandoned_answers_are_not_remembered() -> None:
    async def main() -> None:
        chat = Chat(FakeProvider(replies=[FAILED, [HALF, FAILED], [HALF, TEXT], [TEXT]]), "m", settings=ONCE)
        for message in "ab":
            broken = await chat.stream(message)
            with pytest.raises(ProviderError):
                _ = [item async for item in broken]
        left = await chat.stream("c")
        await anext(left)
        await left.aclose()
        assert [item async for item in left] == []
        assert chat.history() == []
        _ = [item async for item in await chat.stream("d")]
        assert [content["parts"][0]["text"] for content in chat.history()] == ["d", "ok"]

    asyncio.run(asyncio.wait_for(main(), 60))  # a lock that is kept would wait for ever


@pytest.mark.parametrize("provider_name", PROVIDERS)
def test_a_stream_without_a_finish_reason_is_not_remembered(lab, provider_name: str) -> None:
    async def main() -> None:
        async with lab.serving(lab.gemini(event({"text": "half"}))) as server:
            target = PROVIDERS[provider_name](ProviderConfig(api_key="k", base_url=server.url))
            chat = Chat(target, "m", settings=ONCE)
            with pytest.raises(InvalidStreamError) as caught:
                await lab.collect(await chat.stream("a"))
            assert (caught.value.reason, chat.history()) == ("NO_FINISH_REASON", [])
            await target.close()

    asyncio.run(main())


@pytest.mark.row("S4.19")
def test_a_message_waits_until_the_answer_before_it_is_read() -> None:
    async def main() -> None:
        provider = FakeProvider(replies=[[HALF, TEXT], [TEXT]])
        chat = Chat(provider, "m")
        first = await chat.stream("a")
        second = asyncio.create_task(chat.stream("b"))
        await anext(first)
        assert len(provider.calls) == 1 and not second.done()
        _ = [item async for item in first]
        _ = [item async for item in await second]
        assert [message["content"] for message in provider.calls[1][1]["messages"]] == ["a", "haok", "b"]

    asyncio.run(asyncio.wait_for(main(), 60))  # a lock that is kept would wait for ever


@pytest.mark.row("S4.10", "S4.26")
@pytest.mark.parametrize("provider_name", PROVIDERS)
def test_a_token_ends_an_answer(lab, provider_name: str) -> None:
    async def main() -> None:
        async with lab.serving(lab.gemini(*EVENTS, gates={2: asyncio.Event()})) as server:
            target = PROVIDERS[provider_name](ProviderConfig(api_key="k", base_url=server.url))
            chat, token = Chat(target, "m"), CancelToken()
            stream = await chat.stream("a", token)
            await anext(stream)
            token.cancel()
            with pytest.raises(CallCancelled):
                await lab.collect(stream)
            await asyncio.wait_for(server.hung_up.wait(), 5)
            assert chat.history() == []
            await target.close()

    asyncio.run(main())


def test_the_history_is_the_chats_own() -> None:
    begun = [{"role": "user", "parts": [{"text": "before"}]}]
    chat = Chat(FakeProvider(), "m", history=begun)
    begun[0]["parts"].clear()
    chat.history()[0]["parts"].clear()
    assert chat.history() == [{"role": "user", "parts": [{"text": "before"}]}]


def test_a_history_has_users_and_models_only() -> None:
    with pytest.raises(ValueError, match="'system'"):
        Chat(FakeProvider(), "m", history=[{"role": "system", "parts": [{"text": "x"}]}])
