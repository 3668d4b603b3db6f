"""Which kind of error a document, an event or a bare status reports, and how long to wait, if it is given.

The HTTP status decides, then the provider's word; a few words are clearer than the status they come with.
Sources: https://ai.google.dev/gemini-api/docs/troubleshooting,
https://developers.openai.com/docs/guides/error-codes, https://docs.anthropic.com/en/api/errors,
https://cloud.google.com/apis/design/errors."""

from collections.abc import Iterable
from typing import Final

from bridgecheck.model.exchange import Headers, Response
from bridgecheck.model.jsonvalue import objs, text
from bridgecheck.model.outcome import ErrorInfo, ErrorKind

KINDS_OF_STATUS: Final[dict[int, ErrorKind]] = {
    400: "invalid", 401: "auth", 402: "permission", 403: "permission", 404: "not_found", 405: "invalid",
    408: "timeout", 409: "invalid", 413: "too_large", 415: "invalid", 422: "invalid", 424: "server",
    429: "rate_limit", 499: "timeout", 500: "server", 501: "invalid", 502: "server", 503: "overloaded",
    504: "timeout", 524: "timeout", 529: "overloaded",
}  # fmt: skip

KINDS_BEFORE_STATUS: Final[dict[str, ErrorKind]] = {
    "api_key_invalid": "auth", "invalid_api_key": "auth", "authentication_error": "auth", "content_filter": "content",
    "content_policy_violation": "content", "responsibleaipolicyviolation": "content",
}  # fmt: skip
"""Words (lower case) that outweigh the status: Google answers 400 to a bad key, Azure 400 to a filtered prompt."""

KINDS: Final[dict[str, ErrorKind]] = {
    "invalid_argument": "invalid", "failed_precondition": "invalid", "out_of_range": "invalid",
    "unauthenticated": "auth", "permission_denied": "permission", "resource_exhausted": "rate_limit",
    "internal": "server", "unknown": "server", "unavailable": "overloaded", "deadline_exceeded": "timeout",
    "unimplemented": "invalid", "aborted": "server", "already_exists": "invalid",
    "cancelled": "timeout", "not_found": "not_found",
    "invalid_request_error": "invalid", "authentication_error": "auth", "permission_error": "permission",
    "billing_error": "permission", "not_found_error": "not_found", "request_too_large": "too_large",
    "rate_limit_error": "rate_limit", "rate_limit_exceeded": "rate_limit", "insufficient_quota": "rate_limit",
    "timeout_error": "timeout", "overloaded_error": "overloaded", "api_error": "server", "server_error": "server",
    "internal_server_error": "server", "model_not_found": "not_found",
}  # fmt: skip


def error_kind_by_status_unless_code_outweighs(codes: Iterable[str], status: int | None) -> ErrorKind:
    """Return the kind of an error: of KINDS_BEFORE_STATUS, of the status, of a word, else ``unknown``."""
    lower_codes = [word.lower() for word in codes if word]
    for word in lower_codes:
        if word in KINDS_BEFORE_STATUS:
            return KINDS_BEFORE_STATUS[word]
    if status is not None and status >= 400:
        return KINDS_OF_STATUS.get(status, "invalid" if status < 500 else "server")
    return next((KINDS[word] for word in lower_codes if word in KINDS), "unknown")


def error_info(response: Response, codes: Iterable[str], message: str, code: object, native: str) -> ErrorInfo:
    """Build the error. ``code``: the number in the document, which counts only where HTTP itself reported no error."""
    lower_codes = list(codes)
    status = response.status if response.status >= 400 else http_error_status(code)
    message = message or next(filter(None, map(_find_message, response.documents[-1:])), "")
    return ErrorInfo(
        kind=error_kind_by_status_unless_code_outweighs(lower_codes, status), message=message, status=status,
        native=native, retry_after=retry_after_seconds(response.headers),
    )  # fmt: skip


def _find_message(value: object) -> str:
    """Return the text under the first key of an error, at whatever depth, that hosts use for its message, else "": no
    client's user reads an empty message where the body has one."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        found = (_find_message(value[key]) for key in _MESSAGE_KEYS if key in value)
        return next(filter(None, found), "")
    return next(filter(None, map(_find_message, value)), "") if isinstance(value, list) else ""


_MESSAGE_KEYS: Final = ("message", "error", "errors", "detail", "details", "msg", "error_message", "reason", "title")


def http_error_status(code: object) -> int | None:
    """Return a number, or digits, if they are an HTTP error status."""
    number = int(code) if isinstance(code, str) and code.isdigit() and len(code) == 3 else code
    return number if isinstance(number, int) and not isinstance(number, bool) and 400 <= number < 600 else None


def error_without_document(response: Response) -> ErrorInfo | None:
    """Return the error that a response without documents is; None for a stream that merely ended, or empty success."""
    if response.documents:
        return None
    if response.status >= 400 or response.text:
        return error_info(response, (), response.text[:500], None, "")
    if response.end in ("cut", "reset"):
        return ErrorInfo("truncated", f"the body ended early ({response.end})")
    return ErrorInfo("timeout", "no answer in time") if response.end == "timeout" else None


def retry_after_seconds(headers: Headers) -> float | None:
    """Return seconds to wait, from ``retry-after-ms`` or a numeric ``Retry-After``; dates are ignored."""
    named = {name.lower(): value for name, value in headers}
    milliseconds = parse_seconds_without_unit(named.get("retry-after-ms", ""))
    return parse_seconds_without_unit(named.get("retry-after", "")) if milliseconds is None else milliseconds / 1000


def retry_info_seconds(details: object) -> float | None:
    """Return the seconds of Google's RetryInfo, ``"retryDelay": "34.4s"``."""
    delays = (parse_seconds_without_unit(text(detail.get("retryDelay")).removesuffix("s")) for detail in objs(details))
    return next((delay for delay in delays if delay is not None), None)


def parse_seconds_without_unit(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < 1e9 else None
