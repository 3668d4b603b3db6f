"""A ``ProviderError`` in one dialect, made into the same failure in another; OpenAI's stands between any two."""

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.convert.anthropic.errors import anthropic_error_to_openai, openai_error_to_anthropic
from bridgecheck_reference.convert.gemini.errors import gemini_error_to_openai, openai_error_to_gemini
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.failures import LOCAL, local_failure

_IN_STREAM = 200
"""The HTTP status of an error event that names none: the converters then go by its words."""

_TO_OPENAI = {"gemini": gemini_error_to_openai, "anthropic": anthropic_error_to_openai}
_FROM_OPENAI = {"gemini": openai_error_to_gemini, "anthropic": openai_error_to_anthropic}


def failure_in(dialect: Dialect, error: ProviderError) -> ProviderError:
    """The failure for a caller that speaks ``dialect``; one already in that dialect is returned as it is."""
    if error.dialect == dialect:
        return error
    if error.native is None and error.code in LOCAL:
        # The provider sent no words of its own: the same is said anew.
        return local_failure(error.code, error.message, dialect=dialect)
    body = error.body
    status = error.status or _IN_STREAM
    if error.dialect != "openai-chat":
        body = _TO_OPENAI[error.dialect](body, status)[1]
    if dialect != "openai-chat":
        body = _FROM_OPENAI[dialect](body, status, error.retry_after)[1]
    return _same(error, body, dialect)


def failure_for_openai(error: ProviderError) -> ProviderError:
    """For a caller that speaks OpenAI Chat, the IR."""
    return failure_in("openai-chat", error)


def _same(error: ProviderError, body: JsonObject, dialect: Dialect) -> ProviderError:
    return ProviderError(
        error.message,
        body=body,
        dialect=dialect,
        status=error.status,
        code=error.code,
        retry_after=error.retry_after,
        native=error.native,
    )
