"""Error documents and error events between Gemini and OpenAI, with their status and any hint when to retry (mapping
row R-28). Sources: convert/errors.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.errors import (
    BAD_GATEWAY,
    STATUS_OF_CODE,
    error_object_or_whole_body,
    fallback_message,
    first_error_status_or_500,
    openai_type_and_code,
    retry_after,
)
from bridgecheck_reference.convert.json_values import arr, obj, objs, text

GOOGLE_STATUS_OF_HTTP: Final[dict[int, str]] = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED", 409: "ABORTED", 413: "INVALID_ARGUMENT", 422: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED", 499: "CANCELLED", 500: "INTERNAL", 501: "UNIMPLEMENTED", 502: "UNAVAILABLE",
    503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED", 529: "UNAVAILABLE",
}  # fmt: skip
"""HTTP status -> Google's canonical status, see ``google_status``."""

HTTP_STATUS_OF_GOOGLE: Final[dict[str, int]] = {
    "INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "OUT_OF_RANGE": 400, "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403, "NOT_FOUND": 404, "ABORTED": 409, "ALREADY_EXISTS": 409, "RESOURCE_EXHAUSTED": 429,
    "CANCELLED": 499, "INTERNAL": 500, "UNKNOWN": 500, "DATA_LOSS": 500, "UNIMPLEMENTED": 501, "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}  # fmt: skip

RETRY_INFO: Final = "type.googleapis.com/google.rpc.RetryInfo"
ERROR_INFO: Final = "type.googleapis.com/google.rpc.ErrorInfo"


def gemini_error_to_openai(body: object, status: int) -> tuple[int, JsonObject]:
    """Return (status, document). ``body`` may be anything that a server sends; the provider's message is kept."""
    error = error_object_or_whole_body(body)
    known = first_error_status_or_500(
        status, error.get("code"), HTTP_STATUS_OF_GOOGLE.get(text(error.get("status")), 500)
    )
    kind, code = openai_type_and_code(known)
    document: JsonObject = {
        "message": text(error.get("message")) or fallback_message(body, known),
        "type": kind,
        "param": None,
        "code": _invalid_key_code(error) or code,
    }
    native = {key: error[key] for key in ("status", "details") if error.get(key)}
    if native:
        document["extra_content"] = {"google": native}
    wait = retry_after(body)
    if wait is not None:
        document["metadata"] = {"retry_after_seconds": wait}
    return known, {"error": document}


def openai_error_to_gemini(body: object, status: int, retry_after_s: float | None = None) -> tuple[int, JsonObject]:
    """Return (status, document). ``retry_after_s``: seconds from a Retry-After header, which wins over a hint in the
    text."""
    error = error_object_or_whole_body(body)
    codes = [code.lower() for code in (text(error.get("code")), text(error.get("type"))) if code]
    guess = next((STATUS_OF_CODE[code] for code in codes if code in STATUS_OF_CODE), 500)
    known = first_error_status_or_500(status, error.get("code"), guess, error.get("status"), error.get("status_code"))
    native = obj(obj(error.get("extra_content")).get("google"))
    document: JsonObject = {
        "code": known,
        "message": text(error.get("message")) or fallback_message(body, known),
        "status": text(native.get("status")) or google_status(known),
    }
    details = list(arr(native.get("details"))) or _openai_code_to_error_info(error)
    wait = retry_after(body) if retry_after_s is None else retry_after_s
    if wait is not None and not any(item.get("@type") == RETRY_INFO for item in objs(details)):
        details.append({"@type": RETRY_INFO, "retryDelay": f"{wait:g}s"})
    if details:
        document["details"] = details
    return known, {"error": document}


def create_gemini_error(message: str, status: int = BAD_GATEWAY) -> JsonObject:
    """Return our own error document or event for an upstream response that is none."""
    return {"error": {"code": status, "message": message, "status": google_status(status)}}


def google_status(status: int) -> str:
    """Return Google's status word for any HTTP status of an error."""
    return GOOGLE_STATUS_OF_HTTP.get(status, "INTERNAL" if status >= 500 else "INVALID_ARGUMENT")


def _invalid_key_code(error: JsonObject) -> str:
    """Return "invalid_api_key" where Gemini's reason is that, "" else: its status is only 400."""
    reasons = [detail.get("reason") for detail in objs(error.get("details"))]
    return "invalid_api_key" if "API_KEY_INVALID" in reasons else ""


def _openai_code_to_error_info(error: JsonObject) -> list[object]:
    """Return OpenAI's code and param as an ErrorInfo, where Google keeps such things."""
    metadata = {key: str(error[key]) for key in ("code", "param", "type") if error.get(key)}
    code = text(error.get("code"))
    if not code or not metadata:
        return []
    return [{"@type": ERROR_INFO, "reason": code.upper(), "metadata": metadata}]
