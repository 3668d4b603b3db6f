"""What went wrong at a provider, as an error in the caller's dialect.

Everything that reaches a caller of the reference as a ``ProviderError`` is made here, with credentials removed.
"""

import json
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from time import time
from typing import Final

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.convert.anthropic.errors import (
    anthropic_error_to_openai,
    create_anthropic_error,
    openai_error_to_anthropic,
)
from bridgecheck_reference.convert.errors import create_openai_error, retry_after
from bridgecheck_reference.convert.gemini.errors import ERROR_INFO, gemini_error_to_openai, openai_error_to_gemini
from bridgecheck_reference.errors import ProviderError, redact, redact_json

CONNECTION: Final = "connection_error"
TIMEOUT: Final = "timeout"
INCOMPLETE: Final = "stream_truncated"
INVALID: Final = "invalid_response"

LOCAL: Final[dict[str, tuple[int, str]]] = {
    CONNECTION: (503, "UNAVAILABLE"),
    TIMEOUT: (504, "DEADLINE_EXCEEDED"),
    INCOMPLETE: (502, "UNAVAILABLE"),
    INVALID: (502, "INTERNAL"),
}
"""Failures that came without a document: the HTTP status a gateway would answer with, and Google's status word."""

_TEXT_LIMIT: Final = 2000
"""Characters of upstream text kept in a message."""


def local_failure(
    code: str, text: str, *, dialect: Dialect, secrets: tuple[str, ...] = (), native: object = None
) -> ProviderError:
    """A failure the provider sent no error document for; ``code`` is one of those above."""
    message = redact(text, secrets)[:_TEXT_LIMIT]
    return ProviderError(
        message,
        body=_local_body(code, message, dialect),
        dialect=dialect,
        status=LOCAL[code][0],
        code=code,
        native=native,
    )


def _local_body(code: str, message: str, dialect: Dialect) -> JsonObject:
    status, code_word = LOCAL[code]
    if dialect == "gemini":
        info = {"@type": ERROR_INFO, "reason": code.upper()}
        return {"error": {"code": status, "message": message, "status": code_word, "details": [info]}}
    if dialect == "anthropic":
        return create_anthropic_error(message, "timeout_error" if code == TIMEOUT else "api_error")
    return create_openai_error(message, code)


def transport_failure(
    error: Exception, code_unless_timeout: str, dialect: Dialect, secrets: tuple[str, ...]
) -> ProviderError:
    """Return the failure of an httpx2 ``RequestError``; ``code_unless_timeout``: no connection, or a broken stream."""
    import httpx2

    code = TIMEOUT if isinstance(error, httpx2.TimeoutException) else code_unless_timeout
    return local_failure(code, f"{type(error).__name__}: {error}", dialect=dialect, secrets=secrets)


def document_failure(
    document: object,
    *,
    dialect: Dialect,
    status: int | None,
    headers: Mapping[str, str] | None = None,
    secrets: tuple[str, ...] = (),
    native: object = None,
) -> ProviderError:
    """The failure an error document tells of. What is no error document of the dialect becomes its message.

    ``native``: the provider's own document, where ``document`` was made from it.
    """
    clean = redact_json(document, secrets)
    body = clean if _has_error_member(clean) else _wrap_non_error_in_error_document(clean, dialect, status)
    assert isinstance(body, dict)  # both branches make one
    error = body["error"] if isinstance(body["error"], dict) else {"message": body["error"]}
    failure_status = status if status is not None else _read_http_status_in_code(error)
    code_word = error.get("status") or error.get("code") or error.get("type") or ""
    return ProviderError(
        f"{failure_status or 'error'} {code_word}: {error.get('message') or ''}"[:_TEXT_LIMIT],
        body=body,
        dialect=dialect,
        status=failure_status,
        code=str(code_word),
        retry_after=hint if (hint := retry_wait_s(headers or {})) is not None else retry_after(body),
        native=clean if native is None else redact_json(native, secrets),
    )


def raise_if_error(
    document: JsonObject,
    dialect: Dialect,
    *,
    native: object = None,
    status: object = None,
    secrets: tuple[str, ...] = (),
) -> JsonObject:
    """Return the document, unless it is an error document: then raise ProviderError. ``native`` as in
    ``document_failure``; a ``status`` that is no number counts as unknown."""
    if not document.get("error"):
        return document
    known = status if isinstance(status, int) else None
    raise document_failure(document, dialect=dialect, status=known, secrets=secrets, native=native)


def _has_error_member(document: object) -> bool:
    return isinstance(document, dict) and bool(document.get("error"))


def _wrap_non_error_in_error_document(non_error: object, dialect: Dialect, status: int | None) -> JsonObject:
    text = non_error if isinstance(non_error, str) else json.dumps(non_error, ensure_ascii=False)
    if dialect == "gemini":
        return {"error": {"code": status or 500, "message": text[:_TEXT_LIMIT], "status": "UNKNOWN"}}
    if dialect == "anthropic":
        return create_anthropic_error(text[:_TEXT_LIMIT])
    return {"error": {"message": text[:_TEXT_LIMIT], "type": "server_error", "param": None, "code": None}}


def _read_http_status_in_code(error: Mapping[str, object]) -> int | None:
    code = error.get("code")
    return code if isinstance(code, int) and 400 <= code < 600 else None


def retry_wait_s(headers: Mapping[str, str]) -> float | None:
    """Seconds from ``retry-after-ms`` or ``retry-after`` (a number or an HTTP date), None without either."""
    milliseconds = _read_number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _read_number(text)
    return seconds if seconds is not None or not text else _seconds_until(text)


def _seconds_until(date: str) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time())
    except (ValueError, OverflowError):  # no date, or one no clock knows
        return None


def _read_number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


_IN_STREAM = 200
"""The HTTP status of an error event that names none: the converters then use its text."""

_TO_OPENAI = {"gemini": gemini_error_to_openai, "anthropic": anthropic_error_to_openai}
_FROM_OPENAI = {"gemini": openai_error_to_gemini, "anthropic": openai_error_to_anthropic}


def convert_failure(dialect: Dialect, error: ProviderError) -> ProviderError:
    """The failure for a caller that speaks ``dialect``; one already in that dialect is returned as it is."""
    if error.dialect == dialect:
        return error
    if error.native is None and error.code in LOCAL:
        # The provider sent no document: the error is made anew in the caller's dialect.
        return local_failure(error.code, error.message, dialect=dialect)
    body = error.body
    status = error.status or _IN_STREAM
    if error.dialect != "openai-chat":
        body = _TO_OPENAI[error.dialect](body, status)[1]
    if dialect != "openai-chat":
        body = _FROM_OPENAI[dialect](body, status, error.retry_after)[1]
    return _copy_error(error, body, dialect)


def convert_failure_of_any_dialect_to_openai(error: ProviderError) -> ProviderError:
    """For a caller that speaks OpenAI Chat, the IR."""
    return convert_failure("openai-chat", error)


def _copy_error(error: ProviderError, body: JsonObject, dialect: Dialect) -> ProviderError:
    return ProviderError(
        error.message,
        body=body,
        dialect=dialect,
        status=error.status,
        code=error.code,
        retry_after=error.retry_after,
        native=error.native,
    )
