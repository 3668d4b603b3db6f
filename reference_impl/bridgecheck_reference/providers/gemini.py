"""Gemini, on google-genai: IR in, IR out, converted on the way. See ``google_wire.calls`` for how the SDK is called."""

from bridgecheck.wire import Dialect
from bridgecheck_reference.config import ProviderConfig, public_url
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.failures import convert_failure_of_any_dialect_to_openai, raise_if_error
from bridgecheck_reference.google_wire.calls import connect_google
from bridgecheck_reference.providers.protocol import BaseProvider, OpenAICompletion, OpenAIMessage, OpenAIRequest
from bridgecheck_reference.streams import ConvertedStream, FinishRequiringOpenAIStream


class GeminiProvider(BaseProvider):
    """``LLMProvider`` over the Gemini API."""

    dialect: Dialect = "gemini"

    def __init__(self, config: ProviderConfig, profile: Profile = NATIVE) -> None:
        self.profile = profile
        self._base_url = config.base_url
        self._secrets = config.api_key_secrets
        self._wire = connect_google(config)

    @property
    def name(self) -> str:
        return "gemini"

    def __repr__(self) -> str:
        return f"GeminiProvider({public_url(self._base_url)!r})"

    async def _answer_openai_request(self, params: OpenAIRequest) -> OpenAICompletion:
        converter, context = self.find_converter_and_context(params, stream=False)
        request = converter.request(context).value
        try:
            answer = await self._wire.generate(context.model, request)
        except ProviderError as error:
            raise convert_failure_of_any_dialect_to_openai(error) from None
        result = converter.response(answer, context)
        return raise_if_error(
            result.value, "openai-chat", native=answer, status=result.meta.get("status"), secrets=self._secrets
        )

    async def _open_openai_chunks(self, params: OpenAIRequest) -> FinishRequiringOpenAIStream:
        converter, context = self.find_converter_and_context(params, stream=True)
        request = converter.request(context).value
        try:
            events = await self._wire.stream(context.model, request)
        except ProviderError as error:
            raise convert_failure_of_any_dialect_to_openai(error) from None
        return FinishRequiringOpenAIStream(
            ConvertedStream(events, converter.stream(context), convert_failure_of_any_dialect_to_openai), self._secrets
        )

    async def count_tokens(self, messages: list[OpenAIMessage], model: str) -> int:
        converter, context = self.find_converter_and_context({"model": model, "messages": messages}, stream=False)
        request = converter.request(context).value
        try:
            return await self._wire.count_tokens(model, {"contents": request.get("contents", [])})
        except ProviderError as error:
            raise convert_failure_of_any_dialect_to_openai(error) from None

    async def embed_content(self, texts: list[str], model: str) -> list[list[float]]:
        try:
            return await self._wire.embed(model, texts, {})
        except ProviderError as error:
            raise convert_failure_of_any_dialect_to_openai(error) from None

    async def close(self) -> None:
        await self._wire.close()
