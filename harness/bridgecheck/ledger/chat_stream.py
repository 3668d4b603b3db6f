"""Chat's streams: bases, values, and what is left out."""

from typing import Final

from bridgecheck.ledger.base import ALPHA, BETA, Base, Bases, LeftOut, Sample, Samples, Table
from bridgecheck.ledger.chat_answer import detailed, likely
from bridgecheck.ledger.gemini_request import BYTES
from bridgecheck.wire import JsonObject

_HEAD: Final[JsonObject] = {
    "id": "chatcmpl-base",
    "object": "chat.completion.chunk",
    "created": 1700000000,
    "model": "base-model",
}
_COUNTED: Final[JsonObject] = _HEAD | {
    "choices": [],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}


def _chunk(delta: JsonObject, finish: str | None = None, index: int = 0) -> JsonObject:
    return _HEAD | {"choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


def _stream(*deltas: JsonObject, finish: str = "stop") -> Base:
    return Base((*(_chunk({"role": "assistant", **delta}) for delta in deltas), _chunk({}, finish), _COUNTED))


_FUNCTION: Final[JsonObject] = {"name": "get_weather", "arguments": '{"city":"Oslo"}'}
_CALL: Final[JsonObject] = {"index": 0, "id": "call_one", "type": "function", "function": _FUNCTION}
_AUDIO: Final[JsonObject] = {"id": "audio_one", "data": "UklGRg==", "transcript": "Hi.", "expires_at": 1700000100}

BASES: Final[Bases] = {
    "text": _stream({"content": "Hi."}),
    "two": Base(
        (
            _chunk({"role": "assistant", "content": "Hi."}),
            _chunk({}, "stop"),
            _chunk({"role": "assistant", "content": "Hello."}, "stop", 1),
            _COUNTED,
        )
    ),
    "refusal": _stream({"content": None, "refusal": "I cannot."}),
    "call": _stream({"content": None, "tool_calls": [_CALL]}, finish="tool_calls"),
    "old call": _stream({"content": None, "function_call": _FUNCTION}, finish="function_call"),
    "spoken": _stream({"content": None, "audio": _AUDIO}),
}

SAMPLES: Final[Samples] = {
    "[].id": Sample(ALPHA, BETA, everywhere=True),
    "[].created": Sample(1700000011, 1700000012, everywhere=True),
    "[].model": Sample(ALPHA, BETA, everywhere=True),
    "[].system_fingerprint": Sample(ALPHA, BETA, everywhere=True),
    "[].service_tier": Sample("default", "priority", everywhere=True),
    "[].choices[].index": Sample(1, 2, ("two",), place=-1),
    "[].choices[].delta.tool_calls[].function.arguments": Sample('{"city":"canary-alpha"}', '{"city":"canary-beta"}'),
    "[].choices[].delta.function_call.arguments": Sample('{"city":"canary-alpha"}', '{"city":"canary-beta"}'),
    "[].choices[].delta.audio.data": Sample(*BYTES),
    "[].choices[].delta.audio.expires_at": Sample(1700000011, 1700000012),
    "[].choices[].delta.reasoning_details": Sample(detailed(ALPHA), detailed(BETA)),
    "[].choices[].finish_reason": Sample("stop", "length", place=-1),
    "[].choices[].logprobs": Sample(likely(ALPHA), likely(BETA)),
    "[].usage.prompt_tokens": Sample(20, 30, also=(("2.usage.total_tokens", 90),)),
    "[].usage.completion_tokens": Sample(20, 30, also=(("2.usage.total_tokens", 90),)),
    "[].usage.total_tokens": Sample(50, 60),
    "[].usage.prompt_tokens_details.cached_tokens": Sample(20, 30, also=(("2.usage.prompt_tokens", 50),)),
    "[].usage.completion_tokens_details.reasoning_tokens": Sample(20, 30, also=(("2.usage.completion_tokens", 50),)),
}

_OTHER_HALF: Final = "a figure of the other half of the usage; the two share a TypedDict"
LEFT_OUT: Final[LeftOut] = {
    "[].object": "always the same word",
    "[].choices[].delta.role": "always assistant",
    "[].choices[].delta.tool_calls[].index": "says which pieces make one call, nothing by itself",
    "[].choices[].delta.tool_calls[].type": "always function in a stream",
    "[].usage.prompt_tokens_details.reasoning_tokens": _OTHER_HALF,
    "[].usage.completion_tokens_details.cached_tokens": _OTHER_HALF,
}

TABLE: Final = Table(BASES, SAMPLES, LEFT_OUT)
