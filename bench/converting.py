"""Wire-level conversion against the floor: orjson.loads + orjson.dumps of the same bytes."""

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import orjson
from chat_documents import chat_call_chunk, chat_history, chat_text_chunk
from documents import call_chunk, encoded, history, text_chunk
from figures import Figure
from rounds import best

CHUNKS = 200
LONG_STREAM = 100_000
WARM_UP = 2_000


def measure() -> Iterator[Figure]:
    from bridgecheck_reference import (
        GeminiToOpenAIStream,
        OpenAIToGeminiStream,
        gemini_request_to_openai,
        openai_request_to_gemini,
    )

    yield _per_chunk("text chunk, Gemini > OpenAI", GeminiToOpenAIStream, text_chunk, 2.5)
    yield _per_chunk("call chunk, Gemini > OpenAI", GeminiToOpenAIStream, call_chunk, 2.8)
    yield _per_chunk("text chunk, OpenAI > Gemini", OpenAIToGeminiStream, chat_text_chunk, 2.5)
    yield _per_chunk("call chunk, OpenAI > Gemini", OpenAIToGeminiStream, chat_call_chunk, 2.8)
    yield _request("1,000 messages, Gemini > OpenAI", gemini_request_to_openai, history(1000), 3.5)
    yield _request("1,000 messages, OpenAI > Gemini", openai_request_to_gemini, chat_history(1000), 3.5)
    yield _memory()


def floor(data: bytes) -> bytes:
    return orjson.dumps(orjson.loads(data))


def _per_chunk(name: str, machine: Callable[[], Any], chunk: Callable[[int], dict[str, Any]], target: float) -> Figure:
    """``machine``: makes the stream to feed. The last events, which ``close`` gives, are not measured."""
    chunks = encoded([chunk(i) for i in range(CHUNKS)])

    def convert() -> None:
        stream = machine()
        for data in chunks:
            for event in stream.feed(orjson.loads(data)):
                orjson.dumps(event)

    def plain() -> None:
        for data in chunks:
            floor(data)

    return _against_floor(name, convert, plain, target, len(chunks))


def _request(name: str, converter: Callable[[Any], Any], request: dict[str, Any], target: float) -> Figure:
    data = orjson.dumps(request)

    def convert() -> bytes:
        return orjson.dumps(converter(orjson.loads(data)).value)

    return _against_floor(name, convert, lambda: floor(data), target, 1)


def _against_floor(
    name: str, convert: Callable[[], object], plain: Callable[[], object], target: float, pieces: int
) -> Figure:
    times = best({"convert": convert, "floor": plain}, rounds=60)
    detail = f"{times['convert'] / pieces * 1e6:.1f} us, floor {times['floor'] / pieces * 1e6:.1f} us"
    return Figure(name, times["convert"] / times["floor"], target, "x floor", detail=detail)


def _memory() -> Figure:
    """How much more a stream holds after 100,000 chunks than after the first few thousand."""
    from bridgecheck_reference import GeminiToOpenAIStream

    stream = GeminiToOpenAIStream()
    chunk: dict[str, Any] = text_chunk(1)
    data = orjson.dumps(chunk)
    _feed(stream.feed, data, WARM_UP)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        _feed(stream.feed, data, LONG_STREAM - WARM_UP)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    kilobytes = max(0.0, (after - before) / 1024)
    return Figure("memory over 100,000 chunks", kilobytes, 64, "KiB", detail="O(1): no growth")


def _feed(feed: Callable[[Any], object], data: bytes, times: int) -> None:
    for _ in range(times):
        feed(orjson.loads(data))
