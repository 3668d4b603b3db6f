"""How time and memory grow with the input: 10 MB of arguments in 1,000,000 fragments, four times the history, four
times the depth of a schema, 100,000 events of a stream.

Told as the time for one fragment, message or level of the large input against that of a quarter of it: 1 is linear, 4
quadratic; what memory beyond the caches costs lies between. The tests count the work of smaller sizes instead.
"""

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

from chat_documents import chat_history
from documents import history, text_chunk
from figures import Figure
from rounds import best

FRAGMENTS = 1_000_000
PIECE = "0123456789"
EVENTS = 100_000
WARM_UP = 10_000
TIMES = 4
TARGET, SLACK = 1.5, 1.5

Feed = Callable[[Any], object]


def measure() -> Iterator[Figure]:
    from bridgecheck_reference import gemini_request_to_openai, openai_request_to_gemini
    from bridgecheck_reference.convert.gemini.schema import to_gemini_schema
    from bridgecheck_reference.loss import Losses

    for name, fed in _fragments().items():
        yield _growth(f"{FRAGMENTS:,} fragments, {name}", fed, FRAGMENTS // TIMES, FRAGMENTS, rounds=2)
    for name, convert, make in (
        ("Gemini > OpenAI", gemini_request_to_openai, history),
        ("OpenAI > Gemini", openai_request_to_gemini, chat_history),
    ):
        yield _growth(f"4,000 messages, {name}", convert, make(1000), make(4000))
    yield _growth(
        "a schema 80 deep, to OpenAPI",
        lambda schema: to_gemini_schema(schema, Losses()),
        _nested_schema(20),
        _nested_schema(80),
    )
    yield _memory()


def _fragments() -> dict[str, Callable[[int], None]]:
    """Each feeds so many fragments of one call's arguments, and closes."""
    from bridgecheck_reference import GeminiToOpenAIStream, OpenAIToGeminiStream
    from bridgecheck_reference.convert.anthropic.stream_from_openai import OpenAIToAnthropicStream
    from bridgecheck_reference.convert.anthropic.stream_to_openai import AnthropicToOpenAIStream
    from bridgecheck_reference.sse import StreamDocuments

    chat_head = _chat({"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": '{"a": "'}})
    chat_piece = _chat({"index": 0, "function": {"arguments": PIECE}})
    chat_tail = _chat({"index": 0, "function": {"arguments": '"}'}})
    part = {"jsonPath": "$.a", "stringValue": PIECE, "willContinue": True}
    gemini_head = _gemini({"name": "f", "partialArgs": [part], "willContinue": True})
    gemini_piece = _gemini({"partialArgs": [part], "willContinue": True})
    block = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    start = {"type": "content_block_start", "index": 0, "content_block": block}
    stop = {"type": "content_block_stop", "index": 0}
    delta = {"type": "input_json_delta", "partial_json": PIECE}
    anthropic_piece = {"type": "content_block_delta", "index": 0, "delta": delta}

    def run(make: Callable[[], Any], head: Any, piece: Any, tail: Any) -> Callable[[int], None]:
        def feed(count: int) -> None:
            machine = make()
            machine.feed(head)
            for _ in range(count):
                machine.feed(piece)
            machine.feed(tail)
            machine.close()

        return feed

    return {
        "OpenAI > Gemini": run(OpenAIToGeminiStream, chat_head, chat_piece, chat_tail),
        "OpenAI > Anthropic": run(OpenAIToAnthropicStream, chat_head, chat_piece, chat_tail),
        "Gemini > OpenAI": run(GeminiToOpenAIStream, gemini_head, gemini_piece, _gemini({"willContinue": False})),
        "Anthropic > OpenAI": run(AnthropicToOpenAIStream, start, anthropic_piece, stop),
        "bytes of one event": run(StreamDocuments, b'data: {"a": "', PIECE.encode(), b'"}\n\n'),
    }


def _growth(name: str, function: Feed, small: Any, large: Any, rounds: int = 20) -> Figure:
    """``large`` is four times ``small``."""
    times = best({"small": lambda: function(small), "large": lambda: function(large)}, rounds)
    detail = f"{times['large'] * 1e3:,.1f} ms, a quarter of it {times['small'] * 1e3:,.1f} ms"
    return Figure(name, times["large"] / times["small"] / TIMES, TARGET, "x each", slack=SLACK, detail=detail)


def _memory() -> Figure:
    """How much more a stream holds after 100,000 chunks than after 10,000."""
    from bridgecheck_reference import GeminiToOpenAIStream

    stream = GeminiToOpenAIStream()
    tracemalloc.start()
    try:
        for number in range(WARM_UP):
            stream.feed(text_chunk(number))
        before, _ = tracemalloc.get_traced_memory()
        for number in range(WARM_UP, EVENTS):
            stream.feed(text_chunk(number))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    kilobytes = max(0.0, (after - before) / 1024)
    return Figure("memory over 100,000 chunks", kilobytes, 64, "KiB", detail="O(1): no growth")


def _chat(call: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def _gemini(call: dict[str, Any]) -> dict[str, Any]:
    content = {"role": "model", "parts": [{"functionCall": call}]}
    return {"candidates": [{"content": content, "index": 0}], "modelVersion": "m", "responseId": "r"}


def _nested_schema(levels: int) -> dict[str, Any]:
    """A schema so many levels deep that names itself on the last."""
    inner: dict[str, Any] = {"$ref": "#/$defs/node"}
    for level in range(levels):
        choice = {"anyOf": [{"type": "string"}, {"type": "null"}]}
        inner = {"type": "object", "properties": {f"level{level}": inner, "list": {"type": "array", "items": choice}}}
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    return {**inner, "$defs": {"node": node}}
