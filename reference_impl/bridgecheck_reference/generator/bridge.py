"""The bridged path: a chat client that speaks Gemini, any provider below it.

Gemini request -> OpenAI params -> provider -> OpenAI answer or chunks -> Gemini answer or events
"""

from collections.abc import AsyncIterator
from contextlib import suppress

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.gemini_request import gemini_request_to_openai
from bridgecheck_reference.convert.openai_response import openai_response_to_gemini
from bridgecheck_reference.convert.openai_stream import OpenAIToGeminiStream
from bridgecheck_reference.converted_stream import ConvertedStream
from bridgecheck_reference.error_dialects import failure_for_gemini
from bridgecheck_reference.errors import ConversionError, NotSupportedError, ProviderError
from bridgecheck_reference.failures import document_failure
from bridgecheck_reference.generator.estimate import GEMINI_CLI, TokenWeights, estimate_tokens
from bridgecheck_reference.generator.lazy import LazyStream
from bridgecheck_reference.generator.protocol import ContentStream
from bridgecheck_reference.generator.requests import cancel_token, texts, wire_request
from bridgecheck_reference.providers.protocol import ABORT_SIGNAL, IRStream, LLMProvider


class ProviderBridge:
    """``ContentGenerator`` over an ``LLMProvider``, which it closes with itself.

    ``model`` is used for requests that name none; ``weights``: of the estimate where the provider cannot count tokens.
    ``lazy_stream`` (mapping row R-02): open a stream with its first event, not when it is asked for.
    """

    def __init__(
        self,
        provider: LLMProvider,
        model: str = "",
        weights: TokenWeights = GEMINI_CLI,
        *,
        lazy_stream: bool = False,
    ) -> None:
        self.provider = provider.for_client("gemini")
        self._model = model
        self._weights = weights
        self._lazy = lazy_stream

    def __repr__(self) -> str:
        return f"ProviderBridge({self.provider!r})"

    async def generate_content(self, request: JsonObject, user_prompt_id: str, role: str = "main") -> JsonObject:
        model, body = wire_request(request, self._model)
        params = self._params(model, body, stream=False)
        try:
            answer = await self.provider.generate(_signalled(params, request))
        except ProviderError as error:
            raise failure_for_gemini(error) from None
        result = openai_response_to_gemini(answer, model=model, request=body, profile=self.provider.profile)
        return _checked(result.value, answer, result.meta.get("status"))

    async def generate_content_stream(
        self, request: JsonObject, user_prompt_id: str, role: str = "main"
    ) -> ContentStream:
        return LazyStream(lambda: self._open(request)) if self._lazy else await self._open(request)

    async def _open(self, request: JsonObject) -> "BridgedStream":
        model, body = wire_request(request, self._model)
        params = self._params(model, body, stream=True)
        try:
            chunks = await self.provider.generate_stream(_signalled(params, request))
        except ProviderError as error:
            raise failure_for_gemini(error) from None
        return BridgedStream(chunks, OpenAIToGeminiStream(model=model, request=body, profile=self.provider.profile))

    async def count_tokens(self, request: JsonObject) -> JsonObject:
        """The provider's count; an estimate if it has none or does not answer. Never raises for either."""
        if self.provider.supports("count_tokens"):
            # A count is a hint: what is wrong, the call that it is for will report.
            with suppress(ProviderError, ConversionError):
                model, body = wire_request(request, self._model)
                messages = self._params(model, body, stream=False).get("messages")
                if isinstance(messages, list):
                    return {"totalTokens": await self.provider.count_tokens(messages, model)}
        return {"totalTokens": estimate_tokens(request, self._weights)}

    async def embed_content(self, request: JsonObject) -> JsonObject:
        """``NotSupportedError`` if the provider cannot."""
        if not self.provider.supports("embed_content"):
            raise NotSupportedError("embed_content", self.provider.name)
        model, body = wire_request(request, self._model)
        try:
            vectors = await self.provider.embed_content(texts(body), model)
        except ProviderError as error:
            raise failure_for_gemini(error) from None
        return {"embeddings": [{"values": vector} for vector in vectors]}

    async def close(self) -> None:
        await self.provider.close()

    def _params(self, model: str, body: JsonObject, *, stream: bool) -> JsonObject:
        return gemini_request_to_openai(body, model=model, stream=stream, profile=self.provider.profile).value


class BridgedStream:
    """Gemini events of a provider's chunks; an error event is raised, and the provider hung up on."""

    def __init__(self, chunks: IRStream, machine: OpenAIToGeminiStream) -> None:
        self._events = ConvertedStream(chunks, machine, failure_for_gemini)

    def __aiter__(self) -> AsyncIterator[JsonObject]:
        return self

    async def __anext__(self) -> JsonObject:
        event = await anext(self._events)
        if event.get("error"):
            await self.aclose()
        return _checked(event, None, None)

    async def aclose(self) -> None:
        await self._events.aclose()


def _signalled(params: JsonObject, request: JsonObject) -> JsonObject:
    """With the caller's token, if the request has one."""
    token = cancel_token(request)
    return params if token is None else {**params, ABORT_SIGNAL: token}


def _checked(document: JsonObject, native: object, status: object) -> JsonObject:
    """The document, unless it is an error document: that is raised."""
    if not document.get("error"):
        return document
    raise document_failure(
        document, dialect="gemini", status=status if isinstance(status, int) else None, native=native
    )
