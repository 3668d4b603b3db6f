"""Error documents of any host: their error object, HTTP status, message and hint when to retry (mapping row R-28).

Gemini: ``{"error": {"code", "message", "status", "details"}}``, sometimes in a list. OpenAI: ``{"error": {"message",
"type", "param", "code"}}``; compatible hosts also send a plain string, ``detail`` or ``message``. Sources:
https://cloud.google.com/apis/design/errors, https://developers.openai.com/docs/guides/error-codes.
"""

import re
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import NOTHING, dumps, integer, obj, objs, text

TYPE_OF_STATUS: Final[dict[int, tuple[str, str]]] = {
    400: ("invalid_request_error", "invalid_request"),
    401: ("authentication_error", "invalid_api_key"),
    403: ("permission_error", "permission_denied"),
    404: ("not_found_error", "not_found"),
    408: ("timeout_error", "timeout"),
    413: ("invalid_request_error", "request_too_large"),
    429: ("rate_limit_error", "rate_limit_exceeded"),
    500: ("server_error", "internal_error"),
    502: ("server_error", "bad_gateway"),
    503: ("server_error", "overloaded"),
    504: ("timeout_error", "timeout"),
    529: ("server_error", "overloaded"),
}
"""HTTP status -> OpenAI's (type, code), see ``openai_type_and_code``."""

STATUS_OF_CODE: Final[dict[str, int]] = {
    "invalid_request_error": 400, "context_length_exceeded": 400, "content_filter": 400, "invalid_api_key": 401,
    "authentication_error": 401, "permission_error": 403, "permission_denied": 403, "model_not_found": 404,
    "not_found_error": 404, "not_found": 404, "rate_limit_exceeded": 429, "rate_limit_error": 429,
    "insufficient_quota": 429, "rate_limit": 429, "too_many_requests": 429, "server_error": 500, "internal_error": 500,
    "internal_server_error": 500,
    "api_error": 500, "overloaded": 503, "overloaded_error": 503, "service_unavailable": 503, "timeout": 504,
    "timeout_error": 504, "bad_gateway": 502, "empty_response": 502, "invalid_response": 502, "stream_truncated": 502,
    "malformed_event": 502,
}  # fmt: skip
"""OpenAI's code or type -> the status inside a stream that began with 200."""

BAD_GATEWAY: Final = 502
"""The status for an upstream response that is none."""

_WAIT_TEXT: Final = re.compile(
    r"(?:try again|retry|reset)\D{0,20}?((?:\d+h)?(?:\d+m(?!s))?\d*\.?\d*(?:ms|s))\b", re.IGNORECASE
)
_DURATION_PART: Final = re.compile(r"(\d*\.?\d+)(ms|h|m|s)")
_LONGEST_WAIT_S: Final = 10.0**9
_MOST_DIGITS: Final = 9
"""Most digits of a number that may be a status; int() refuses texts of thousands of digits."""
_SECONDS: Final[dict[str, float]] = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def retry_after(body: object) -> float | None:
    """Return the seconds to wait, from RetryInfo, a host's metadata or the message ("try again in 1.2s"); None if
    absent."""
    error = error_object_or_whole_body(body)
    native = [*objs(error.get("details")), *objs(obj(obj(error.get("extra_content")).get("google")).get("details"))]
    for detail in native:
        delay = detail.get("retryDelay", obj(detail.get("metadata")).get("quotaResetDelay"))
        if isinstance(delay, str):
            return _parse_duration(delay)
        if isinstance(delay, dict):
            whole, part = (_valid_wait_seconds(integer(delay.get(key)) or 0) for key in ("seconds", "nanos"))
            return None if whole is None or part is None else whole + part / 1e9
    for holder in (obj(error.get("metadata")), error):
        for key in ("retry_after_seconds", "retry_after"):
            wait = _valid_wait_seconds(holder.get(key))
            if wait is not None:
                return wait
    found = _WAIT_TEXT.search(text(error.get("message")))
    return _parse_duration(found.group(1)) if found else None


def create_openai_error(message: str, code: str, **google_members: object) -> JsonObject:
    """Return our own error document or event for an upstream response that is none."""
    error: JsonObject = {"message": message, "type": "server_error", "param": None, "code": code}
    if google_members:
        error["extra_content"] = {"google": google_members}
    return {"error": error}


def openai_type_and_code(status: int) -> tuple[str, str]:
    """Return OpenAI's (type, code) for any HTTP status of an error."""
    return TYPE_OF_STATUS.get(status, TYPE_OF_STATUS[500 if status >= 500 else 400])


def error_object_or_whole_body(body: object) -> JsonObject:
    """Return the error object of any host, also in a list; a host without one is read at its top level."""
    if isinstance(body, list):
        body = body[0] if body else None
    document = obj(body)
    error = document.get("error")
    if isinstance(error, dict):
        return error
    if isinstance(error, str):
        return {**document, "message": error}
    if document and not text(document.get("message")) and document.get("detail"):
        detail = document["detail"]
        return {**document, "message": detail if isinstance(detail, str) else dumps(detail)}
    return document or NOTHING


def first_error_status_or_500(*candidates: object) -> int:
    """Return the first of these that is an HTTP status of an error, as a number or as its digits; 500 for none.

    The response's own status comes first, then what its document names: events come with 200.
    """
    for value in candidates:
        digits = isinstance(value, str) and value.isdecimal() and len(value) <= _MOST_DIGITS
        number = int(text(value)) if digits else integer(value)
        if number is not None and 400 <= number < 600:
            return number
    return 500


def fallback_message(body: object, status: int) -> str:
    """Return some text for a body that holds no message."""
    if isinstance(body, str) and body.strip():
        return body.strip()[:500]
    return f"upstream answered with status {status}" if not body else dumps(body)[:500]


def _parse_duration(duration: str) -> float | None:
    """Return the seconds of ``34.4s``, ``373.8ms`` or ``1m12s``."""
    found = _DURATION_PART.findall(duration)
    return _valid_wait_seconds(sum(float(number) * _SECONDS[unit] for number, unit in found)) if found else None


def _valid_wait_seconds(value: object) -> float | None:
    """Return a time to wait in seconds; None for a negative, an endless or an absurd one."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= _LONGEST_WAIT_S:
        return None
    return float(value)
