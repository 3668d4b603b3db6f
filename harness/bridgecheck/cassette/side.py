"""Answers to side traffic that no scenario records: an adapter may list models or count tokens on its own account."""

from typing import Final

from bridgecheck.wire import Dialect, JsonObject

_ANSWERS: Final[dict[tuple[Dialect, str], JsonObject]] = {
    ("gemini", "models"): {"models": []},
    ("gemini", "count_tokens"): {"totalTokens": 1},
    ("openai-chat", "models"): {"object": "list", "data": []},
    ("anthropic", "models"): {"data": [], "has_more": False, "first_id": None, "last_id": None},
    ("anthropic", "count_tokens"): {"input_tokens": 1},
}


def answer(dialect: Dialect, operation: str) -> JsonObject | None:
    """The document of a 200 answer, or None for what is no side traffic."""
    return _ANSWERS.get((dialect, operation))


def miss(dialect: Dialect, message: str) -> JsonObject:
    """The error document, in its own dialect, for a request that the cassette does not answer."""
    if dialect == "gemini":
        return {"error": {"code": 404, "message": message, "status": "NOT_FOUND"}}
    error: JsonObject = {"type": "cassette_miss", "message": message}
    if dialect == "anthropic":
        return {"type": "error", "error": error}
    return {"error": {**error, "code": "cassette_miss", "param": None}}
