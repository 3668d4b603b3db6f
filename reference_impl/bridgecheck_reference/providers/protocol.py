"""What a provider is. Requests (``params``) and answers are OpenAI Chat dicts: the intermediate representation (IR).

On top of OpenAI's own keys the IR has ``reasoning_content`` and ``extra_content.google`` (see ``types/openai_ir``). A
provider that understands what else the converters can carry in the latter says so with its ``profile``; the bridge
converts with the profile of its provider. ``params["abort_signal"]`` may hold a ``CancelToken``; it is no part of the
document.

Providers by name. A provider's module, and with it its SDK, is loaded when the provider is made."""

from collections.abc import Callable, Mapping
from copy import copy
from importlib import import_module
from typing import Final, Literal, Protocol, Self, TypeAlias, cast, runtime_checkable

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.cancel import (
    CancellableStream,
    CancelToken,
    cancellable_call,
    read_token_or_raise_conversion_error,
)
from bridgecheck_reference.config import ProviderConfig, load_config, provider_config
from bridgecheck_reference.conversion_profile import NATIVE, Profile, pivot_or_extended_profile
from bridgecheck_reference.convert.json_values import text
from bridgecheck_reference.convert.pair_converter import ConversionContext, PairConverter
from bridgecheck_reference.convert.pairs import find_pair_converter
from bridgecheck_reference.errors import NotSupportedError, UnknownProviderError
from bridgecheck_reference.types.conversion import EventStream

OpenAIRequest: TypeAlias = JsonObject
OpenAICompletion: TypeAlias = JsonObject
OpenAIMessage: TypeAlias = JsonObject
Operation: TypeAlias = Literal["count_tokens", "embed_content"]
"""What not every provider can do."""

ABORT_SIGNAL: Final = "abort_signal"
"""Where the ``CancelToken`` of a call stands in its params."""

EXTRA_HEADERS: Final = "extra_headers"
"""Where headers of one call stand in its params, for a provider that takes them (Claude), named as the SDKs do."""


class OpenAIChunkStream(EventStream, Protocol):
    """Chunks of one answer (``chat.completion.chunk``)."""


@runtime_checkable
class LLMProvider(Protocol):
    """One provider. Every failure is a ``ProviderError`` whose body is an OpenAI error document."""

    @property
    def name(self) -> str:
        """The registry's name: gemini, openai, ..."""

    @property
    def profile(self) -> Profile:
        """How requests for this provider are to be converted."""

    def for_client(self, client: Dialect) -> "LLMProvider":
        """This provider, with the same connections, for a caller that converts every answer to ``client``: it may then
        carry in the IR what a plain OpenAI client has no use for."""

    async def generate(self, params: OpenAIRequest) -> OpenAICompletion:
        """One whole answer, a ``chat.completion``."""

    async def generate_stream(self, params: OpenAIRequest) -> OpenAIChunkStream:
        """Opens the stream and returns once the provider has accepted the request, so that a refusal is raised here
        and not from the iterator. A stream that breaks or ends without a finish reason raises from the iterator."""

    def supports(self, operation: Operation) -> bool:
        """Whether the operation can be called."""

    async def count_tokens(self, messages: list[OpenAIMessage], model: str) -> int:
        """Tokens of the messages. Optional."""

    async def embed_content(self, texts: list[str], model: str) -> list[list[float]]:
        """One vector a text. Optional."""

    async def close(self) -> None:
        """Free what the provider holds. May be called again; a closed provider may not be used."""


class BaseProvider:
    """Calls that can be cancelled, over ``_answer_openai_request`` and ``_open_openai_chunks``; optional operations,
    not supported; nothing more to carry."""

    dialect: Dialect = "openai-chat"
    """What the provider speaks on the wire."""
    profile: Profile

    @property
    def name(self) -> str:
        raise NotImplementedError

    def for_client(self, client: Dialect) -> Self:
        """A twin with the profile of the pair; itself where one side speaks the IR, and where a profile was chosen for
        one dialect on both sides."""
        chosen = self.profile.name != NATIVE.name
        if "openai-chat" in (client, self.dialect) or (client == self.dialect and chosen):
            return self
        twin = copy(self)
        twin.profile = pivot_or_extended_profile(client, self.dialect, self.profile)
        return twin

    def find_converter_and_context(
        self, params: OpenAIRequest, *, stream: bool
    ) -> tuple[PairConverter, ConversionContext]:
        """What converts between the IR and the provider's dialect, and what it is to know about this call."""
        converter = find_pair_converter("openai-chat", self.dialect, self.profile)
        return converter, ConversionContext(params, text(params.get("model")), stream, self.profile)

    async def generate(self, params: OpenAIRequest) -> OpenAICompletion:
        token, document = _split_token(params)
        return await cancellable_call(token, lambda: self._answer_openai_request(document))

    async def generate_stream(self, params: OpenAIRequest) -> OpenAIChunkStream:
        token, document = _split_token(params)
        stream = await cancellable_call(token, lambda: self._open_openai_chunks(document))
        return stream if token is None else CancellableStream(stream, token)

    async def _answer_openai_request(self, params: OpenAIRequest) -> OpenAICompletion:
        raise NotImplementedError

    async def _open_openai_chunks(self, params: OpenAIRequest) -> OpenAIChunkStream:
        raise NotImplementedError

    def supports(self, operation: Operation) -> bool:
        """Whether the operation was overridden."""
        return getattr(type(self), operation) is not getattr(BaseProvider, operation)

    async def count_tokens(self, messages: list[OpenAIMessage], model: str) -> int:
        raise NotSupportedError("count_tokens", self.name)

    async def embed_content(self, texts: list[str], model: str) -> list[list[float]]:
        raise NotSupportedError("embed_content", self.name)


def _split_token(params: JsonObject) -> tuple[CancelToken | None, JsonObject]:
    """The token of a call, and the document without it."""
    if ABORT_SIGNAL not in params:
        return None, params
    token = read_token_or_raise_conversion_error(params[ABORT_SIGNAL], ABORT_SIGNAL)
    return token, {key: value for key, value in params.items() if key != ABORT_SIGNAL}


_CLASSES: Final[dict[str, str]] = {
    "gemini": "gemini:GeminiProvider",
    "openai": "openai:OpenAIProvider",
    "claude": "claude:ClaudeProvider",
    "gemini-cli": "gemini_cli:GeminiCliProvider",
    "fake": "fake:FakeProvider",
}
"""name -> module and class in this package; the class takes a ``ProviderConfig`` and a ``Profile``."""


def create_provider(name: str, config: ProviderConfig | Mapping[str, object] | None = None) -> LLMProvider:
    """The provider of that name. ``config``: a ``ProviderConfig``, a mapping with its field names (``api_key``,
    ``base_url``, ``timeout_s``, ``http_client``, ``profile`` by its name, ``options``), or None for what the
    environment says.

    ``UnknownProviderError``, listing the names, if there is none; ``ConfigError`` on a setting that cannot be used.
    """
    if name not in _CLASSES:
        raise UnknownProviderError(name, _CLASSES)
    if config is None:
        config = load_config({"provider": name}).for_provider(name)
    module, attribute = _CLASSES[name].split(":")
    make = cast(
        Callable[[ProviderConfig, Profile], LLMProvider], getattr(import_module(f"{__package__}.{module}"), attribute)
    )
    found = config if isinstance(config, ProviderConfig) else provider_config(config)
    return make(found, found.profile)
