"""OpenAIProvider on the real SDK: documents unchanged, refusals raised on opening, every unfinished stream an error."""

import asyncio

import pytest

from bridgecheck_reference.config import ProviderConfig
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.providers.openai import OpenAIProvider

KEY = "sk-a-key-that-must-not-show"
PARAMS = {"model": "gpt-x", "messages": [{"role": "user", "content": "hi 北京"}], "not_yet_invented": {"a": None}}
ANSWER = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-x",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "ok", "new": None}, "finish_reason": "odd"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 2**60},
    "x_extra": None,
}


def chunk(delta: dict[str, object], finish: str | None = None, **more: object) -> dict[str, object]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-x", "choices": [choice], **more}


USAGE = {**chunk({}), "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}
CHUNKS = [chunk({"role": "assistant", "content": ""}), chunk({"content": "a\u2028b"}), chunk({}, "odd"), USAGE]


def openai(url: str) -> OpenAIProvider:
    return OpenAIProvider(ProviderConfig(api_key=KEY, base_url=f"{url}/v1"))


def test_unary_documents_pass_unchanged(lab) -> None:
    async def main() -> None:
        async with lab.serving(lab.json(ANSWER)) as server:
            provider = openai(server.url)
            assert await provider.generate(PARAMS) == ANSWER
            (request_,) = server.requests
            assert request_.path == "/v1/chat/completions"
            assert request_.headers["authorization"] == f"Bearer {KEY}"
            assert request_.body == PARAMS
            await provider.close()

    asyncio.run(main())


def test_stream_chunks_pass_unchanged_and_as_they_arrive(lab) -> None:
    async def main() -> None:
        gate = asyncio.Event()
        async with lab.serving(lab.openai(*CHUNKS, gates={1: gate})) as server:
            provider = openai(server.url)
            stream = await provider.generate_stream({**PARAMS, "stream_options": {"include_usage": True}})
            assert await anext(stream) == CHUNKS[0]
            assert not server.finished.is_set()
            gate.set()
            assert await lab.collect(stream) == CHUNKS[1:]
            body = {**PARAMS, "stream_options": {"include_usage": True}, "stream": True}
            assert server.requests[0].body == body
            await provider.close()

    asyncio.run(main())


REFUSED = {
    "error": {"message": f"bad key {KEY}", "type": "rate_limit_error", "param": None, "code": "rate_limit_exceeded"}
}


@pytest.mark.parametrize("method", ["generate", "generate_stream"])
@pytest.mark.parametrize(
    ("make", "status", "code", "wait"),
    [
        (lambda lab: lab.json(REFUSED, status=429, headers=[("retry-after", "3")]), 429, "rate_limit_exceeded", 3.0),
        (
            lambda lab: lab.json(REFUSED, status=500, headers=[("retry-after-ms", "250")]),
            500,
            "rate_limit_exceeded",
            0.25,
        ),
        (lambda lab: lab.Answer([b"<html>"], status=503, content_type="text/html"), 503, "server_error", None),
    ],
    ids=["429", "500-ms", "html"],
)
def test_a_refusal_is_raised_by_the_call_itself(lab, method, make, status, code, wait) -> None:
    async def main() -> None:
        async with lab.serving(make(lab)) as server:
            provider = openai(server.url)
            with pytest.raises(ProviderError) as caught:
                await getattr(provider, method)(PARAMS)
            error = caught.value
            assert (error.status, error.code, error.retry_after, error.dialect) == (status, code, wait, "openai-chat")
            assert error.body["error"]["message"]
            assert KEY not in f"{error!r} {error} {error.body} {error.native}"
            assert len(server.requests) == 1, "the SDK must not retry"
            await provider.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda lab: lab.openai(CHUNKS[1], {"error": {"message": "boom", "code": "overloaded"}}), "overloaded"),
        (lambda lab: lab.openai(CHUNKS[1]), "stream_truncated"),
        (lambda lab: lab.openai(CHUNKS[1], terminator=False), "stream_truncated"),
        (lambda lab: lab.openai(CHUNKS[1], terminator=False, end="cut"), "stream_truncated"),
        (lambda lab: lab.openai(CHUNKS[1], terminator=False, end="reset"), "stream_truncated"),
    ],
    ids=["error-event", "done-without-finish", "eof-without-finish", "cut", "reset"],
)
def test_no_stream_ends_cleanly_unfinished(lab, make, code) -> None:
    async def main() -> None:
        async with lab.serving(make(lab)) as server:
            provider = openai(server.url)
            stream = await provider.generate_stream(PARAMS)
            assert await anext(stream) == CHUNKS[1]
            with pytest.raises(ProviderError) as caught:
                await anext(stream)
            assert caught.value.code == code
            assert caught.value.body["error"]["message"]
            await provider.close()

    asyncio.run(main())


def test_a_timeout_differs_from_other_failures(lab) -> None:
    async def main() -> None:
        async with lab.serving(lab.openai(*CHUNKS, gates={1: asyncio.Event()})) as server:
            provider = OpenAIProvider(ProviderConfig(api_key=KEY, base_url=server.url, timeout_s=0.2))
            stream = await provider.generate_stream(PARAMS)
            assert await anext(stream) == CHUNKS[0]
            with pytest.raises(ProviderError) as caught:
                await anext(stream)
            assert (caught.value.status, caught.value.code) == (504, "timeout")
            await provider.close()

    asyncio.run(main())


@pytest.mark.parametrize("raw", [b"{nonsense", b'"text"'])
def test_an_event_that_is_no_document(lab, raw: bytes) -> None:
    async def main() -> None:
        answer = lab.Answer([b"data: " + raw + b"\n\n"], content_type="text/event-stream")
        async with lab.serving(answer) as server:
            provider = openai(server.url)
            stream = await provider.generate_stream(PARAMS)
            with pytest.raises(ProviderError) as caught:
                await anext(stream)
            assert caught.value.code == "invalid_response"
            await provider.close()

    asyncio.run(main())


@pytest.mark.parametrize("how", ["aclose", "cancel"])
def test_leaving_a_stream_closes_the_connection(lab, how: str) -> None:
    async def main() -> None:
        async with lab.serving(lab.openai(*CHUNKS, gates={1: asyncio.Event()})) as server:
            provider = openai(server.url)
            stream = await provider.generate_stream(PARAMS)
            assert await anext(stream) == CHUNKS[0]
            if how == "aclose":
                await stream.aclose()
            else:
                task = asyncio.create_task(anext(stream))
                await asyncio.sleep(0.02)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            await asyncio.wait_for(server.hung_up.wait(), 5)
            await provider.close()

    asyncio.run(main())


def test_embedding_and_unsupported_operations(lab) -> None:
    async def main() -> None:
        answer = {"data": [{"embedding": [1.5, 2], "index": 0}], "model": "e", "object": "list"}
        async with lab.serving(lab.json(answer)) as server:
            provider = openai(server.url)
            assert await provider.embed_content(["x"], "e") == [[1.5, 2]]
            assert server.requests[0].body["encoding_format"] == "float"
            assert (provider.supports("embed_content"), provider.supports("count_tokens")) == (True, False)
            with pytest.raises(NotImplementedError, match="count_tokens is not supported by openai"):
                await provider.count_tokens([], "m")
            await provider.close()
            await provider.close()

    asyncio.run(main())


def test_the_key_shows_nowhere() -> None:
    provider = openai("http://127.0.0.1:9")
    assert KEY not in repr(provider)
    assert KEY not in repr(ProviderConfig(api_key=KEY))
    with pytest.raises(AttributeError):
        provider.name = "other"
    asyncio.run(provider.close())
