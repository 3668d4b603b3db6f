"""What the openai and anthropic SDKs have in common: both are made by the same generator, with the same errors.

Their ``post`` with ``cast_to=object`` is the documented way to call with documents of one's own: bodies go out and come
back unchanged, while URL, key, status errors, event decoding and error events stay the SDK's. (Their typed methods
refuse keys they do not know.) Retries are off: they belong to whoever knows what the call is for.
"""

import json
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.errors import ConversionError, ProviderError
from bridgecheck_reference.failures import (
    CONNECTION,
    INCOMPLETE,
    INVALID,
    TIMEOUT,
    document_failure,
    local_failure,
    transport_failure,
)

T = TypeVar("T")

_REFUSED = 400
"""Statuses from here on are refusals. The anthropic SDK raises error events as status errors, with the stream's 200."""


class SdkEvents(Protocol):
    """The SDK's stream."""

    async def __anext__(self) -> object: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class SdkErrors:
    """The error classes of one SDK, and how its errors are converted.

    ``whole_events``: the SDK keeps an error event's whole document; else only what stands under "error".
    """

    any: type[Exception]
    status: type[Exception]
    connection: type[Exception]
    timeout: type[Exception]
    dialect: Dialect
    whole_events: bool
    secrets: tuple[str, ...]

    async def call(self, call: Awaitable[T]) -> T:
        """The call's result, failures as ``ProviderError``; ``ConversionError`` for text that has no UTF-8."""
        try:
            return await call
        except self.any as error:
            raise self.failure(error, CONNECTION) from None
        except UnicodeEncodeError:
            raise ConversionError("messages: half of a surrogate pair, which is no character", "messages") from None

    async def document(self, call: Awaitable[object]) -> JsonObject:
        """The call's answer; ``ProviderError`` also for an answer that is no object, or an error document."""
        answer = await self.call(call)
        if not isinstance(answer, dict):
            raise self.invalid(f"the answer is no JSON object: {answer!r}")
        if answer.get("error"):
            raise document_failure(answer, dialect=self.dialect, status=None, secrets=self.secrets)
        return answer

    def failure(self, error: Exception, code_of_lost_connection: str) -> ProviderError:
        """Return the failure of any of the SDK's errors; ``code_of_lost_connection``: for this stage of the call."""
        response = getattr(error, "response", None)
        if isinstance(error, self.status) and response is not None and response.status_code >= _REFUSED:
            return document_failure(
                _parse_json_or_text(response.text),
                dialect=self.dialect,
                status=response.status_code,
                headers=response.headers,
                secrets=self.secrets,
            )
        if isinstance(error, self.connection):
            cause = error.__cause__ or error
            code = TIMEOUT if isinstance(error, self.timeout) else code_of_lost_connection
            return local_failure(code, f"{type(cause).__name__}: {cause}", dialect=self.dialect, secrets=self.secrets)
        return self._event_failure(error)

    def invalid(self, text: str) -> ProviderError:
        """An answer or event that is no document."""
        return local_failure(INVALID, text, dialect=self.dialect, secrets=self.secrets)

    def _event_failure(self, error: Exception) -> ProviderError:
        """An error event in the stream."""
        body = getattr(error, "body", None) or {"message": str(error)}
        document = body if self.whole_events else {"error": body}
        return document_failure(document, dialect=self.dialect, status=None, secrets=self.secrets)


class SdkStream:
    """The SDK's stream as documents, its exceptions mapped."""

    def __init__(self, stream: SdkEvents, errors: SdkErrors) -> None:
        self._stream = stream
        self._errors = errors

    def __aiter__(self) -> AsyncIterator[JsonObject]:
        return self

    async def __anext__(self) -> JsonObject:
        import httpx2

        try:
            event = await anext(self._stream)
        except self._errors.any as error:
            raise self._errors.failure(error, INCOMPLETE) from None
        except httpx2.RequestError as error:  # anthropic lets it through
            raise transport_failure(error, INCOMPLETE, self._errors.dialect, self._errors.secrets) from None
        except ValueError as error:
            await self.aclose()
            raise self._errors.invalid(f"not JSON: {error}") from None
        if not isinstance(event, dict):
            await self.aclose()
            raise self._errors.invalid(f"an event is no object: {event!r}")
        return event

    async def aclose(self) -> None:
        await self._stream.close()


def _parse_json_or_text(text: str) -> object:
    try:
        document: object = json.loads(text)
    except ValueError:
        return text
    return document
