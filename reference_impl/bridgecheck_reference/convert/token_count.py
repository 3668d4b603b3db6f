"""Requests and responses of the endpoints that count a request's tokens: Gemini's and Anthropic's. OpenAI Chat has
none.

Sources: https://ai.google.dev/api/tokens, https://platform.claude.com/docs/en/api/messages-count-tokens (read
2026-11-21).
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import camel, integer, obj

_COUNTED_BY_ANTHROPIC: Final = (
    "messages", "model", "cache_control", "output_config", "system", "thinking", "tool_choice", "tools",
)  # fmt: skip


def unwrap_gemini_count_request(request: JsonObject) -> JsonObject:
    """Return the generation whose tokens a ``countTokens`` body requests: it has it inside, or only its
    ``contents``."""
    body = camel(request)
    return camel(body["generateContentRequest"]) if "generateContentRequest" in body else body


def build_gemini_count_request(request: JsonObject, resource: str) -> JsonObject:
    """Return a ``countTokens`` body for a generation request. ``resource``: the model's, ``models/x``."""
    return {"generateContentRequest": {"model": resource, **request}}


def build_anthropic_count_request(request: JsonObject) -> JsonObject:
    """Return a ``count_tokens`` body for a Messages request: without what has no tokens."""
    return {key: request[key] for key in _COUNTED_BY_ANTHROPIC if key in request}


def gemini_token_count(answer: JsonObject) -> int | None:
    """Return the tokens; None for a response without."""
    return integer(camel(answer).get("totalTokens"))


def anthropic_token_count(answer: JsonObject) -> int | None:
    return integer(obj(answer).get("input_tokens"))
