"""The conversation and the stream of ``documents``, as OpenAI Chat Completions has them."""

from typing import Any

import orjson
from documents import history_arguments, history_result
from lengths import ASSISTANT, CHAT_ARGUMENTS, CHAT_TEXT, USER, filler_text, pick_length


def chat_text_chunk(number: int) -> dict[str, Any]:
    """A chunk with one piece of text, as OpenAI sends them."""
    return _chunk({"content": filler_text(pick_length(CHAT_TEXT, number), number)})


def chat_call_chunk(number: int) -> dict[str, Any]:
    """A chunk with a piece of one call's arguments."""
    piece = filler_text(pick_length(CHAT_ARGUMENTS, number), number)
    return _chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})


def chat_call_start() -> dict[str, Any]:
    """The chunk that a call begins with."""
    function = {"name": "get_weather", "arguments": '{"'}
    return _chunk({"tool_calls": [{"index": 0, "id": f"call_{0:024d}", "type": "function", "function": function}]})


def chat_history(messages: int) -> dict[str, Any]:
    """A request with the same conversation as ``documents.history``, the system message besides."""
    steps = [_user, _call, _result, _answer]
    return {
        "model": "gemini-2.5-flash",
        "messages": [
            {"role": "system", "content": "You are a careful assistant."},
            *(steps[i % 4](i // 4) for i in range(messages)),
        ],
        "tools": [{"type": "function", "function": _function()}],
        "temperature": 0.2,
        "max_tokens": 1024,
    }


def _chunk(delta: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-CeKm1u9XcJ0bYt3Q8Zr5nVdWfLs2A",
        "object": "chat.completion.chunk",
        "created": 1763683200,
        "model": "gpt-4.1-mini-2025-04-14",
        "service_tier": "default",
        "system_fingerprint": "fp_3f58d112f7",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}],
        "usage": None,
        "obfuscation": "Zr5nVd",
    }


def _user(number: int) -> dict[str, Any]:
    return {"role": "user", "content": filler_text(pick_length(USER, number), number)}


def _call(number: int) -> dict[str, Any]:
    function = {"name": "get_weather", "arguments": orjson.dumps(history_arguments(number)).decode()}
    call = {"id": f"call_{number:024d}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _result(number: int) -> dict[str, Any]:
    """The result of the call one message before."""
    result = history_result(number)
    content = result if isinstance(result, str) else orjson.dumps(result).decode()
    return {"role": "tool", "tool_call_id": f"call_{number:024d}", "content": content}


def _answer(number: int) -> dict[str, Any]:
    return {"role": "assistant", "content": filler_text(pick_length(ASSISTANT, number), number)}


def _function() -> dict[str, Any]:
    properties = {"city": {"type": "string"}, "days": {"type": "integer"}}
    schema = {"type": "object", "properties": properties, "required": ["city"]}
    return {"name": "get_weather", "description": "The weather of some days.", "parameters": schema}
