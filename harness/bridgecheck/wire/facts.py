"""Facts of the three APIs that do not stand in a body: paths, hosts, base URLs, and what a path says.

Gemini names model and mode in the path; OpenAI and Anthropic name both in the body. The version prefix is no part of a
dialect's identity: google-genai 3.4 sends ``/v1``, its JavaScript sister ``/v1beta``, Vertex AI ``/v1beta1``.
Sources: https://ai.google.dev/api/generate-content, https://platform.openai.com/docs/api-reference/chat,
https://docs.anthropic.com/en/api/messages, https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
"""

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from bridgecheck.wire import Dialect, Mode

Operation: TypeAlias = Literal["generate", "count_tokens", "embed", "models", "other"]

BASE_URLS: Final[dict[Dialect, str]] = {
    "gemini": "https://generativelanguage.googleapis.com",
    "openai-chat": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
}
"""The provider's own base URL, as the official SDK of that dialect takes it."""


def base_url(dialect: Dialect, origin: str) -> str:
    """What that SDK takes in its place where the provider is at ``origin`` (scheme, host and port)."""
    return f"{origin}{urlsplit(BASE_URLS[dialect]).path}"


HOSTS: Final[dict[Dialect, str]] = {
    "gemini": "generativelanguage.googleapis.com",
    "openai-chat": "api.openai.com",
    "anthropic": "api.anthropic.com",
}

PATHS: Final[dict[Dialect, dict[Mode, str]]] = {
    "gemini": {
        "unary": "/v1beta/models/{model}:generateContent",
        "stream": "/v1beta/models/{model}:streamGenerateContent?alt=sse",
    },
    "openai-chat": {"unary": "/v1/chat/completions", "stream": "/v1/chat/completions"},
    "anthropic": {"unary": "/v1/messages", "stream": "/v1/messages"},
}
"""Path of a generating call at the provider; ``{model}`` is to be filled in."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a path says. ``model``: "" where the body names it. ``mode``: None where the body says it, and for
    everything that generates nothing."""

    dialect: Dialect
    operation: Operation
    model: str = ""
    mode: Mode | None = None


_GEMINI_METHODS: Final[dict[str, tuple[Operation, Mode | None]]] = {
    "generateContent": ("generate", "unary"),
    "streamGenerateContent": ("generate", "stream"),
    "countTokens": ("count_tokens", None),
    "embedContent": ("embed", None),
    "batchEmbedContents": ("embed", None),
}

_GEMINI_METHOD = re.compile(r"/(?:models|tunedModels|endpoints)/(?P<model>[^/:]+):(?P<method>\w+)$")
_GEMINI_MODELS = re.compile(r"/v1(?:alpha|beta|beta1)/models(?:/[^/:]+)?$")
_AZURE_DEPLOYMENT = re.compile(r"/deployments/(?P<model>[^/]+)/")

_SUFFIXES: Final[tuple[tuple[str, Dialect, Operation], ...]] = (
    ("/chat/completions", "openai-chat", "generate"),
    ("/v1/messages", "anthropic", "generate"),
    ("/v1/messages/count_tokens", "anthropic", "count_tokens"),
    ("/v1/messages/batches", "anthropic", "other"),
    ("/embeddings", "openai-chat", "embed"),
    ("/responses", "openai-chat", "other"),
    ("/completions", "openai-chat", "other"),
)
"""Endings of paths, first match wins; what stands before them (a gateway's prefix, a version) says nothing."""


def endpoint(path: str, host: str = "") -> Endpoint | None:
    """What a request path is, its query ignored; None if it belongs to no dialect we know.

    ``host`` decides only ``/v1/models``, which Gemini and OpenAI share.
    """
    bare = unquote(path.partition("?")[0]).rstrip("/")
    method = _GEMINI_METHOD.search(bare)
    if method is not None:
        operation, mode = _GEMINI_METHODS.get(method["method"], ("other", None))
        return Endpoint("gemini", operation, method["model"], mode)
    for suffix, dialect, found in _SUFFIXES:
        if f"/{bare.lstrip('/')}".endswith(suffix):
            return Endpoint(dialect, found, _deployment(bare))
    return _models(bare, host)


def _deployment(path: str) -> str:
    named = _AZURE_DEPLOYMENT.search(path)
    return named["model"] if named else ""


def _models(path: str, host: str) -> Endpoint | None:
    if _GEMINI_MODELS.search(path) or (path.endswith("/models") and host.endswith("googleapis.com")):
        return Endpoint("gemini", "models")
    if path.endswith("/models") or re.search(r"/v1/models/[^/]+$", path):
        return Endpoint("anthropic" if host.endswith("anthropic.com") else "openai-chat", "models")
    return None
