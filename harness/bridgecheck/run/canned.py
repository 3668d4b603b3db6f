"""The smallest complete request and answer of each dialect, for the side of a case that recorded traffic has no say in:
any request serves to hear an answer, any answer serves to send a request."""

from typing import Final

from bridgecheck.model.exchange import Request, Response
from bridgecheck.wire import Dialect, JsonObject, Mode
from bridgecheck.wire.facts import RECORDS

_GEMINI: Final[JsonObject] = {
    "candidates": [
        {"content": {"role": "model", "parts": [{"text": "Hi."}]}, "finishReason": "STOP", "index": 0},
    ],
    "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5},
    "modelVersion": "canned-model",
    "responseId": "canned-response",
}

_CHAT: Final[JsonObject] = {"id": "chatcmpl-canned", "created": 1700000000, "model": "canned-model"}
_CHAT_USAGE: Final[JsonObject] = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}

_MESSAGE: Final[JsonObject] = {"id": "msg_canned", "type": "message", "role": "assistant", "model": "canned-model"}

_UNARY: Final[dict[Dialect, JsonObject]] = {
    "gemini": _GEMINI,
    "openai-chat": _CHAT
    | {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"}],
        "usage": _CHAT_USAGE,
    },
    "anthropic": _MESSAGE
    | {
        "content": [{"type": "text", "text": "Hi."}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 2},
    },
}


def _chunk(delta: JsonObject, finish: str | None) -> JsonObject:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _CHAT | {"object": "chat.completion.chunk", "choices": [choice]}


_STREAM: Final[dict[Dialect, tuple[JsonObject, ...]]] = {
    "gemini": (_GEMINI,),
    "openai-chat": (
        _chunk({"role": "assistant", "content": "Hi."}, None),
        _chunk({}, "stop"),
        _CHAT | {"object": "chat.completion.chunk", "choices": [], "usage": _CHAT_USAGE},
    ),
    "anthropic": (
        {
            "type": "message_start",
            "message": _MESSAGE
            | {
                "content": [],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": {"input_tokens": 3, "output_tokens": 1},
            },
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi."}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 2},
        },
        {"type": "message_stop"},
    ),
}


def request(dialect: Dialect, mode: Mode, model: str) -> Request:
    """``Hello`` to this model; a Chat stream asks for its usage."""
    record = RECORDS[dialect]
    body = record.body_with_model(record.smallest_request | record.usage_members, model)
    return Request(dialect, mode, record.body_in_mode(body, mode), model)


def response(dialect: Dialect, mode: Mode) -> Response:
    """``Hi.``, finished, with usage."""
    documents = (_UNARY[dialect],) if mode == "unary" else _STREAM[dialect]
    return Response(dialect, mode, documents)
