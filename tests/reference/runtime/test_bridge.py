"""The bridge over scripted providers, and over the real SDK clients, for both upstreams."""

import asyncio
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck_reference.config import ProviderConfig
from bridgecheck_reference.convert import pairs
from bridgecheck_reference.convert.gemini.stream_from_openai import OpenAIToGeminiStream
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream
from bridgecheck_reference.errors import NotSupportedError, ProviderError
from bridgecheck_reference.generator.bridge import ProviderBridge
from bridgecheck_reference.generator.estimate import CHARS_4, GEMINI_CLI, estimate_tokens
from bridgecheck_reference.providers.claude import ClaudeProvider
from bridgecheck_reference.providers.fake import FakeProvider
from bridgecheck_reference.providers.gemini import GeminiProvider
from bridgecheck_reference.providers.openai import OpenAIProvider

REQUEST = {
    "model": "some-model",
    "systemInstruction": {"parts": [{"text": "be brief"}]},
    "contents": [{"role": "user", "parts": [{"text": "weather in 北京?"}]}],
    "tools": [{"functionDeclarations": [{"name": "weather", "parametersJsonSchema": {"type": "object"}}]}],
}


KEYS = ("contents", "parts", "text", "inlineData", "mimeType", "tools", "functionCall", "args")


def chunk(delta: dict[str, object], finish: str | None = None) -> dict[str, object]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-x", "choices": [choice]}


def call(index: int, arguments: str, **more: object) -> dict[str, object]:
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments}, **more}]}


FIRST = {"id": "call_a", "type": "function", "function": {"name": "weather", "arguments": ""}}
SECOND = {"id": "call_b", "type": "function", "function": {"name": "weather", "arguments": ""}}
TOOL_CHUNKS = [
    chunk({"role": "assistant", "content": "Let me look."}),
    chunk({"tool_calls": [{"index": 0, **FIRST}]}),
    chunk(call(0, '{"city": "北')),
    chunk(call(0, '京"}')),
    chunk({"tool_calls": [{"index": 1, **SECOND}]}),
    chunk(call(1, "{}")),
    chunk({}, "tool_calls"),
    {**chunk({}), "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}},
]


def parts(events: list[dict[str, object]]) -> list[dict[str, object]]:
    return [
        part
        for event in events
        for candidate in event.get("candidates", [])
        for part in candidate.get("content", {}).get("parts", [])
    ]


def finishes(events: list[dict[str, object]]) -> list[str]:
    return [
        candidate["finishReason"]
        for event in events
        for candidate in event.get("candidates", [])
        if candidate.get("finishReason")
    ]


def calls(events: list[dict[str, object]]) -> list[tuple[object, object]]:
    return [
        (part["functionCall"]["name"], part["functionCall"]["args"]) for part in parts(events) if "functionCall" in part
    ]


def text(events: list[dict[str, object]]) -> str:
    return "".join(part.get("text", "") for part in parts(events) if not part.get("thought"))


@pytest.mark.row("S1.53", "S1.49")
def test_the_three_steps_of_a_call() -> None:
    """Gemini request -> OpenAI params -> provider -> OpenAI chunks -> Gemini events; the request stays as it was."""
    provider = FakeProvider(replies=[TOOL_CHUNKS])
    before = deepcopy(REQUEST)

    async def main() -> list[dict[str, object]]:
        return [event async for event in await ProviderBridge(provider).generate_content_stream(REQUEST, "p")]

    events = asyncio.run(main())
    assert before == REQUEST
    ((method, params),) = provider.calls
    assert (method, params["model"], params["stream"]) == ("generate_stream", "some-model", True)
    assert [message["role"] for message in params["messages"]] == ["system", "user"]
    assert params["tools"][0]["function"]["name"] == "weather"
    assert text(events) == "Let me look."
    assert calls(events) == [("weather", {"city": "北京"}), ("weather", {})]
    assert finishes(events) == ["STOP"]
    assert events[-1]["usageMetadata"]["totalTokenCount"] == 12


@pytest.mark.row("S1.8", "S1.35")
def test_each_document_is_converted_once(lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """The request once on each side of the representation, every event of the answer once on each."""
    conversions: list[str] = []

    def spy_on(module: object, name: str) -> None:
        found = getattr(module, name)

        def spy(*args: object, **kwargs: object) -> object:
            conversions.append(f"{getattr(module, '__name__', '').rpartition('.')[2]}.{name}")
            return found(*args, **kwargs)

        monkeypatch.setattr(module, name, spy)

    spy_on(pairs, "gemini_request_to_openai")
    spy_on(pairs, "openai_request_to_gemini")
    spy_on(GeminiToOpenAIStream, "feed")
    spy_on(OpenAIToGeminiStream, "feed")

    async def main() -> list[str]:
        async with lab.serving(lab.gemini(*GEMINI_TOOL_EVENTS)) as server:
            bridge = ProviderBridge(provider_for("gemini", server.url))
            stream = await bridge.generate_content_stream(REQUEST, "p")
            opened = list(conversions)
            _ = [event async for event in stream]
            await bridge.close()
            return opened

    assert asyncio.run(main()) == ["pairs.gemini_request_to_openai", "pairs.openai_request_to_gemini"]
    assert [name for name in conversions[2:] if name.startswith("Gemini")] == ["GeminiToOpenAIStream.feed"] * 2
    made = conversions[2:].count("OpenAIToGeminiStream.feed")
    assert made and made + 2 == len(conversions[2:])


@pytest.mark.row("S1.30")
def test_a_lazy_stream_is_opened_with_its_first_event() -> None:
    async def main() -> None:
        provider = FakeProvider(
            replies=[TOOL_CHUNKS, ProviderError("slow", body={}, dialect="openai-chat", status=429)]
        )
        bridge = ProviderBridge(provider, lazy_stream=True)
        unopened = await bridge.generate_content_stream(REQUEST, "p")
        await unopened.aclose()
        assert [event async for event in unopened] == []
        assert provider.calls == []
        read = await bridge.generate_content_stream(REQUEST, "p")
        assert finishes([event async for event in read]) == ["STOP"]
        refused = await bridge.generate_content_stream(REQUEST, "p")
        with pytest.raises(ProviderError) as caught:
            await anext(refused)
        assert (caught.value.status, caught.value.dialect) == (429, "gemini")
        left = await bridge.generate_content_stream(REQUEST, "p")
        await left.aclose()
        await left.aclose()
        assert len(provider.calls) == 2

    asyncio.run(main())


def test_a_failure_in_the_stream_reaches_the_client_in_its_dialect() -> None:
    async def main(*chunks: object) -> ProviderError:
        provider = FakeProvider(replies=[list(chunks)])
        stream = await ProviderBridge(provider).generate_content_stream(REQUEST, "p")
        assert text([await anext(stream)]) == "Let me look."
        with pytest.raises(ProviderError) as caught:
            _ = [event async for event in stream]
        return caught.value

    unfinished = asyncio.run(main(TOOL_CHUNKS[0]))
    assert (unfinished.dialect, unfinished.code, unfinished.body["error"]["code"]) == (
        "gemini",
        "stream_truncated",
        502,
    )
    events_received = asyncio.run(
        main(TOOL_CHUNKS[0], {"error": {"message": "boom", "code": "overloaded", "type": "x"}})
    )
    assert events_received.body["error"]["code"] == 503
    assert events_received.body["error"]["message"] == "boom"


@pytest.mark.row("S1.31", "S1.32")
def test_counting_falls_back_to_an_estimate_and_embedding_refuses() -> None:
    async def main() -> None:
        bridge = ProviderBridge(FakeProvider(), weights=CHARS_4)
        assert await bridge.count_tokens({"contents": "12345678"}) == {"totalTokens": 2}
        with pytest.raises(NotSupportedError, match="embed_content is not supported by fake"):
            await bridge.embed_content({"model": "m", "contents": ["x"]})

    asyncio.run(main())


@pytest.mark.row("S1.31")
@pytest.mark.parametrize(
    ("request_", "tokens"),
    [
        ({}, 0),
        ({"contents": "abc"}, 6),
        ({"contents": [{"parts": [{"text": "a" * 100}]}]}, 38),
        ({"contents": [{"parts": [{"text": "北京"}]}]}, 8),
        ({"contents": [{"parts": [{"inlineData": {"mimeType": "image/png", "data": "A" * 9999}}]}]}, 3005),
        ({"contents": [{"parts": [{"inline_data": {"mime_type": "application/pdf", "data": "A"}}]}]}, 25805),
        ({"contents": None, "systemInstruction": {"parts": [None, {"text": 5}]}}, 0),
    ],
)
def test_the_estimate(request_: dict[str, object], tokens: int) -> None:
    assert estimate_tokens(request_) == tokens


NONSENSE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.row("S1.31")
@given(st.dictionaries(st.sampled_from(KEYS), NONSENSE), st.text(), st.text())
def test_an_estimate_never_fails_and_more_text_is_never_fewer(
    request_: dict[str, object], text: str, more: str
) -> None:
    snake_request = {**request_, "systemInstruction": {"parts": [{"text": text}]}}
    longer = {**request_, "systemInstruction": {"parts": [{"text": text + more}, {"text": more}]}}
    for weights in (GEMINI_CLI, CHARS_4):
        assert 0 <= estimate_tokens(snake_request, weights) <= estimate_tokens(longer, weights)


GEMINI_TOOL_EVENTS = [
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "hm", "thought": True}]}}], "responseId": "r"},
    {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [
                        {"text": "Let me look."},
                        {"functionCall": {"name": "weather", "args": {"city": "北京"}}, "thoughtSignature": "c2ln"},
                        {"functionCall": {"name": "weather", "args": {}}},
                    ],
                },
                "finishReason": "STOP",
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 5,
            "candidatesTokenCount": 6,
            "thoughtsTokenCount": 1,
            "totalTokenCount": 12,
        },
        "responseId": "r",
    },
]


CLAUDE_TOOL_EVENTS = [
    {
        "type": "message_start",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-x",
            "content": [],
            "usage": {"input_tokens": 5, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Let me look."}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "toolu_a", "name": "weather", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": '{"city": "北京"}'},
    },
    {"type": "content_block_stop", "index": 1},
    {
        "type": "content_block_start",
        "index": 2,
        "content_block": {"type": "tool_use", "id": "toolu_b", "name": "weather", "input": {}},
    },
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
]
UPSTREAMS = ["gemini", "openai", "claude"]
STREAMS = {"gemini": GEMINI_TOOL_EVENTS, "openai": TOOL_CHUNKS, "claude": CLAUDE_TOOL_EVENTS}
SAID_BY = {"gemini": 1, "openai": 1, "claude": 3}
"""The number of events up to the first text."""


def provider_for(upstream: str, url: str) -> GeminiProvider | OpenAIProvider | ClaudeProvider:
    if upstream == "openai":
        return OpenAIProvider(ProviderConfig(api_key="k", base_url=f"{url}/v1"))
    make = GeminiProvider if upstream == "gemini" else ClaudeProvider
    return make(ProviderConfig(api_key="k", base_url=url))


def stream_upstream(lab, upstream: str, *events: dict[str, object], **more: object):
    """A stream in the upstream's framing, without a closing mark if it is not complete."""
    if upstream == "openai":
        return lab.openai(*events, terminator=more.get("end", "complete") == "complete" and len(events) > 3, **more)
    return (lab.gemini if upstream == "gemini" else lab.anthropic)(*events, **more)


@pytest.mark.row("S1.29", "S1.30")
@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_tool_calls_over_the_real_sdk(lab, upstream: str) -> None:
    async def main() -> None:
        async with lab.serving(stream_upstream(lab, upstream, *STREAMS[upstream])) as server:
            bridge = ProviderBridge(provider_for(upstream, server.url))
            events = await lab.collect(await bridge.generate_content_stream(REQUEST, "p"))
            assert text(events) == "Let me look."
            assert calls(events) == [("weather", {"city": "北京"}), ("weather", {})]
            assert finishes(events) == ["STOP"]
            assert events[-1]["usageMetadata"]["totalTokenCount"] == 12
            if upstream == "gemini":
                signed = [part.get("thoughtSignature") for part in parts(events) if "functionCall" in part]
                assert signed == ["c2ln", None]
                assert server.requests[0].body["contents"] == REQUEST["contents"]
                (declared,) = server.requests[0].body["tools"][0]["functionDeclarations"]
                assert declared["parametersJsonSchema"] == {"type": "object"}
            await bridge.close()

    asyncio.run(main())


@pytest.mark.row("S1.4", "S1.24")
@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_the_first_event_comes_while_the_upstream_is_still_open(lab, upstream: str) -> None:
    async def main() -> None:
        first = {"candidates": [{"content": {"parts": [{"text": "Let me look."}]}}]}
        events = [first, *GEMINI_TOOL_EVENTS] if upstream == "gemini" else STREAMS[upstream]
        gates = {SAID_BY[upstream]: asyncio.Event()}
        async with lab.serving(stream_upstream(lab, upstream, *events, gates=gates)) as server:
            bridge = ProviderBridge(provider_for(upstream, server.url))
            stream = await bridge.generate_content_stream(REQUEST, "p")
            assert text([await anext(stream)]) == "Let me look."
            assert not server.finished.is_set()
            await stream.aclose()
            await asyncio.wait_for(server.hung_up.wait(), 5)
            await bridge.close()

    asyncio.run(main())


LIMITED = {
    "gemini": {"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}},
    "openai": {"error": {"message": "slow", "type": "rate_limit_error", "param": None, "code": "rate_limit_exceeded"}},
    "claude": {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}},
}


@pytest.mark.row("S1.30")
@pytest.mark.parametrize("method", ["generate_content", "generate_content_stream"])
@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_a_refusal_is_raised_on_opening_in_the_clients_dialect(lab, upstream: str, method: str) -> None:
    async def main() -> None:
        async with lab.serving(lab.json(LIMITED[upstream], status=429, headers=[("retry-after", "4")])) as server:
            bridge = ProviderBridge(provider_for(upstream, server.url))
            with pytest.raises(ProviderError) as caught:
                await getattr(bridge, method)(REQUEST, "p")
            error = caught.value
            assert (error.status, error.retry_after, error.dialect) == (429, 4.0, "gemini")
            snake_request = error.body["error"]
            assert (snake_request["code"], snake_request["message"], snake_request["status"]) == (
                429,
                "slow",
                "RESOURCE_EXHAUSTED",
            )
            assert len(server.requests) == 1
            await bridge.close()

    asyncio.run(main())


@pytest.mark.row("S1.58")
@pytest.mark.parametrize("end", ["complete", "cut", "reset"])
@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_a_stream_without_a_finish_never_ends_cleanly(lab, upstream: str, end: str) -> None:
    async def main() -> None:
        half = {
            "gemini": [{"candidates": [{"content": {"parts": [{"text": "half"}]}}]}],
            "openai": [chunk({"content": "half"})],
            "claude": [
                *CLAUDE_TOOL_EVENTS[:2],
                {**CLAUDE_TOOL_EVENTS[2], "delta": {"type": "text_delta", "text": "half"}},
            ],
        }
        async with lab.serving(stream_upstream(lab, upstream, *half[upstream], end=end)) as server:
            bridge = ProviderBridge(provider_for(upstream, server.url))
            stream = await bridge.generate_content_stream(REQUEST, "p")
            assert text([await anext(stream)]) == "half"
            with pytest.raises(ProviderError) as caught:
                _ = [event async for event in stream]
            assert caught.value.code == "stream_truncated"
            assert caught.value.body["error"]["code"] >= 500
            await bridge.close()

    asyncio.run(main())


def test_a_malformed_call_is_no_clean_answer_towards_openai(lab) -> None:
    async def main() -> None:
        answer = {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "print(x)"}]}
        async with lab.serving(lab.json(answer)) as server:
            provider = provider_for("gemini", server.url)
            with pytest.raises(ProviderError) as caught:
                await provider.generate({"model": "m", "messages": [{"role": "user", "content": "hi"}]})
            assert (caught.value.status, caught.value.dialect) == (502, "openai-chat")
            assert caught.value.native == answer
            await provider.close()

    asyncio.run(main())


@pytest.mark.row("S1.25", "S1.26", "S1.31", "S1.32")
def test_gemini_counts_and_embeds_through_the_bridge(lab) -> None:
    async def main() -> None:
        script = [
            lab.json({"totalTokens": 9}),
            lab.json({"embeddings": [{"values": [1, 2]}]}),
            lab.json({}, status=500),
        ]
        async with lab.serving(*script) as server:
            bridge = ProviderBridge(provider_for("gemini", server.url))
            assert await bridge.count_tokens(REQUEST) == {"totalTokens": 9}
            assert server.requests[0].path.endswith("/models/some-model:countTokens")
            embedded = await bridge.embed_content({"model": "e", "contents": ["x"]})
            assert embedded == {"embeddings": [{"values": [1, 2]}]}
            assert (await bridge.count_tokens(REQUEST))["totalTokens"] == estimate_tokens(REQUEST)
            await bridge.close()

    asyncio.run(main())
