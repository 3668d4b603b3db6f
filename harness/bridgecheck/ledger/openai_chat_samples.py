"""Chat's requests, responses and streams: bases, values, and the leaves that are left out."""

from typing import Final

from bridgecheck.documented_leaves import Side
from bridgecheck.ledger.documents import (
    BYTES,
    PNG,
    SAME,
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
_SCHEMA: Final = schema_with_property("city")
_TOOLS: Final = [
    {
        "type": "function",
        "function": {"name": name, "description": f"{name} of a city.", "parameters": _SCHEMA, "strict": False},
    }
    for name in ("get_weather", "get_time")
]
_FUNCTION: Final[JsonObject] = {"name": "get_weather", "arguments": '{"city":"Oslo"}'}
_CALL: Final[JsonObject] = {"id": "call_one", "type": "function", "function": _FUNCTION}
_CUSTOM_CALL: Final[JsonObject] = {"id": "call_one", "type": "custom", "custom": {"name": "write", "input": "Dear all"}}


def _request(*messages: JsonObject, **settings: object) -> Base:
    return single_document({"model": "base-model", "messages": list(messages), **settings})


def _request_with_part(kind: str, part: JsonObject) -> Base:
    parts: list[JsonObject] = [{"type": "text", "text": "Look at this."}, {"type": kind, kind: part}]
    return _request({"role": "user", "content": parts})


def _request_with_assistant(**message: object) -> Base:
    return _request(_USER, {"role": "assistant", **message}, _USER)


def _request_with_result(call: JsonObject, result: object = "rain") -> Base:
    """Return a dialog in which a tool was called and its result came back."""
    message: JsonObject = {"role": "assistant", "content": None, "tool_calls": [call]}
    return _request(_USER, message, {"role": "tool", "tool_call_id": "call_one", "content": result}, tools=_TOOLS)


_FILE: Final[JsonObject] = {"file_data": "data:application/pdf;base64,JVBERi0xLjQ=", "filename": "one.pdf"}

REQUEST_BASES: Final[Bases] = {
    "text": _request(_USER),
    "dialog": _request(_USER, {"role": "user", "content": "Are you there?"}),
    "system": _request({"role": "system", "content": "Be brief."}, _USER),
    "system parts": _request({"role": "system", "content": [{"type": "text", "text": "Be brief."}]}, _USER),
    "parts": _request({"role": "user", "content": [{"type": "text", "text": "Hello"}]}),
    "image": _request_with_part("image_url", {"url": f"data:image/png;base64,{PNG}"}),
    "image address": _request_with_part("image_url", {"url": "https://example.com/one.png"}),
    "sound": _request_with_part("input_audio", {"data": "UklGRg==", "format": "wav"}),
    "file": _request_with_part("file", _FILE),
    "held file": _request_with_part("file", {"file_id": "file-one"}),
    "assistant": _request_with_assistant(content="Hi."),
    "assistant parts": _request_with_assistant(content=[{"type": "text", "text": "Hi."}]),
    "refusal": _request_with_assistant(content=None, refusal="I cannot."),
    "refusal part": _request_with_assistant(content=[{"type": "refusal", "refusal": "I cannot."}]),
    "spoken": _request_with_assistant(content="Hi.", audio={"id": "audio_one"}),
    "call": _request_with_result(_CALL),
    "result parts": _request_with_result(_CALL, [{"type": "text", "text": "rain"}]),
    "custom call": _request_with_result(_CUSTOM_CALL),
    "old call": _request(_USER, {"role": "assistant", "content": None, "function_call": _FUNCTION},
        {"role": "function", "name": "get_weather", "content": "rain"}, tools=_TOOLS),
    "tools": _request(_USER, tools=_TOOLS),
    "custom tool": _request(_USER, tools=[{"type": "custom", "custom": {"name": "write", "description": "Writes."}}]),
    "stream": _request(_USER, stream=True),
}  # fmt: skip
"""name -> document; a leaf is run in the first that holds it. ``stream: true`` makes it a streamed request."""

_CALL_ID: Final = (("messages.2.tool_call_id", SAME),)
_FORMAT: Final[JsonObject] = {
    "type": "json_schema",
    "json_schema": {"name": "answer", "schema": schema_with_property("canary")},
}
_IMAGE: Final = "messages[user].content[image_url].image_url"

REQUEST_SAMPLES: Final[Samples] = {
    "messages[].role": Sample("user", "assistant", ("dialog",), occurrence=-1),
    f"{_IMAGE}.url": (Sample(f"data:image/png;base64,{BYTES[0]}", f"data:image/png;base64,{BYTES[1]}"),
        Sample(bases=("image address",))),
    f"{_IMAGE}.detail": Sample("low", "high"),
    "messages[user].content[input_audio].input_audio.format": Sample("wav", "mp3"),
    "messages[user].content[file].file.file_data": Sample(
        f"data:application/pdf;base64,{BYTES[0]}", f"data:application/pdf;base64,{BYTES[1]}"),
    "messages[user].content[file].file.filename": Sample(*canary_pair("canary.pdf")),
    "messages[assistant].tool_calls[function].id": Sample(also=_CALL_ID),
    "messages[assistant].tool_calls[function].function.name": Sample("get_weather", "get_time"),
    "messages[assistant].tool_calls[custom].id": Sample(also=_CALL_ID),
    "messages[assistant].function_call.name": Sample("get_weather", "get_time", also=(("messages.2.name", SAME),)),
    "messages[assistant].audio": Sample(*canary_pair({"id": "canary"})),
    "messages[tool].tool_call_id": Sample(also=(("messages.1.tool_calls.0.id", SAME),)),
    "messages[function].name": Sample("get_weather", "get_time", also=(("messages.1.function_call.name", SAME),)),
    "tools[].custom": Sample(*canary_pair({"name": "write", "description": "canary"}), ("custom tool",)),
    "tool_choice@text": Sample("required", "none", ("tools",)),
    "tool_choice@object": Sample({"type": "function", "function": {"name": "get_weather"}},
        {"type": "function", "function": {"name": "get_time"}}, ("tools",)),
    "parallel_tool_calls": Sample(False, True, ("tools",)),
    "max_tokens": Sample(111, 222),
    "max_completion_tokens": Sample(111, 222),
    "n": Sample(2, 3),
    "top_logprobs": Sample(2, 3, also=(("logprobs", True),)),
    "response_format": (Sample(*canary_pair(_FORMAT)), Sample({"type": "json_object"}, {"type": "text"}, ("parts",))),
    "reasoning_effort": Sample("low", "high", also=(("max_completion_tokens", 60000),)),
    "stream_options.include_usage": Sample(bases=("stream",)),
    "functions": Sample(*canary_pair([{"name": "get_weather", "description": "canary", "parameters": _SCHEMA}])),
    "metadata": Sample(*canary_pair({"team": "canary"})),
    "service_tier": Sample("flex", "priority"),
    "verbosity": Sample("low", "high"),
    "logit_bias": Sample({"50256": -100}, {"50256": 100}),
    "prediction": Sample(*canary_pair({"type": "content", "content": "canary"})),
    "modalities": Sample(["text", "audio"], ["text"], also=(("audio", {"voice": "alloy", "format": "wav"}),)),
    "audio": Sample({"voice": "alloy", "format": "wav"}, {"voice": "echo", "format": "wav"},
        also=(("modalities", ["text", "audio"]),)),
    "prompt_cache_options": Sample({"mode": "implicit"}, {"mode": "explicit"}),
    "moderation": Sample(*canary_pair({"model": "canary"})),
    "stream_options.include_obfuscation": Sample(bases=("stream",)),
    "web_search_options": Sample({"search_context_size": "low"}, {"search_context_size": "high"}),
}  # fmt: skip

REQUEST_LEFT_OUT: Final[LeftOut] = {"stream": "chooses between a response and a stream, which the harness does"}

_USAGE: Final[JsonObject] = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
_AUDIO: Final[JsonObject] = {"id": "audio_one", "data": "UklGRg==", "transcript": "Hi.", "expires_at": 1700000100}


def _response_head(kind: str) -> JsonObject:
    return {"id": "chatcmpl-base", "object": kind, "created": 1700000000, "model": "base-model"}


def _response(*messages: JsonObject, finish: str = "stop") -> Base:
    choices = [
        {"index": index, "message": {"role": "assistant", **message}, "finish_reason": finish}
        for index, message in enumerate(messages)
    ]
    return single_document(_response_head("chat.completion") | {"choices": choices, "usage": _USAGE})


RESPONSE_BASES: Final[Bases] = {
    "text": _response({"content": "Hi."}),
    "two": _response({"content": "Hi."}, {"content": "Hello."}),
    "refusal": _response({"content": None, "refusal": "I cannot."}),
    "call": _response({"content": None, "tool_calls": [_CALL]}, finish="tool_calls"),
    "custom call": _response({"content": None, "tool_calls": [_CUSTOM_CALL]}, finish="tool_calls"),
    "old call": _response({"content": None, "function_call": _FUNCTION}, finish="function_call"),
    "spoken": _response({"content": None, "audio": _AUDIO}),
    "error": single_document(
        {"error": {"message": "Too many.", "type": "rate_limit_error", "param": None, "code": None}}, 429
    ),
}

_URL_CITATION: Final[JsonObject] = {
    "type": "url_citation",
    "url_citation": {"url": "https://example.com/canary", "title": "canary", "start_index": 0, "end_index": 2},
}


def _usage_samples(prefix: str, event: str = "") -> Samples:
    """Return the samples of token counts. ``prefix``: of their paths; ``event``: of the paths of what has to fit."""
    details = f"{prefix}usage.prompt_tokens_details", f"{prefix}usage.completion_tokens_details"
    return {
        f"{prefix}usage.prompt_tokens": Sample(also=((f"{event}usage.total_tokens", 90),)),
        f"{prefix}usage.completion_tokens": Sample(also=((f"{event}usage.total_tokens", 90),)),
        **{
            f"{details[0]}.{name}_tokens": Sample(also=((f"{event}usage.prompt_tokens", 50),))
            for name in ("cached", "cache_write")
        },
        f"{details[1]}.reasoning_tokens": Sample(also=((f"{event}usage.completion_tokens", 50),)),
    }


def _usage_left_out(prefix: str) -> LeftOut:
    """Return what the TypedDict that both details share has too much."""
    reason = "a figure of the other half of the usage; the two share a TypedDict"
    details = f"{prefix}usage.prompt_tokens_details", f"{prefix}usage.completion_tokens_details"
    in_prompt, in_completion = details
    of_completion = ("reasoning", "accepted_prediction", "rejected_prediction")
    return {
        **{f"{in_prompt}.{name}_tokens": reason for name in of_completion},
        **{f"{in_completion}.{name}_tokens": reason for name in ("cached", "cache_write", "image")},
    }


_MODERATION: Final = Sample(*canary_pair({"input": {"type": "canary"}}))
RESPONSE_SAMPLES: Final[Samples] = {
    "choices[].index": Sample(1, 2, ("two",), occurrence=-1),
    "choices[].message.annotations": Sample(*canary_pair([_URL_CITATION])),
    "choices[].finish_reason": Sample("stop", "length"), **_usage_samples(""),
    "service_tier": Sample("default", "priority"), "metadata": Sample(*canary_pair({"team": "canary"})),
    "moderation": _MODERATION, "error.type": Sample("rate_limit_error", "tokens"),
    "error.code": Sample("rate_limit_exceeded", "insufficient_quota"),
}  # fmt: skip

RESPONSE_LEFT_OUT: Final[LeftOut] = _usage_left_out("")

_CHUNK_HEAD: Final = _response_head("chat.completion.chunk")
_USAGE_CHUNK: Final[JsonObject] = _CHUNK_HEAD | {"choices": [], "usage": _USAGE}


def _chunk(delta: JsonObject, finish: str | None = None, index: int = 0) -> JsonObject:
    return _CHUNK_HEAD | {"choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


def _stream_with_usage(delta: JsonObject, finish: str = "stop") -> Base:
    return Base((_chunk({"role": "assistant", **delta}), _chunk({}, finish), _USAGE_CHUNK))


STREAM_BASES: Final[Bases] = {
    "text": _stream_with_usage({"content": "Hi."}),
    "two": Base((_chunk({"role": "assistant", "content": "Hi."}), _chunk({}, "stop"),
        _chunk({"role": "assistant", "content": "Hello."}, "stop", 1), _USAGE_CHUNK)),
    "refusal": _stream_with_usage({"content": None, "refusal": "I cannot."}),
    "call": _stream_with_usage({"content": None, "tool_calls": [{"index": 0, **_CALL}]}, finish="tool_calls"),
    "old call": _stream_with_usage({"content": None, "function_call": _FUNCTION}, finish="function_call"),
    "spoken": _stream_with_usage({"content": None, "audio": _AUDIO}),
}  # fmt: skip

_EVERYWHERE: Final = Sample(everywhere=True)
STREAM_SAMPLES: Final[Samples] = {
    **{f"[].{key}": _EVERYWHERE for key in ("id", "created", "model", "system_fingerprint")},
    "[].moderation": _MODERATION,
    "[].service_tier": Sample("default", "priority", everywhere=True),
    "[].choices[].index": Sample(1, 2, ("two",), occurrence=-1),
    "[].choices[].finish_reason": Sample("stop", "length", occurrence=-1),
    **_usage_samples("[].", "2."),
}

STREAM_LEFT_OUT: Final[LeftOut] = {
    "[].obfuscation": "padding against traffic analysis, no content",
    "[].choices[].delta.role": "always assistant",
    "[].choices[].delta.tool_calls[].index": "says which pieces make one call, nothing by itself",
    **_usage_left_out("[]."),
}

TABLES: Final[dict[Side, Table]] = {
    "request": Table(REQUEST_BASES, REQUEST_SAMPLES, REQUEST_LEFT_OUT),
    "response": Table(RESPONSE_BASES, RESPONSE_SAMPLES, RESPONSE_LEFT_OUT),
    "stream": Table(STREAM_BASES, STREAM_SAMPLES, STREAM_LEFT_OUT),
}
