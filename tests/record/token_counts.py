"""The official SDKs where they count tokens, in the form in which ``sdk_clients`` has them where they generate."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

from anthropic.types import MessageTokensCount
from google import genai
from google.genai import types

from bridgecheck.drivers import sdk_openai_anthropic
from bridgecheck.drivers.sdk_result import Connection
from bridgecheck.wire import JsonObject, Mode


def anthropic() -> sdk_openai_anthropic.PostingSdk:
    return replace(sdk_openai_anthropic.anthropic_sdk(), path="/v1/messages/count_tokens", message=MessageTokensCount)


class Gemini:
    """google-genai. The body as it was recorded stands beside its types, which take the place of nothing in it."""

    def request_documents(self, connection: Connection, mode: Mode, body: JsonObject, model: str) -> Iterator[object]:
        counted = _client(connection).models.count_tokens(model=model, contents="", config=_config(body))
        yield counted.model_dump(mode="json")

    async def request_documents_async(
        self, connection: Connection, mode: Mode, body: JsonObject, model: str
    ) -> AsyncIterator[object]:
        counted = await _client(connection).aio.models.count_tokens(model=model, contents="", config=_config(body))
        yield counted.model_dump(mode="json")


def _client(connection: Connection) -> genai.Client:
    options = types.HttpOptions(
        base_url=connection.base_url, httpx_client=connection.sync_client_without_size_limit,
        httpx_async_client=connection.async_client,
    )  # fmt: skip
    return genai.Client(api_key=connection.api_key, vertexai=False, http_options=options)


def _config(body: JsonObject) -> types.CountTokensConfig:
    return types.CountTokensConfig(http_options=types.HttpOptions(extra_body=body))
