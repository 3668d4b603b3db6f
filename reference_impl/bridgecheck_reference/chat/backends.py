"""Whom a chat asks: a content generator (native or bridged), or a provider without the bridge in between."""

from typing import Protocol

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.generator.protocol import ContentGenerator, ContentStream
from bridgecheck_reference.provider_calls import ProviderCaller
from bridgecheck_reference.providers.protocol import LLMProvider


class Backend(Protocol):
    """Gemini documents in and out. ``body``: as on the wire, without the model."""

    async def ask(self, model: str, body: JsonObject, token: CancelToken | None = None) -> JsonObject: ...

    async def open(self, model: str, body: JsonObject, token: CancelToken | None = None) -> ContentStream: ...


class GeneratorBackend:
    """A content generator; ``prompt_id`` names the chat in its logs."""

    def __init__(self, generator: ContentGenerator, prompt_id: str) -> None:
        self._generator = generator
        self._prompt_id = prompt_id

    async def ask(self, model: str, body: JsonObject, token: CancelToken | None = None) -> JsonObject:
        return await self._generator.generate_content(_request(model, body, token), self._prompt_id)

    async def open(self, model: str, body: JsonObject, token: CancelToken | None = None) -> ContentStream:
        return await self._generator.generate_content_stream(_request(model, body, token), self._prompt_id)


def backend_of(target: ContentGenerator | LLMProvider, prompt_id: str) -> Backend:
    """What the chat asks through."""
    if isinstance(target, LLMProvider):
        return ProviderCaller(target, "gemini")
    return GeneratorBackend(target, prompt_id)


def _request(model: str, body: JsonObject, token: CancelToken | None) -> JsonObject:
    request: JsonObject = {**body, "model": model}
    return request if token is None else {**request, "config": {"abortSignal": token}}
