"""Validation reports what real clients fail on, with its path, and accepts unknown keys."""

import pytest

from bridgecheck import validate
from bridgecheck.wire import Dialect, JsonObject, Mode

CHAT: JsonObject = {"id": "i", "object": "chat.completion", "created": 1, "model": "m"}
CHUNK: JsonObject = {**CHAT, "object": "chat.completion.chunk"}
MESSAGE: JsonObject = {
    "id": "i", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 1},
}  # fmt: skip


def gemini(*parts: object) -> JsonObject:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}}]}


def chat(**message: object) -> JsonObject:
    return {**CHAT, "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}]}


def chunk(**delta: object) -> JsonObject:
    return {**CHUNK, "choices": [{"index": 0, "delta": delta}]}


def call(**function: object) -> JsonObject:
    return {"id": "1", "type": "function", "function": function}


GOOD: list[tuple[Dialect, Mode, object]] = [
    ("gemini", "unary", gemini({"text": "a", "brandNew": 1}, {"functionCall": {"name": "f", "args": None}})),
    ("gemini", "stream", {}),
    ("gemini", "stream", {"candidates": [], "usage_metadata": {"prompt_token_count": 1}}),
    ("gemini", "unary", {"candidates": [{"finishReason": 1}]}),
    ("gemini", "stream", {"candidates": [{"content": None, "finishReason": None, "index": None}]}),
    ("gemini", "unary", {"error": {"code": 400, "message": "m", "status": "INVALID_ARGUMENT"}}),
    ("openai-chat", "unary", chat(content=None, tool_calls=[call(name="f", arguments="{}")], brand_new=1)),
    ("openai-chat", "stream", chunk(tool_calls=[{"index": 0, "function": {"arguments": None}}])),
    ("openai-chat", "stream", {**CHUNK, "choices": [], "usage": None}),
    ("openai-chat", "stream", {"error": {"message": "m"}}),
    ("anthropic", "unary", {**MESSAGE, "content": [{"type": "brand_new"}]}),
    ("anthropic", "stream", {"type": "ping"}),
    ("anthropic", "stream", {"type": "brand_new_event", "x": 1}),
    ("anthropic", "stream", {"type": "message_start", "message": {**MESSAGE, "stop_reason": None}}),
]

BAD: list[tuple[Dialect, Mode, object, str]] = [
    ("gemini", "unary", gemini({"functionCall": {"name": "f", "args": "{}"}}), "candidates[0].content.parts[0].functionCall.args"),
    ("gemini", "unary", gemini({"text": "a"}, {}), "candidates[0].content.parts[1]"),
    ("gemini", "unary", gemini({"text": None}), "candidates[0].content.parts[0]"),
    ("gemini", "unary", {"choices": []}, "(document)"),
    ("gemini", "unary", {"error": {"message": "m"}}, "error.code"),
    ("gemini", "stream", "[DONE]", "(document)"),
    ("openai-chat", "unary", {"detail": "no"}, "(document)"),
    ("openai-chat", "unary", {key: value for key, value in chat().items() if key != "id"}, "id"),
    ("openai-chat", "unary", {**chat(), "object": "chat.completion.chunk"}, "object"),
    ("openai-chat", "unary", chat(role=None), "choices[0].message.role"),
    ("openai-chat", "unary", chat(content=[{"type": "text"}]), "choices[0].message.content"),
    ("openai-chat", "unary", chat(tool_calls=[call(name="f", arguments={"a": 1})]), "choices[0].message.tool_calls[0].function.arguments"),
    ("openai-chat", "unary", {**chat(), "usage": {"prompt_tokens": 1, "total_tokens": 1}}, "usage.completion_tokens"),
    ("openai-chat", "stream", chunk(tool_calls=[{"function": {"name": "f"}}]), "choices[0].delta.tool_calls[0].index"),
    ("openai-chat", "stream", chunk(tool_calls=[{"index": "0"}]), "choices[0].delta.tool_calls[0].index"),
    ("openai-chat", "stream", {**CHUNK, "choices": None}, "choices"),
    ("openai-chat", "stream", CHUNK, "choices"),
    ("openai-chat", "stream", {"error": "plain"}, "error"),
    ("anthropic", "unary", {**MESSAGE, "content": [{"type": "tool_use", "id": "1", "name": "f", "input": "{}"}]}, "content[0].input"),
    ("anthropic", "unary", {**MESSAGE, "content": "a"}, "content"),
    ("anthropic", "stream", {"message": {}}, "type"),
    ("anthropic", "stream", {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "a"}}, "index"),
    ("anthropic", "stream", {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}}, "delta.text"),
    ("anthropic", "stream", {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}, "content_block.text"),
    ("anthropic", "stream", {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, "usage"),
    ("anthropic", "stream", {"type": "error", "error": {"message": "m"}}, "error.type"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "mode", "document"), GOOD)
def test_valid_responses_have_no_violations(dialect: Dialect, mode: Mode, document: object) -> None:
    assert validate.response(dialect, mode, document) == []


@pytest.mark.parametrize(("dialect", "mode", "document", "path"), BAD)
def test_invalid_responses_have_violations(dialect: Dialect, mode: Mode, document: object, path: str) -> None:
    found = validate.response(dialect, mode, document)
    assert [line.split(": ")[0] for line in found] == [path]


USER: JsonObject = {"role": "user", "content": "a"}


@pytest.mark.parametrize(
    ("dialect", "body", "path"),
    [
        ("gemini", {"contents": [{"parts": [{"inline_data": {"mime_type": "image/png", "data": "AA=="}}]}]}, None),
        ("gemini", {"contents": [], "generation_config": {"thinkingConfig": {"include_thoughts": True}}}, None),
        ("gemini", {}, "contents"),
        ("gemini", {"contents": "a"}, "contents"),
        ("gemini", {"contents": [{"role": "assistant", "parts": []}]}, "contents[0].role"),
        (
            "gemini",
            {"contents": [{"parts": [{"functionResponse": {"name": "f", "response": [1]}}]}]},
            "contents[0].parts[0].functionResponse.response",
        ),
        (
            "gemini",
            {"contents": [{"parts": [{"functionResponse": {"response": {}}}]}]},
            "contents[0].parts[0].functionResponse.name",
        ),
        ("gemini", {"contents": [], "generationConfig": {"maxOutputTokens": "9"}}, "generationConfig.maxOutputTokens"),
        ("openai-chat", {"model": "m", "messages": [USER], "brand_new": 1}, None),
        ("openai-chat", {"messages": [USER]}, "model"),
        ("openai-chat", {"model": "m", "messages": [{"role": "bot", "content": "a"}]}, "messages[0].role"),
        ("openai-chat", {"model": "m", "messages": [{"role": "tool", "content": "a"}]}, "messages[0].tool_call_id"),
        (
            "openai-chat",
            {"model": "m", "messages": [{"role": "assistant", "tool_calls": [call(name="f", arguments={})]}]},
            "messages[0].tool_calls[0].function.arguments",
        ),
        (
            "openai-chat",
            {"model": "m", "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "u"}]}]},
            "messages[0].content[0].image_url",
        ),
        ("openai-chat", {"model": "m", "messages": [], "tools": [{"type": "function"}]}, "tools[0].function"),
        ("anthropic", {"model": "m", "max_tokens": 9, "messages": [USER]}, None),
        ("anthropic", {"model": "m", "messages": [USER]}, "max_tokens"),
        (
            "anthropic",
            {"model": "m", "max_tokens": 9, "messages": [{"role": "tool", "content": "a"}]},
            "messages[0].role",
        ),
        (
            "anthropic",
            {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": [{"type": "tool_result"}]}]},
            "messages[0].content[0].tool_use_id",
        ),
    ],
)
def test_requests(dialect: Dialect, body: JsonObject, path: str | None) -> None:
    found = validate.request(dialect, body)
    assert [line.split(": ")[0] for line in found] == ([path] if path else [])


def test_a_violation_never_repeats_the_value() -> None:
    found = validate.response("openai-chat", "unary", chat(content={"secret": "sk-very-secret"}))
    assert found == ["choices[0].message.content: Input should be a valid string, is an object"]
