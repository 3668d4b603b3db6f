"""Cancelling: a token or the task itself ends a call, the upstream sees the client hang up, and nothing more comes."""

import asyncio

import pytest

from bridgecheck_reference.cancel import CancellableStream, CancelToken
from bridgecheck_reference.config import ProviderConfig
from bridgecheck_reference.errors import CallCancelled, ConversionError
from bridgecheck_reference.generator.bridge import ProviderBridge
from bridgecheck_reference.generator.decorators import LoggingContentGenerator
from bridgecheck_reference.generator.native import NativeContentGenerator
from bridgecheck_reference.providers.fake import FakeProvider
from bridgecheck_reference.providers.protocol import create_provider

PARAMS = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
REQUEST = {"model": "m", "contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
EVENTS = {
    "gemini": [{"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]} for text in "ab"],
    "openai": [
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}],
        }
        for text in "ab"
    ],
    "claude": [
        {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "m"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "b"}},
    ],
}


class Caller:
    """One way of calling: a provider, or a generator over one, with the token where it belongs."""

    def __init__(self, kind: str, upstream: str, url: str) -> None:
        self.upstream = upstream
        config = ProviderConfig(api_key="k", base_url=f"{url}/v1" if upstream == "openai" else url)
        self.provider = create_provider(upstream, config)
        self.target = self.provider
        if kind != "provider":
            inner = NativeContentGenerator(config) if kind == "native" else ProviderBridge(self.provider)
            self.target = LoggingContentGenerator(inner)
        self.is_provider = kind == "provider"

    async def unary(self, token: CancelToken | None) -> object:
        if self.is_provider:
            return await self.target.generate({**PARAMS, "abort_signal": token} if token else PARAMS)
        return await self.target.generate_content({**REQUEST, "config": {"abortSignal": token}}, "p")

    async def stream(self, token: CancelToken | None):
        if self.is_provider:
            return await self.target.generate_stream({**PARAMS, "abort_signal": token} if token else PARAMS)
        return await self.target.generate_content_stream({**REQUEST, "config": {"abort_signal": token}}, "p")

    async def close(self) -> None:
        await self.target.close()
        await self.provider.close()


CALL_KINDS = [
    ("provider", "gemini"),
    ("provider", "openai"),
    ("provider", "claude"),
    ("bridge", "gemini"),
    ("bridge", "openai"),
    ("bridge", "claude"),
    ("native", "gemini"),
]
every_call_kind = pytest.mark.parametrize(
    ("kind", "upstream"), CALL_KINDS, ids=["-".join(call_kind) for call_kind in CALL_KINDS]
)
how = pytest.mark.parametrize("how", ["token", "task"])


def dripping(lab, upstream: str):
    """A stream that stops before its last event, for good."""
    make = {"gemini": lab.gemini, "openai": lab.openai, "claude": lab.anthropic}[upstream]
    events = EVENTS[upstream]
    return make(*events, gates={len(events) - 1: asyncio.Event()})


async def first_text(stream) -> str:
    """Read until an event holds text."""
    while True:
        event = await anext(stream)
        texts = [part["text"] for item in event.get("candidates", ()) for part in item["content"]["parts"]]
        texts += [choice["delta"].get("content") or "" for choice in event.get("choices", ())]
        if any(texts):
            return "".join(texts)


async def end_task(task: "asyncio.Task[object]", token: CancelToken | None) -> None:
    """Cancels a waiting call, by its token or as a task."""
    await asyncio.sleep(0.02)
    if token is None:
        task.cancel()
    else:
        token.cancel("enough")
    with pytest.raises(asyncio.CancelledError if token is None else CallCancelled):
        await asyncio.wait_for(task, 5)
    assert task.cancelled() == (token is None)


@pytest.mark.row("S1.15", "S1.24")
@how
@every_call_kind
def test_a_waiting_stream_ends_and_hangs_up(lab, kind: str, upstream: str, how: str) -> None:
    async def main() -> None:
        token = CancelToken() if how == "token" else None
        async with lab.serving(dripping(lab, upstream)) as server:
            caller = Caller(kind, upstream, server.url)
            stream = await caller.stream(token)
            assert await first_text(stream) == "a"
            assert not server.hung_up.is_set()
            await end_task(asyncio.create_task(anext(stream)), token)
            await asyncio.wait_for(server.hung_up.wait(), 5)
            if token:
                with pytest.raises(CallCancelled, match="enough"):
                    await anext(stream)
            await caller.close()

    asyncio.run(main())


@pytest.mark.row("S1.15")
@every_call_kind
def test_a_stream_nobody_waits_for_is_hung_up_on_at_once(lab, kind: str, upstream: str) -> None:
    async def main() -> None:
        token = CancelToken()
        async with lab.serving(dripping(lab, upstream)) as server:
            caller = Caller(kind, upstream, server.url)
            stream = await caller.stream(token)
            assert await first_text(stream) == "a"
            token.cancel()
            await asyncio.wait_for(server.hung_up.wait(), 5)
            with pytest.raises(CallCancelled, match="cancelled by the caller"):
                await anext(stream)
            await stream.aclose()
            await caller.close()

    asyncio.run(main())


@pytest.mark.row("S1.15")
@pytest.mark.parametrize("mode", ["unary", "stream"])
@how
@every_call_kind
def test_a_call_that_waits_for_its_answer_is_ended(lab, kind: str, upstream: str, how: str, mode: str) -> None:
    async def main() -> None:
        token = CancelToken() if how == "token" else None
        silent = asyncio.Event()
        answer = lab.json({}, gates={0: silent}) if mode == "unary" else lab.Answer([b"x"], before=silent)
        async with lab.serving(answer) as server:
            caller = Caller(kind, upstream, server.url)
            task = asyncio.create_task(getattr(caller, mode)(token))
            await asyncio.wait_for(server.request_arrived.wait(), 5)
            await end_task(task, token)
            await asyncio.wait_for(server.hung_up.wait(), 5)
            await caller.close()

    asyncio.run(main())


@pytest.mark.row("S1.15")
@every_call_kind
def test_a_token_cancelled_before_the_call_sends_no_request(lab, kind: str, upstream: str) -> None:
    async def main() -> None:
        token = CancelToken()
        token.cancel("never mind")
        token.cancel("twice")
        async with lab.serving(lab.json({})) as server:
            caller = Caller(kind, upstream, server.url)
            for call in (caller.unary, caller.stream):
                with pytest.raises(CallCancelled, match="never mind"):
                    await call(token)
            assert server.requests == []
            await caller.close()

    asyncio.run(main())


def test_the_token_is_no_part_of_the_document() -> None:
    provider = FakeProvider(replies=[{"id": "1"}])
    asyncio.run(provider.generate({**PARAMS, "abort_signal": CancelToken()}))
    assert provider.calls == [("generate", PARAMS)]


@pytest.mark.parametrize("wrong", [True, "stop", {}])
def test_an_invalid_token_is_refused_by_name(wrong: object) -> None:
    with pytest.raises(ConversionError, match="abort_signal: expected a CancelToken"):
        asyncio.run(FakeProvider().generate({**PARAMS, "abort_signal": wrong}))
    with pytest.raises(ConversionError, match=r"config\.abortSignal: expected a CancelToken"):
        asyncio.run(ProviderBridge(FakeProvider()).generate_content({**REQUEST, "config": {"abortSignal": wrong}}, "p"))


def test_one_token_ends_all_its_calls_and_forgets_finished_ones() -> None:
    async def main() -> None:
        token = CancelToken()

        async def waits() -> None:
            await asyncio.Event().wait()

        assert await token.run(lambda: asyncio.sleep(0, "done")) == "done"
        tasks = [asyncio.create_task(token.run(waits)) for _ in range(3)]
        await asyncio.sleep(0)
        assert len(token._watchers) == 3
        token.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(result) for result in results] == [CallCancelled] * 3
        assert token._watchers == {}

    asyncio.run(main())


def test_a_task_cancelled_from_elsewhere_stays_cancelled() -> None:
    async def main() -> None:
        token = CancelToken()

        async def waits() -> None:
            await token.run(asyncio.Event().wait)

        task = asyncio.create_task(waits())
        await asyncio.sleep(0)
        task.cancel()
        token.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_a_call_that_cancels_its_own_token_and_is_done_keeps_its_result() -> None:
    async def main() -> None:
        token = CancelToken()

        async def terminator() -> str:
            token.cancel()
            return "done"

        assert await token.run(terminator) == "done"
        await asyncio.sleep(0)
        task = asyncio.current_task()
        assert task is not None and task.cancelling() == 0

    asyncio.run(main())


def test_a_stream_that_was_read_to_its_end_is_not_closed_by_its_token() -> None:
    async def main() -> None:
        token = CancelToken()
        closed: list[bool] = []

        class Events:
            left = 1

            def __aiter__(self):
                return self

            async def __anext__(self) -> dict[str, object]:
                if not self.left:
                    raise StopAsyncIteration
                self.left -= 1
                return {}

            async def aclose(self) -> None:
                closed.append(True)

        assert [event async for event in CancellableStream(Events(), token)] == [{}]
        token.cancel()
        await asyncio.sleep(0)
        assert closed == []

    asyncio.run(main())
