"""Anthropic's requests, responses and streams: bases, values, and the leaves that are left out."""

from typing import Final, TypeAlias

from bridgecheck.documented_leaves import Side
from bridgecheck.ledger.documents import (
    ALPHA,
    BETA,
    BYTES,
    PNG,
    SAME,
    SIGNED,
    Base,
    Bases,
    LeftOut,
    Sample,
    Samples,
    Table,
    canary_pair,
    schema_with_property,
    single_document,
)
from bridgecheck.wire import JsonObject

_USER: Final[JsonObject] = {"role": "user", "content": "Hello"}
_TOOLS: Final = [
    {"name": name, "description": f"{name} of a city.", "input_schema": schema_with_property("city")}
    for name in ("get_weather", "get_time")
]
_TEXT: Final[JsonObject] = {"type": "text", "text": "Hi."}
_THINKING: Final[JsonObject] = {"type": "thinking", "thinking": "Let me think.", "signature": BYTES[0]}
_REDACTED: Final[JsonObject] = {"type": "redacted_thinking", "data": BYTES[0]}
_CALL: Final[JsonObject] = {"type": "tool_use", "id": "toolu_one", "name": "get_weather", "input": {"city": "Oslo"}}
_RAIN: Final[JsonObject] = {"type": "text", "text": "rain"}


def _request(*messages: JsonObject, **settings: object) -> Base:
    return single_document({"model": "base-model", "max_tokens": 1024, "messages": list(messages), **settings})


def _request_with_blocks(*blocks: JsonObject) -> Base:
    return _request({"role": "user", "content": list(blocks)})


def _request_with_assistant(*blocks: JsonObject) -> Base:
    return _request(_USER, {"role": "assistant", "content": list(blocks)}, _USER)


def _request_with_result(content: object) -> Base:
    """Return a dialog in which a tool was called and its result came back."""
    result: JsonObject = {"type": "tool_result", "tool_use_id": "toolu_one", "content": content}
    call: JsonObject = {"role": "assistant", "content": [_CALL]}
    return _request(_USER, call, {"role": "user", "content": [result]}, tools=_TOOLS)


_MEDIA: Final[dict[str, JsonObject]] = {
    name: {"type": name.split()[-1] if name.startswith("held") else name.split()[0], "source": source}
    for name, source in {
        "image": {"type": "base64", "media_type": "image/png", "data": PNG},
        "image address": {"type": "url", "url": "https://example.com/one.png"},
        "held image": {"type": "file", "file_id": "file_one"},
        "document": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQ="},
        "document address": {"type": "url", "url": "https://example.com/one.pdf"},
        "held document": {"type": "file", "file_id": "file_one"},
    }.items()
}
"""name of a base -> the block with an image or a document in it."""

REQUEST_BASES: Final[Bases] = {
    "text": _request(_USER), "dialog": _request(_USER, {"role": "user", "content": "Are you there?"}),
    "blocks": _request_with_blocks({"type": "text", "text": "Hello"}), "system": _request(_USER, system="Be brief."),
    "system blocks": _request(_USER, system=[{"type": "text", "text": "Be brief."}]),
    "answer": _request_with_assistant(_TEXT), "thinking": _request_with_assistant(_THINKING, _TEXT),
    "redacted": _request_with_assistant(_REDACTED, _TEXT), "call": _request_with_result("rain"),
    "result blocks": _request_with_result([_RAIN]),
    **{name: _request_with_blocks({"type": "text", "text": "Look at this."}, block) for name, block in _MEDIA.items()},
    **{f"{name} in result": _request_with_result([_RAIN, block]) for name, block in _MEDIA.items()},
    "tools": _request(_USER, tools=_TOOLS), "forced": _request(_USER, tools=_TOOLS),
    "serial": _request(_USER, tools=_TOOLS),
}  # fmt: skip
"""name -> document; a leaf is run in the first that holds it."""

_CITATION: Final[JsonObject] = {
    "type": "char_location", "cited_text": "canary", "document_index": 0, "document_title": None, "start_char_index": 0,
    "end_char_index": 2,
}  # fmt: skip
_IN_DOCUMENT: Final = Sample(bases=("document",))
_ROOM: Final = (("max_tokens", 60000),)
_CONTENT: Final = "messages[].content"
_RESULT: Final = f"{_CONTENT}[tool_result].content"

REQUEST_SAMPLES: Final[Samples] = {
    "max_tokens": Sample(111, 222),
    "messages[].role": Sample("user", "assistant", ("dialog",), occurrence=-1),
    f"{_CONTENT}[text].citations": Sample(*canary_pair([_CITATION]), ("answer",)),
    f"{_CONTENT}[redacted_thinking].data": Sample(*SIGNED),
    f"{_CONTENT}[tool_use].id": Sample(also=(("messages.2.content.0.tool_use_id", SAME),)),
    f"{_CONTENT}[tool_use].name": Sample("get_weather", "get_time"),
    f"{_CONTENT}[tool_result].tool_use_id": Sample(also=(("messages.1.content.0.id", SAME),)),
    f"{_CONTENT}[document].title": _IN_DOCUMENT,
    f"{_CONTENT}[document].context": _IN_DOCUMENT,
    **{f"{content}[document].citations": Sample({"enabled": True}, {"enabled": False})
        for content in (_CONTENT, _RESULT)},
    **{f"{content}[document].source.media_type": Sample("application/pdf", "text/plain")
        for content in (_CONTENT, _RESULT)},
    **{f"{content}[document].source.url": Sample(*canary_pair("https://example.com/canary.pdf"))
        for content in (_CONTENT, _RESULT)},
    "tool_choice": (Sample({"type": "tool", "name": "get_weather"}, {"type": "tool", "name": "get_time"}, ("tools",)),
        Sample({"type": "any"}, {"type": "none"}, ("forced",)),
        Sample({"type": "auto"}, {"type": "auto", "disable_parallel_tool_use": True}, ("serial",))),
    "top_k": Sample(20, 40),
    "thinking": (
        Sample({"type": "enabled", "budget_tokens": 1024}, {"type": "enabled", "budget_tokens": 30000}, also=_ROOM),
        Sample({"type": "disabled"}, {"type": "adaptive"}, ("blocks",), also=_ROOM)),
    "metadata": Sample(*canary_pair({"user_id": "canary"})),
    "output_config.effort": Sample("low", "high", also=_ROOM),
    "output_config.format": Sample(*canary_pair({"type": "json_schema", "schema": schema_with_property("canary")})),
    "service_tier": Sample("auto", "standard_only"),
    "output_config.task_budget": Sample({"type": "tokens", "total": 20000}, {"type": "tokens", "total": 40000}),
    "tools[].allowed_callers": Sample(["direct"], ["code_execution_20260120"]),
    "tools[].input_examples": Sample(*canary_pair([{"city": "canary"}])),
    "container@object": Sample(*canary_pair({"id": "canary"})),
    "context_management": Sample(*canary_pair({"edits": [{"type": "canary"}]})),
    "diagnostics": Sample(*canary_pair({"previous_message_id": "canary"})),
    "fallbacks": Sample(*canary_pair([{"model": "canary"}])),
    "mcp_servers": Sample(*canary_pair([{"type": "url", "name": "one", "url": "https://example.com/canary"}])),
}  # fmt: skip

_IN_RESPONSES_ONLY: Final = "citations stand in what the model wrote, not here"
_OF_SERVERS: Final = "the members of many blocks, each of which has a scenario"
REQUEST_LEFT_OUT: Final[LeftOut] = {
    f"{_CONTENT}[server_tool_use]": _OF_SERVERS,
    f"{_RESULT}[text].citations": _IN_RESPONSES_ONLY,
    "system[text].citations": _IN_RESPONSES_ONLY,
    "stream": "chooses between a response and a stream, which the harness does",
}

_HEAD: Final[JsonObject] = {"id": "msg_base", "type": "message", "role": "assistant", "model": "base-model"}
_ERROR: Final[JsonObject] = {"type": "rate_limit_error", "message": "Too many."}


def _response(*blocks: JsonObject, stop: str = "end_turn") -> Base:
    end = {"stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 2}}
    return single_document(_HEAD | {"content": list(blocks), **end})


RESPONSE_BASES: Final[Bases] = {
    "text": _response(_TEXT),
    "thinking": _response(_THINKING, _TEXT),
    "redacted": _response(_REDACTED, _TEXT),
    "call": _response(_CALL, stop="tool_use"),
    "error": single_document({"type": "error", "error": _ERROR, "request_id": "req_base"}, 429),
}

_EDITS: Final = Sample(*canary_pair({"applied_edits": [{"type": "canary"}]}))
_STOP_DETAILS: Final = Sample(*canary_pair({"type": "refusal", "category": "canary", "explanation": None}))
_PLACE: Final = Sample({"id": ALPHA}, {"id": BETA})


def _usage_samples(usage: str) -> Samples:
    return {
        f"{usage}.cache_creation": Sample({"ephemeral_1h_input_tokens": 11}, {"ephemeral_1h_input_tokens": 12}),
        f"{usage}.server_tool_use": Sample({"web_search_requests": 11}, {"web_search_requests": 12}),
        f"{usage}.output_tokens_details": Sample({"thinking_tokens": 1}, {"thinking_tokens": 2}),
        f"{usage}.iterations": Sample(
            [{"type": "message", "input_tokens": 11}], [{"type": "message", "input_tokens": 12}]
        ),
        f"{usage}.service_tier": Sample("standard", "priority"),
    }


RESPONSE_SAMPLES: Final[Samples] = {
    "content[text].citations": Sample(*canary_pair([_CITATION])), "content[redacted_thinking].data": Sample(*SIGNED),
    "stop_reason": Sample("end_turn", "max_tokens"), "stop_sequence": Sample(also=(("stop_reason", "stop_sequence"),)),
    "error.type": Sample("rate_limit_error", "overloaded_error"), "container": _PLACE, "context_management": _EDITS,
    "stop_details": _STOP_DETAILS, **_usage_samples("usage"),
}  # fmt: skip

RESPONSE_LEFT_OUT: Final[LeftOut] = {"content[server_tool_use]": _OF_SERVERS}

_Block: TypeAlias = tuple[JsonObject, tuple[JsonObject, ...]]
"""A block as it opens, and its deltas."""

_START: Final[JsonObject] = {
    "type": "message_start",
    "message": _HEAD
    | {"content": [], "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 1}},
}


def _stream(*blocks: _Block, stop: str = "end_turn") -> Base:
    events = [_START]
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        events.append({"type": "content_block_stop", "index": index})
    end = {"stop_reason": stop, "stop_sequence": None}
    return Base(
        (*events, {"type": "message_delta", "delta": end, "usage": {"output_tokens": 2}}, {"type": "message_stop"})
    )


_TEXT_DELTA: Final[JsonObject] = {"type": "text_delta", "text": "Hi."}
_TEXT_BLOCK: Final[_Block] = ({"type": "text", "text": ""}, (_TEXT_DELTA,))
_CITED_BLOCK: Final[_Block] = (
    {"type": "text", "text": "", "citations": []},
    (_TEXT_DELTA, {"type": "citations_delta", "citation": _CITATION | {"cited_text": "one"}}),
)
_THINKING_BLOCK: Final[_Block] = (
    {"type": "thinking", "thinking": "", "signature": ""},
    ({"type": "thinking_delta", "thinking": "Let me think."}, {"type": "signature_delta", "signature": BYTES[0]}),
)
_CALL_BLOCK: Final[_Block] = (_CALL | {"input": {}}, ({"type": "input_json_delta", "partial_json": '{"city":"Oslo"}'},))

STREAM_BASES: Final[Bases] = {
    "text": _stream(_TEXT_BLOCK), "cited": _stream(_CITED_BLOCK), "thinking": _stream(_THINKING_BLOCK, _TEXT_BLOCK),
    "redacted": _stream((_REDACTED, ()), _TEXT_BLOCK), "call": _stream(_CALL_BLOCK, stop="tool_use"),
    "call at once": _stream((_CALL, ()), stop="tool_use"), "error": Base((_START, {"type": "error", "error": _ERROR})),
}  # fmt: skip

_BLOCK_START: Final = "[content_block_start].content_block"
_DELTA: Final = "[content_block_delta].delta"
STREAM_SAMPLES: Final[Samples] = {
    f"{_BLOCK_START}(redacted_thinking).data": Sample(*SIGNED),
    f"{_BLOCK_START}(tool_use).input": Sample(bases=("call at once",)),
    f"{_DELTA}(input_json_delta).partial_json": Sample(*canary_pair('{"city":"canary"}')),
    f"{_DELTA}(citations_delta).citation": Sample(*canary_pair(_CITATION)),
    "[message_delta].delta.stop_reason": Sample("end_turn", "max_tokens"),
    "[message_delta].delta.stop_details": _STOP_DETAILS, "[message_delta].delta.container": _PLACE,
    "[message_start].message.container": _PLACE, "[message_start].message.context_management": _EDITS,
    **_usage_samples("[message_start].message.usage"), **_usage_samples("[message_delta].usage"),
    "[message_delta].delta.stop_sequence": Sample(also=(("4.delta.stop_reason", "stop_sequence"),)),
    "[error].error.type": Sample("rate_limit_error", "overloaded_error"),
}  # fmt: skip

_EVENTS_OF_BLOCK: Final = "says which events make one block, nothing by itself"
_EMPTY: Final = "empty when a block opens: what it holds comes in deltas"
STREAM_LEFT_OUT: Final[LeftOut] = {
    "[message_start].message.content": "empty when a message begins",
    "[message_start].message.stop_reason": "null when a message begins",
    "[message_start].message.stop_sequence": "null when a message begins",
    "[message_start].message.stop_details": "null when a message begins",
    f"{_BLOCK_START}(server_tool_use)": _OF_SERVERS,
    "[message_start].message.usage.output_tokens": "a first figure: message_delta has the last, which counts",
    **{f"[content_block_{event}].index": _EVENTS_OF_BLOCK for event in ("start", "delta", "stop")},
    **{f"{_BLOCK_START}(text).{key}": _EMPTY for key in ("text", "citations")},
    **{f"{_BLOCK_START}(thinking).{key}": _EMPTY for key in ("thinking", "signature")},
}

TABLES: Final[dict[Side, Table]] = {
    "request": Table(REQUEST_BASES, REQUEST_SAMPLES, REQUEST_LEFT_OUT),
    "response": Table(RESPONSE_BASES, RESPONSE_SAMPLES, RESPONSE_LEFT_OUT),
    "stream": Table(STREAM_BASES, STREAM_SAMPLES, STREAM_LEFT_OUT),
}
