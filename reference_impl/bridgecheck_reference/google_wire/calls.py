"""The one way this package calls google-genai, so that wire documents pass through it unchanged.

The SDK's typed objects are no wire format: requests with keys it does not know are refused, keys of answers it does not
know are dropped, null and absent become the same, base64 changes its alphabet (google-genai 3.4.0, tried 2026-11-20).
So, with public means only:

* requests: the body goes in ``http_options.extra_body``, which replaces what the SDK made of the typed arguments (it
  adds an empty ``generationConfig`` to a body that has none);
* unary answers: ``should_return_http_response`` gives the body as text;
* streams: the SDK opens the call (URL, key, headers, status) and its error handling decides whether it is good. A
  response hook of the httpx2 client keeps the body from it, and it is decoded here. This opens the stream eagerly
  too: the SDK's own method connects only when the first item is requested, so that a 429 would be raised past
  whoever retries the call.

The SDK's client is handed in (``connect_google`` makes it): importing this package loads no SDK.


A client of google-genai, made so that it takes nothing from the environment."""

import json
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, cast

from bridgecheck.wire import JsonObject
from bridgecheck_reference.config import NO_KEY, ProviderConfig
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.failures import CONNECTION, INVALID, document_failure, local_failure, transport_failure
from bridgecheck_reference.google_wire.http import GenaiHttpClients, WireStream, detached_responses

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")

_PLACEHOLDER: Final = "-"
"""The SDK insists on contents; ``extra_body`` puts the real ones in their place."""


class SdkModels(Protocol):
    """The part of ``client.aio.models`` used here. Any: what the SDK's unions of its own types take, and it checks."""

    def generate_content(self, *, model: str, contents: str, config: Any) -> Awaitable[object]: ...

    def generate_content_stream(
        self, *, model: str, contents: str, config: Any
    ) -> Awaitable[AsyncIterator[object]]: ...

    def count_tokens(self, *, model: str, contents: str, config: Any) -> Awaitable[object]: ...

    def embed_content(self, *, model: str, contents: Any, config: Any) -> Awaitable[object]: ...


class GoogleWire:
    """Calls in, Gemini wire documents out. Failures raise ``ProviderError`` in the Gemini dialect."""

    def __init__(
        self, config: ProviderConfig, http: GenaiHttpClients, models: SdkModels, api_error: type[Exception]
    ) -> None:
        self._secrets = config.api_key_secrets
        self._http = http
        self._models = models
        self._api_error = api_error

    async def generate(self, model: str, body: JsonObject) -> JsonObject:
        """POST models/{model}:generateContent."""
        return await self._unary(
            self._models.generate_content(
                model=model, contents=_PLACEHOLDER, config=_call_config(body, raw_response=True)
            )
        )

    async def count_tokens(self, model: str, body: JsonObject) -> int:
        """POST models/{model}:countTokens: the total. Tokens of the body's contents, tools and instructions."""
        answer = await self._call(
            self._models.count_tokens(model=model, contents=_PLACEHOLDER, config=_call_config(body, raw_response=False))
        )
        total = getattr(answer, "total_tokens", None)
        return total if isinstance(total, int) else 0

    async def embed(self, model: str, texts: list[str], config: JsonObject) -> list[list[float]]:
        """POST models/{model}:batchEmbedContents: one vector a text. ``config`` has the keys of EmbedContentConfig."""
        answer = await self._call(self._models.embed_content(model=model, contents=texts, config=config))
        embeddings = getattr(answer, "embeddings", None) or []
        return [list(item.values or []) for item in embeddings]

    async def stream(self, model: str, body: JsonObject) -> WireStream:
        """POST models/{model}:streamGenerateContent?alt=sse; returns as soon as the response headers are there."""
        return WireStream(await self._call(self._open(model, body)), self._secrets)

    async def close(self) -> None:
        """Free the connections, unless the HTTP client was given by the caller. May be called again."""
        await self._http.close()

    async def _unary(self, call: Awaitable[object]) -> JsonObject:
        answer = await self._call(call)
        text = getattr(getattr(answer, "sdk_http_response", None), "body", None) or ""
        try:
            document: object = json.loads(text)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise local_failure(
                INVALID, f"the answer is no JSON object: {text}", dialect="gemini", secrets=self._secrets
            )
        if document.get("error"):
            raise document_failure(document, dialect="gemini", status=None, secrets=self._secrets)
        return document

    async def _open(self, model: str, body: JsonObject) -> "httpx2.Response":
        responses: list[httpx2.Response] = []
        token = detached_responses.set(responses)
        try:
            events = await self._models.generate_content_stream(
                model=model, contents=_PLACEHOLDER, config=_call_config(body, raw_response=False)
            )
            with suppress(StopAsyncIteration):
                await anext(events)
        except Exception:
            # A transport that had read the body beforehand shows it to the SDK too, which may dislike it.
            if not responses:
                raise
        finally:
            detached_responses.reset(token)
        return responses[0]

    async def _call(self, call: Awaitable[T]) -> T:
        import httpx2

        try:
            return await call
        except self._api_error as error:
            raise _convert_sdk_api_error(error, self._secrets) from None
        except httpx2.RequestError as error:
            raise transport_failure(error, CONNECTION, "gemini", self._secrets) from None


def _call_config(body: JsonObject, *, raw_response: bool) -> dict[str, object]:
    config: dict[str, object] = {"http_options": {"extra_body": {"contents": [], **body}}}
    return {**config, "should_return_http_response": True} if raw_response else config


def _convert_sdk_api_error(error: Exception, secrets: tuple[str, ...]) -> ProviderError:
    """From the SDK's ``APIError``: ``code``, ``details`` (the document) and ``response`` (its headers)."""
    headers = cast("Mapping[str, str]", getattr(getattr(error, "response", None), "headers", None) or {})
    details = getattr(error, "details", None)
    if isinstance(details, dict) and "error" not in details:
        details = details.get("message") or details  # what the SDK makes of a body that is no JSON
    return document_failure(
        details,
        dialect="gemini",
        status=getattr(error, "code", None),
        headers=headers,
        secrets=secrets,
    )


def connect_google(config: ProviderConfig) -> GoogleWire:
    """The SDK is imported here, when the first client is made. No call is made yet."""
    from google import genai
    from google.genai.errors import APIError
    from google.genai.types import HttpOptions

    http = GenaiHttpClients(config)
    options = HttpOptions.model_validate(http.options)
    client = genai.Client(vertexai=http.vertex, api_key=config.api_key or NO_KEY, http_options=options)
    return GoogleWire(config, http, client.aio.models, APIError)
