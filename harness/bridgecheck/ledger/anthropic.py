"""Anthropic's requests and answers, whole and streamed: bases, values, and the leaves that are left out."""

from typing import Final, TypeAlias

from bridgecheck.ledger.documents import (
    ALPHA,
    BETA,
    SAME,
    Base,
    Bases,
    LeftOut,
    Sample,
    Samples,
    Table,
    single_document,
)
from bridgecheck.ledger.gemini_request import BYTES, PNG, SIGNED
from bridgecheck.wire import JsonObject

_USER: Final[JsonObject] = {"role": "user", "content": "Hello"}
_SCHEMA: Final[JsonObject] = {"type": "object", "properties": {"city": {"type": "string"}}}


def _declared(name: str) -> JsonObject:
    return {"name": name, "description": f"{name} of a city.", "input_schema": _SCHEMA}


_TOOLS: Final = [_declared("get_weather"), _declared("get_time")]


def _asked(*messages: JsonObject, **settings: object) -> Base:
    return single_document({"model": "base-model", "max_tokens": 1024, "messages": list(messages), **settings})


def _shown(kind: str, source: JsonObject) -> Base:
    block: JsonObject = {"type": kind, "source": source}
    return _asked({"role": "user", "content": [{"type": "text", "text": "Look at this."}, block]})


def _answered(*blocks: JsonObject, **settings: object) -> Base:
    return _asked(_USER, {"role": "assistant", "content": list(blocks)}, _USER, **settings)


_REQUEST_CALL: Final[JsonObject] = {
    "type": "tool_use",
    "id": "toolu_one",
    "name": "get_weather",
    "input": {"city": "Oslo"},
}


def _called(content: object) -> Base:
    """A tool was called and answered."""
    result = {"type": "tool_result", "tool_use_id": "toolu_one", "content": content}
    called: JsonObject = {"role": "assistant", "content": [_REQUEST_CALL]}
    return _asked(_USER, called, {"role": "user", "content": [result]}, tools=_TOOLS)


def _given(kind: str, source: JsonObject) -> Base:
    """A tool answered with an image or a document."""
    return _called([{"type": "text", "text": "rain"}, {"type": kind, "source": source}])


_PNG: Final[JsonObject] = {"type": "base64", "media_type": "image/png", "data": PNG}
_PDF: Final[JsonObject] = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQ="}
_PNG_URL: Final[JsonObject] = {"type": "url", "url": "https://example.com/one.png"}
_PDF_URL: Final[JsonObject] = {"type": "url", "url": "https://example.com/one.pdf"}
_HELD: Final[JsonObject] = {"type": "file", "file_id": "file_one"}
_REQUEST_THINKING: Final[JsonObject] = {"type": "thinking", "thinking": "Let me think.", "signature": BYTES[0]}
_REQUEST_TEXT: Final[JsonObject] = {"type": "text", "text": "Hi."}

REQUEST_BASES: Final[Bases] = {
    "text": _asked(_USER),
    "dialog": _asked(_USER, {"role": "user", "content": "Are you there?"}),
    "blocks": _asked({"role": "user", "content": [{"type": "text", "text": "Hello"}]}),
    "system": _asked(_USER, system="Be brief."),
    "system blocks": _asked(_USER, system=[{"type": "text", "text": "Be brief."}]),
    "answer": _answered(_REQUEST_TEXT),
    "thinking": _answered(_REQUEST_THINKING, _REQUEST_TEXT),
    "redacted": _answered({"type": "redacted_thinking", "data": BYTES[0]}, _REQUEST_TEXT),
    "call": _called("rain"),
    "result blocks": _called([{"type": "text", "text": "rain"}]),
    "image": _shown("image", _PNG),
    "image address": _shown("image", _PNG_URL),
    "held image": _shown("image", _HELD),
    "document": _shown("document", _PDF),
    "document address": _shown("document", _PDF_URL),
    "held document": _shown("document", _HELD),
    "image in result": _given("image", _PNG),
    "image address in result": _given("image", _PNG_URL),
    "held image in result": _given("image", _HELD),
    "document in result": _given("document", _PDF),
    "document address in result": _given("document", _PDF_URL),
    "held document in result": _given("document", _HELD),
    "tools": _asked(_USER, tools=_TOOLS),
    "forced": _asked(_USER, tools=_TOOLS),
    "serial": _asked(_USER, tools=_TOOLS),
}
"""name -> document; a leaf is run in the first that holds it."""


def _schema(word: str) -> JsonObject:
    return {"type": "object", "properties": {word: {"type": "string"}}}


def _request_cited(word: str) -> list[JsonObject]:
    return [
        {
            "type": "char_location",
            "cited_text": word,
            "document_index": 0,
            "document_title": None,
            "start_char_index": 0,
            "end_char_index": 2,
        }
    ]


def _sources(prefix: str, kind: str) -> dict[str, Sample]:
    """Leaves of a source: of an image or a document, shown or given by a tool."""
    image = kind == "image"
    ending = "png" if image else "pdf"
    alpha, beta = (f"https://example.com/canary-{word}.{ending}" for word in ("alpha", "beta"))
    return {
        f"{prefix}.source.media_type": Sample(
            *(("image/png", "image/jpeg") if image else ("application/pdf", "text/plain"))
        ),
        f"{prefix}.source.data": Sample(*BYTES),
        f"{prefix}.source.url": Sample(alpha, beta),
    }


_AUTO: Final[JsonObject] = {"type": "auto"}
_CACHED: Final = Sample({"type": "ephemeral", "ttl": "5m"}, {"type": "ephemeral", "ttl": "1h"})
_ID: Final = ("messages.2.content.0.tool_use_id", SAME)
_SHOWN: Final = "messages[].content"
_GIVEN: Final = "messages[].content[tool_result].content"

REQUEST_SAMPLES: Final[Samples] = {
    "max_tokens": Sample(111, 222),
    "messages[].role": Sample("user", "assistant", ("dialog",), occurrence=-1),
    "messages[].content[text].citations": Sample(_request_cited(ALPHA), _request_cited(BETA), ("answer",)),
    "messages[].content[thinking].signature": Sample(*SIGNED),
    "messages[].content[redacted_thinking].data": Sample(*SIGNED),
    "messages[].content[tool_use].id": Sample(ALPHA, BETA, also=(_ID,)),
    "messages[].content[tool_use].name": Sample("get_weather", "get_time"),
    "messages[].content[tool_use].input": Sample({"city": ALPHA}, {"city": BETA}),
    "messages[].content[tool_result].tool_use_id": Sample(ALPHA, BETA, also=(("messages.1.content.0.id", SAME),)),
    "messages[].content[tool_result].is_error": Sample(True, False),
    "messages[].content[document].title": Sample(ALPHA, BETA, ("document",)),
    "messages[].content[document].context": Sample(ALPHA, BETA, ("document",)),
    **_sources(f"{_SHOWN}[image]", "image"),
    **_sources(f"{_SHOWN}[document]", "document"),
    **_sources(f"{_GIVEN}[image]", "image"),
    **_sources(f"{_GIVEN}[document]", "document"),
    "tools[].input_schema": Sample(_schema(ALPHA), _schema(BETA)),
    "tools[].strict": Sample(True, False),
    "tool_choice": (
        Sample({"type": "tool", "name": "get_weather"}, {"type": "tool", "name": "get_time"}, ("tools",)),
        Sample({"type": "any"}, {"type": "none"}, ("forced",)),
        Sample(_AUTO, {"type": "auto", "disable_parallel_tool_use": True}, ("serial",)),
    ),
    "top_k": Sample(20, 40),
    "thinking": (
        Sample(
            {"type": "enabled", "budget_tokens": 1024},
            {"type": "enabled", "budget_tokens": 30000},
            also=(("max_tokens", 60000),),
        ),
        Sample({"type": "disabled"}, {"type": "adaptive"}, ("blocks",), also=(("max_tokens", 60000),)),
    ),
    "metadata": Sample({"user_id": ALPHA}, {"user_id": BETA}),
    "system[text].cache_control": _CACHED,
    "messages[].content[text].cache_control": _CACHED,
    "messages[].content[tool_result].cache_control": _CACHED,
    "messages[].content[document].citations": Sample({"enabled": True}, {"enabled": False}, ("document",)),
    "tools[].cache_control": _CACHED,
    "output_config.effort": Sample("low", "high", also=(("max_tokens", 60000),)),
    "output_config.format": Sample(
        {"type": "json_schema", "schema": _schema(ALPHA)}, {"type": "json_schema", "schema": _schema(BETA)}
    ),
    "service_tier": Sample("auto", "standard_only"),
    "mcp_servers": Sample(
        [{"type": "url", "name": "one", "url": "https://example.com/canary-alpha"}],
        [{"type": "url", "name": "one", "url": "https://example.com/canary-beta"}],
    ),
}

_ONE_SHAPE: Final = "says which shape this is; every shape has leaves of its own"
_ANSWERED: Final = "citations stand in what the model wrote, not here"
REQUEST_LEFT_OUT: Final[LeftOut] = {
    f"{_SHOWN}[].type": _ONE_SHAPE,
    f"{_GIVEN}[].type": _ONE_SHAPE,
    "system[].type": _ONE_SHAPE,
    "tools[].type": _ONE_SHAPE,
    **{f"{at}[{kind}].source.type": _ONE_SHAPE for at in (_SHOWN, _GIVEN) for kind in ("image", "document")},
    f"{_GIVEN}[text].citations": _ANSWERED,
    "system[text].citations": _ANSWERED,
    "stream": "chooses between an answer and a stream, which the harness does",
}

REQUEST_TABLE: Final = Table(REQUEST_BASES, REQUEST_SAMPLES, REQUEST_LEFT_OUT)


_HEAD: Final[JsonObject] = {"id": "msg_base", "type": "message", "role": "assistant", "model": "base-model"}


def _answer(*blocks: JsonObject, stop: str = "end_turn") -> Base:
    ended = {"stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 2}}
    return single_document(_HEAD | {"content": list(blocks), **ended})


_ANSWER_TEXT: Final[JsonObject] = {"type": "text", "text": "Hi."}
_ANSWER_THINKING: Final[JsonObject] = {"type": "thinking", "thinking": "Let me think.", "signature": BYTES[0]}
_REDACTED: Final[JsonObject] = {"type": "redacted_thinking", "data": BYTES[0]}
_ANSWER_CALL: Final[JsonObject] = {
    "type": "tool_use",
    "id": "toolu_one",
    "name": "get_weather",
    "input": {"city": "Oslo"},
}
_ERROR: Final[JsonObject] = {"type": "rate_limit_error", "message": "Too many."}

ANSWER_BASES: Final[Bases] = {
    "text": _answer(_ANSWER_TEXT),
    "thinking": _answer(_ANSWER_THINKING, _ANSWER_TEXT),
    "redacted": _answer(_REDACTED, _ANSWER_TEXT),
    "call": _answer(_ANSWER_CALL, stop="tool_use"),
    "error": single_document({"type": "error", "error": _ERROR, "request_id": "req_base"}, 429),
}


def _answer_cited(word: str) -> JsonObject:
    return {
        "type": "char_location",
        "cited_text": word,
        "document_index": 0,
        "document_title": None,
        "start_char_index": 0,
        "end_char_index": 2,
    }


ANSWER_SAMPLES: Final[Samples] = {
    "content[text].citations": Sample([_answer_cited(ALPHA)], [_answer_cited(BETA)]),
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

ANSWER_LEFT_OUT: Final[LeftOut] = {
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
            ({"type": "text_delta", "text": "Hi."}, {"type": "citations_delta", "citation": _answer_cited("one")}),
        )
    ),
    "thinking": _stream(_THOUGHT, _SAID),
    "redacted": _stream((_REDACTED, ()), _SAID),
    "call": _stream((_OPENED, ({"type": "input_json_delta", "partial_json": '{"city":"Oslo"}'},)), stop="tool_use"),
    "call at once": _stream((_ANSWER_CALL, ()), stop="tool_use"),
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
    f"{_DELTA}(citations_delta).citation": Sample(_answer_cited(ALPHA), _answer_cited(BETA)),
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

ANSWER_TABLE: Final = Table(ANSWER_BASES, ANSWER_SAMPLES, ANSWER_LEFT_OUT)
STREAM_TABLE: Final = Table(STREAM_BASES, STREAM_SAMPLES, STREAM_LEFT_OUT)
