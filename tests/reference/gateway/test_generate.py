"""Generations through the gateway, converted, unary and streamed: the request that the upstream gets, and the response that the client gets."""

import asyncio

import pytest

GEMINI_REQUEST = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
OPENAI_REQUEST = {"model": "gemini-2.5-flash", "messages": [{"role": "user", "content": "hi"}]}


def chunk(**delta):
    finish = delta.pop("finish", None)
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-x", "choices": [choice]}


def event(text, finish=None):
    candidate = {"index": 0, "content": {"role": "model", "parts": [{"text": text}]}}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})], "responseId": "r1"}


COMPLETION = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-x",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"q":"1"}'}}],
            },
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}


def text_of(events):
    return "".join(
        part.get("text", "")
        for item in events
        for candidate in item.get("candidates", [])
        for part in candidate.get("content", {}).get("parts", [])
    )


@pytest.mark.row("S2.2", "S2.4", "S1.36")
@pytest.mark.proposal("ep-tools-both-ways")
@pytest.mark.parametrize("version", ["v1", "v1beta", "v1alpha"])
async def test_gemini_client_over_openai(lab, version):
    request = GEMINI_REQUEST | {
        "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", "properties": {}}}]}]
    }
    async with lab.pair("openai-chat", lab.json(COMPLETION)) as pair:
        answer = await pair.post(f"/{version}/models/gpt-x:generateContent", request, x_goog_api_key="client-key")
        (request_,) = pair.upstream.requests
    assert (request_.method, request_.path) == ("POST", "/v1/chat/completions")
    assert request_.headers["authorization"] == "Bearer client-key"
    assert "x-goog-api-key" not in request_.headers
    assert request_.body["model"] == "gpt-x" and request_.body["tools"][0]["function"]["name"] == "f"
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("application/json")
    (part,) = answer.json()["candidates"][0]["content"]["parts"]
    assert part["functionCall"] == {"id": "a", "name": "f", "args": {"q": "1"}}
    assert answer.headers["x-bridgecheck-losses"].isdecimal()


@pytest.mark.row("S2.5", "S2.70")
@pytest.mark.proposal(
    "ep-gemini-endpoint-nongemini-model",
    "sse-comment-not-forwarded-to-gemini",
    "sse-data-with-space-out",
    "sse-content-type-headers",
    "ep-colon-encoded",
)
@pytest.mark.parametrize("colon", [":", "%3A"])
async def test_gemini_client_streams_over_openai(lab, colon):
    script = lab.sse(
        chunk(role="assistant", content=""),
        chunk(content="a\u2028b"),
        chunk(content="c"),
        chunk(finish="stop"),
        terminator=True,
    )
    script.writes = [b": ping\n\nevent: message\n" + script.writes[0], *script.writes[1:]]
    async with lab.pair("openai-chat", script) as pair:
        answer = await pair.post(f"/v1beta/models/gpt-x{colon}streamGenerateContent?alt=sse", GEMINI_REQUEST)
        (request_,) = pair.upstream.requests
    assert request_.body["stream"] is True and request_.body["stream_options"] == {"include_usage": True}
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "content-length" not in answer.headers and "content-encoding" not in answer.headers
    lines = answer.content.split(b"\r\n")
    assert all(line.startswith(b"data: {") for line in lines[::2][:-1]) and answer.content.endswith(b"}\r\n\r\n")
    assert set(lines[1::2]) == {b""}
    assert b"DONE" not in answer.content and b"\\u2028" in answer.content and answer.content.isascii()
    events = lab.events(answer.content)
    assert text_of(events) == "a\u2028bc"
    assert events[-1]["candidates"][0]["finishReason"] == "STOP"


@pytest.mark.row("S2.5")
@pytest.mark.proposal("sse-json-array-client")
async def test_without_alt_a_stream_is_a_json_array(lab):
    script = lab.sse(chunk(content="a"), chunk(content="b"), chunk(finish="stop"), terminator=True)
    async with lab.pair("openai-chat", script) as pair:
        answer = await pair.post("/v1beta/models/gpt-x:streamGenerateContent", GEMINI_REQUEST)
    assert answer.headers["content-type"].startswith("application/json")
    assert len(answer.json()) == 3 and text_of(answer.json()) == "ab"


async def test_openai_client_over_gemini(lab):
    async with lab.pair("gemini", lab.json(event("hello", "STOP"))) as pair:
        answer = await pair.post("/v1/chat/completions", OPENAI_REQUEST, authorization="Bearer client-key")
        (request_,) = pair.upstream.requests
    assert request_.path == "/v1beta/models/gemini-2.5-flash:generateContent"
    assert request_.headers["x-goog-api-key"] == "client-key" and "authorization" not in request_.headers
    assert answer.json()["choices"][0]["message"]["content"] == "hello"


@pytest.mark.proposal("sse-keepalive-blank-after-id")
async def test_openai_client_streams_over_gemini(lab):
    script = lab.sse(event("he"), event("llo", "STOP"))
    async with lab.pair("gemini", script) as pair:
        answer = await pair.post("/v1/chat/completions", OPENAI_REQUEST | {"stream": True})
        (request_,) = pair.upstream.requests
    assert request_.path == "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    *events, terminator = lab.events(answer.content)
    assert terminator == "[DONE]" and answer.content.endswith(b"\n\ndata: [DONE]\n\n")
    assert b"id:" not in answer.content.replace(b'"id":', b"") and b"\n:" not in answer.content
    assert "".join(item["choices"][0]["delta"].get("content") or "" for item in events) == "hello"
    assert events[-1]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize("framing", ["?alt=sse", ""])
async def test_the_first_event_leaves_before_the_second_arrives(lab, framing):
    gate = asyncio.Event()
    script = lab.sse(
        chunk(content="first"), chunk(content="second"), chunk(finish="stop"), terminator=True, gates={1: gate}
    )
    async with lab.pair("openai-chat", script) as pair:
        path = f"/v1beta/models/gpt-x:streamGenerateContent{framing}"
        async with pair.client.stream("POST", path, json=GEMINI_REQUEST) as answer:
            pieces = answer.aiter_raw()
            assert b"first" in await anext(pieces)
            gate.set()
            assert b"second" in b"".join([piece async for piece in pieces])


async def test_openai_client_gets_the_first_event_too(lab):
    gate = asyncio.Event()
    request = OPENAI_REQUEST | {"stream": True}
    async with (
        lab.pair("gemini", lab.sse(event("first"), event("second", "STOP"), gates={1: gate})) as pair,
        pair.client.stream("POST", "/v1/chat/completions", json=request) as answer,
    ):
        pieces = answer.aiter_raw()
        assert b"first" in await anext(pieces)
        gate.set()
        assert b"second" in b"".join([piece async for piece in pieces])


@pytest.mark.parametrize("sent", [0, 1], ids=["before the first event", "in the middle"])
async def test_a_client_that_hangs_up_cancels_the_upstream_call(lab, sent):
    script = lab.sse(*[chunk(content="first")] * sent, end="stall")
    async with lab.pair("openai-chat", script) as pair:
        path = "/v1beta/models/gpt-x:streamGenerateContent?alt=sse"

        async def read():
            async with pair.client.stream("POST", path, json=GEMINI_REQUEST) as answer:
                async for _ in answer.aiter_raw():
                    arrived.set()

        arrived = asyncio.Event()
        reading = asyncio.create_task(read())
        if sent:
            assert await lab.soon(arrived)
        while not pair.upstream.requests:
            await asyncio.sleep(0.01)
        reading.cancel()
        assert await lab.soon(pair.upstream.hung_up)


async def test_a_client_that_hangs_up_on_a_unary_call_cancels_it(lab):
    async with lab.pair("gemini", lab.Answer(end="stall")) as pair:
        asking = asyncio.create_task(pair.post("/v1/chat/completions", OPENAI_REQUEST))
        while not pair.upstream.requests:
            await asyncio.sleep(0.01)
        asking.cancel()
        assert await lab.soon(pair.upstream.hung_up)


async def test_a_reader_that_does_not_read_is_waited_for(lab):
    """Backpressure: the gateway takes no more from the upstream than the client takes from it."""
    big = "x" * 65536
    script = lab.sse(*[chunk(content=big)] * 1000, chunk(finish="stop"), terminator=True)
    sent = 0

    async with lab.upstream(script) as scripted:
        writes = list(script.writes)

        class Counting(list):
            def __iter__(self):
                nonlocal sent
                for item in writes:
                    sent += 1
                    yield item

        script.writes = Counting()
        async with lab.gateway(lab.config("openai-chat", scripted)) as client:
            path = "/v1beta/models/gpt-x:streamGenerateContent?alt=sse"
            async with client.stream("POST", path, json=GEMINI_REQUEST) as answer:
                pieces = answer.aiter_raw()
                await anext(pieces)
                before = -1
                while sent != before:
                    before = sent
                    await asyncio.sleep(0.3)
                assert sent < 500
                total = sum([len(piece) async for piece in pieces])
    assert total > 1000 * len(big) and sent == 1002


async def test_a_connection_is_used_again_after_a_stream(lab):
    script = lab.sse(chunk(content="a"), chunk(finish="stop"), terminator=True)
    async with lab.pair("openai-chat", script) as pair:
        for _ in range(3):
            answer = await pair.post("/v1beta/models/gpt-x:streamGenerateContent?alt=sse", GEMINI_REQUEST)
            assert answer.status_code == 200
        assert pair.upstream.connections == 1
