"""Error documents and error events between Gemini and OpenAI, with their status and any hint when to retry (mapping
row R-28). Sources: convert/errors.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.errors import (
    BAD_GATEWAY,
    STATUS_OF_CODE,
    error_object,
    error_status,
    plain_message,
    retry_after,
    type_and_code,
)
from bridgecheck_reference.convert.json_values import arr, obj, objs, text

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

RETRY_INFO: Final = "type.googleapis.com/google.rpc.RetryInfo"
ERROR_INFO: Final = "type.googleapis.com/google.rpc.ErrorInfo"


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


def gemini_failure(message: str, status: int = BAD_GATEWAY) -> JsonObject:
    """The same in Gemini's dialect."""
    return {"error": {"code": status, "message": message, "status": status_word(status)}}


def status_word(status: int) -> str:
    """Google's word for the HTTP status of an error, known or not."""
    return STATUS_WORDS.get(status, "INTERNAL" if status >= 500 else "INVALID_ARGUMENT")


def _gemini_error(body: object) -> JsonObject:
    """The error object, in a list or nested once as JSON-like document."""
    if isinstance(body, list):
        body = body[0] if body else None
    return error_object(body)


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
