"""A ``ProviderError`` in one dialect, made into the same failure in the other."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.errors import gemini_error_to_openai, openai_error_to_gemini
from bridgecheck_reference.errors import ErrorDialect, ProviderError
from bridgecheck_reference.failures import LOCAL, local_failure

_IN_STREAM = 200
"""The HTTP status of an error event that names none: the converters then go by its words."""


def failure_for_openai(error: ProviderError) -> ProviderError:
    """For a caller that speaks OpenAI Chat; an error already in that dialect is returned as it is."""
    if error.dialect == "openai-chat":
        return error
    return _local(error, "openai-chat") or _same(
        error, gemini_error_to_openai(error.body, error.status or _IN_STREAM), "openai-chat"
    )


def failure_for_gemini(error: ProviderError) -> ProviderError:
    """For a caller that speaks Gemini; an error already in that dialect is returned as it is."""
    if error.dialect == "gemini":
        return error
    return _local(error, "gemini") or _same(
        error, openai_error_to_gemini(error.body, error.status or _IN_STREAM, error.retry_after), "gemini"
    )


def _local(error: ProviderError, dialect: ErrorDialect) -> ProviderError | None:
    """The same failure said anew, where the provider sent no words of its own for it."""
    if error.native is not None or error.code not in LOCAL:
        return None
    return local_failure(error.code, error.message, dialect=dialect)


def _same(error: ProviderError, said: tuple[int, JsonObject], dialect: ErrorDialect) -> ProviderError:
    _, body = said
    return ProviderError(
        error.message,
        body=body,
        dialect=dialect,
        status=error.status,
        code=error.code,
        retry_after=error.retry_after,
        native=error.native,
    )
