"""Wire-level conversion between Anthropic and OpenAI against the floor."""

from collections.abc import Iterator

from against_floor import document, stream
from anthropic_documents import anthropic_call_stream, anthropic_history, anthropic_text_stream
from chat_documents import chat_call_chunk, chat_call_start, chat_history, chat_text_chunk
from documents import encode_documents
from figures import Figure

CHUNKS = 200
TEXT, CALL, HISTORY = 3.5, 4.5, 6.0
"""Targets: times the floor."""


def measure() -> Iterator[Figure]:
    from bridgecheck_reference.convert.anthropic.request_from_openai import openai_request_to_anthropic
    from bridgecheck_reference.convert.anthropic.request_to_openai import anthropic_request_to_openai
    from bridgecheck_reference.convert.anthropic.stream_from_openai import OpenAIToAnthropicStream
    from bridgecheck_reference.convert.anthropic.stream_to_openai import AnthropicToOpenAIStream

    texts, calls = encode_documents(anthropic_text_stream(CHUNKS)), encode_documents(anthropic_call_stream(CHUNKS))
    yield stream("text chunk, Anthropic > OpenAI", AnthropicToOpenAIStream, [texts], TEXT)
    yield stream("call chunk, Anthropic > OpenAI", AnthropicToOpenAIStream, [calls], CALL)
    chat_texts = [chat_text_chunk(i) for i in range(CHUNKS)]
    chat_calls = [chat_call_start(), *(chat_call_chunk(i) for i in range(CHUNKS))]
    yield stream("text chunk, OpenAI > Anthropic", OpenAIToAnthropicStream, [encode_documents(chat_texts)], TEXT)
    yield stream("call chunk, OpenAI > Anthropic", OpenAIToAnthropicStream, [encode_documents(chat_calls)], CALL)
    yield document("1,000 messages, Anthropic > OpenAI", anthropic_request_to_openai, anthropic_history(1000), HISTORY)
    yield document("1,000 messages, OpenAI > Anthropic", openai_request_to_anthropic, chat_history(1000), HISTORY)
