"""Finds the dialect and operation of a request from its path and headers alone. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from urllib.parse import quote

from bridgecheck.wire import Dialect
from bridgecheck_reference.gateway.errors import GatewayError

Operation: TypeAlias = Literal["generate", "count", "embed", "embed_many", "models", "model"]

_VERSION: Final = "(?P<version>v1|v1beta|v1alpha)"
_NAME: Final = r"(?P<model>(?:models|tunedModels|publishers/[^/]+/models)/.+)"
_OPENAI: Final = "/(?:v1beta/openai|v1)"

VERBS: Final[dict[str, Operation]] = {
    "generateContent": "generate",
    "streamGenerateContent": "generate",
    "countTokens": "count",
    "embedContent": "embed",
    "batchEmbedContents": "embed_many",
}
"""Gemini's methods, behind the colon."""

_POSTS: Final[tuple[tuple[Dialect, Operation, re.Pattern[str]], ...]] = (
    ("openai-chat", "generate", re.compile(f"{_OPENAI}(?P<rest>/chat/completions)")),
    ("openai-chat", "embed", re.compile(f"{_OPENAI}(?P<rest>/embeddings)")),
    ("anthropic", "generate", re.compile("/v1/messages")),
    ("anthropic", "count", re.compile("/v1/messages/count_tokens")),
)
_METHOD: Final = re.compile(f"/{_VERSION}/{_NAME}:(?P<verb>{'|'.join(VERBS)})")
_MODELS: Final = re.compile("/(?P<version>v1|v1beta|v1alpha)/(?P<kind>models|tunedModels)")
_MODEL: Final = re.compile(f"/{_VERSION}/{_NAME}")
_OPENAI_MODELS: Final = re.compile("/v1beta/openai/models(?:/(?P<model>.+))?")


@dataclass(frozen=True, slots=True)
class PathTarget:
    """``model``: as in the path, without ``models/``; "" if the path has none. ``path``: behind an upstream's
    base URL of the same dialect, with ``{model}`` for the model's resource name. ``verb``: Gemini's method, or ""."""

    dialect: Dialect
    operation: Operation
    path: str
    model: str = ""
    verb: str = ""


def resolve(method: str, path: str, headers: Mapping[str, str], query: Mapping[str, str]) -> PathTarget:
    """``path`` is percent-decoded. ``GatewayError`` 404 for a path that is not served, 405 for the wrong method."""
    path = path.rstrip("/")
    post_target, get_target = _match_post(path), _match_get_models(path, headers, query)
    target = post_target if method == "POST" else get_target if method in ("GET", "HEAD") else None
    if target is not None:
        return target
    if post_target or (get_target and not (method == "POST" and ":" in path)):  # a method of Gemini's that is not known
        allowed = "POST" if post_target else "GET"
        raise GatewayError(405, f"{method} is not allowed here; use {allowed}", headers=(("allow", allowed),))
    raise GatewayError(404, f"no such path: {method} {path[:200]}")


def dialect_of_path(path: str, headers: Mapping[str, str], query: Mapping[str, str]) -> Dialect:
    """The dialect to answer in where the path decides nothing."""
    if path.startswith("/v1beta/openai"):
        return "openai-chat"
    if path.startswith(("/v1beta/", "/v1alpha/", "/v1/models/", "/v1/tunedModels")) and ":" in path:
        return "gemini"
    if path.startswith(("/v1beta", "/v1alpha")):
        return "gemini"
    if path.startswith("/v1/messages"):
        return "anthropic"
    return _dialect_by_google_key_or_version(headers, query)


def resource_name(model: str) -> str:
    """Gemini's resource name of a model: ``models/x``, or that of a tuned one."""
    return model if model.startswith("tunedModels/") else f"models/{model.removeprefix('models/')}"


def resource_path(model: str) -> str:
    """The same, fit for a path. ``GatewayError`` for a name that would leave its place there."""
    return quote_model(resource_name(model))


def quote_model(name: str) -> str:
    """A model's name as part of a path."""
    if any(part in ("", ".", "..") for part in name.split("/")):
        raise GatewayError(400, "model: not a model's name", field="model")
    try:
        return quote(name, safe="/:@")
    except UnicodeEncodeError:
        raise GatewayError(400, "model: holds half of a surrogate pair, which is no character", field="model") from None


def _match_post(path: str) -> PathTarget | None:
    for dialect, operation, pattern in _POSTS:
        if match := pattern.fullmatch(path):
            return PathTarget(dialect, operation, match.groupdict().get("rest") or path)
    if match := _METHOD.fullmatch(path):
        verb = match["verb"]
        return PathTarget(
            "gemini",
            VERBS[verb],
            f"/{match['version']}/{{model}}:{verb}",
            _strip_model_resource_prefixes(match["model"]),
            verb,
        )
    return None


def _match_get_models(path: str, headers: Mapping[str, str], query: Mapping[str, str]) -> PathTarget | None:
    if match := _OPENAI_MODELS.fullmatch(path):
        return _model_or_list_target("openai-chat", "", match["model"])
    list_match, single = _MODELS.fullmatch(path), _MODEL.fullmatch(path)
    target = list_match or single
    if target is None:
        return None
    dialect = _dialect_by_google_key_or_version(headers, query) if path.startswith("/v1/models") else "gemini"
    name = _strip_model_resource_prefixes(single["model"]) if single is not None else ""
    if list_match is not None and list_match["kind"] == "tunedModels":
        return PathTarget(dialect, "models", path)
    return _model_or_list_target(dialect, "" if dialect == "openai-chat" else f"/{target['version']}", name)


def _model_or_list_target(dialect: Dialect, lead: str, name: str | None) -> PathTarget:
    if not name:
        return PathTarget(dialect, "models", f"{lead}/models")
    return PathTarget(dialect, "model", lead + ("/{model}" if dialect == "gemini" else "/models/{model}"), name)


def _strip_model_resource_prefixes(name: str) -> str:
    """``models/x``, ``models/models/x`` and ``publishers/google/models/x`` are x; a tuned model keeps its folder."""
    if name.startswith("tunedModels/"):
        return name
    return re.sub(r"^(?:(?:publishers/[^/]+/)?models/)+", "", name)


def _dialect_by_google_key_or_version(headers: Mapping[str, str], query: Mapping[str, str]) -> Dialect:
    """Three APIs have a ``/v1/models``: Gemini's clients send their own key header, Anthropic's a version."""
    if "x-goog-api-key" in headers or "key" in query:
        return "gemini"
    return "anthropic" if "anthropic-version" in headers else "openai-chat"
