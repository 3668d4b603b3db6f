"""What public gateways were seen to get wrong between two dialects, and no other file of this folder asks."""

import json

import pytest

GEMINI_REQUEST = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
CHAT_REQUEST = {"model": "gemini-2.5-flash", "messages": [{"role": "user", "content": "hi"}]}
STREAM = "/v1beta/models/gpt-x:streamGenerateContent?alt=sse"


def completion(text):
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-x", "choices": [choice]}


def chunk(finish=None, **delta):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-x", "choices": [choice]}


def text_of(events):
    parts = [
        part
        for event in events
        for item in event.get("candidates", [])
        for part in item.get("content", {}).get("parts", [])
    ]
    return "".join(part.get("text", "") for part in parts)


@pytest.mark.proposal("err-200-json-instead-of-sse")
async def test_a_unary_answer_to_a_stream_request_is_converted_or_an_error(lab):
    async with lab.pair("openai-chat", lab.json(completion("whole"))) as pair:
        answer = await pair.post(STREAM, GEMINI_REQUEST)
    if answer.status_code == 200:
        events = lab.events(answer.content)
        assert text_of(events) == "whole" and events[-1]["candidates"][0]["finishReason"] == "STOP"
    else:
        assert answer.status_code == 502 and answer.json()["error"]["message"]


@pytest.mark.proposal("uni-lone-surrogate-request")
@pytest.mark.parametrize("client", ["openai-chat", "gemini"])
async def test_half_a_surrogate_pair_in_a_request_is_no_failure_of_the_gateway(lab, client):
    upstream = "gemini" if client == "openai-chat" else "openai-chat"
    reply = {"candidates": [{"index": 0, "content": {"parts": [{"text": "ok"}]}, "finishReason": "STOP"}]}
    request, path = {
        "openai-chat": (CHAT_REQUEST, "/v1/chat/completions"),
        "gemini": (GEMINI_REQUEST, "/v1beta/models/gpt-x:generateContent"),
    }[client]
    raw = json.dumps(request).replace("hi", "x\\ud800y").encode()
    async with lab.pair(upstream, lab.json(reply if upstream == "gemini" else completion("ok"))) as pair:
        answer = await pair.client.post(path, content=raw, headers={"content-type": "application/json"})
        request_ = pair.upstream.requests
    assert answer.status_code in (200, 400)
    if answer.status_code == 200:
        text = json.dumps(request_[0].body)
        assert "x\\ud800y" in text or "x\\ufffdy" in text
    else:
        assert request_ == [] and answer.json()["error"]["message"]


@pytest.mark.proposal("uni-emoji-split-deltas")
async def test_a_character_split_between_two_deltas_is_whole_for_a_client_that_joins_them(lab):
    script = lab.sse(chunk(content="a"), chunk(content="b"), chunk("stop"), terminator=True)
    script.writes = [
        script.writes[0].replace(b'"a"', b'"\\ud83d"'), script.writes[1].replace(b'"b"', b'"\\ude00"'), *script.writes[2:]
    ]  # fmt: skip
    async with lab.pair("openai-chat", script) as pair:
        answer = await pair.post(STREAM, GEMINI_REQUEST)
    joined = text_of(lab.events(answer.content))
    assert joined.encode("utf-16", "surrogatepass").decode("utf-16") == "😀"


@pytest.mark.proposal("payload-duplicate-request-kwarg")
async def test_a_stream_requested_in_the_path_and_in_the_body(lab):
    script = lab.sse(chunk(content="a"), chunk("stop"), terminator=True)
    async with lab.pair("openai-chat", script) as pair:
        answer = await pair.post(STREAM, GEMINI_REQUEST | {"stream": True})
    assert answer.status_code == 200
    assert text_of(lab.events(answer.content)) == "a"


@pytest.mark.proposal("ep-count-tokens")
async def test_token_counts_are_numbers_or_an_error(lab):
    request = {"contents": [{"role": "user", "parts": [{"text": "hello world"}]}]}
    async with lab.pair("openai-chat", lab.json(completion("unused"))) as pair:
        answer = await pair.post("/v1beta/models/gpt-x:countTokens", request)
    if answer.status_code == 200:
        assert answer.json()["totalTokens"] > 0
    else:
        assert answer.status_code == 501 and answer.json()["error"]["status"] == "UNIMPLEMENTED"


@pytest.mark.proposal("ep-model-prefix")
@pytest.mark.parametrize("model", ["gemini-x", "models/gemini-x"])
async def test_a_models_prefix_of_a_chat_client_is_sent_once(lab, model):
    reply = {"candidates": [{"index": 0, "content": {"parts": [{"text": "ok"}]}, "finishReason": "STOP"}]}
    async with lab.pair("gemini", lab.json(reply)) as pair:
        answer = await pair.post("/v1/chat/completions", CHAT_REQUEST | {"model": model})
        (request_,) = pair.upstream.requests
    assert answer.status_code == 200
    assert request_.path == "/v1beta/models/gemini-x:generateContent"


@pytest.mark.proposal("ep-auth-forms")
@pytest.mark.parametrize(
    ("query", "headers"),
    [("", {"x_goog_api_key": "K"}), ("?key=K", {}), ("", {"authorization": "Bearer K"})],
    ids=["x-goog-api-key", "query", "authorization"],
)
async def test_a_gemini_client_may_send_its_key_in_three_locations(lab, query, headers):
    async with lab.pair("openai-chat", lab.json(completion("ok"))) as pair:
        answer = await pair.post(f"/v1beta/models/gpt-x:generateContent{query}", GEMINI_REQUEST, **headers)
        (request_,) = pair.upstream.requests
    assert answer.status_code == 200
    assert request_.headers["authorization"] == "Bearer K" and "key=" not in request_.path
