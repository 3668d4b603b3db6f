"""The chat: one conversation, the same by the native generator, over the bridge, and straight over a provider."""

import asyncio
from collections.abc import Callable

import pytest

from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.chat import Chat, ModelTurn
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
TAIL = [{"text": "Sunny."}, {"text": "", "thoughtSignature": "dGFpbA=="}]
LAST = [event(*TAIL), event(finishReason="STOP")]
BYE = event({"text": "Bye."}, finishReason="STOP")
HISTORY = [
    {"role": "user", "parts": [{"text": "weather in 北京?"}]},
    {
        "role": "model",
        "parts": [
            {"text": "hm so", "thought": True},
            {"text": "Let me look."},
            *CALLS,
        ],
    },
    {"role": "user", "parts": RESULTS},
    {"role": "model", "parts": TAIL},
    {"role": "user", "parts": [{"text": "thanks"}]},
    {"role": "model", "parts": [{"text": "Bye."}]},
]

PROVIDERS: dict[str, Callable[[ProviderConfig], object]] = {
    "native": NativeContentGenerator,
    "bridged": lambda config: ProviderBridge(GeminiProvider(config)),
    "direct": GeminiProvider,
}


async def converse(lab, provider_name: str) -> tuple[list[object], list[object]]:
    """The history of a conversation with a tool, and what the provider was sent."""
    async with lab.serving(lab.gemini(*EVENTS), lab.gemini(*LAST), lab.json(BYE)) as server:
        target = PROVIDERS[provider_name](ProviderConfig(api_key="k", base_url=server.url))
        chat = Chat(target, "gemini-x", request=REQUEST)
        events = await lab.collect(await chat.stream("weather in 北京?"))
        assert len(events) > 1
        await lab.collect(await chat.stream(RESULTS))
        answer = await chat.send("thanks")
        assert answer["candidates"][0]["finishReason"] == "STOP"
        await target.close()
        return chat.history, [request_.body for request_ in server.requests]


@pytest.mark.row("S1.51")
def test_native_bridged_and_direct_are_one_conversation(lab) -> None:
    conversations = {provider_name: asyncio.run(converse(lab, provider_name)) for provider_name in PROVIDERS}
    assert conversations["native"] == (
        HISTORY,
        [{**REQUEST, "contents": HISTORY[:turns]} for turns in (1, 3, 5)],
    )
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
            return chat.history, [request_.body for request_ in server.requests]

    history, bodies = asyncio.run(main(bridged=False))
    assert [content["parts"] for content in history] == [[{"text": text}] for text in ("hi", "ok", "again", "ok")]
    assert [len(body["messages"]) for body in bodies] == [1, 3]
    assert asyncio.run(main(bridged=True)) == (history, bodies)


TEXT = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {"content": "ok"}, "finish_reason": "stop"}]}  # fmt: skip
WHOLE = {"id": "c", "object": "chat.completion", "created": 1, "model": "m",
         "choices": [{"index": 0, "message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}]}  # fmt: skip
FAILED = ProviderError("slow", body={"error": {"message": "slow"}}, dialect="openai-chat", status=429)
HALF = {**TEXT, "choices": [{"index": 0, "delta": {"content": "ha"}, "finish_reason": None}]}


def test_failed_or_abandoned_answers_are_not_remembered() -> None:
    async def main() -> None:
        chat = Chat(FakeProvider(replies=[FAILED, FAILED, [HALF, FAILED], [HALF, TEXT], WHOLE]), "m")
        with pytest.raises(ProviderError):
            await chat.send("a")
        with pytest.raises(ProviderError):
            await chat.stream("b")
        broken = await chat.stream("c")
        with pytest.raises(ProviderError):
            _ = [item async for item in broken]
        left = await chat.stream("d")
        await anext(left)
        await left.aclose()
        assert [item async for item in left] == []
        assert chat.history == []
        await chat.send("e")
        assert [content["parts"][0]["text"] for content in chat.history] == ["e", "ok"]

    asyncio.run(asyncio.wait_for(main(), 60))  # a lock that is kept would wait for ever


def test_a_stream_that_native_ends_without_a_finish_reason_is_not_remembered(lab) -> None:
    async def main() -> None:
        async with lab.serving(lab.gemini(event({"text": "half"}))) as server:
            native = NativeContentGenerator(ProviderConfig(api_key="k", base_url=server.url))
            chat = Chat(native, "m")
            assert len(await lab.collect(await chat.stream("a"))) == 1
            assert chat.history == []
            await native.close()

    asyncio.run(main())


def test_a_message_waits_until_the_answer_before_it_is_read() -> None:
    async def main() -> None:
        provider = FakeProvider(replies=[[HALF, TEXT], WHOLE])
        chat = Chat(provider, "m")
        first = await chat.stream("a")
        second = asyncio.create_task(chat.send("b"))
        await anext(first)
        assert len(provider.calls) == 1
        _ = [item async for item in first]
        await second
        assert [message["content"] for message in provider.calls[1][1]["messages"]] == ["a", "haok", "b"]

    asyncio.run(asyncio.wait_for(main(), 60))  # a lock that is kept would wait for ever


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
            assert chat.history == []
            await target.close()

    asyncio.run(main())


def test_the_history_is_the_chats_own() -> None:
    begun = [{"role": "user", "parts": [{"text": "before"}]}]
    chat = Chat(FakeProvider(), "m", history=begun)
    begun[0]["parts"].clear()
    chat.history.clear()
    assert chat.history == [{"role": "user", "parts": [{"text": "before"}]}]


@pytest.mark.parametrize(
    "nonsense", [{}, {"candidates": None}, {"candidates": [None]}, {"candidates": [{"content": 1}]}]
)
def test_an_empty_event_adds_nothing(nonsense: dict[str, object]) -> None:
    turn = ModelTurn()
    turn.add(nonsense)
    assert (turn.content(), turn.finished) == (None, False)
