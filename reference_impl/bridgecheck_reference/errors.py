"""Every error the reference raises on purpose.

    ReferenceFailure                 base of all
    |- ConversionError               a document cannot be converted; the text names the field
    |- UnknownFormatError            no converter for a dialect of that name
    |- UnknownProviderError          no provider of that name; the text lists the names there are
    |- NotSupportedError             this provider cannot do that (also a NotImplementedError)
    |- Refusal                       a request cannot be served; the text names the field (also a NotImplementedError)
    |- ConfigError                   a setting is missing or has a value that cannot be used
    |- CallCancelled                 the caller's CancelToken ended the call
    |- MockResponseError             a file of fake responses is used up, out of order or unreadable
    `- ProviderError                 the provider refused, failed or broke off

No text and no ``repr`` of these holds a credential: who builds them passes upstream text through ``redact``.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from bridgecheck.wire import Dialect, JsonObject

REDACTED = "[redacted]"
_SHORTEST = 8


class ReferenceFailure(Exception):
    """Base of all errors of this package."""


class ConversionError(ReferenceFailure, ValueError):
    """A document cannot be converted. ``field``: the path it failed at, "" if it is no single one. ``details``: what an
    error of Anthropic's says to machines, None for nothing."""

    def __init__(self, message: str, field: str = "", details: JsonObject | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.details = details


class UnknownFormatError(ReferenceFailure, LookupError):
    """No converter is known for ``name``."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(f"unknown format {name!r}; known: {', '.join(self.known)}")


class UnknownProviderError(ReferenceFailure, LookupError):
    """No provider is registered as ``name``."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(f"unknown provider {name!r}; known: {', '.join(self.known)}")


class NotSupportedError(ReferenceFailure, NotImplementedError):
    """``subject`` (a provider, an authentication kind) cannot do ``operation``."""

    def __init__(self, operation: str, subject: str) -> None:
        super().__init__(f"{operation} is not supported by {subject}")
        self.operation = operation
        self.subject = subject


class Refusal(ReferenceFailure, NotImplementedError):
    """A request was understood and cannot be served; the text names the field."""


class ConfigError(ReferenceFailure, ValueError):
    """A setting is missing or has a value that cannot be used. The text names the setting, never its value."""


class CallCancelled(ReferenceFailure):
    """The caller's own ``CancelToken`` ended the call: no failure of the provider, and nothing to retry."""


class MockResponseError(ReferenceFailure):
    """A file of fake responses is used up, out of order, or cannot be read."""


class ProviderError(ReferenceFailure):
    """The provider refused a request, failed, or broke off in the middle of an answer.

    ``status``: HTTP status, or the code an error event named, or, where there was neither because the connection
    failed, what a gateway would answer (502, 503, 504); None where an error event gave no code. ``code``: short
    machine word (the dialect's own, or ``connection_error``, ``timeout``, ``stream_truncated``,
    ``invalid_response``). ``retry_after``: seconds, None without a hint. ``native``: the provider's own document,
    None if there was none. ``body``: the error document in ``dialect``, the caller's.
    """

    def __init__(
        self,
        message: str,
        *,
        body: JsonObject,
        dialect: Dialect,
        status: int | None = None,
        code: str = "",
        retry_after: float | None = None,
        native: object = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.body = body
        self.dialect = dialect
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.native = native


@contextmanager
def refuse_conversion_errors() -> Iterator[None]:
    """A ``ConversionError`` inside becomes a ``Refusal``, for callers that tell refusals from crashes."""
    try:
        yield
    except ConversionError as error:
        raise Refusal(str(error)) from error


def redact(text: str, secrets: Iterable[str]) -> str:
    """The text without any of the secrets. Those under eight characters are no secrets, and would tear words apart."""
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, REDACTED)
    return text


def redact_json(value: object, secrets: tuple[str, ...]) -> object:
    """A JSON value with every secret taken out of its strings; the value itself when it holds none."""
    if isinstance(value, str):
        return redact(value, secrets)
    if isinstance(value, list):
        return [redact_json(item, secrets) for item in value]
    if isinstance(value, dict):
        return {key: redact_json(item, secrets) for key, item in value.items()}
    return value
