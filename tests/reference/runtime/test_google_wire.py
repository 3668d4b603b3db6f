"""google-genai as a carrier: documents pass unchanged in both directions, and failures have distinct codes."""

import asyncio
import gzip
import json

import pytest

from bridgecheck_reference.config import ProviderConfig
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.generator.native import NativeContentGenerator

KEY = "AIza-a-key-that-must-not-show"
REQUEST = {
    "model": "gemini-2.5-flash",
    "contents": [{"role": "user", "parts": [{"text": "hi 北京", "someNewKey": None}]}],
    "generationConfig": {"temperature": 0, "thinkingConfig": {"thinkingBudget": 0}},
    "tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"$defs": {}, "type": ["object"]}}]}],
    "notYetInvented": {"a": [1, None, 2**63]},
}
ANSWER = {
    "candidates": [
        {
            "content": {"role": "model", "parts": [{"text": "a\u2028b", "thoughtSignature": "a+/=", "other": None}]},
            "finishReason": 1,
        }
    ],
    "modelStatus": {"stage": "NEW"},
}
WIRE = {key: value for key, value in REQUEST.items() if key != "model"}
LIMITED = {
    "error": {
        "code": 429,
        "message": f"slow down, {KEY}",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.5s"}],
    }
}


def native(url: str) -> NativeContentGenerator:
    return NativeContentGenerator(ProviderConfig(api_key=KEY, base_url=url))


def test_unary_documents_pass_unchanged(lab) -> None:
    async def main() -> None:
        async with lab.serving(lab.json(ANSWER)) as provider:
            generator = native(provider.url)
            before = json.dumps(REQUEST)
            assert await generator.generate_content(REQUEST, "p1") == ANSWER
            assert json.dumps(REQUEST) == before
            (request_,) = provider.requests
            assert request_.path.endswith("/models/gemini-2.5-flash:generateContent")
            assert request_.headers["x-goog-api-key"] == KEY
            assert request_.body == WIRE
            await generator.close()

    asyncio.run(main())


def test_stream_documents_pass_unchanged_and_as_they_arrive(lab) -> None:
    async def main() -> None:
        gate = asyncio.Event()
        async with lab.serving(lab.gemini(ANSWER, {"usageMetadata": {}}, gates={1: gate})) as provider:
            generator = native(provider.url)
            stream = await generator.generate_content_stream(REQUEST, "p1")
            assert await anext(stream) == ANSWER
            assert not provider.finished.is_set()
            gate.set()
            assert await lab.collect(stream) == [{"usageMetadata": {}}]
            (request_,) = provider.requests
            assert request_.path.endswith("/models/gemini-2.5-flash:streamGenerateContent?alt=sse")
            assert request_.body == WIRE
            await generator.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("raw", "headers"),
    [
        (gzip.compress(b'data: {"a": 1}\r\n\r\ndata: {"b": 2}\r\n\r\n'), [("content-encoding", "gzip")]),
        (b'[{"a": 1},\n{"b": 2}]', []),
        (b': ping\r\n\r\nevent: x\ndata: {"a":\ndata: 1}\n\ndata:{"b": 2}\n\ndata: [DONE]\n\n', []),
    ],
    ids=["gzip", "json-array", "sse-grammar"],
)
def test_stream_bodies_of_other_shapes(lab, raw: bytes, headers: list[tuple[str, str]]) -> None:
    async def main() -> None:
        async with lab.serving(lab.Answer([raw], content_type="text/event-stream", headers=headers)) as provider:
            generator = native(provider.url)
            stream = await generator.generate_content_stream(REQUEST, "p1")
            assert await lab.collect(stream) == [{"a": 1}, {"b": 2}]
            await generator.close()

    asyncio.run(main())


@pytest.mark.parametrize("method", ["generate_content", "generate_content_stream"])
@pytest.mark.parametrize(
    ("make", "status", "code", "wait"),
    [
        (lambda lab: lab.json(LIMITED, status=429), 429, "RESOURCE_EXHAUSTED", 1.5),
        (lambda lab: lab.json([LIMITED], status=429, headers=[("retry-after", "7")]), 429, "RESOURCE_EXHAUSTED", 7.0),
        (lambda lab: lab.Answer([b"<html>no</html>"], status=502, content_type="text/html"), 502, "UNKNOWN", None),
    ],
    ids=["retry-info", "list-and-header", "html"],
)
def test_a_refusal_is_raised_by_the_call_itself(lab, method, make, status, code, wait) -> None:
    async def main() -> None:
        async with lab.serving(make(lab)) as provider:
            generator = native(provider.url)
            with pytest.raises(ProviderError) as caught:
                await getattr(generator, method)(REQUEST, "p1")
            error = caught.value
            assert (error.status, error.code, error.retry_after, error.dialect) == (status, code, wait, "gemini")
            assert error.body["error"]["code"] == status
            assert KEY not in f"{error!r} {error} {error.body} {error.native}"
            assert len(provider.requests) == 1, "the SDK must not retry"
            await generator.close()

    asyncio.run(main())


def test_an_error_event_in_the_middle(lab) -> None:
    async def main() -> None:
        event = {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}
        async with lab.serving(lab.gemini(ANSWER, event)) as provider:
            generator = native(provider.url)
            stream = await generator.generate_content_stream(REQUEST, "p1")
            assert await anext(stream) == ANSWER
            with pytest.raises(ProviderError) as caught:
                await anext(stream)
            assert caught.value.status == 503
            assert caught.value.body == event
            await generator.close()

    asyncio.run(main())


@pytest.mark.parametrize("end", ["cut", "reset"])
def test_a_broken_connection_is_no_clean_end(lab, end: str) -> None:
    async def main() -> None:
        async with lab.serving(lab.gemini(ANSWER, end=end)) as provider:
            generator = native(provider.url)
            stream = await generator.generate_content_stream(REQUEST, "p1")
            assert await anext(stream) == ANSWER
            with pytest.raises(ProviderError) as caught:
                await anext(stream)
            assert (caught.value.status, caught.value.code) == (502, "stream_truncated")
            await generator.close()

    asyncio.run(main())


def test_a_timeout_differs_from_other_failures(lab) -> None:
    async def main() -> None:
        silent = lab.json(ANSWER, gates={0: asyncio.Event()})
        async with lab.serving(silent) as provider:
            config = ProviderConfig(api_key=KEY, base_url=provider.url, timeout_s=0.2)
            generator = NativeContentGenerator(config)
            with pytest.raises(ProviderError) as caught:
                await generator.generate_content(REQUEST, "p1")
            assert (caught.value.status, caught.value.code) == (504, "timeout")
            await generator.close()

    asyncio.run(main())


def test_no_connection_at_all() -> None:
    async def main() -> None:
        generator = native("http://127.0.0.1:9")
        with pytest.raises(ProviderError) as caught:
            await generator.generate_content_stream(REQUEST, "p1")
        assert (caught.value.status, caught.value.code) == (503, "connection_error")
        await generator.close()

    asyncio.run(main())


@pytest.mark.parametrize("how", ["aclose", "cancel"])
def test_leaving_a_stream_closes_the_connection(lab, how: str) -> None:
    async def main() -> None:
        async with lab.serving(lab.gemini(ANSWER, ANSWER, gates={1: asyncio.Event()})) as provider:
            generator = native(provider.url)
            stream = await generator.generate_content_stream(REQUEST, "p1")
            assert await anext(stream) == ANSWER
            assert not provider.hung_up.is_set()
            if how == "aclose":
                await stream.aclose()
            else:
                task = asyncio.create_task(anext(stream))
                await asyncio.sleep(0.02)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            await asyncio.wait_for(provider.hung_up.wait(), 5)
            await generator.close()

    asyncio.run(main())


def test_two_streams_at_once_do_not_mix(lab) -> None:
    async def main() -> None:
        answers = [lab.gemini({"n": n}, {"n": n}) for n in range(2)]
        async with lab.serving(*answers) as provider:
            generator = native(provider.url)
            first, second = await asyncio.gather(
                *(generator.generate_content_stream(REQUEST, f"p{n}") for n in range(2))
            )
            received = sorted(await asyncio.gather(lab.collect(first), lab.collect(second)), key=str)
            assert received == [[{"n": 0}] * 2, [{"n": 1}] * 2]
            await generator.close()

    asyncio.run(main())


def test_counting_and_embedding(lab) -> None:
    async def main() -> None:
        vectors = {"embeddings": [{"values": [0.5, 1]}, {"values": [2]}]}
        async with lab.serving(lab.json({"totalTokens": 31}), lab.json(vectors)) as provider:
            generator = native(provider.url)
            assert await generator.count_tokens(REQUEST) == {"totalTokens": 31}
            assert provider.requests[0].body == {"contents": REQUEST["contents"]}
            embedded = await generator.embed_content({"model": "e", "contents": ["x", {"parts": [{"text": "y"}]}]})
            assert embedded == {"embeddings": [{"values": [0.5, 1.0]}, {"values": [2.0]}]}
            assert json.dumps(provider.requests[1].body).count('"text"') == 2
            await generator.close()
            await generator.close()

    asyncio.run(main())
