"""Gemini, on google-genai: IR in, IR out, converted on the way. See ``google_wire.calls`` for how the SDK is called."""

from bridgecheck.wire import Dialect
from bridgecheck_reference.config import ProviderConfig, public_url
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.responses import gemini_response_to_openai
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream
from bridgecheck_reference.convert.json_values import text
from bridgecheck_reference.convert.usage import requests_usage
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
        request = openai_request_to_gemini(params, profile=self.profile)
        model = text(params.get("model"))
        try:
            answer = await self._wire.generate(model, request.value)
        except ProviderError as error:
            raise convert_failure_of_any_dialect_to_openai(error) from None
        result = gemini_response_to_openai(answer, model=model, request=params, profile=self.profile)
        return raise_if_error(
            result.value, "openai-chat", native=answer, status=result.meta.get("status"), secrets=self._secrets
        )

    async def _open_openai_chunks(self, params: OpenAIRequest) -> FinishRequiringOpenAIStream:
        request = openai_request_to_gemini(params, profile=self.profile)
        model = text(params.get("model"))
        try:
            events = await self._wire.stream(model, request.value)
        except ProviderError as error:
            raise convert_failure_of_any_dialect_to_openai(error) from None
        machine = GeminiToOpenAIStream(
            model=model, include_usage=requests_usage(params), profile=self.profile, request=params
        )
        return FinishRequiringOpenAIStream(
            ConvertedStream(events, machine, convert_failure_of_any_dialect_to_openai), self._secrets
        )

    async def count_tokens(self, messages: list[OpenAIMessage], model: str) -> int:
        request = openai_request_to_gemini({"model": model, "messages": messages}, profile=self.profile).value
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
