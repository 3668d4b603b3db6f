"""The reference: converters between dialects, providers, and a content generator that bridges to them.

Public names are loaded when first used (PEP 562), so importing this package imports no SDK, no provider and no
converter; each name's own documentation stands where it is defined.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bridgecheck_reference.cancel import CancelToken as CancelToken
    from bridgecheck_reference.convert.gemini.request_from_openai import (
        openai_request_to_gemini as openai_request_to_gemini,
    )
    from bridgecheck_reference.convert.gemini.request_to_openai import (
        gemini_request_to_openai as gemini_request_to_openai,
    )
    from bridgecheck_reference.convert.gemini.responses import gemini_response_to_openai as gemini_response_to_openai
    from bridgecheck_reference.convert.gemini.responses import openai_response_to_gemini as openai_response_to_gemini
    from bridgecheck_reference.convert.gemini.stream_from_openai import OpenAIToGeminiStream as OpenAIToGeminiStream
    from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream as GeminiToOpenAIStream
    from bridgecheck_reference.default_adapter import adapter as adapter
    from bridgecheck_reference.generator.bridge import ProviderBridge as ProviderBridge
    from bridgecheck_reference.generator.factory import create_content_generator as create_content_generator
    from bridgecheck_reference.providers.protocol import create_provider as create_provider

__version__ = "0.1.0"

_HOME: Final[dict[str, str]] = {
    "adapter": "default_adapter",
    "CancelToken": "cancel",
    "gemini_request_to_openai": "convert.gemini.request_to_openai",
    "gemini_response_to_openai": "convert.gemini.responses",
    "GeminiToOpenAIStream": "convert.gemini.stream_to_openai",
    "openai_request_to_gemini": "convert.gemini.request_from_openai",
    "openai_response_to_gemini": "convert.gemini.responses",
    "OpenAIToGeminiStream": "convert.gemini.stream_from_openai",
    "ProviderBridge": "generator.bridge",
    "create_content_generator": "generator.factory",
    "create_provider": "providers.protocol",
}
"""Public name -> the module it lives in."""

__all__ = [
    "CancelToken",
    "GeminiToOpenAIStream",
    "OpenAIToGeminiStream",
    "ProviderBridge",
    "adapter",
    "create_content_generator",
    "create_provider",
    "gemini_request_to_openai",
    "gemini_response_to_openai",
    "openai_request_to_gemini",
    "openai_response_to_gemini",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
