"""Driving the official SDK of each dialect with a request body as it would stand on the wire: the native path.

Retries are off, base URL and key are passed explicitly, and nothing is read from the environment. Bodies go to openai
and anthropic unchanged; drivers/sdk_gemini says what google-genai cannot carry in its types.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Final, Protocol

from bridgecheck.drivers.sdk_result import Connection, DocumentsAndSdkError, ResponseTooLong, SdkError
from bridgecheck.errors import NO_ANTHROPIC_SDK, MissingSdk
from bridgecheck.model.exchange import End, Headers
from bridgecheck.wire import Dialect, JsonObject, Mode

__all__ = ["DocumentsAndSdkError", "SdkError", "call_sdk", "call_sdk_sync", "import_sdk"]

_ENDS: Final[dict[str, End]] = {
    "ReadError": "reset", "WriteError": "reset", "ConnectError": "reset", "RemoteProtocolError": "cut",
    "ReadTimeout": "timeout", "ConnectTimeout": "timeout",
}  # fmt: skip
"""How the end of a connection shows as an exception of httpx and httpx2."""


class _Sdk(Protocol):
    """The SDK of one dialect. A unary call gives one document."""

    def request_documents(
        self, connection: Connection, mode: Mode, body: JsonObject, model: str
    ) -> Iterator[JsonObject]: ...

    def request_documents_async(
        self, connection: Connection, mode: Mode, body: JsonObject, model: str
    ) -> AsyncIterator[JsonObject]: ...

    def read_error(self, error: Exception) -> SdkError | None: ...


async def call_sdk(
    dialect: Dialect, mode: Mode, base_url: str, api_key: str, body: JsonObject, model: str = "", headers: Headers = ()
) -> DocumentsAndSdkError:
    """One call through the asynchronous client. ``base_url`` as in ``DialectRecord.base_url``; ``model`` is needed
    where the path names it (Gemini). Never raises what the SDK raises: it is in the answer."""
    sdk, connection = import_sdk(dialect), Connection(base_url, api_key, headers)
    documents: list[JsonObject] = []
    try:
        async for document in sdk.request_documents_async(connection, mode, body, model):
            documents.append(document)
    except Exception as error:
        return DocumentsAndSdkError(tuple(documents), _sdk_error(sdk, error), connection.sent_body)
    finally:
        await connection.aclose_both_clients()
    return DocumentsAndSdkError(tuple(documents), sent_body=connection.sent_body)


def call_sdk_sync(
    dialect: Dialect, mode: Mode, base_url: str, api_key: str, body: JsonObject, model: str = "", headers: Headers = ()
) -> DocumentsAndSdkError:
    """The same through the synchronous client."""
    sdk, connection = import_sdk(dialect), Connection(base_url, api_key, headers)
    documents: list[JsonObject] = []
    try:
        for document in sdk.request_documents(connection, mode, body, model):
            documents.append(document)
    except Exception as error:
        return DocumentsAndSdkError(tuple(documents), _sdk_error(sdk, error))
    finally:
        connection.close_sync_client()
    return DocumentsAndSdkError(tuple(documents))


def import_sdk(dialect: Dialect) -> _Sdk:
    """Return the SDK of a dialect, imported at its first use in this process: that costs half a second and, on a busy
    machine, many, so it comes before any time limit of an adapter. Raises MissingSdk: Anthropic's is an extra."""
    if dialect == "gemini":
        from bridgecheck.drivers import sdk_gemini

        return sdk_gemini
    from bridgecheck.drivers import sdk_openai_anthropic

    try:
        return sdk_openai_anthropic.anthropic_sdk() if dialect == "anthropic" else sdk_openai_anthropic.openai_sdk()
    except ModuleNotFoundError as missing:
        install = "pip install 'bridgecheck[anthropic]'"
        raise MissingSdk(NO_ANTHROPIC_SDK, "", "the extra anthropic", install) from missing


def _sdk_error(sdk: _Sdk, error: Exception) -> SdkError:
    kind = type(error).__name__
    causes = tuple(_exception_and_explicit_causes(error))
    too_long = next((cause for cause in causes if isinstance(cause, ResponseTooLong)), None)
    if too_long is not None:
        return SdkError(ResponseTooLong.__name__, str(too_long), end="reset")
    transport = next((name for cause in causes if (name := type(cause).__name__) in _ENDS), "")
    if transport:
        return SdkError(kind, str(error), end=_ENDS[transport])
    return sdk.read_error(error) or SdkError(kind, str(error))


def _exception_and_explicit_causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and what it was raised from: openai wraps those of the transport."""
    while error is not None:
        yield error
        error = error.__cause__
