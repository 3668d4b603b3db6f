"""What goes wrong at a provider, in each dialect's words: a refusal with its status, a stream that fails or breaks off.

Sources: https://ai.google.dev/gemini-api/docs/troubleshooting, https://platform.openai.com/docs/guides/error-codes,
https://docs.anthropic.com/en/api/errors.
"""

from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st

from bridgecheck.fuzz.meaning import WORDS
from bridgecheck.wire import Dialect, JsonObject

_GEMINI: Final = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
_OPENAI: Final = {
    400: "invalid_request_error",
    401: "invalid_request_error",
    404: "invalid_request_error",
    429: "requests",
    500: "server_error",
    503: "server_error",
}
_ANTHROPIC: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    503: "overloaded_error",
}


@dataclass(frozen=True)
class Refusal:
    """``wait``: in how many seconds one may ask again, None if that is not said."""

    status: int
    message: str
    wait: int | None


@st.composite
def refusals(draw: st.DrawFn) -> Refusal:
    status = draw(st.sampled_from(sorted(_GEMINI)))
    return Refusal(status, draw(WORDS), draw(st.none() | st.integers(1, 60)) if status in (429, 503) else None)


def envelope(dialect: Dialect, refusal: Refusal) -> JsonObject:
    """The document that says it. Anthropic says how long to wait in the header alone."""
    status, message, wait = refusal.status, refusal.message, refusal.wait
    if dialect == "gemini":
        error: JsonObject = {"code": status, "message": message, "status": _GEMINI[status]}
        if wait is not None:
            error["details"] = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{wait}s"}]
        return {"error": error}
    if dialect == "openai-chat":
        told = message if wait is None else f"{message} Please try again in {wait}s."
        return {"error": {"message": told, "type": _OPENAI[status], "param": None, "code": None}}
    return {"type": "error", "error": {"type": _ANTHROPIC[status], "message": message}}


def refused(dialect: Dialect, refusal: Refusal) -> JsonObject:
    """The scripted answer."""
    waits: JsonObject = {} if refusal.wait is None else {"headers": {"retry-after": str(refusal.wait)}}
    return {"status": refusal.status, **waits, "body": envelope(dialect, refusal)}


def broken(dialect: Dialect, events: list[JsonObject], kept: int) -> JsonObject:
    """A stream that ends after the first ``kept`` events, before anything in it says how it ended."""
    last = next(place for place, event in enumerate(events) if _ends(dialect, event))
    return {"events": events[: min(kept, last)], "end": "cut", "done": False}


def _ends(dialect: Dialect, event: JsonObject) -> bool:
    """Whether a client learns from this event that, or why, the answer is over."""
    if dialect == "anthropic":
        return event["type"] == "message_delta"
    choices = event.get("candidates" if dialect == "gemini" else "choices")
    word = "finishReason" if dialect == "gemini" else "finish_reason"
    return "usage" in event or any(choice.get(word) for choice in (choices if isinstance(choices, list) else []))
