"""Error documents and error events both ways, with their status and any hint when to try again (mapping row R-28).

Gemini: ``{"error": {"code", "message", "status", "details"}}``, sometimes in a list. OpenAI: ``{"error": {"message",
"type", "param", "code"}}``; compatible hosts also send a plain string, ``detail`` or ``message``. Sources:
https://cloud.google.com/apis/design/errors, https://developers.openai.com/docs/guides/error-codes.
"""

import re
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import NOTHING, arr, dumps, integer, obj, objs, text

STATUS_WORDS: Final[dict[int, str]] = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED", 409: "ABORTED", 413: "INVALID_ARGUMENT", 422: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED", 499: "CANCELLED", 500: "INTERNAL", 501: "UNIMPLEMENTED", 502: "UNAVAILABLE",
    503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED", 529: "UNAVAILABLE",
}  # fmt: skip
"""HTTP status -> Google's canonical word, see ``status_word``."""

STATUS_OF_WORD: Final[dict[str, int]] = {
    "INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "OUT_OF_RANGE": 400, "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403, "NOT_FOUND": 404, "ABORTED": 409, "ALREADY_EXISTS": 409, "RESOURCE_EXHAUSTED": 429,
    "CANCELLED": 499, "INTERNAL": 500, "UNKNOWN": 500, "DATA_LOSS": 500, "UNIMPLEMENTED": 501, "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}  # fmt: skip

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
"""HTTP status -> OpenAI's (type, code), see ``type_and_code``."""

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
"""OpenAI's code or type -> the status to say inside a stream that began with 200."""

RETRY_INFO: Final = "type.googleapis.com/google.rpc.RetryInfo"
ERROR_INFO: Final = "type.googleapis.com/google.rpc.ErrorInfo"

BAD_GATEWAY: Final = 502
"""The status of an answer that is none."""

_WAIT: Final = re.compile(
    r"(?:try again|retry|reset)\D{0,20}?((?:\d+h)?(?:\d+m(?!s))?\d*\.?\d*(?:ms|s))\b", re.IGNORECASE
)
_SPAN: Final = re.compile(r"(\d*\.?\d+)(ms|h|m|s)")
_LONGEST_WAIT_S: Final = 10.0**9
_MOST_DIGITS: Final = 9
"""Of a number that may be a status; int() refuses texts of thousands of digits."""
_SECONDS: Final[dict[str, float]] = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def gemini_error_to_openai(body: object, status: int) -> tuple[int, JsonObject]:
    """(status, document). ``body`` may be anything a server sends; the words of the provider are kept."""
    error = _gemini_error(body)
    known = error_status(status, error.get("code"), STATUS_OF_WORD.get(text(error.get("status")), 500))
    kind, code = type_and_code(known)
    document: JsonObject = {
        "message": text(error.get("message")) or plain_message(body, known),
        "type": kind,
        "param": None,
        "code": _api_key_code(error) or code,
    }
    native = {key: error[key] for key in ("status", "details") if error.get(key)}
    if native:
        document["extra_content"] = {"google": native}
    wait = retry_after(body)
    if wait is not None:
        document["metadata"] = {"retry_after_seconds": wait}
    return known, {"error": document}


def openai_error_to_gemini(body: object, status: int, retry_after_s: float | None = None) -> tuple[int, JsonObject]:
    """(status, document). ``retry_after_s``: seconds from a Retry-After header, which wins over a hint in the text."""
    error = error_object(body)
    words = [word.lower() for word in (text(error.get("code")), text(error.get("type"))) if word]
    guess = next((STATUS_OF_CODE[word] for word in words if word in STATUS_OF_CODE), 500)
    known = error_status(status, error.get("code"), guess, error.get("status"), error.get("status_code"))
    native = obj(obj(error.get("extra_content")).get("google"))
    document: JsonObject = {
        "code": known,
        "message": text(error.get("message")) or plain_message(body, known),
        "status": text(native.get("status")) or status_word(known),
    }
    details = list(arr(native.get("details"))) or _details(error)
    wait = retry_after(body) if retry_after_s is None else retry_after_s
    if wait is not None and not any(item.get("@type") == RETRY_INFO for item in objs(details)):
        details.append({"@type": RETRY_INFO, "retryDelay": f"{wait:g}s"})
    if details:
        document["details"] = details
    return known, {"error": document}


def retry_after(body: object) -> float | None:
    """Seconds to wait, from RetryInfo, a host's metadata or the message ("try again in 1.2s"); None if not said."""
    error = error_object(body)
    native = [*objs(error.get("details")), *objs(obj(obj(error.get("extra_content")).get("google")).get("details"))]
    for detail in native:
        delay = detail.get("retryDelay", obj(detail.get("metadata")).get("quotaResetDelay"))
        if isinstance(delay, str):
            return _span(delay)
        if isinstance(delay, dict):
            whole, part = (_wait(integer(delay.get(key)) or 0) for key in ("seconds", "nanos"))
            return None if whole is None or part is None else whole + part / 1e9
    for holder in (obj(error.get("metadata")), error):
        for key in ("retry_after_seconds", "retry_after"):
            wait = _wait(holder.get(key))
            if wait is not None:
                return wait
    found = _WAIT.search(text(error.get("message")))
    return _span(found.group(1)) if found else None


def openai_failure(message: str, code: str, **extra: object) -> JsonObject:
    """An error document or event of our own making: the upstream answered something that is no answer."""
    error: JsonObject = {"message": message, "type": "server_error", "param": None, "code": code}
    if extra:
        error["extra_content"] = {"google": extra}
    return {"error": error}


def gemini_failure(message: str, status: int = BAD_GATEWAY) -> JsonObject:
    """The same in Gemini's dialect."""
    return {"error": {"code": status, "message": message, "status": status_word(status)}}


def status_word(status: int) -> str:
    """Google's word for the HTTP status of an error, known or not."""
    return STATUS_WORDS.get(status, "INTERNAL" if status >= 500 else "INVALID_ARGUMENT")


def type_and_code(status: int) -> tuple[str, str]:
    """OpenAI's words for the HTTP status of an error, known or not."""
    return TYPE_OF_STATUS.get(status, TYPE_OF_STATUS[500 if status >= 500 else 400])


def _gemini_error(body: object) -> JsonObject:
    """The error object, in a list or nested once as JSON-like document."""
    if isinstance(body, list):
        body = body[0] if body else None
    return error_object(body)


def error_object(body: object) -> JsonObject:
    """The error object of any host; a host without one is read at its top level."""
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


def error_status(status: int, *candidates: object) -> int:
    """The HTTP status if it is an error, else the first plausible one of the document: events come with 200."""
    for value in (status, *candidates):
        digits = isinstance(value, str) and value.isdecimal() and len(value) <= _MOST_DIGITS
        number = int(text(value)) if digits else integer(value)
        if number is not None and 400 <= number < 600:
            return number
    return 500


def _api_key_code(error: JsonObject) -> str:
    """Gemini says 400 to a bad key; its reason tells."""
    reasons = [detail.get("reason") for detail in objs(error.get("details"))]
    return "invalid_api_key" if "API_KEY_INVALID" in reasons else ""


def _details(error: JsonObject) -> list[object]:
    """OpenAI's code and param, where Google keeps such things."""
    said = {key: str(error[key]) for key in ("code", "param", "type") if error.get(key)}
    code = text(error.get("code"))
    if not code or not said:
        return []
    return [{"@type": ERROR_INFO, "reason": code.upper(), "metadata": said}]


def plain_message(body: object, status: int) -> str:
    """Some text for a body that holds no message."""
    if isinstance(body, str) and body.strip():
        return body.strip()[:500]
    return f"upstream answered with status {status}" if not body else dumps(body)[:500]


def _span(words: str) -> float | None:
    """Seconds of ``34.4s``, ``373.8ms`` or ``1m12s``."""
    found = _SPAN.findall(words)
    return _wait(sum(float(number) * _SECONDS[unit] for number, unit in found)) if found else None


def _wait(value: object) -> float | None:
    """A time that can be waited for, in seconds; a negative, an endless or an absurd one is as good as none."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= _LONGEST_WAIT_S:
        return None
    return float(value)
