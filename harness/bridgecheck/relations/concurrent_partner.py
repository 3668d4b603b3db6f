"""The second stream that passes through an adapter at the same time: its text, call and counts stand in no scenario, so
that anything that crosses over shows."""

from typing import Final

from bridgecheck.model.exchange import Response
from bridgecheck.wire import Dialect, JsonObject

PARTNER_TEXT: Final = "crossed-over "
PARTNER_CALL: Final = "crossed_over"

_ID: Final = "partner"
_CHAT: Final[JsonObject] = {"id": _ID, "object": "chat.completion.chunk", "created": 1700000001, "model": _ID}
_GEMINI: Final[JsonObject] = {"responseId": _ID, "modelVersion": _ID}
_GEMINI_USAGE: Final[JsonObject] = {"promptTokenCount": 101, "candidatesTokenCount": 103, "totalTokenCount": 204}


def _gemini_chunk(part: JsonObject, **rest: object) -> JsonObject:
    candidate = {"content": {"role": "model", "parts": [part]}, "index": 0, **rest}
    return {"candidates": [candidate], "usageMetadata": _GEMINI_USAGE, **_GEMINI}


def _chat_chunk(delta: JsonObject, finish: str | None = None) -> JsonObject:
    return {**_CHAT, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _anthropic_delta(index: int, **delta: str) -> JsonObject:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _anthropic_block_start(index: int, **block: object) -> JsonObject:
    return {"type": "content_block_start", "index": index, "content_block": block}


_MESSAGE: Final[JsonObject] = {
    "id": _ID, "type": "message", "role": "assistant", "model": _ID, "content": [], "stop_reason": None,
    "stop_sequence": None, "usage": {"input_tokens": 101, "output_tokens": 1},
}  # fmt: skip
_ANTHROPIC_END: Final = {"stop_reason": "tool_use", "stop_sequence": None}
_CHAT_FUNCTION: Final = {"name": PARTNER_CALL, "arguments": "{"}
_CHAT_CALL: Final = {"index": 0, "id": "call_crossed", "type": "function", "function": _CHAT_FUNCTION}

_DOCUMENTS: Final[dict[Dialect, tuple[JsonObject, ...]]] = {
    "gemini": (
        _gemini_chunk({"text": PARTNER_TEXT}), _gemini_chunk({"text": PARTNER_TEXT}),
        _gemini_chunk({"functionCall": {"name": PARTNER_CALL, "args": {"n": 7}}}, finishReason="STOP"),
    ),
    "openai-chat": (
        _chat_chunk({"role": "assistant", "content": PARTNER_TEXT}),
        _chat_chunk({"content": PARTNER_TEXT}), _chat_chunk({"tool_calls": [_CHAT_CALL]}),
        _chat_chunk({"tool_calls": [{"index": 0, "function": {"arguments": '"n":7}'}}]}),
        _chat_chunk({}, "tool_calls"),
        {**_CHAT, "choices": [], "usage": {"prompt_tokens": 101, "completion_tokens": 103, "total_tokens": 204}},
    ),
    "anthropic": (
        {"type": "message_start", "message": _MESSAGE},
        _anthropic_block_start(0, type="text", text=""),
        _anthropic_delta(0, type="text_delta", text=PARTNER_TEXT),
        _anthropic_delta(0, type="text_delta", text=PARTNER_TEXT),
        {"type": "content_block_stop", "index": 0},
        _anthropic_block_start(1, type="tool_use", id="toolu_crossed", name=PARTNER_CALL, input={}),
        _anthropic_delta(1, type="input_json_delta", partial_json='{"n":7}'),
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": _ANTHROPIC_END, "usage": {"output_tokens": 103}}, {"type": "message_stop"},
    ),
}  # fmt: skip


def concurrent_partner_response(dialect: Dialect) -> Response:
    """Return the second stream as this dialect's provider would send it."""
    return Response(dialect, "stream", _DOCUMENTS[dialect])
