"""Driving the official SDK of each dialect with a request body as it would stand on the wire: the native path.

Retries are off, base URL and key are passed explicitly, and nothing is read from the environment. Bodies go to openai
and anthropic unchanged; drivers/sdk_gemini says what google-genai cannot carry in its types.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Final, Protocol

from bridgecheck.drivers.sdk_answer import SdkAnswer, SdkError
from bridgecheck.drivers.sdk_http import Connection, TooLong
from bridgecheck.errors import MissingSdk
from bridgecheck.model.exchange import End, Headers
from bridgecheck.wire import Dialect, JsonObject, Mode

__all__ = ["SdkAnswer", "SdkError", "call", "call_sync"]

_ENDS: Final[dict[str, End]] = {
    "ReadError": "reset",
    "WriteError": "reset",
    "ConnectError": "reset",
    "RemoteProtocolError": "cut",
    "ReadTimeout": "timeout",
    "ConnectTimeout": "timeout",
}
"""How the end of a connection shows as an exception of httpx and httpx2."""


class _Sdk(Protocol):
    """One file a dialect. A unary call gives one document."""

    def documents(self, connection: Connection, mode: Mode, body: JsonObject, model: str) -> Iterator[JsonObject]: ...

    def documents_async(
        self, connection: Connection, mode: Mode, body: JsonObject, model: str
    ) -> AsyncIterator[JsonObject]: ...

    def failure(self, error: Exception) -> SdkError | None: ...


async def call(
    dialect: Dialect, mode: Mode, base_url: str, api_key: str, body: JsonObject, model: str = "", headers: Headers = ()
) -> SdkAnswer:
    """One call through the asynchronous client. ``base_url`` as in ``DialectRecord.base_url``; ``model`` is needed
    where the path names it (Gemini). Never raises what the SDK raises: it is in the answer."""
    sdk = _sdk(dialect)
    documents: list[JsonObject] = []
    connection = Connection(base_url, api_key, headers)
    try:
        async for document in sdk.documents_async(connection, mode, body, model):
            documents.append(document)
    except Exception as error:
        return SdkAnswer(tuple(documents), _failure(sdk, error))
    finally:
        await connection.aclose()
    return SdkAnswer(tuple(documents))


def call_sync(
    dialect: Dialect, mode: Mode, base_url: str, api_key: str, body: JsonObject, model: str = "", headers: Headers = ()
) -> SdkAnswer:
    """The same through the synchronous client."""
    sdk = _sdk(dialect)
    documents: list[JsonObject] = []
    connection = Connection(base_url, api_key, headers)
    try:
        for document in sdk.documents(connection, mode, body, model):
            documents.append(document)
    except Exception as error:
        return SdkAnswer(tuple(documents), _failure(sdk, error))
    finally:
        connection.close()
    return SdkAnswer(tuple(documents))


def _sdk(dialect: Dialect) -> _Sdk:
    """Imported when used: an SDK costs half a second. Raises MissingSdk: Anthropic's is an extra."""
    if dialect == "gemini":
        from bridgecheck.drivers import sdk_gemini

        return sdk_gemini
    if dialect == "anthropic":
        try:
            from bridgecheck.drivers import sdk_anthropic
        except ModuleNotFoundError as missing:
            what, install = "the SDK of Anthropic is not installed", "pip install 'bridgecheck[anthropic]'"
            raise MissingSdk(what, "", "the extra anthropic", install) from missing
        return sdk_anthropic
    from bridgecheck.drivers import sdk_openai

    return sdk_openai


def _failure(sdk: _Sdk, error: Exception) -> SdkError:
    kind = type(error).__name__
    long = next((one for one in _causes(error) if isinstance(one, TooLong)), None)
    if long is not None:
        return SdkError(TooLong.__name__, str(long), end="reset")
    names = (type(one).__name__ for one in _causes(error))
    transport = next((name for name in names if name in _ENDS), "")
    if transport:
        return SdkError(kind, str(error), end=_ENDS[transport])
    return sdk.failure(error) or SdkError(kind, str(error))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and what it was raised from: openai wraps those of the transport."""
    while error is not None:
        yield error
        error = error.__cause__
