"""The conversation and the streams of ``documents``, as Anthropic Messages has them."""

from typing import Any

from documents import history_arguments, history_result
from lengths import ASSISTANT, CHAT_ARGUMENTS, CHAT_TEXT, USER, filler_text, pick_length


def anthropic_text_stream(chunks: int) -> list[dict[str, Any]]:
    """A message of one block of text, without its end; pieces as long as OpenAI's."""
    return _stream({"type": "text", "text": ""}, [_text(number) for number in range(chunks)])


def anthropic_call_stream(chunks: int) -> list[dict[str, Any]]:
    """A message of one tool call, without its end."""
    call = {"type": "tool_use", "id": "toolu_01GPAbPWWwJTnkRrGTKsNLSm", "name": "get_weather", "input": {}}
    return _stream(call, [_piece(number) for number in range(chunks)])


def anthropic_history(messages: int) -> dict[str, Any]:
    """A request with the same conversation as ``documents.history``."""
    steps = [_user, _call, _result, _answer]
    properties = {"city": {"type": "string"}, "days": {"type": "integer"}}
    schema = {"type": "object", "properties": properties, "required": ["city"]}
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 1024,
        "system": "You are a careful assistant.",
        "messages": [steps[i % 4](i // 4) for i in range(messages)],
        "tools": [{"name": "get_weather", "description": "The weather of some days.", "input_schema": schema}],
        "temperature": 0.2,
    }


def _stream(block: dict[str, Any], deltas: list[dict[str, Any]]) -> list[dict[str, Any]]:
    message = {
        "id": "msg_01JLe9xuTeJXxJoy3HYZFHEj",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 117, "output_tokens": 1},
    }
    start = {"type": "content_block_start", "index": 0, "content_block": block}
    pieces = [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas]
    return [{"type": "message_start", "message": message}, start, *pieces]


def _text(number: int) -> dict[str, Any]:
    return {"type": "text_delta", "text": filler_text(pick_length(CHAT_TEXT, number), number)}


def _piece(number: int) -> dict[str, Any]:
    return {"type": "input_json_delta", "partial_json": filler_text(pick_length(CHAT_ARGUMENTS, number), number)}


def _user(number: int) -> dict[str, Any]:
    return {"role": "user", "content": filler_text(pick_length(USER, number), number)}


def _call(number: int) -> dict[str, Any]:
    call = {"type": "tool_use", "id": f"toolu_{number:024d}", "name": "get_weather", "input": history_arguments(number)}
    return {"role": "assistant", "content": [call]}


def _result(number: int) -> dict[str, Any]:
    result = history_result(number)
    content = result if isinstance(result, str) else str(result)
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": f"toolu_{number:024d}", "content": content}],
    }


def _answer(number: int) -> dict[str, Any]:
    return {"role": "assistant", "content": filler_text(pick_length(ASSISTANT, number), number)}
