"""The anthropic SDK, given a body as it is: ``client.post`` sends it unchanged, its own types read the answer."""

from collections.abc import AsyncIterator, Iterator

from anthropic import Anthropic, APIError, APIStatusError, AsyncAnthropic, AsyncStream, Stream
from anthropic.types import Message, RawMessageStreamEvent

from bridgecheck.drivers.environment import scrubbed_environment
from bridgecheck.drivers.sdk_result import Connection, SdkError
from bridgecheck.wire import JsonObject, Mode


def request_documents(connection: Connection, mode: Mode, body: JsonObject, model: str) -> Iterator[JsonObject]:
    """``model`` stands in the body."""
    client = _client(connection)
    if mode == "unary":
        yield client.post("/v1/messages", body=body, cast_to=Message).to_dict(mode="json")
        return
    stream = client.post(
        "/v1/messages", body=body, cast_to=Message, stream=True, stream_cls=Stream[RawMessageStreamEvent]
    )
    with stream:
        for event in stream:
            yield event.to_dict(mode="json")


async def request_documents_async(
    connection: Connection, mode: Mode, body: JsonObject, model: str
) -> AsyncIterator[JsonObject]:
    """``model`` stands in the body."""
    client = _async_client(connection)
    if mode == "unary":
        yield (await client.post("/v1/messages", body=body, cast_to=Message)).to_dict(mode="json")
        return
    stream = await client.post(
        "/v1/messages", body=body, cast_to=Message, stream=True, stream_cls=AsyncStream[RawMessageStreamEvent]
    )
    async with stream:
        async for event in stream:
            yield event.to_dict(mode="json")


def read_error(error: Exception) -> SdkError | None:
    """``body`` is the whole error document, of an answer and of an event alike."""
    if not isinstance(error, APIError):
        return None
    kind = type(error).__name__
    body = error.body if isinstance(error.body, dict) else None
    if isinstance(error, APIStatusError) and error.status_code >= 400:
        retry_after = error.response.headers.get("retry-after", "")
        return SdkError(kind, error.message, error.status_code, body, retry_after)
    # An error event inside a stream comes as a status error with status 200.
    return SdkError(kind, error.message, None, body)


def _client(connection: Connection) -> Anthropic:
    with scrubbed_environment():
        return Anthropic(
            base_url=connection.base_url, api_key=connection.api_key, http_client=connection.client, max_retries=0
        )


def _async_client(connection: Connection) -> AsyncAnthropic:
    with scrubbed_environment():
        return AsyncAnthropic(
            base_url=connection.base_url,
            api_key=connection.api_key,
            http_client=connection.async_client,
            max_retries=0,
        )
