"""OpenAI and every host that speaks Chat Completions, on the openai SDK.

The SDK's ``post`` with ``cast_to=object`` is its documented way to call with documents of one's own: bodies go out and
come back unchanged, while URL, key, status errors, event decoding and error events stay the SDK's.
(``chat.completions.create`` refuses keys it does not know.) Retries are off: they belong to whoever knows what the call
is for.
"""

import json
from collections.abc import AsyncIterator, Awaitable
from typing import TYPE_CHECKING, TypeVar

from bridgecheck.wire import JsonObject
from bridgecheck_reference.config import NO_KEY, ProviderConfig, shown_url
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.failures import CONNECTION, INCOMPLETE, INVALID, TIMEOUT, document_failure, local_failure
from bridgecheck_reference.http_client import async_client
from bridgecheck_reference.profile import NATIVE, Profile
from bridgecheck_reference.providers.guard import GuardedStream
from bridgecheck_reference.providers.protocol import BaseProvider

if TYPE_CHECKING:
    from openai import AsyncStream

T = TypeVar("T")

_PATH = "/chat/completions"


class OpenAIProvider(BaseProvider):
    """``LLMProvider`` over Chat Completions. Nothing is converted: the IR is this provider's own format."""

    def __init__(self, config: ProviderConfig, profile: Profile = NATIVE) -> None:
        from openai import NOT_GIVEN, AsyncOpenAI

        self.profile = profile
        self._secrets = config.secrets
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
        return f"OpenAIProvider({shown_url(str(self._client.base_url))!r})"

    async def _answer(self, params: JsonObject) -> JsonObject:
        of_streams = ("stream", "stream_options") if params.get("stream") else ()
        body = {key: value for key, value in params.items() if key not in of_streams}
        answer = await self._call(self._client.post(_PATH, cast_to=object, body=body))
        if not isinstance(answer, dict):
            raise local_failure(
                INVALID, f"the answer is no JSON object: {answer!r}", dialect="openai-chat", secrets=self._secrets
            )
        if answer.get("error"):
            raise document_failure(answer, dialect="openai-chat", status=None, secrets=self._secrets)
        return answer

    async def _open(self, params: JsonObject) -> GuardedStream:
        from openai import AsyncStream

        opening = self._client.post(
            _PATH, cast_to=object, body={**params, "stream": True}, stream=True, stream_cls=AsyncStream[object]
        )
        return GuardedStream(_Chunks(await self._call(opening), self._secrets), self._secrets)

    async def embed_content(self, texts: list[str], model: str) -> list[list[float]]:
        answer = await self._call(self._client.embeddings.create(input=texts, model=model, encoding_format="float"))
        return [list(item.embedding) for item in answer.data]

    async def close(self) -> None:
        if self._owned:
            await self._http.aclose()

    async def _call(self, call: Awaitable[T]) -> T:
        from openai import APIError

        try:
            return await call
        except APIError as error:
            raise _failure(error, self._secrets, CONNECTION) from None


class _Chunks:
    """The SDK's stream with its exceptions mapped."""

    def __init__(self, stream: "AsyncStream[object]", secrets: tuple[str, ...]) -> None:
        self._stream = stream
        self._secrets = secrets

    def __aiter__(self) -> AsyncIterator[JsonObject]:
        return self

    async def __anext__(self) -> JsonObject:
        from openai import APIError

        try:
            chunk = await anext(self._stream)
        except APIError as error:
            raise _failure(error, self._secrets, INCOMPLETE) from None
        except ValueError as error:
            await self.aclose()
            raise local_failure(INVALID, f"not JSON: {error}", dialect="openai-chat", secrets=self._secrets) from None
        if not isinstance(chunk, dict):
            await self.aclose()
            raise local_failure(
                INVALID, f"an event is no object: {chunk!r}", dialect="openai-chat", secrets=self._secrets
            )
        return chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def _failure(error: Exception, secrets: tuple[str, ...], broken: str) -> ProviderError:
    """From any of the SDK's errors; ``broken``: what a lost connection is called at this stage of the call."""
    from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

    if isinstance(error, APIStatusError):
        return document_failure(
            _document(error.response.text),
            dialect="openai-chat",
            status=error.status_code,
            headers=error.response.headers,
            secrets=secrets,
        )
    if isinstance(error, APIConnectionError):
        code = TIMEOUT if isinstance(error, APITimeoutError) else broken
        cause = error.__cause__ or error
        return local_failure(code, f"{type(cause).__name__}: {cause}", dialect="openai-chat", secrets=secrets)
    # An error event in the stream: the SDK keeps what stands under "error".
    content = error.body if isinstance(error, APIError) and error.body else {"message": str(error)}
    return document_failure({"error": content}, dialect="openai-chat", status=None, secrets=secrets)


def _document(text: str) -> object:
    try:
        document: object = json.loads(text)
    except ValueError:
        return text
    return document
