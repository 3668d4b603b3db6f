"""All nine pairs of client and upstream dialect, unary and streamed: one turn with text, a call and its usage."""

import json
from itertools import product

import pytest

TOOLS = {"type": "object", "properties": {"q": {"type": "string"}}}
REQUESTS = {
    "gemini": {
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": TOOLS}]}],
    },
    "openai-chat": {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": TOOLS}}],
    },
    "anthropic": {
        "model": "m",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [{"name": "f", "input_schema": TOOLS}],
    },
}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"q": "1"}'}}
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
HEAD = {"id": "c1", "created": 1, "model": "m"}
BLOCK = {"type": "tool_use", "id": "call_1", "name": "f", "input": {}}

WHOLE = {
    "gemini": {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [{"text": "so"}, {"functionCall": {"id": "call_1", "name": "f", "args": {"q": "1"}}}],
                },
                "finishReason": "STOP",
            }
        ],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5},
    },
    "openai-chat": HEAD
    | {
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "so", "tool_calls": [CALL]},
                "finish_reason": "tool_calls",
            }
        ],
        "usage": USAGE,
    },
    "anthropic": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "so"}, BLOCK | {"input": {"q": "1"}}],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 2},
    },
}


def chunk(**delta):
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return HEAD | {"object": "chat.completion.chunk", "choices": [choice]}


EVENTS = {
    "gemini": [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "so"}]}}]},
        WHOLE["gemini"]
        | {
            "candidates": [
                {"content": {"parts": WHOLE["gemini"]["candidates"][0]["content"]["parts"][1:]}, "finishReason": "STOP"}
            ]
        },
    ],
    "openai-chat": [
        chunk(role="assistant", content="so"),
        chunk(tool_calls=[CALL | {"index": 0}]),
        HEAD | {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        HEAD | {"choices": [], "usage": USAGE},
    ],
    "anthropic": [
        {
            "type": "message_start",
            "message": WHOLE["anthropic"]
            | {"content": [], "stop_reason": None, "usage": {"input_tokens": 3, "output_tokens": 1}},
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "so"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": BLOCK},
        {
            "type": "content_block_delta",
            "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": '{"q": "1"}'},
        },
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 2},
        },
        {"type": "message_stop"},
    ],
}
PATHS = {
    ("gemini", False): "/v1beta/models/m:generateContent",
    ("gemini", True): "/v1beta/models/m:streamGenerateContent?alt=sse",
    ("openai-chat", False): "/v1/chat/completions",
    ("openai-chat", True): "/v1/chat/completions",
    ("anthropic", False): "/v1/messages",
    ("anthropic", True): "/v1/messages",
}


def request_of(client, stream):
    request = REQUESTS[client]
    if not stream or client == "gemini":
        return request
    return request | {"stream": True} | ({"stream_options": {"include_usage": True}} if client == "openai-chat" else {})


def read_answer(client, documents):
    """(text, calls, prompt tokens, completion tokens) as that client reads them, from one document or a stream."""
    if client == "gemini":
        parts = [
            part
            for item in documents
            for candidate in item.get("candidates", [])
            for part in candidate.get("content", {}).get("parts", [])
        ]
        usage = next(item["usageMetadata"] for item in reversed(documents) if "usageMetadata" in item)
        calls = [
            (part["functionCall"]["name"], part["functionCall"]["args"]) for part in parts if "functionCall" in part
        ]
        return (
            "".join(part.get("text", "") for part in parts),
            calls,
            usage["promptTokenCount"],
            usage["candidatesTokenCount"],
        )
    if client == "openai-chat":
        choices = [choice for item in documents for choice in item["choices"]]
        pieces = [choice.get("message") or choice.get("delta") for choice in choices]
        usage = next(item["usage"] for item in reversed(documents) if item.get("usage"))
        named = [
            call["function"]["name"]
            for piece in pieces
            for call in piece.get("tool_calls", [])
            if call["function"].get("name")
        ]
        text_value = "".join(
            call["function"].get("arguments", "") for piece in pieces for call in piece.get("tool_calls", [])
        )
        assert choices[-1]["finish_reason"] == "tool_calls"
        return (
            "".join(piece.get("content") or "" for piece in pieces),
            [(named[0], json.loads(text_value))],
            usage["prompt_tokens"],
            usage["completion_tokens"],
        )
    if len(documents) == 1:
        (message,) = documents
        text = "".join(block.get("text", "") for block in message["content"])
        calls = [(block["name"], block["input"]) for block in message["content"] if block["type"] == "tool_use"]
        return text, calls, message["usage"]["input_tokens"], message["usage"]["output_tokens"]
    assert [documents[0]["type"], documents[-1]["type"]] == ["message_start", "message_stop"]
    deltas = [item["delta"] for item in documents if item["type"] == "content_block_delta"]
    name = next(
        item["content_block"]["name"] for item in documents if item.get("content_block", {}).get("type") == "tool_use"
    )
    text_value = "".join(delta.get("partial_json", "") for delta in deltas)
    end = next(item for item in documents if item["type"] == "message_delta")
    usage = documents[0]["message"]["usage"] | end["usage"]
    assert end["delta"]["stop_reason"] == "tool_use"
    return (
        "".join(delta.get("text", "") for delta in deltas),
        [(name, json.loads(text_value))],
        usage["input_tokens"],
        usage["output_tokens"],
    )


@pytest.mark.row("S2.2", "S2.4", "S2.5")
@pytest.mark.parametrize("stream", [False, True], ids=["unary", "stream"])
@pytest.mark.parametrize(("client", "upstream"), list(product(REQUESTS, REQUESTS)), ids=str)
async def test_one_turn(lab, client, upstream, stream):
    events = lab.sse(*EVENTS[upstream], terminator=upstream == "openai-chat", named=upstream == "anthropic")
    async with lab.pair(upstream, events if stream else lab.json(WHOLE[upstream])) as pair:
        answer = await pair.post(PATHS[client, stream], request_of(client, stream), x_api_key="the-key")
        (request_,) = pair.upstream.requests
    assert request_.path == PATHS[upstream, stream] if upstream != "openai-chat" else "/v1/chat/completions"
    if upstream == "anthropic" and client != "anthropic":
        assert request_.headers["anthropic-version"] == "2023-06-01" and request_.headers["x-api-key"] == "the-key"
    assert answer.status_code == 200, answer.text
    documents = lab.events(answer.content) if stream else [answer.json()]
    if stream and client == "openai-chat":
        assert documents.pop() == "[DONE]"
    if stream and client == "anthropic":
        names = [line[7:].decode() for line in answer.content.split(b"\n") if line.startswith(b"event: ")]
        assert names == [item["type"] for item in documents]
    assert read_answer(client, documents) == ("so", [("f", {"q": "1"})], 3, 2)


@pytest.mark.parametrize(
    ("client", "upstream"), [pair for pair in product(REQUESTS, REQUESTS) if pair[0] != pair[1]], ids=str
)
async def test_a_whole_answer_to_a_stream_request(lab, client, upstream):
    async with lab.pair(upstream, lab.json(WHOLE[upstream])) as pair:
        answer = await pair.post(PATHS[client, True], request_of(client, True))
    documents = [item for item in lab.events(answer.content) if item != "[DONE]"]
    assert answer.status_code == 200, answer.text
    assert read_answer(client, documents) == ("so", [("f", {"q": "1"})], 3, 2)


@pytest.mark.parametrize("stream", [False, True], ids=["unary", "stream"])
@pytest.mark.parametrize(("client", "upstream"), list(product(REQUESTS, REQUESTS)), ids=str)
async def test_an_error_has_status_message_and_retry_delay(lab, client, upstream, stream):
    body = {
        "gemini": {"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED"}},
        "openai-chat": {"error": {"message": "slow down", "type": "rate_limit_error", "code": None}},
        "anthropic": {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}},
    }[upstream]
    script = lab.json(body, status=429, headers=[("retry-after", "7")])
    async with lab.pair(upstream, script) as pair:
        answer = await pair.post(PATHS[client, stream], request_of(client, stream))
    assert answer.status_code == 429 and answer.headers["retry-after"] == "7"
    error = answer.json()["error"]
    assert error["message"] == "slow down"
    if client == "gemini":
        assert error["status"] == "RESOURCE_EXHAUSTED"
        assert client == upstream or "7s" in json.dumps(error["details"])
    else:
        assert error["type"] == "rate_limit_error"
        assert client == "openai-chat" or answer.json()["type"] == "error"


@pytest.mark.parametrize(
    ("client", "upstream"), [pair for pair in product(REQUESTS, REQUESTS) if pair[0] != pair[1]], ids=str
)
async def test_a_cut_stream_ends_in_an_error(lab, client, upstream):
    """After the text, before anything says the end."""
    head = EVENTS[upstream][: 4 if upstream == "anthropic" else 1]
    async with lab.pair(upstream, lab.sse(*head, named=upstream == "anthropic", end="cut")) as pair:
        answer = await pair.post(PATHS[client, True], request_of(client, True))
    documents = lab.events(answer.content)
    assert documents[-1]["error"]["message"] and "so" in json.dumps(documents[:-1])
    assert "[DONE]" not in documents and "message_stop" not in answer.text and "STOP" not in answer.text
    if client == "anthropic":
        assert answer.content.split(b"event: ")[-1].startswith(b"error\n") and documents[-1]["type"] == "error"


async def test_anthropic_counts_over_gemini_and_gemini_counts_over_anthropic(lab):
    async with lab.pair("gemini", lab.json({"totalTokens": 12})) as pair:
        request = {key: value for key, value in REQUESTS["anthropic"].items() if key != "max_tokens"}
        answer = await pair.post("/v1/messages/count_tokens", request)
        (request_,) = pair.upstream.requests
    assert answer.json() == {"input_tokens": 12} and request_.path == "/v1beta/models/m:countTokens"
    assert request_.body["generateContentRequest"]["model"] == "models/m"
    assert request_.body["generateContentRequest"]["tools"]
    async with lab.pair("anthropic", lab.json({"input_tokens": 13})) as pair:
        answer = await pair.post("/v1beta/models/m:countTokens", {"contents": REQUESTS["gemini"]["contents"]})
        (request_,) = pair.upstream.requests
    assert answer.json() == {"totalTokens": 13} and request_.path == "/v1/messages/count_tokens"
    assert set(request_.body) == {"model", "messages"}


async def test_an_anthropic_count_over_openai_is_an_estimate(lab):
    async with lab.pair("openai-chat", lab.json({})) as pair:
        answer = await pair.post("/v1/messages/count_tokens", REQUESTS["anthropic"])
        assert not pair.upstream.requests
    assert answer.json()["input_tokens"] > 0 and answer.headers["x-bridgecheck-estimated"] == "true"
