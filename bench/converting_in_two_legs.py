"""Wire-level conversion between Gemini and Anthropic, in two legs, against the floor: told, without a target."""

from collections.abc import Iterator
from typing import Any

from against_floor import document, stream
from anthropic_documents import anthropic_call_stream, anthropic_history, anthropic_text_stream
from documents import call_chunk, encode_documents, history, text_chunk
from figures import Figure

CHUNKS = 200


def measure() -> Iterator[Figure]:
    from bridgecheck.wire import Dialect
    from bridgecheck_reference.default_adapter import PipedStream, ReferenceAdapter
    from bridgecheck_reference.routes import convert_request
    from bridgecheck_reference.types.conversion import ConversionResult

    to_anthropic, to_gemini = "claude-sonnet-4-5", "gemini-2.5-pro"

    def make_stream(client: Dialect, upstream: Dialect, model: str) -> PipedStream:
        return ReferenceAdapter().stream(client=client, upstream=upstream, model=model, request={})

    def convert_gemini(request: Any) -> ConversionResult:
        return convert_request("gemini", "anthropic", request, to_anthropic, stream=True)

    def convert_anthropic(request: Any) -> ConversionResult:
        return convert_request("anthropic", "gemini", request, to_gemini, stream=True)

    for kind, events in (("text", anthropic_text_stream(CHUNKS)), ("call", anthropic_call_stream(CHUNKS))):
        chunks = encode_documents(events)
        yield stream(
            f"{kind} chunk, Anthropic > Gemini", lambda: make_stream("gemini", "anthropic", to_anthropic), [chunks]
        )
    for kind, make in (("text", text_chunk), ("call", call_chunk)):
        chunks = encode_documents([make(number) for number in range(CHUNKS)])
        yield stream(
            f"{kind} chunk, Gemini > Anthropic", lambda: make_stream("anthropic", "gemini", to_gemini), [chunks]
        )
    yield document("1,000 messages, Gemini > Anthropic", convert_gemini, history(1000))
    yield document("1,000 messages, Anthropic > Gemini", convert_anthropic, anthropic_history(1000))
