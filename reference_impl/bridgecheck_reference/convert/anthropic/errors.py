"""Error documents and ``error`` events between Anthropic and OpenAI, with their status and any hint when to retry.

Anthropic: ``{"type": "error", "error": {"type", "message"}, "request_id"}``; its hint is the header ``retry-after``
alone, so one that stood in a document goes under ``error.retry_after_seconds``. The status stays the provider's.
Source: https://docs.anthropic.com/en/api/errors (stored copy read 2026-11-21).
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.errors import (
    STATUS_OF_CODE,
    error_object_or_whole_body,
    fallback_message,
    first_error_status_or_500,
    openai_type_and_code,
    retry_after,
)
from bridgecheck_reference.convert.json_values import obj, text

STATUS_OF_TYPE: Final[dict[str, int]] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "conflict_error": 409,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""Anthropic's error type -> its status, which events inside a stream do not have."""

ERROR_TYPE_OF_STATUS: Final[dict[int, str]] = {
    **{status: kind for kind, status in STATUS_OF_TYPE.items()},
    408: "timeout_error",
    503: "overloaded_error",
}
"""HTTP status -> Anthropic's error type, see ``anthropic_error_type``."""

_CLEARER: Final[dict[str, str]] = {"invalid_api_key": "authentication_error"}
"""OpenAI's code -> Anthropic's type, where it is more precise than the status: Google answers 400 to a bad key."""


def anthropic_error_to_openai(body: object, status: int) -> tuple[int, JsonObject]:
    """Return (status, document). ``body`` may be anything that a server sends; ``status`` 200 for an event inside a
    stream."""
    error = error_object_or_whole_body(body)
    native = text(error.get("type"))
    known = first_error_status_or_500(status, STATUS_OF_TYPE.get(native, 500))
    kind, code = openai_type_and_code(known)
    document: JsonObject = {
        "message": text(error.get("message")) or fallback_message(body, known),
        "type": kind,
        "param": None,
        "code": code,
    }
    request_id = obj(body).get("request_id")
    native_members = {key: value for key, value in (("type", native), ("request_id", request_id)) if value}
    if native_members:
        document["extra_content"] = {"anthropic": native_members}
    wait = retry_after(body)
    if wait is not None:
        document["metadata"] = {"retry_after_seconds": wait}
    return known, {"error": document}


def openai_error_to_anthropic(body: object, status: int, retry_after_s: float | None = None) -> tuple[int, JsonObject]:
    """Return (status, document). ``retry_after_s``: seconds from a Retry-After header, which wins over a hint in the
    text."""
    error = error_object_or_whole_body(body)
    carried = obj(obj(error.get("extra_content")).get("anthropic"))
    codes = [text(carried.get("type")), text(error.get("code")).lower(), text(error.get("type")).lower()]
    known = first_error_status_or_500(
        status, error.get("code"), error.get("status"), error.get("status_code"), _status_of_codes(codes, default=500)
    )
    anthropic_error: JsonObject = {
        "type": codes[0] or _CLEARER.get(codes[1]) or anthropic_error_type(known),
        "message": text(error.get("message")) or fallback_message(body, known),
    }
    wait = retry_after(body) if retry_after_s is None else retry_after_s
    if wait is not None:
        anthropic_error["retry_after_seconds"] = wait
    document: JsonObject = {"type": "error", "error": anthropic_error}
    if carried.get("request_id"):
        document["request_id"] = carried["request_id"]
    return known, document


def create_anthropic_error(message: str, kind: str = "api_error") -> JsonObject:
    """Return our own error document or event for an upstream response that is none."""
    return {"type": "error", "error": {"type": kind, "message": message}}


def _status_of_codes(codes: list[str], *, default: int) -> int:
    found = (STATUS_OF_TYPE.get(code) or STATUS_OF_CODE.get(code) for code in codes if code)
    return next((status for status in found if status), default)


def anthropic_error_type(status: int) -> str:
    """Return Anthropic's error type for any HTTP status of an error."""
    return ERROR_TYPE_OF_STATUS.get(status, "api_error" if status >= 500 else "invalid_request_error")
