"""Small streams in which every relation can vary something."""

from typing import Any

from bridgecheck.wire import Dialect, JsonObject


def chat(delta: JsonObject, finish: str | None = None, **top: Any) -> JsonObject:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], **top}


def call(index: int, arguments: str, **begin: Any) -> JsonObject:
    name = begin.pop("name", None)
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    return {"index": index, **begin, "function": function}


def gemini(*parts: JsonObject, finish: str = "", usage: tuple[int, int] | None = None) -> JsonObject:
    candidate: JsonObject = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    made: JsonObject = {"candidates": [candidate | ({"finishReason": finish} if finish else {})], "modelVersion": "m"}
    return made | ({"usageMetadata": counts(*usage)} if usage else {})


def counts(prompt: int, answer: int) -> JsonObject:
    return {"promptTokenCount": prompt, "candidatesTokenCount": answer, "totalTokenCount": prompt + answer}


def delta(index: int, kind: str, name: str, text: str) -> JsonObject:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, name: text}}


USAGE: JsonObject = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}

STREAMS: dict[Dialect, tuple[JsonObject, ...]] = {
    "openai-chat": (
        chat({"role": "assistant", "content": ""}),
        chat({"content": "Grüße "}),
        chat({"content": "aus Wien"}),
        chat({"tool_calls": [call(0, '{"n":', id="a", type="function", name="f")]}),
        chat({"tool_calls": [call(0, "1}")]}),
        chat({"tool_calls": [call(1, "{}", id="b", type="function", name="g")]}),
        chat({}, "tool_calls"),
        {**chat({}), "choices": [], "usage": USAGE},
    ),
    "gemini": (
        gemini({"text": "Grüße "}, usage=(3, 1)),
        gemini({"text": "aus Wien"}, usage=(3, 2)),
        gemini(
            {"functionCall": {"name": "f", "args": {"n": 1}}, "thoughtSignature": "c2ln"},
            {"functionCall": {"name": "g", "args": {}}},
            usage=(3, 4),
        ),
        gemini({"functionCall": {"name": "h", "args": {}}}, finish="STOP", usage=(3, 5)),
    ),
    "anthropic": (
        {
            "type": "message_start",
            "message": {
                "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],
                "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 1},
            },
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        delta(0, "text_delta", "text", "Grüße "),
        delta(0, "text_delta", "text", "aus Wien"),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}},
        },
        delta(1, "input_json_delta", "partial_json", '{"n":1}'),
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 5},
        },
        {"type": "message_stop"},
    ),
}  # fmt: skip
