"""Anthropic's answers, whole and streamed: bases, values, and what is left out."""

from typing import Final, TypeAlias

from bridgecheck.ledger.base import ALPHA, BETA, Base, Bases, LeftOut, Sample, Samples, Table, one
from bridgecheck.ledger.gemini_request import BYTES, SIGNED
from bridgecheck.wire import JsonObject

_HEAD: Final[JsonObject] = {"id": "msg_base", "type": "message", "role": "assistant", "model": "base-model"}


def _answer(*blocks: JsonObject, stop: str = "end_turn") -> Base:
    ended = {"stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 2}}
    return one(_HEAD | {"content": list(blocks), **ended})


_TEXT: Final[JsonObject] = {"type": "text", "text": "Hi."}
_THINKING: Final[JsonObject] = {"type": "thinking", "thinking": "Let me think.", "signature": BYTES[0]}
_REDACTED: Final[JsonObject] = {"type": "redacted_thinking", "data": BYTES[0]}
_CALL: Final[JsonObject] = {"type": "tool_use", "id": "toolu_one", "name": "get_weather", "input": {"city": "Oslo"}}
_ERROR: Final[JsonObject] = {"type": "rate_limit_error", "message": "Too many."}

BASES: Final[Bases] = {
    "text": _answer(_TEXT),
    "thinking": _answer(_THINKING, _TEXT),
    "redacted": _answer(_REDACTED, _TEXT),
    "call": _answer(_CALL, stop="tool_use"),
    "error": one({"type": "error", "error": _ERROR, "request_id": "req_base"}, 429),
}


def _cited(word: str) -> JsonObject:
    return {
        "type": "char_location",
        "cited_text": word,
        "document_index": 0,
        "document_title": None,
        "start_char_index": 0,
        "end_char_index": 2,
    }


SAMPLES: Final[Samples] = {
    "content[text].citations": Sample([_cited(ALPHA)], [_cited(BETA)]),
    "content[thinking].signature": Sample(*SIGNED),
    "content[redacted_thinking].data": Sample(*SIGNED),
    "content[tool_use].input": Sample({"city": ALPHA}, {"city": BETA}),
    "stop_reason": Sample("end_turn", "max_tokens"),
    "stop_sequence": Sample(ALPHA, BETA, also=(("stop_reason", "stop_sequence"),)),
    "error.type": Sample("rate_limit_error", "overloaded_error"),
    "container": Sample({"id": ALPHA}, {"id": BETA}),
    "usage.server_tool_use": Sample({"web_search_requests": 11}, {"web_search_requests": 12}),
    "usage.service_tier": Sample("standard", "priority"),
}

LEFT_OUT: Final[LeftOut] = {
    "type": "always message, or error",
    "role": "always assistant",
    "content[].type": "says which shape this is; every shape has leaves of its own",
}


_Block: TypeAlias = tuple[JsonObject, tuple[JsonObject, ...]]


def _stream(*blocks: _Block, stop: str = "end_turn") -> Base:
    """Blocks as they open, with their deltas."""
    started: JsonObject = {"content": [], "stop_reason": None, "stop_sequence": None}
    counts = {"input_tokens": 3, "output_tokens": 1}
    events: list[JsonObject] = [{"type": "message_start", "message": _HEAD | started | {"usage": counts}}]
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        events.append({"type": "content_block_stop", "index": index})
    ended = {"stop_reason": stop, "stop_sequence": None}
    return Base(
        (*events, {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 2}}, {"type": "message_stop"})
    )


_SAID: Final[_Block] = ({"type": "text", "text": ""}, ({"type": "text_delta", "text": "Hi."},))
_THOUGHT: Final[_Block] = (
    {"type": "thinking", "thinking": "", "signature": ""},
    ({"type": "thinking_delta", "thinking": "Let me think."}, {"type": "signature_delta", "signature": BYTES[0]}),
)
_OPENED: Final[JsonObject] = {"type": "tool_use", "id": "toolu_one", "name": "get_weather", "input": {}}

STREAM_BASES: Final[Bases] = {
    "text": _stream(_SAID),
    "cited": _stream(
        (
            {"type": "text", "text": "", "citations": []},
            ({"type": "text_delta", "text": "Hi."}, {"type": "citations_delta", "citation": _cited("one")}),
        )
    ),
    "thinking": _stream(_THOUGHT, _SAID),
    "redacted": _stream((_REDACTED, ()), _SAID),
    "call": _stream((_OPENED, ({"type": "input_json_delta", "partial_json": '{"city":"Oslo"}'},)), stop="tool_use"),
    "call at once": _stream((_CALL, ()), stop="tool_use"),
    "error": Base(
        (
            {
                "type": "message_start",
                "message": _HEAD
                | {
                    "content": [],
                    "stop_reason": None,
                    "stop_sequence": None,
                    "usage": {"input_tokens": 3, "output_tokens": 1},
                },
            },
            {"type": "error", "error": _ERROR},
        )
    ),
}

_START: Final = "[content_block_start].content_block"
_DELTA: Final = "[content_block_delta].delta"
STREAM_SAMPLES: Final[Samples] = {
    f"{_START}(redacted_thinking).data": Sample(*SIGNED),
    f"{_START}(tool_use).input": Sample({"city": ALPHA}, {"city": BETA}, ("call at once",)),
    f"{_DELTA}(input_json_delta).partial_json": Sample('{"city":"canary-alpha"}', '{"city":"canary-beta"}'),
    f"{_DELTA}(signature_delta).signature": Sample(*SIGNED),
    f"{_DELTA}(citations_delta).citation": Sample(_cited(ALPHA), _cited(BETA)),
    "[message_delta].delta.stop_reason": Sample("end_turn", "max_tokens"),
    "[message_delta].delta.stop_sequence": Sample(ALPHA, BETA, also=(("4.delta.stop_reason", "stop_sequence"),)),
    "[error].error.type": Sample("rate_limit_error", "overloaded_error"),
}

_PAIRS: Final = "says which events make one block, nothing by itself"
_EMPTY: Final = "empty when a block opens: what it holds comes in deltas"
STREAM_LEFT_OUT: Final[LeftOut] = {
    "[message_start].message.type": "always message",
    "[message_start].message.role": "always assistant",
    "[message_start].message.content": "empty when a message begins",
    "[message_start].message.stop_reason": "null when a message begins",
    "[message_start].message.stop_sequence": "null when a message begins",
    "[message_start].message.usage.output_tokens": "a first figure: message_delta says the last, which counts",
    "[content_block_start].index": _PAIRS,
    "[content_block_delta].index": _PAIRS,
    "[content_block_stop].index": _PAIRS,
    f"{_START}(text).text": _EMPTY,
    f"{_START}(text).citations": _EMPTY,
    f"{_START}(thinking).thinking": _EMPTY,
    f"{_START}(thinking).signature": _EMPTY,
    **{
        f"{at}({kind}).type": "says which shape this is; every shape has leaves of its own"
        for at, kinds in (
            (_START, ("text", "thinking", "redacted_thinking", "tool_use")),
            (_DELTA, ("text_delta", "input_json_delta", "thinking_delta", "signature_delta", "citations_delta")),
        )
        for kind in kinds
    },
}

TABLE: Final = Table(BASES, SAMPLES, LEFT_OUT)
STREAM_TABLE: Final = Table(STREAM_BASES, STREAM_SAMPLES, STREAM_LEFT_OUT)
