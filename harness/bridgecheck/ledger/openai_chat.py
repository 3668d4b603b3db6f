"""Chat's requests and answers, whole and streamed: bases, values, and the leaves that are left out."""

from typing import Final

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
from bridgecheck.ledger.gemini_request import BYTES, PNG
from bridgecheck.wire import JsonObject

_USER: Final[JsonObject] = {"role": "user", "content": "Hello"}
_SCHEMA: Final[JsonObject] = {"type": "object", "properties": {"city": {"type": "string"}}}


def _function(name: str) -> JsonObject:
    described = {"name": name, "description": f"{name} of a city.", "parameters": _SCHEMA, "strict": False}
    return {"type": "function", "function": described}


_TOOLS: Final = [_function("get_weather"), _function("get_time")]


def _asked(*messages: JsonObject, **settings: object) -> Base:
    return single_document({"model": "base-model", "messages": list(messages), **settings})


def _shown(part: JsonObject) -> Base:
    return _asked({"role": "user", "content": [{"type": "text", "text": "Look at this."}, part]})


def _answered(**message: object) -> Base:
    """The model answered with this before."""
    return _asked(_USER, {"role": "assistant", **message}, _USER)


def _called(call: JsonObject, result: object = "rain", text: str | None = None) -> Base:
    """A tool was called and answered."""
    called: JsonObject = {"role": "assistant", "content": text, "tool_calls": [call]}
    return _asked(_USER, called, {"role": "tool", "tool_call_id": "call_one", "content": result}, tools=_TOOLS)


_REQUEST_CALL: Final[JsonObject] = {
    "id": "call_one",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'},
}
_REQUEST_CUSTOM: Final[JsonObject] = {
    "id": "call_one",
    "type": "custom",
    "custom": {"name": "write", "input": "Dear all"},
}
_SOUND: Final[JsonObject] = {"data": "UklGRg==", "format": "wav"}
_FILE: Final[JsonObject] = {"file_data": "data:application/pdf;base64,JVBERi0xLjQ=", "filename": "one.pdf"}

REQUEST_BASES: Final[Bases] = {
    "text": _asked(_USER),
    "dialog": _asked(_USER, {"role": "user", "content": "Are you there?"}),
    "system": _asked({"role": "system", "content": "Be brief."}, _USER),
    "system parts": _asked({"role": "system", "content": [{"type": "text", "text": "Be brief."}]}, _USER),
    "parts": _asked({"role": "user", "content": [{"type": "text", "text": "Hello"}]}),
    "image": _shown({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}),
    "image address": _shown({"type": "image_url", "image_url": {"url": "https://example.com/one.png"}}),
    "sound": _shown({"type": "input_audio", "input_audio": _SOUND}),
    "file": _shown({"type": "file", "file": _FILE}),
    "held file": _shown({"type": "file", "file": {"file_id": "file-one"}}),
    "assistant": _answered(content="Hi."),
    "assistant parts": _answered(content=[{"type": "text", "text": "Hi."}]),
    "refusal": _answered(content=None, refusal="I cannot."),
    "refusal part": _answered(content=[{"type": "refusal", "refusal": "I cannot."}]),
    "spoken": _answered(content="Hi.", audio={"id": "audio_one"}),
    "call": _called(_REQUEST_CALL),
    "result parts": _called(_REQUEST_CALL, [{"type": "text", "text": "rain"}]),
    "custom call": _called(_REQUEST_CUSTOM),
    "old call": _asked(
        _USER,
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "get_weather", "arguments": '{"city":"Oslo"}'},
        },
        {"role": "function", "name": "get_weather", "content": "rain"},
        tools=_TOOLS,
    ),
    "tools": _asked(_USER, tools=_TOOLS),
    "custom tool": _asked(_USER, tools=[{"type": "custom", "custom": {"name": "write", "description": "Writes."}}]),
    "stream": _asked(_USER, stream=True),
}
"""name -> document; a leaf is run in the first that holds it. ``stream: true`` makes it a streamed request."""

_SCHEMA_FORMAT: Final = (
    "response_format",
    {"type": "json_schema", "json_schema": {"name": "answer", "schema": _SCHEMA}},
)


def _schema(word: str) -> JsonObject:
    return {"type": "object", "properties": {word: {"type": "string"}}}


def _format(word: str) -> JsonObject:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": _schema(word)}}


def _described(word: str) -> JsonObject:
    return {"name": "get_weather", "description": word, "parameters": _SCHEMA}


def _signed(word: str) -> JsonObject:
    return {"google": {"thought_signature": word}}


_ASSISTANT_CONTENT: Final = ("modalities", ["text", "audio"])
_ID: Final = ("messages.2.tool_call_id", SAME)
_OLD_NAME: Final = ("messages.2.name", SAME)

REQUEST_SAMPLES: Final[Samples] = {
    "messages[].role": Sample("user", "assistant", ("dialog",), occurrence=-1),
    "messages[user].content[image_url].image_url.url": (
        Sample(f"data:image/png;base64,{BYTES[0]}", f"data:image/png;base64,{BYTES[1]}"),
        Sample("https://example.com/canary-alpha.png", "https://example.com/canary-beta.png", ("image address",)),
    ),
    "messages[user].content[image_url].image_url.detail": Sample("low", "high"),
    "messages[user].content[input_audio].input_audio.data": Sample(*BYTES),
    "messages[user].content[input_audio].input_audio.format": Sample("wav", "mp3"),
    "messages[user].content[file].file.file_data": Sample(
        f"data:application/pdf;base64,{BYTES[0]}", f"data:application/pdf;base64,{BYTES[1]}"
    ),
    "messages[user].content[file].file.filename": Sample("canary-alpha.pdf", "canary-beta.pdf"),
    "messages[assistant].tool_calls[function].id": Sample(ALPHA, BETA, also=(_ID,)),
    "messages[assistant].tool_calls[function].function.name": Sample("get_weather", "get_time"),
    "messages[assistant].tool_calls[function].function.arguments": Sample(
        '{"city":"canary-alpha"}', '{"city":"canary-beta"}'
    ),
    "messages[assistant].tool_calls[function].extra_content": Sample(_signed(BYTES[0]), _signed(BYTES[1])),
    "messages[assistant].tool_calls[custom].id": Sample(ALPHA, BETA, also=(_ID,)),
    "messages[assistant].function_call.name": Sample("get_weather", "get_time", also=(_OLD_NAME,)),
    "messages[assistant].function_call.arguments": Sample('{"city":"canary-alpha"}', '{"city":"canary-beta"}'),
    "messages[assistant].audio": Sample({"id": ALPHA}, {"id": BETA}),
    "messages[tool].tool_call_id": Sample(ALPHA, BETA, also=(("messages.1.tool_calls.0.id", SAME),)),
    "messages[function].name": Sample("get_weather", "get_time", also=(("messages.1.function_call.name", SAME),)),
    "tools[].function.parameters": Sample(_schema(ALPHA), _schema(BETA)),
    "tools[].function.strict": Sample(True, False),
    "tools[].custom": Sample(
        {"name": "write", "description": ALPHA}, {"name": "write", "description": BETA}, ("custom tool",)
    ),
    "tool_choice@text": Sample("required", "none", ("tools",)),
    "tool_choice@object": Sample(
        {"type": "function", "function": {"name": "get_weather"}},
        {"type": "function", "function": {"name": "get_time"}},
        ("tools",),
    ),
    "parallel_tool_calls": Sample(False, True, ("tools",)),
    "max_tokens": Sample(111, 222),
    "max_completion_tokens": Sample(111, 222),
    "stop@text": Sample(ALPHA, BETA),
    "n": Sample(2, 3),
    "logprobs": Sample(True, False),
    "top_logprobs": Sample(2, 3, also=(("logprobs", True),)),
    "response_format": (
        Sample(_format(ALPHA), _format(BETA)),
        Sample({"type": "json_object"}, {"type": "text"}, ("parts",)),
    ),
    "reasoning_effort": Sample("low", "high", also=(("max_completion_tokens", 60000),)),
    "stream_options.include_usage": Sample(True, False, ("stream",)),
    "functions": Sample([_described(ALPHA)], [_described(BETA)]),
    "metadata": Sample({"team": ALPHA}, {"team": BETA}),
    "service_tier": Sample("flex", "priority"),
    "verbosity": Sample("low", "high"),
    "logit_bias": Sample({"50256": -100}, {"50256": 100}),
    "prediction": Sample({"type": "content", "content": ALPHA}, {"type": "content", "content": BETA}),
    "modalities": Sample(["text", "audio"], ["text"], also=(("audio", {"voice": "alloy", "format": "wav"}),)),
    "audio": Sample(
        {"voice": "alloy", "format": "wav"},
        {"voice": "echo", "format": "wav"},
        also=(("modalities", ["text", "audio"]),),
    ),
    "web_search_options": Sample({"search_context_size": "low"}, {"search_context_size": "high"}),
}

_ONE_SHAPE: Final = "says which shape this is; every shape has leaves of its own"

REQUEST_LEFT_OUT: Final[LeftOut] = {
    "messages[system].content[].type": _ONE_SHAPE,
    "messages[user].content[].type": _ONE_SHAPE,
    "messages[assistant].content[].type": _ONE_SHAPE,
    "messages[assistant].tool_calls[].type": _ONE_SHAPE,
    "messages[tool].content[].type": _ONE_SHAPE,
    "tools[].type": _ONE_SHAPE,
    "stream": "chooses between an answer and a stream, which the harness does",
}

REQUEST_TABLE: Final = Table(REQUEST_BASES, REQUEST_SAMPLES, REQUEST_LEFT_OUT)


_ANSWER_HEAD: Final[JsonObject] = {
    "id": "chatcmpl-base",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "base-model",
}
_USAGE: Final[JsonObject] = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


def _choice(index: int = 0, finish: str = "stop", **message: object) -> JsonObject:
    return {"index": index, "message": {"role": "assistant", **message}, "finish_reason": finish}


def _answer(*choices: JsonObject) -> Base:
    return single_document(_ANSWER_HEAD | {"choices": list(choices), "usage": _USAGE})


_ANSWER_FUNCTION: Final[JsonObject] = {"name": "get_weather", "arguments": '{"city":"Oslo"}'}
_ANSWER_CALL: Final[JsonObject] = {"id": "call_one", "type": "function", "function": _ANSWER_FUNCTION}
_ANSWER_CUSTOM: Final[JsonObject] = {
    "id": "call_one",
    "type": "custom",
    "custom": {"name": "write", "input": "Dear all"},
}
_ANSWER_AUDIO: Final[JsonObject] = {
    "id": "audio_one",
    "data": "UklGRg==",
    "transcript": "Hi.",
    "expires_at": 1700000100,
}

ANSWER_BASES: Final[Bases] = {
    "text": _answer(_choice(content="Hi.")),
    "two": _answer(_choice(content="Hi."), _choice(1, content="Hello.")),
    "refusal": _answer(_choice(content=None, refusal="I cannot.")),
    "call": _answer(_choice(finish="tool_calls", content=None, tool_calls=[_ANSWER_CALL])),
    "custom call": _answer(_choice(finish="tool_calls", content=None, tool_calls=[_ANSWER_CUSTOM])),
    "old call": _answer(_choice(finish="function_call", content=None, function_call=_ANSWER_FUNCTION)),
    "spoken": _answer(_choice(content=None, audio=_ANSWER_AUDIO)),
    "error": single_document(
        {"error": {"message": "Too many.", "type": "rate_limit_error", "param": None, "code": None}}, 429
    ),
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


ANSWER_SAMPLES: Final[Samples] = {
    "created": Sample(1700000011, 1700000012),
    "choices[].index": Sample(1, 2, ("two",), occurrence=-1),
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

_ANSWER_OTHER_HALF: Final = "a figure of the other half of the usage; the two share a TypedDict"
ANSWER_LEFT_OUT: Final[LeftOut] = {
    "object": "always the same word",
    "choices[].message.role": "always assistant",
    "choices[].message.tool_calls[].type": "says which shape this is; every shape has leaves of its own",
    "usage.prompt_tokens_details.reasoning_tokens": _ANSWER_OTHER_HALF,
    "usage.completion_tokens_details.cached_tokens": _ANSWER_OTHER_HALF,
}

ANSWER_TABLE: Final = Table(ANSWER_BASES, ANSWER_SAMPLES, ANSWER_LEFT_OUT)


_STREAM_HEAD: Final[JsonObject] = {
    "id": "chatcmpl-base",
    "object": "chat.completion.chunk",
    "created": 1700000000,
    "model": "base-model",
}
_COUNTED: Final[JsonObject] = _STREAM_HEAD | {
    "choices": [],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}


def _chunk(delta: JsonObject, finish: str | None = None, index: int = 0) -> JsonObject:
    return _STREAM_HEAD | {"choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


def _stream(*deltas: JsonObject, finish: str = "stop") -> Base:
    return Base((*(_chunk({"role": "assistant", **delta}) for delta in deltas), _chunk({}, finish), _COUNTED))


_STREAM_FUNCTION: Final[JsonObject] = {"name": "get_weather", "arguments": '{"city":"Oslo"}'}
_STREAM_CALL: Final[JsonObject] = {"index": 0, "id": "call_one", "type": "function", "function": _STREAM_FUNCTION}
_STREAM_AUDIO: Final[JsonObject] = {
    "id": "audio_one",
    "data": "UklGRg==",
    "transcript": "Hi.",
    "expires_at": 1700000100,
}

STREAM_BASES: Final[Bases] = {
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
    "call": _stream({"content": None, "tool_calls": [_STREAM_CALL]}, finish="tool_calls"),
    "old call": _stream({"content": None, "function_call": _STREAM_FUNCTION}, finish="function_call"),
    "spoken": _stream({"content": None, "audio": _STREAM_AUDIO}),
}

STREAM_SAMPLES: Final[Samples] = {
    "[].id": Sample(ALPHA, BETA, everywhere=True),
    "[].created": Sample(1700000011, 1700000012, everywhere=True),
    "[].model": Sample(ALPHA, BETA, everywhere=True),
    "[].system_fingerprint": Sample(ALPHA, BETA, everywhere=True),
    "[].service_tier": Sample("default", "priority", everywhere=True),
    "[].choices[].index": Sample(1, 2, ("two",), occurrence=-1),
    "[].choices[].delta.tool_calls[].function.arguments": Sample('{"city":"canary-alpha"}', '{"city":"canary-beta"}'),
    "[].choices[].delta.function_call.arguments": Sample('{"city":"canary-alpha"}', '{"city":"canary-beta"}'),
    "[].choices[].delta.audio.data": Sample(*BYTES),
    "[].choices[].delta.audio.expires_at": Sample(1700000011, 1700000012),
    "[].choices[].delta.reasoning_details": Sample(detailed(ALPHA), detailed(BETA)),
    "[].choices[].finish_reason": Sample("stop", "length", occurrence=-1),
    "[].choices[].logprobs": Sample(likely(ALPHA), likely(BETA)),
    "[].usage.prompt_tokens": Sample(20, 30, also=(("2.usage.total_tokens", 90),)),
    "[].usage.completion_tokens": Sample(20, 30, also=(("2.usage.total_tokens", 90),)),
    "[].usage.total_tokens": Sample(50, 60),
    "[].usage.prompt_tokens_details.cached_tokens": Sample(20, 30, also=(("2.usage.prompt_tokens", 50),)),
    "[].usage.completion_tokens_details.reasoning_tokens": Sample(20, 30, also=(("2.usage.completion_tokens", 50),)),
}

_STREAM_OTHER_HALF: Final = "a figure of the other half of the usage; the two share a TypedDict"
STREAM_LEFT_OUT: Final[LeftOut] = {
    "[].object": "always the same word",
    "[].choices[].delta.role": "always assistant",
    "[].choices[].delta.tool_calls[].index": "says which pieces make one call, nothing by itself",
    "[].choices[].delta.tool_calls[].type": "always function in a stream",
    "[].usage.prompt_tokens_details.reasoning_tokens": _STREAM_OTHER_HALF,
    "[].usage.completion_tokens_details.cached_tokens": _STREAM_OTHER_HALF,
}

STREAM_TABLE: Final = Table(STREAM_BASES, STREAM_SAMPLES, STREAM_LEFT_OUT)
