"""A live session over real SDK clients, speaking the client's dialect in dicts: the adapter's SDK level."""

from collections.abc import AsyncIterator, Mapping
from typing import Final, Protocol

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.config import FLAG, Config
from bridgecheck_reference.errors import NotSupportedError, refuse_conversion_errors
from bridgecheck_reference.generator.protocol import ContentGenerator
from bridgecheck_reference.provider_calls import ProviderCaller
from bridgecheck_reference.providers.protocol import LLMProvider

PROVIDER_OF: Final[dict[Dialect, str]] = {"gemini": "gemini", "openai-chat": "openai", "anthropic": "claude"}
"""Upstream dialect -> the provider that speaks it."""


FEATURE_HEADERS: Final = frozenset({"anthropic-beta"})
"""Headers of a client that the provider of its own dialect gets as they are."""


class Session(Protocol):
    """Failed calls raise ``ProviderError`` with a body in the client's dialect; requests that cannot be served,
    ``Refusal``."""

    async def generate(self, body: JsonObject, *, model: str) -> JsonObject: ...

    async def stream(self, body: JsonObject, *, model: str) -> AsyncIterator[JsonObject]: ...

    async def close(self) -> None: ...


def open_session(*, client: Dialect, upstream: Dialect, base_url: str, api_key: str) -> Session:
    """``NotSupportedError`` for the one pair that has nothing to convert at this level."""
    if client == upstream == "openai-chat":
        raise NotSupportedError(f"a session from {client} to {upstream}", "this adapter")
    name = PROVIDER_OF[upstream]
    if client == "gemini":
        return GeminiSession(_generator(name, base_url, api_key))
    provider = _provider(name, base_url, api_key)
    if client == "anthropic":
        return AnthropicSession(ProviderCaller(provider, client), features=upstream == client)
    return OpenAISession(provider)


def _generator(name: str, base_url: str, api_key: str) -> ContentGenerator:
    from bridgecheck_reference.generator.factory import create_content_generator

    config = Config(provider=name, api_keys={name: api_key}, base_urls={name: base_url})
    return create_content_generator(config, {FLAG: "1"})


def _provider(name: str, base_url: str, api_key: str) -> LLMProvider:
    from bridgecheck_reference.providers.protocol import create_provider

    return create_provider(name, Config(api_keys={name: api_key}, base_urls={name: base_url}).for_provider(name))


class GeminiSession:
    """A Gemini client: the bridge, as the factory makes it with the flag on."""

    def __init__(self, generator: ContentGenerator) -> None:
        self._generator = generator

    async def generate(self, body: JsonObject, *, model: str) -> JsonObject:
        with refuse_conversion_errors():
            return await self._generator.generate_content({**body, "model": model}, "session")

    async def stream(self, body: JsonObject, *, model: str) -> AsyncIterator[JsonObject]:
        with refuse_conversion_errors():
            return await self._generator.generate_content_stream({**body, "model": model}, "session")

    async def close(self) -> None:
        await self._generator.close()


class OpenAISession:
    """An OpenAI client: the provider itself."""

    def __init__(self, provider: LLMProvider) -> None:
        self._provider = provider

    async def generate(self, body: JsonObject, *, model: str) -> JsonObject:
        with refuse_conversion_errors():
            return await self._provider.generate({"model": model, **body})

    async def stream(self, body: JsonObject, *, model: str) -> AsyncIterator[JsonObject]:
        with refuse_conversion_errors():
            return await self._provider.generate_stream({"model": model, **body})

    async def close(self) -> None:
        await self._provider.close()


class AnthropicSession:
    """An Anthropic client, over any provider. ``features``: the provider is Anthropic's own, and gets the headers that
    switch its features on."""

    def __init__(self, caller: ProviderCaller, *, features: bool) -> None:
        self._caller = caller
        self._features = features

    async def generate(self, body: JsonObject, *, model: str, headers: Mapping[str, str] | None = None) -> JsonObject:
        with refuse_conversion_errors():
            return await self._caller.generate(
                model, {"model": model, **body}, headers=self._anthropic_beta_header_to_forward(headers)
            )

    async def stream(
        self, body: JsonObject, *, model: str, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[JsonObject]:
        with refuse_conversion_errors():
            return await self._caller.open_stream(
                model, {"model": model, **body}, headers=self._anthropic_beta_header_to_forward(headers)
            )

    def _anthropic_beta_header_to_forward(self, headers: Mapping[str, str] | None) -> dict[str, str]:
        forwarded = headers if headers is not None and self._features else {}
        return {name: value for name, value in forwarded.items() if name in FEATURE_HEADERS}

    async def close(self) -> None:
        await self._caller.provider.close()
