"""Wire-level conversion between Anthropic and OpenAI against the floor. No targets were set: the figures are told."""

from collections.abc import Iterator

from against_floor import document, stream
from anthropic_documents import anthropic_call_stream, anthropic_history, anthropic_text_stream
from chat_documents import chat_call_chunk, chat_history, chat_text_chunk
from documents import encode_documents
from figures import Figure

CHUNKS = 200


def measure() -> Iterator[Figure]:
    from bridgecheck_reference.convert.anthropic.request_from_openai import openai_request_to_anthropic
    from bridgecheck_reference.convert.anthropic.request_to_openai import anthropic_request_to_openai
    from bridgecheck_reference.convert.anthropic.stream_from_openai import OpenAIToAnthropicStream
    from bridgecheck_reference.convert.anthropic.stream_to_openai import AnthropicToOpenAIStream

    texts, calls = encode_documents(anthropic_text_stream(CHUNKS)), encode_documents(anthropic_call_stream(CHUNKS))
    yield stream("text chunk, Anthropic > OpenAI", AnthropicToOpenAIStream, [texts])
    yield stream("call chunk, Anthropic > OpenAI", AnthropicToOpenAIStream, [calls])
    chat_texts, chat_calls = ([make(i) for i in range(CHUNKS)] for make in (chat_text_chunk, chat_call_chunk))
    yield stream("text chunk, OpenAI > Anthropic", OpenAIToAnthropicStream, [encode_documents(chat_texts)])
    yield stream("call chunk, OpenAI > Anthropic", OpenAIToAnthropicStream, [encode_documents(chat_calls)])
    yield document("1,000 messages, Anthropic > OpenAI", anthropic_request_to_openai, anthropic_history(1000))
    yield document("1,000 messages, OpenAI > Anthropic", openai_request_to_anthropic, chat_history(1000))
