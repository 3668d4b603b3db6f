"""OpenAI and every host that speaks Chat Completions, on the openai SDK (see ``sdk`` for how it is called)."""

from bridgecheck_reference.config import NO_KEY, ProviderConfig, public_url
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.http_client import async_client
from bridgecheck_reference.providers.protocol import BaseProvider, OpenAICompletion, OpenAIRequest
from bridgecheck_reference.providers.sdk import SdkErrors, SdkStream
from bridgecheck_reference.streams import FinishRequiringOpenAIStream

_PATH = "/chat/completions"


class OpenAIProvider(BaseProvider):
    """``LLMProvider`` over Chat Completions. Nothing is converted: the IR is this provider's own format."""

    def __init__(self, config: ProviderConfig, profile: Profile = NATIVE) -> None:
        from openai import NOT_GIVEN, AsyncOpenAI

        self.profile = profile
        self._secrets = config.api_key_secrets
        self._errors = _sdk_errors(config.api_key_secrets)
        self._http, self._owned = async_client(config)
        self._client = AsyncOpenAI(
            api_key=config.api_key or NO_KEY,
            base_url=config.base_url,
            http_client=self._http,
            max_retries=0,
            timeout=NOT_GIVEN if config.timeout_s is None else config.timeout_s,
        )

    @property
    def name(self) -> str:
        return "openai"

    def __repr__(self) -> str:
        return f"OpenAIProvider({public_url(str(self._client.base_url))!r})"

    async def _answer_openai_request(self, params: OpenAIRequest) -> OpenAICompletion:
        of_streams = ("stream", "stream_options") if params.get("stream") else ()
        body = {key: value for key, value in params.items() if key not in of_streams}
        return await self._errors.document(self._client.post(_PATH, cast_to=object, body=body))

    async def _open_openai_chunks(self, params: OpenAIRequest) -> FinishRequiringOpenAIStream:
        from openai import AsyncStream

        opening = self._client.post(
            _PATH, cast_to=object, body={**params, "stream": True}, stream=True, stream_cls=AsyncStream[object]
        )
        return FinishRequiringOpenAIStream(SdkStream(await self._errors.call(opening), self._errors), self._secrets)

    async def embed_content(self, texts: list[str], model: str) -> list[list[float]]:
        call = self._client.embeddings.create(input=texts, model=model, encoding_format="float")
        answer = await self._errors.call(call)
        return [list(item.embedding) for item in answer.data]

    async def close(self) -> None:
        if self._owned:
            await self._http.aclose()


def _sdk_errors(secrets: tuple[str, ...]) -> SdkErrors:
    from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

    return SdkErrors(
        any=APIError,
        status=APIStatusError,
        connection=APIConnectionError,
        timeout=APITimeoutError,
        dialect="openai-chat",
        whole_events=False,
        secrets=secrets,
    )
