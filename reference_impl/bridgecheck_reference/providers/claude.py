"""Claude, on the anthropic SDK: IR in, IR out, converted on the way (see ``sdk`` for how the SDK is called)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.config import NO_KEY, ProviderConfig, public_url
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.anthropic.settings import API_VERSION
from bridgecheck_reference.convert.json_values import text
from bridgecheck_reference.convert.token_count import anthropic_token_count, build_anthropic_count_request
from bridgecheck_reference.errors import ConfigError, ProviderError
from bridgecheck_reference.failures import convert_failure_of_any_dialect_to_openai, raise_if_error
from bridgecheck_reference.http_client import async_client
from bridgecheck_reference.providers.protocol import (
    EXTRA_HEADERS,
    BaseProvider,
    OpenAICompletion,
    OpenAIMessage,
    OpenAIRequest,
)
from bridgecheck_reference.providers.sdk import SdkErrors, SdkStream
from bridgecheck_reference.streams import ConvertedStream, FinishRequiringOpenAIStream

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic

BASE_URL: Final = "https://api.anthropic.com"

_BETA: Final = "anthropic-beta"
_MESSAGES: Final = "/v1/messages"
_COUNT: Final = "/v1/messages/count_tokens"


class ClaudeProvider(BaseProvider):
    """``LLMProvider`` over Anthropic Messages. ``options["betas"]`` of the config: names for the ``anthropic-beta``
    header of every call."""

    dialect: Dialect = "anthropic"

    def __init__(self, config: ProviderConfig, profile: Profile = NATIVE) -> None:
        self.profile = profile
        self._secrets = config.api_key_secrets
        self._base_url = config.base_url or BASE_URL
        self._http, self._owned = async_client(config)
        self._client = _make_client(config, self._base_url, self._http)
        self._errors = _sdk_errors(config.api_key_secrets)
        self._betas = _read_betas_option(config)

    @property
    def name(self) -> str:
        return "claude"

    def __repr__(self) -> str:
        return f"ClaudeProvider({public_url(self._base_url)!r})"

    async def _answer_openai_request(self, params: OpenAIRequest) -> OpenAICompletion:
        params, headers = _split_headers(params)
        converter, context = self.find_converter_and_context({**params, "stream": False}, stream=False)
        answer = await self._document(_MESSAGES, converter.request(context).value, headers)
        result = converter.response(answer, context)
        return raise_if_error(
            result.value, "openai-chat", native=answer, status=result.meta.get("status"), secrets=self._secrets
        )

    async def _open_openai_chunks(self, params: OpenAIRequest) -> FinishRequiringOpenAIStream:
        from anthropic import AsyncStream

        params, headers = _split_headers(params)
        converter, context = self.find_converter_and_context({**params, "stream": True}, stream=True)
        opening = self._client.post(
            _MESSAGES,
            cast_to=object,
            body=converter.request(context).value,
            options={"headers": self._add_configured_betas(headers)},
            stream=True,
            stream_cls=AsyncStream[object],
        )
        try:
            events = SdkStream(await self._errors.call(opening), self._errors)
        except ProviderError as error:
            raise convert_failure_of_any_dialect_to_openai(error) from None
        return FinishRequiringOpenAIStream(
            ConvertedStream(events, converter.stream(context), convert_failure_of_any_dialect_to_openai), self._secrets
        )

    async def count_tokens(self, messages: list[OpenAIMessage], model: str) -> int:
        converter, context = self.find_converter_and_context({"model": model, "messages": messages}, stream=False)
        request = converter.request(context).value
        answer = await self._document(_COUNT, build_anthropic_count_request(request))
        total = anthropic_token_count(answer)
        if total is None:
            raise convert_failure_of_any_dialect_to_openai(
                self._errors.invalid(f"a count without input_tokens: {answer!r}")
            )
        return total

    async def close(self) -> None:
        if self._owned:
            await self._http.aclose()

    def _add_configured_betas(self, headers: Mapping[str, str]) -> dict[str, str]:
        """A call's own betas come after those of the configuration: the header is one list."""
        betas = ",".join((*self._betas, *filter(None, (headers.get(_BETA),))))
        return {**headers, _BETA: betas} if betas else dict(headers)

    async def _document(self, path: str, body: JsonObject, headers: Mapping[str, str] | None = None) -> JsonObject:
        call = self._client.post(
            path, cast_to=object, body=body, options={"headers": self._add_configured_betas(headers or {})}
        )
        try:
            return await self._errors.document(call)
        except ProviderError as error:
            raise convert_failure_of_any_dialect_to_openai(error) from None


def _split_headers(params: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    """The document, and the headers of this call."""
    headers = params.get(EXTRA_HEADERS)
    headers = {name: text(value) for name, value in headers.items()} if isinstance(headers, dict) else {}
    return {key: value for key, value in params.items() if key != EXTRA_HEADERS}, headers


def _make_client(config: ProviderConfig, base_url: str, http: "httpx2.AsyncClient") -> "AsyncAnthropic":
    try:
        from anthropic import NOT_GIVEN, AsyncAnthropic
    except ModuleNotFoundError as error:
        raise ConfigError("provider claude needs the anthropic SDK: pip install 'bridgecheck[anthropic]'") from error
    return AsyncAnthropic(
        api_key=config.api_key or NO_KEY,
        base_url=base_url,
        http_client=http,
        max_retries=0,
        default_headers={"anthropic-version": API_VERSION},
        timeout=NOT_GIVEN if config.timeout_s is None else config.timeout_s,
    )


def _read_betas_option(config: ProviderConfig) -> tuple[str, ...]:
    betas = config.options.get("betas", ())
    if isinstance(betas, list | tuple) and all(isinstance(name, str) for name in betas):
        return tuple(betas)
    raise ConfigError("option 'betas' of the claude provider: expected a list of names")


def _sdk_errors(secrets: tuple[str, ...]) -> SdkErrors:
    from anthropic import APIConnectionError, APIError, APIStatusError, APITimeoutError

    return SdkErrors(
        any=APIError,
        status=APIStatusError,
        connection=APIConnectionError,
        timeout=APITimeoutError,
        dialect="anthropic",
        whole_events=True,
        secrets=secrets,
    )
