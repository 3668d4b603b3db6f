"""Answers to side traffic that no scenario records: an adapter may list models, count tokens, fetch an image, renew a
token or ask whether the provider is there, all on its own account.
"""

import base64
import json
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from bridgecheck.model.exchange import HttpRequest
from bridgecheck.wire import Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS

_JSON: Final = "application/json"


class OkStub(NamedTuple):
    """A response with status 200."""

    media_type: str
    body: bytes


FETCHED_FILES: Final[dict[str, OkStub]] = {
    ending: OkStub(media_type, base64.b64decode(data))
    for endings, media_type, data in (
        (("png",), "image/png",
         "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
        (("gif",), "image/gif", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
        (("jpg", "jpeg"), "image/jpeg",
         "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP" + "/" * 86 + "wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/a"
         "AAgBAQABPxA="),
        (("webp",), "image/webp", "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="),
        (("wav",), "audio/wav", "UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA="),
        (("pdf",), "application/pdf",
         ("JVBERi0xLjEKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+ZW5kb2JqCjIgMCBvYmo8PC9UeXBlL1BhZ2VzL0tp"
          "ZHNbXS9Db3VudCAwPj5lbmRvYmoKdHJhaWxlcjw8L1Jvb3QgMSAwIFI+PgolJUVPRgo=")),
        (("txt", "md"), "text/plain", "d29yZHMK"),
    )
    for ending in endings
}  # fmt: skip
"""What a fetched file holds, by the ending of its path: the smallest of its kind."""

_HEALTH: Final = frozenset({"", "/health", "/healthz", "/ready", "/readyz", "/livez", "/ping", "/status"})
_TOKEN: Final = {"access_token": "edge", "token_type": "Bearer", "expires_in": 3600}


def side_answer(dialect: Dialect, operation: str, request: HttpRequest, models: Sequence[str]) -> OkStub | None:
    """Return the response of a provider of this dialect, None for what is no side traffic. ``operation``: as in
    wire/facts, "" for an endpoint of no dialect; ``models``: those that the provider has."""
    path = unquote(urlsplit(request.path).path).rstrip("/")
    if operation == "models":
        return _json_stub(_models_document(dialect, path, models))
    if operation == "count_tokens":
        return _json_stub({RECORDS[dialect].token_count_member: 1})
    return _health_file_or_token_stub(request.method, path) if not operation else None


def _health_file_or_token_stub(method: str, path: str) -> OkStub | None:
    if method in ("GET", "HEAD"):
        return _json_stub({"status": "ok"}) if path in _HEALTH else FETCHED_FILES.get(path.rpartition(".")[2].lower())
    return _json_stub(_TOKEN) if path.endswith("/token") else None


def _models_document(dialect: Dialect, path: str, models: Sequence[str]) -> JsonObject:
    """Return the list of models, or the one that the path names."""
    model = path.rpartition("/models/")[2] if "/models/" in path else ""
    describe = _MODEL_DOCUMENT[dialect]
    return describe(model) if model else _MODEL_LIST[dialect]([describe(model) for model in models])


def _gemini_model(model: str) -> JsonObject:
    methods = ["generateContent", "streamGenerateContent", "countTokens"]
    return {
        "name": f"models/{model}", "version": "001", "displayName": model, "inputTokenLimit": 1048576,
        "outputTokenLimit": 65536, "supportedGenerationMethods": methods,
    }  # fmt: skip


def _anthropic_model_list(models: list[JsonObject]) -> JsonObject:
    first, last = (models[0]["id"], models[-1]["id"]) if models else (None, None)
    return {"data": models, "has_more": False, "first_id": first, "last_id": last}


_MODEL_DOCUMENT: Final[dict[Dialect, Callable[[str], JsonObject]]] = {
    "gemini": _gemini_model,
    "openai-chat": lambda model: {"id": model, "object": "model", "created": 0, "owned_by": "edge"},
    "anthropic": lambda model: {
        "type": "model", "id": model, "display_name": model, "created_at": "1970-01-01T00:00:00Z",
    },
}  # fmt: skip
_MODEL_LIST: Final[dict[Dialect, Callable[[list[JsonObject]], JsonObject]]] = {
    "gemini": lambda models: {"models": models},
    "openai-chat": lambda models: {"object": "list", "data": models},
    "anthropic": _anthropic_model_list,
}
"""Sources: https://ai.google.dev/api/models, https://platform.openai.com/docs/api-reference/models,
https://docs.anthropic.com/en/api/models-list (stored copies read 2026-11-22)."""


def _json_stub(document: JsonObject) -> OkStub:
    return OkStub(_JSON, json.dumps(document).encode())
