"""The other stream that passes through an adapter at the same time: it says, calls and counts what no scenario does, so
that whatever crosses over shows."""

from typing import Final

from bridgecheck.model.exchange import Response
from bridgecheck.wire import Dialect, JsonObject

WORD: Final = "crossed-over "
CALL: Final = "crossed_over"

_ID: Final = "partner"
_CHAT: Final[JsonObject] = {"id": _ID, "object": "chat.completion.chunk", "created": 1700000001, "model": _ID}
_GEMINI: Final[JsonObject] = {"responseId": _ID, "modelVersion": _ID}
_GEMINI_USAGE: Final[JsonObject] = {"promptTokenCount": 101, "candidatesTokenCount": 103, "totalTokenCount": 204}


def _gemini(part: JsonObject, **rest: object) -> JsonObject:
    candidate = {"content": {"role": "model", "parts": [part]}, "index": 0, **rest}
    return {"candidates": [candidate], "usageMetadata": _GEMINI_USAGE, **_GEMINI}


def _chat(delta: JsonObject, finish: str | None = None) -> JsonObject:
    return {**_CHAT, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _delta(index: int, **delta: str) -> JsonObject:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _block(index: int, **block: object) -> JsonObject:
    return {"type": "content_block_start", "index": index, "content_block": block}


_MESSAGE: Final[JsonObject] = {
    "id": _ID,
    "type": "message",
    "role": "assistant",
    "model": _ID,
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 101, "output_tokens": 1},
}
_CALLED: Final = {"index": 0, "id": "call_crossed", "type": "function", "function": {"name": CALL, "arguments": "{"}}

_DOCUMENTS: Final[dict[Dialect, tuple[JsonObject, ...]]] = {
    "gemini": (
        _gemini({"text": WORD}),
        _gemini({"text": WORD}),
        _gemini({"functionCall": {"name": CALL, "args": {"n": 7}}}, finishReason="STOP"),
    ),
    "openai-chat": (
        _chat({"role": "assistant", "content": WORD}),
        _chat({"content": WORD}),
        _chat({"tool_calls": [_CALLED]}),
        _chat({"tool_calls": [{"index": 0, "function": {"arguments": '"n":7}'}}]}),
        _chat({}, "tool_calls"),
        {**_CHAT, "choices": [], "usage": {"prompt_tokens": 101, "completion_tokens": 103, "total_tokens": 204}},
    ),
    "anthropic": (
        {"type": "message_start", "message": _MESSAGE},
        _block(0, type="text", text=""),
        _delta(0, type="text_delta", text=WORD),
        _delta(0, type="text_delta", text=WORD),
        {"type": "content_block_stop", "index": 0},
        _block(1, type="tool_use", id="toolu_crossed", name=CALL, input={}),
        _delta(1, type="input_json_delta", partial_json='{"n":7}'),
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 103},
        },
        {"type": "message_stop"},
    ),
}


def partner(dialect: Dialect) -> Response:
    """The other stream, as this dialect's provider would send it."""
    return Response(dialect, "stream", _DOCUMENTS[dialect])
