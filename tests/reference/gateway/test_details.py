"""Small things of the gateway that are easily lost: headers, counts, keys, and what is closed or cut off."""

import asyncio
import gzip
import json
import zlib

import httpx
import pytest

from bridgecheck_reference.gateway import app
from bridgecheck_reference.gateway.app import Gateway
from bridgecheck_reference.gateway.config import GatewayConfig, UpstreamUrlAndKey
from bridgecheck_reference.gateway.errors import GatewayError, status_of_event
from bridgecheck_reference.gateway.keys import client_key
from bridgecheck_reference.gateway.reply import encode_ascii_json
from bridgecheck_reference.gateway.upstream import transport_error

TURN = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
CHAT = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
WHOLE = {"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": "x"}]}, "finishReason": "STOP"}]}
HALF = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {"content": "half "}, "finish_reason": None}]}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "whole", "event"),
    [
        ("a \ud83d b", "a \ufffd b", "a \ufffd b"),
        ("a \ud83d", "a \ufffd", "a \ud83d"),
        ("\ude00 b", "\ufffd b", "\ude00 b"),
        ("\ud83d\ud83d\ude00", "\ufffd😀", "\ufffd😀"),
        ('"\ud83d" \\ud83d \ude00\n', '"\ufffd" \\ud83d \ufffd\n', '"\ufffd" \\ud83d \ufffd\n'),
        ("😀 ä", "😀 ä", "😀 ä"),
    ],
)
def test_half_a_character_is_replaced_unless_the_next_event_may_complete_it(text, whole, event):
    assert json.loads(encode_ascii_json({"t": [text]})) == {"t": [whole]}
    assert json.loads(encode_ascii_json({"t": [text]}, has_next=True)) == {"t": [event]}


async def test_half_a_character_of_an_answer_is_no_failure(lab):
    answered = lab.json(WHOLE)
    answered.writes = [write.replace(b'"x"', b'"x \\ud83d"') for write in answered.writes]
    async with lab.pair("gemini", answered) as pair:
        answer = await pair.post("/v1/chat/completions", CHAT)
    assert answer.json()["choices"][0]["message"]["content"] == "x \ufffd"


async def test_a_query_goes_through_with_its_empty_values(lab):
    async with lab.pair("gemini", lab.json({})) as pair:
        await pair.client.post("/v1beta/models/m:generateContent?a=&b=1&key=k", json=TURN)
    assert pair.upstream.requests[0].path == "/v1beta/models/m:generateContent?a=&b=1"


async def test_headers_that_a_connection_names_are_its_own(lab):
    script = lab.Answer([b"{}"], headers=[("connection", "x-hop"), ("x-hop", "1"), ("x-kept", "1")])
    async with lab.pair("openai-chat", script) as pair:
        answer = await pair.post("/v1/chat/completions", CHAT, connection="x-mine, keep-alive", x_mine="1", x_other="1")
        (request_,) = pair.upstream.requests
    assert "x-mine" not in request_.headers and request_.headers["x-other"] == "1"
    assert "x-hop" not in answer.headers and answer.headers["x-kept"] == "1"


async def test_a_packed_request_under_another_name_is_sent_plain(lab):
    async with lab.pair("openai-chat", lab.json({}), models_mapping={"m": "n"}) as pair:
        packed = gzip.compress(json.dumps(CHAT).encode())
        await pair.client.post("/v1/chat/completions", content=packed, headers={"content-encoding": "gzip"})
        (request_,) = pair.upstream.requests
    assert request_.body == {**CHAT, "model": "n"} and "content-encoding" not in request_.headers


async def test_deflate_comes_without_its_header_too(lab):
    machine = zlib.compressobj(wbits=-15)
    packed = machine.compress(json.dumps(TURN).encode()) + machine.flush()
    async with lab.pair("openai-chat", lab.json({})) as pair:
        sent = {"content": packed, "headers": {"content-encoding": "deflate"}}
        answer = await pair.client.post("/v1beta/models/m:countTokens", **sent)
    assert answer.status_code == 200


async def test_a_number_outside_json_is_not_sent_on(lab):
    async with lab.pair("gemini", lab.json(WHOLE)) as pair:
        body_text = json.dumps({**CHAT, "temperature": float("nan")})
        answer = await pair.client.post("/v1/chat/completions", content=body_text)
        assert not pair.upstream.requests
    assert answer.status_code == 400 and "NaN" in answer.json()["error"]["message"]


@pytest.mark.row("S2.84")
async def test_a_mapped_model_name_is_sent_to_an_upstream_of_another_dialect(lab):
    async with lab.pair("anthropic", lab.json({}, status=500), models_mapping={"m": "claude-x"}) as pair:
        await pair.post("/v1/chat/completions", CHAT)
        (request_,) = pair.upstream.requests
    assert request_.body["model"] == "claude-x"


async def test_a_gemini_stream_is_requested_only_in_the_path(lab):
    completion = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}]}
    async with lab.pair("openai-chat", lab.json({"id": "c", "model": "m", **completion})) as pair:
        answer = await pair.post("/v1beta/models/m:generateContent", {**TURN, "stream": True})
        assert "stream" not in pair.upstream.requests[0].body
    assert answer.json()["candidates"][0]["content"]["parts"] == [{"text": "x"}]


@pytest.mark.parametrize("query", ["alt=sse", "$alt=sse", "%24alt=sse"])
async def test_event_streams_forbid_caching_and_buffering(lab, query):
    terminator = {**HALF, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    async with lab.pair("openai-chat", lab.sse(HALF, terminator, terminator=True)) as pair:
        answer = await pair.post(f"/v1beta/models/m:streamGenerateContent?{query}", TURN)
    assert answer.headers["content-type"].startswith("text/event-stream") and answer.content.startswith(b"data: ")
    assert (answer.headers["cache-control"], answer.headers["x-accel-buffering"]) == ("no-cache", "no")


async def test_losses_of_an_answer_are_counted_in_a_header(lab):
    second = {**WHOLE["candidates"][0], "index": 1}
    async with lab.pair("gemini", lab.json(WHOLE), lab.json({"candidates": [*WHOLE["candidates"], second]})) as pair:
        request = {**CHAT, "max_tokens": 9}
        first, two = [await pair.post("/v1/messages", request, anthropic_version="2023-06-01") for _ in range(2)]
    assert int(two.headers["x-bridgecheck-losses"]) > int(first.headers["x-bridgecheck-losses"])


async def test_losses_of_an_embedding_are_counted_in_a_header(lab):
    async with lab.pair("openai-chat", lab.json({"data": [{"index": 0, "embedding": [0.5]}]})) as pair:
        body = {"content": {"parts": [{"text": "a"}]}, "taskType": "CLUSTERING"}
        answer = await pair.post("/v1beta/models/e:embedContent", body)
    assert answer.headers["x-bridgecheck-losses"] == "1"


@pytest.mark.parametrize(
    ("upstream", "path", "body"),
    [
        ("gemini", "/v1/messages/count_tokens", CHAT),
        ("anthropic", "/v1beta/models/m:countTokens", TURN),
    ],
)
async def test_an_upstream_that_names_no_number_of_tokens(lab, upstream, path, body):
    async with lab.pair(upstream, lab.json({})) as pair:
        answer = await pair.post(path, body)
    assert answer.status_code == 502 and "number of tokens" in answer.json()["error"]["message"]


async def test_an_error_document_under_a_good_status_is_no_list_of_models(lab):
    body = {"error": {"message": "slow", "code": "rate_limit_exceeded", "type": "rate_limit_error"}}
    async with lab.pair("openai-chat", lab.json(body)) as pair:
        answer = await pair.client.get("/v1beta/models")
    assert answer.status_code == 429 and answer.json()["error"]["message"] == "slow"


async def test_an_upstream_that_always_has_one_more_page(lab):
    page = {"models": [{"name": "models/a"}], "nextPageToken": "t"}
    async with lab.pair("gemini", lab.json(page)) as pair:
        answer = await pair.client.get("/v1/models", headers={"authorization": "Bearer k"})
    assert answer.status_code == 200 and len(pair.upstream.requests) == 20


@pytest.mark.proposal("err-no-secret-leak")
async def test_no_error_event_repeats_a_key(lab):
    error = {"error": {"message": "bad key own-SECRET-1", "code": 500, "type": "server_error"}}
    async with lab.pair("openai-chat", lab.sse(HALF, error), key="own-SECRET-1") as pair:
        answer = await pair.post("/v1beta/models/m:streamGenerateContent?alt=sse", TURN)
    first, last = lab.events(answer.content)
    assert "half " in json.dumps(first) and "bad key [redacted]" in last["error"]["message"]
    assert "SECRET" not in answer.text


async def test_a_retry_delay_in_milliseconds_is_sent(lab):
    script = lab.json({"error": {"message": "slow"}}, status=429, headers=[("retry-after-ms", "1500")])
    async with lab.pair("openai-chat", script) as pair:
        answer = await pair.post("/v1beta/models/m:generateContent", TURN)
    assert (answer.headers["retry-after-ms"], answer.headers["retry-after"]) == ("1500", "2")


async def test_an_unexpected_error_is_reported_without_its_text(lab, monkeypatch, caplog):
    async def fails(*_: object) -> None:
        raise RuntimeError("what the user wrote")

    monkeypatch.setitem(app._OPERATIONS, "generate", fails)
    async with lab.pair("openai-chat", lab.json({})) as pair:
        answer = await pair.post("/v1beta/models/m:generateContent", TURN)
    assert answer.status_code == 500 and "RuntimeError" in answer.json()["error"]["message"]
    assert "what the user wrote" not in answer.text + caplog.text


async def test_a_bad_event_is_reported_while_the_upstream_is_silent(lab):
    body = b"data: " + json.dumps(HALF).encode() + b"\n\ndata: {half\n\n"
    script = lab.Answer([body], content_type="text/event-stream", end="stall")
    async with lab.pair("openai-chat", script) as pair:
        answer = await pair.post("/v1beta/models/m:streamGenerateContent?alt=sse", TURN)
        assert await lab.soon(pair.upstream.hung_up)
    first, last = lab.events(answer.content)
    assert "half " in json.dumps(first) and last["error"]["code"] == 502


@pytest.mark.parametrize("line", [b"\n", b"\r\n"])
async def test_the_end_of_an_event_is_known_by_pieces_of_a_byte(lab, line):
    writes = [b'data: {"choices": []}', *(line[at : at + 1] for _ in range(2) for at in range(len(line)))]
    script = lab.Answer(writes, content_type="text/event-stream", end="stall")
    async with lab.pair("openai-chat", script, read_timeout_s=0.3) as pair:
        answer = await pair.post("/v1/chat/completions", CHAT)
    assert lab.events(answer.content)[-1]["error"]["code"] == "timeout"


async def test_a_packed_stream_that_breaks_is_cut_off(lab):
    headers = [("content-encoding", "gzip")]
    script = lab.Answer([b"packed\n\n"], content_type="text/event-stream", headers=headers, end="cut")
    async with lab.pair("openai-chat", script) as pair:
        with pytest.raises(httpx.RemoteProtocolError):
            async with pair.client.stream("POST", "/v1/chat/completions", json=CHAT) as answer:
                assert [piece async for piece in answer.aiter_raw()]


def test_the_calls_of_a_gateway_that_ended_are_closed():
    async def main() -> bool:
        gateway = Gateway(GatewayConfig((UpstreamUrlAndKey("gemini", "http://127.0.0.1:9"),)))
        async with gateway:
            (upstream,) = gateway._upstreams.values()
            assert not upstream._client.is_closed
        return upstream._client.is_closed

    assert asyncio.run(main())


@pytest.mark.parametrize(
    ("headers", "query", "key"),
    [
        ({"authorization": "bearer k"}, "", "k"),
        ({"authorization": "BEARER  k"}, "", "k"),
        ({"authorization": "k"}, "", "k"),
        ({"x-api-key": "k"}, "q", "k"),
        ({"authorization": "Bearer "}, "q", "q"),
    ],
)
def test_a_key_in_a_header_comes_first_in_any_spelling_of_its_scheme(headers, query, key):
    assert client_key(headers, query) == key


def test_an_upstream_address_is_never_shown():
    assert "10.0.0.1" not in transport_error(httpx.ConnectError("10.0.0.1:443 refused")).message


def test_an_error_event_names_its_status():
    assert status_of_event("gemini", {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}) == 429
    assert status_of_event("openai-chat", {"error": {"code": "timeout"}}) == 504
    assert status_of_event("anthropic", {"type": "error", "error": {"type": "overloaded_error"}}) == 529


def test_geminis_clients_read_the_wait_in_the_document():
    (info,) = GatewayError(429, "slow", wait=1.5).error_document("gemini")["error"]["details"]
    assert info["retryDelay"] == "1.5s"
