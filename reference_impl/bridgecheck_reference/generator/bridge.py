"""The bridged path: a chat client that speaks Gemini, any provider below it (see ``provider_calls``)."""

from contextlib import suppress

from bridgecheck.wire import JsonObject
from bridgecheck_reference.errors import ConversionError, NotSupportedError, ProviderError
from bridgecheck_reference.failures import convert_failure
from bridgecheck_reference.generator.estimate import GEMINI_CLI, TokensPerUnit, estimate_tokens
from bridgecheck_reference.generator.protocol import ContentStream, embedded_texts, request_cancel_token, wire_request
from bridgecheck_reference.provider_calls import ProviderCaller
from bridgecheck_reference.providers.protocol import LLMProvider
from bridgecheck_reference.streams import LazyStream


class ProviderBridge:
    """``ContentGenerator`` over an ``LLMProvider``, which it closes with itself.

    ``model`` is used for requests that name none; ``weights``: of the estimate where the provider cannot count tokens.
    ``lazy_stream`` (mapping row R-02): open a stream with its first event, not when it is requested.
    """

    def __init__(
        self,
        provider: LLMProvider,
        model: str = "",
        weights: TokensPerUnit = GEMINI_CLI,
        *,
        lazy_stream: bool = False,
    ) -> None:
        self._caller = ProviderCaller(provider, "gemini")
        self._model = model
        self._weights = weights
        self._lazy = lazy_stream

    def __repr__(self) -> str:
        return f"ProviderBridge({self.provider!r})"

    @property
    def provider(self) -> LLMProvider:
        """Who answers."""
        return self._caller.provider

    async def generate_content(self, request: JsonObject, user_prompt_id: str, role: str = "main") -> JsonObject:
        model, body = wire_request(request, self._model)
        return await self._caller.generate(model, body, request_cancel_token(request))

    async def generate_content_stream(
        self, request: JsonObject, user_prompt_id: str, role: str = "main"
    ) -> ContentStream:
        return LazyStream(lambda: self._open(request)) if self._lazy else await self._open(request)

    async def _open(self, request: JsonObject) -> ContentStream:
        model, body = wire_request(request, self._model)
        return await self._caller.open_stream(model, body, request_cancel_token(request))

    async def count_tokens(self, request: JsonObject) -> JsonObject:
        """The provider's count; an estimate if it has none or does not answer. Never raises for either."""
        if self.provider.supports("count_tokens"):
            # A count is a hint: what is wrong, the call that it is for will report.
            with suppress(ProviderError, ConversionError):
                model, body = wire_request(request, self._model)
                messages = self._caller.params(model, body, stream=False).get("messages")
                if isinstance(messages, list):
                    return {"totalTokens": await self.provider.count_tokens(messages, model)}
        return {"totalTokens": estimate_tokens(request, self._weights)}

    async def embed_content(self, request: JsonObject) -> JsonObject:
        """``NotSupportedError`` if the provider cannot."""
        if not self.provider.supports("embed_content"):
            raise NotSupportedError("embed_content", self.provider.name)
        model, body = wire_request(request, self._model)
        try:
            vectors = await self.provider.embed_content(embedded_texts(body), model)
        except ProviderError as error:
            raise convert_failure("gemini", error) from None
        return {"embeddings": [{"values": vector} for vector in vectors]}

    async def close(self) -> None:
        await self.provider.close()
