"""The document in which a provider says that something went wrong.

Sources: https://ai.google.dev/gemini-api/docs/troubleshooting, https://platform.openai.com/docs/guides/error-codes,
https://docs.anthropic.com/en/api/errors.
"""

from typing import Final

from bridgecheck.wire import Dialect, JsonObject

_GEMINI: Final[dict[int, str]] = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
_OPENAI: Final[dict[int, str]] = {
    400: "invalid_request_error",
    401: "invalid_request_error",
    404: "invalid_request_error",
    429: "requests",
    500: "server_error",
    503: "server_error",
}
_ANTHROPIC: Final[dict[int, str]] = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    503: "overloaded_error",
}

STATUSES: Final = tuple(sorted(_GEMINI))
"""The statuses it has words for."""


def envelope(dialect: Dialect, status: int, message: str, wait: int | None = None) -> JsonObject:
    """``status``: one of STATUSES. ``wait``: in how many seconds one may ask again, None if that is not said; Anthropic
    says it in the header alone."""
    if dialect == "gemini":
        error: JsonObject = {"code": status, "message": message, "status": _GEMINI[status]}
        if wait is not None:
            error["details"] = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{wait}s"}]
        return {"error": error}
    if dialect == "openai-chat":
        told = message if wait is None else f"{message} Please try again in {wait}s."
        return {"error": {"message": told, "type": _OPENAI[status], "param": None, "code": None}}
    return {"type": "error", "error": {"type": _ANTHROPIC[status], "message": message}}
