"""Details of the provider layer that are easily lost: what is closed, disconnected and hidden, and the text of its errors."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bridgecheck_reference.chat.chat import Chat
from bridgecheck_reference.config import ProviderConfig
from bridgecheck_reference.conversion_profile import NATIVE
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.provider_calls import ProviderCaller
from bridgecheck_reference.providers.claude import ClaudeProvider
from bridgecheck_reference.providers.fake import FakeProvider
from bridgecheck_reference.providers.protocol import BaseProvider

Json = dict[str, object]
KEY = "sk-ant-a-key-that-must-not-show"
PARAMS: Json = {"model": "claude-x", "max_tokens": 50, "messages": [{"role": "user", "content": "hi"}]}
DOTTED_TOOL: Json = {
    "type": "function",
    "function": {"name": "my.tool", "parameters": {"type": "object", "properties": {}}},
}
BODY: Json = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
MESSAGE: Json = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "content": [],
                 "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 1}}  # fmt: skip
ENDED: Json = {
    "type": "message_delta",
    "delta": {"stop_reason": "tool_use", "stop_sequence": None},
    "usage": {"output_tokens": 7},
}
USED: Json = {"type": "tool_use", "id": "toolu_1", "name": "my_tool", "input": {}}
EVENTS: list[Json] = [
    {"type": "message_start", "message": MESSAGE},
    {"type": "content_block_start", "index": 0, "content_block": USED},
    {"type": "content_block_stop", "index": 0},
    ENDED,
    {"type": "message_stop"},
]


def claude(url: str, **more: object) -> ClaudeProvider:
    return ClaudeProvider(ProviderConfig(api_key=KEY, base_url=url, **more))


def chunk(content: str, finish: str | None) -> Json:
    choice: Json = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


class Listed(BaseProvider):
    """Answers every stream with these chunks; ``closed``: how often one was hung up on."""

    name = "listed"

    def __init__(self, *chunks: Json) -> None:
        self._chunks = chunks
        self.profile = NATIVE
        self.closed = 0

    async def _answer_openai_request(self, params: Json) -> Json:
        raise NotImplementedError

    async def _open_openai_chunks(self, params: Json) -> "_Stream":
        return _Stream(self, self._chunks)

    async def close(self) -> None:
        pass


class _Stream:
    def __init__(self, provider: Listed, chunks: tuple[Json, ...]) -> None:
        self._provider = provider
        self._chunks = iter(chunks)

    def __aiter__(self) -> AsyncIterator[Json]:
        return self

    async def __anext__(self) -> Json:
        found = next(self._chunks, None)
        if found is None:
            raise StopAsyncIteration
        return found

    async def aclose(self) -> None:
        self._provider.closed += 1


def test_claude_restores_names_in_streams_and_counts_on_request(lab) -> None:
    async def main() -> None:
        async with lab.serving(lab.anthropic(*EVENTS)) as server:
            provider = claude(server.url)
            chunks = await lab.collect(await provider.generate_stream({**PARAMS, "tools": [DOTTED_TOOL]}))
            assert server.requests[0].body["tools"][0]["name"] == "my_tool"
            calls = [call for item in chunks for call in item["choices"][0]["delta"].get("tool_calls", ())]
            assert calls[0]["function"]["name"] == "my.tool"
            assert not [item for item in chunks if "usage" in item]
            await provider.close()

    asyncio.run(main())


def test_claudes_answers_follow_the_profile(lab) -> None:
    signed = {"type": "thinking", "thinking": "hm", "signature": "S"}
    answer = {**MESSAGE, "content": [signed, {"type": "text", "text": "x"}], "stop_reason": "end_turn"}

    async def main(signatures: str) -> Json:
        async with lab.serving(lab.json(answer)) as server:
            config = ProviderConfig(api_key=KEY, base_url=server.url)
            provider = ClaudeProvider(config, replace(NATIVE, signatures=signatures))
            converted = await provider.generate(PARAMS)
            await provider.close()
            return converted["choices"][0]["message"]

    assert "reasoning_details" in asyncio.run(main("carry"))
    assert "reasoning_details" not in asyncio.run(main("drop"))


def test_claudes_broken_answer_repeats_no_key_and_speaks_the_callers_dialect(lab) -> None:
    cut = {**MESSAGE, "content": [{"type": "text", "text": f"the key is {KEY}"}]}

    async def main() -> None:
        async with lab.serving(lab.json(cut), lab.json({"tokens": 1})) as server:
            provider = claude(server.url)
            with pytest.raises(ProviderError) as broken:
                await provider.generate(PARAMS)
            assert KEY not in f"{broken.value!r} {broken.value.body} {broken.value.native}"
            with pytest.raises(ProviderError) as uncounted:
                await provider.count_tokens(PARAMS["messages"], "claude-x")
            assert uncounted.value.dialect == "openai-chat"
            await provider.close()

    asyncio.run(main())


def test_claude_closes_only_its_own_client() -> None:
    async def main() -> None:
        httpx2 = pytest.importorskip("httpx2")
        own_client = httpx2.AsyncClient()
        await claude("http://127.0.0.1:9", http_client=own_client).close()
        assert not own_client.is_closed
        await own_client.aclose()
        provider = claude("http://127.0.0.1:9")
        await provider.close()
        assert provider._http.is_closed

    asyncio.run(main())


def test_claude_shows_no_password_of_its_url() -> None:
    provider = claude("http://user:a-password@127.0.0.1:9")
    assert "a-password" not in repr(provider) and "127.0.0.1" in repr(provider)
    asyncio.run(provider.close())


@pytest.mark.row("S1.58")
def test_an_error_event_is_raised_and_its_stream_hung_up_on() -> None:
    async def main() -> None:
        provider = Listed(
            chunk("x", None), {"error": {"message": "boom", "code": "rate_limit_exceeded"}}, chunk("y", "stop")
        )
        events = await ProviderCaller(provider, "gemini").open_stream("m", BODY)
        await anext(events)
        with pytest.raises(ProviderError) as caught:
            await anext(events)
        assert (caught.value.dialect, provider.closed) == ("gemini", 1)
        await events.aclose()
        assert provider.closed == 2

    asyncio.run(main())


def test_an_invalid_answer_is_raised_with_its_status_and_body() -> None:
    native: Json = {"id": "c", "choices": []}

    async def main() -> None:
        with pytest.raises(ProviderError) as caught:
            await ProviderCaller(FakeProvider(replies=[native]), "gemini").generate("m", BODY)
        assert (caught.value.status, caught.value.dialect, caught.value.native) == (502, "gemini", native)

    asyncio.run(main())


def test_a_chat_copies_its_messages() -> None:
    async def main() -> None:
        chat, parts = Chat(FakeProvider(replies=[[chunk("ok", "stop")]]), "m"), [{"text": "a"}]
        stream = await chat.stream(parts)
        parts[0]["text"] = "b"
        _ = [event async for event in stream]
        assert [content["parts"] for content in chat.history()] == [[{"text": "a"}], [{"text": "ok"}]]

    asyncio.run(main())


def test_a_chat_stream_closed_early_disconnects_and_is_not_remembered() -> None:
    async def main() -> None:
        provider = Listed(chunk("x", "stop"), chunk("", None))
        chat = Chat(provider, "m")
        left = await chat.stream("a")
        await anext(left)
        await left.aclose()
        assert (provider.closed, chat.history()) == (1, [])

    asyncio.run(main())
