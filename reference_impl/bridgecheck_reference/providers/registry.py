"""Providers by name. A provider's module, and with it its SDK, is loaded when the provider is made."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final, cast

from bridgecheck_reference.config import ProviderConfig, load_config, provider_config
from bridgecheck_reference.errors import UnknownProviderError
from bridgecheck_reference.profile import Profile
from bridgecheck_reference.providers.protocol import LLMProvider

_CLASSES: Final[dict[str, str]] = {
    "gemini": "gemini:GeminiProvider",
    "openai": "openai:OpenAIProvider",
    "claude": "claude:ClaudeProvider",
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
