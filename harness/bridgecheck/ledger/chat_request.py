"""Chat's requests: bases, values, and what is left out."""

from typing import Final

from bridgecheck.ledger.base import ALPHA, BETA, SAME, Base, Bases, LeftOut, Sample, Samples, Table, one
from bridgecheck.ledger.gemini_request import BYTES, PNG
from bridgecheck.wire import JsonObject

_USER: Final[JsonObject] = {"role": "user", "content": "Hello"}
_SCHEMA: Final[JsonObject] = {"type": "object", "properties": {"city": {"type": "string"}}}


def _function(name: str) -> JsonObject:
    described = {"name": name, "description": f"{name} of a city.", "parameters": _SCHEMA, "strict": False}
    return {"type": "function", "function": described}


_TOOLS: Final = [_function("get_weather"), _function("get_time")]


def _asked(*messages: JsonObject, **settings: object) -> Base:
    return one({"model": "base-model", "messages": list(messages), **settings})


def _shown(part: JsonObject) -> Base:
    return _asked({"role": "user", "content": [{"type": "text", "text": "Look at this."}, part]})


def _answered(**message: object) -> Base:
    """The model answered with this before."""
    return _asked(_USER, {"role": "assistant", **message}, _USER)


def _called(call: JsonObject, result: object = "rain", text: str | None = None) -> Base:
    """A tool was called and answered."""
    called: JsonObject = {"role": "assistant", "content": text, "tool_calls": [call]}
    return _asked(_USER, called, {"role": "tool", "tool_call_id": "call_one", "content": result}, tools=_TOOLS)


_CALL: Final[JsonObject] = {
    "id": "call_one",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'},
}
_CUSTOM: Final[JsonObject] = {"id": "call_one", "type": "custom", "custom": {"name": "write", "input": "Dear all"}}
_SOUND: Final[JsonObject] = {"data": "UklGRg==", "format": "wav"}
_FILE: Final[JsonObject] = {"file_data": "data:application/pdf;base64,JVBERi0xLjQ=", "filename": "one.pdf"}

BASES: Final[Bases] = {
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
    "call": _called(_CALL),
    "result parts": _called(_CALL, [{"type": "text", "text": "rain"}]),
    "custom call": _called(_CUSTOM),
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


_SPOKEN: Final = ("modalities", ["text", "audio"])
_ID: Final = ("messages.2.tool_call_id", SAME)
_OLD_NAME: Final = ("messages.2.name", SAME)

SAMPLES: Final[Samples] = {
    "messages[].role": Sample("user", "assistant", ("dialog",), place=-1),
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

LEFT_OUT: Final[LeftOut] = {
    "messages[system].content[].type": _ONE_SHAPE,
    "messages[user].content[].type": _ONE_SHAPE,
    "messages[assistant].content[].type": _ONE_SHAPE,
    "messages[assistant].tool_calls[].type": _ONE_SHAPE,
    "messages[tool].content[].type": _ONE_SHAPE,
    "tools[].type": _ONE_SHAPE,
    "stream": "chooses between an answer and a stream, which the harness does",
}

TABLE: Final = Table(BASES, SAMPLES, LEFT_OUT)
