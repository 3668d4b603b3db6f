"""Wire-level conversion between Gemini and OpenAI against the floor, on documents with recorded lengths."""

from collections.abc import Callable, Iterator
from typing import Any

from against_floor import document, stream
from chat_documents import chat_call_chunk, chat_history, chat_text_chunk
from documents import call_chunk, encode_documents, history, nested_call_chunk, text_chunk
from figures import Figure

CHUNKS = 200


def measure() -> Iterator[Figure]:
    from bridgecheck_reference import (
        GeminiToOpenAIStream,
        OpenAIToGeminiStream,
        gemini_request_to_openai,
        openai_request_to_gemini,
    )

    texts, calls, nested = (_chunks(make) for make in (text_chunk, call_chunk, nested_call_chunk))
    yield stream("text chunk, Gemini > OpenAI", GeminiToOpenAIStream, texts, 2.5)
    yield stream("call chunk, Gemini > OpenAI", GeminiToOpenAIStream, calls, 2.8)
    yield stream("unsigned call, nested arguments", GeminiToOpenAIStream, nested)
    yield stream("text chunk, OpenAI > Gemini", OpenAIToGeminiStream, _chunks(chat_text_chunk), 2.5)
    yield stream("call chunk, OpenAI > Gemini", OpenAIToGeminiStream, _chunks(chat_call_chunk), 2.8)
    yield document("1,000 messages, Gemini > OpenAI", gemini_request_to_openai, history(1000), 3.5)
    yield document("1,000 messages, OpenAI > Gemini", openai_request_to_gemini, chat_history(1000), 3.5)


def _chunks(make: Callable[[int], dict[str, Any]]) -> list[list[bytes]]:
    """One stream."""
    return [encode_documents([make(number) for number in range(CHUNKS)])]
