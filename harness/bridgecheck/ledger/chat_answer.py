"""Chat's answers: bases, values, and what is left out."""

from typing import Final

from bridgecheck.ledger.base import ALPHA, BETA, Base, Bases, LeftOut, Sample, Samples, Table, one
from bridgecheck.ledger.gemini_request import BYTES
from bridgecheck.wire import JsonObject

_HEAD: Final[JsonObject] = {
    "id": "chatcmpl-base",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "base-model",
}
_USAGE: Final[JsonObject] = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


def _choice(index: int = 0, finish: str = "stop", **message: object) -> JsonObject:
    return {"index": index, "message": {"role": "assistant", **message}, "finish_reason": finish}


def _answer(*choices: JsonObject) -> Base:
    return one(_HEAD | {"choices": list(choices), "usage": _USAGE})


_FUNCTION: Final[JsonObject] = {"name": "get_weather", "arguments": '{"city":"Oslo"}'}
_CALL: Final[JsonObject] = {"id": "call_one", "type": "function", "function": _FUNCTION}
_CUSTOM: Final[JsonObject] = {"id": "call_one", "type": "custom", "custom": {"name": "write", "input": "Dear all"}}
_AUDIO: Final[JsonObject] = {"id": "audio_one", "data": "UklGRg==", "transcript": "Hi.", "expires_at": 1700000100}

BASES: Final[Bases] = {
    "text": _answer(_choice(content="Hi.")),
    "two": _answer(_choice(content="Hi."), _choice(1, content="Hello.")),
    "refusal": _answer(_choice(content=None, refusal="I cannot.")),
    "call": _answer(_choice(finish="tool_calls", content=None, tool_calls=[_CALL])),
    "custom call": _answer(_choice(finish="tool_calls", content=None, tool_calls=[_CUSTOM])),
    "old call": _answer(_choice(finish="function_call", content=None, function_call=_FUNCTION)),
    "spoken": _answer(_choice(content=None, audio=_AUDIO)),
    "error": one({"error": {"message": "Too many.", "type": "rate_limit_error", "param": None, "code": None}}, 429),
}


def _cited(word: str) -> list[JsonObject]:
    at = {"url": f"https://example.com/{word}", "title": word, "start_index": 0, "end_index": 2}
    return [{"type": "url_citation", "url_citation": at}]


def likely(word: str) -> JsonObject:
    """Log probabilities that hold this word."""
    return {"content": [{"token": word, "logprob": -0.5, "bytes": None, "top_logprobs": []}]}


def detailed(word: str) -> list[JsonObject]:
    """OpenRouter's account of reasoning."""
    return [{"type": "reasoning.text", "text": word, "index": 0}]


def signed(word: str) -> JsonObject:
    """The signature of Google's own Chat endpoint."""
    return {"google": {"thought_signature": word}}


SAMPLES: Final[Samples] = {
    "created": Sample(1700000011, 1700000012),
    "choices[].index": Sample(1, 2, ("two",), place=-1),
    "choices[].message.tool_calls[function].function.arguments": Sample(
        '{"city":"canary-alpha"}', '{"city":"canary-beta"}'
    ),
    "choices[].message.tool_calls[function].extra_content": Sample(signed(BYTES[0]), signed(BYTES[1])),
    "choices[].message.function_call.arguments": Sample('{"city":"canary-alpha"}', '{"city":"canary-beta"}'),
    "choices[].message.audio.data": Sample(*BYTES),
    "choices[].message.audio.expires_at": Sample(1700000011, 1700000012),
    "choices[].message.annotations": Sample(_cited(ALPHA), _cited(BETA)),
    "choices[].message.reasoning_details": Sample(detailed(ALPHA), detailed(BETA)),
    "choices[].finish_reason": Sample("stop", "length"),
    "choices[].logprobs": Sample(likely(ALPHA), likely(BETA)),
    "usage.prompt_tokens": Sample(20, 30, also=(("usage.total_tokens", 90),)),
    "usage.completion_tokens": Sample(20, 30, also=(("usage.total_tokens", 90),)),
    "usage.total_tokens": Sample(50, 60),
    "usage.prompt_tokens_details.cached_tokens": Sample(20, 30, also=(("usage.prompt_tokens", 50),)),
    "usage.completion_tokens_details.reasoning_tokens": Sample(20, 30, also=(("usage.completion_tokens", 50),)),
    "service_tier": Sample("default", "priority"),
    "error.type": Sample("rate_limit_error", "tokens"),
    "error.code": Sample("rate_limit_exceeded", "insufficient_quota"),
}

_OTHER_HALF: Final = "a figure of the other half of the usage; the two share a TypedDict"
LEFT_OUT: Final[LeftOut] = {
    "object": "always the same word",
    "choices[].message.role": "always assistant",
    "choices[].message.tool_calls[].type": "says which shape this is; every shape has leaves of its own",
    "usage.prompt_tokens_details.reasoning_tokens": _OTHER_HALF,
    "usage.completion_tokens_details.cached_tokens": _OTHER_HALF,
}

TABLE: Final = Table(BASES, SAMPLES, LEFT_OUT)
