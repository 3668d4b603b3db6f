"""The openai SDK, given a body as it is: ``client.post`` sends it unchanged, the SDK's own types read the answer."""

from collections.abc import AsyncIterator, Iterator

from openai import APIError, APIStatusError, AsyncOpenAI, AsyncStream, OpenAI, Stream
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from bridgecheck.drivers.environment import scrubbed_environment
from bridgecheck.drivers.sdk_result import Connection, SdkError
from bridgecheck.model.jsonvalue import integer, obj
from bridgecheck.wire import JsonObject, Mode


def request_documents(connection: Connection, mode: Mode, body: JsonObject, model: str) -> Iterator[JsonObject]:
    """``model`` stands in the body."""
    client = _client(connection)
    if mode == "unary":
        yield client.post("/chat/completions", body=body, cast_to=ChatCompletion).to_dict(mode="json")
        return
    stream = client.post(
        "/chat/completions", body=body, cast_to=ChatCompletion, stream=True, stream_cls=Stream[ChatCompletionChunk]
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
        yield (await client.post("/chat/completions", body=body, cast_to=ChatCompletion)).to_dict(mode="json")
        return
    stream = await client.post(
        "/chat/completions", body=body, cast_to=ChatCompletion, stream=True, stream_cls=AsyncStream[ChatCompletionChunk]
    )
    async with stream:
        async for event in stream:
            yield event.to_dict(mode="json")


def read_error(error: Exception) -> SdkError | None:
    """``body`` is put back as it stood on the wire: the SDK keeps what is inside ``error``."""
    if not isinstance(error, APIError):
        return None
    kind = type(error).__name__
    if isinstance(error, APIStatusError):
        retry_after = error.response.headers.get("retry-after", "")
        return SdkError(kind, error.message, error.status_code, _error_document(error), retry_after)
    # An error event inside a stream: its code may be an HTTP status.
    return SdkError(kind, error.message, integer(obj(error.body).get("code")), _error_document(error))


def _error_document(error: APIError) -> object | None:
    return {"error": error.body} if isinstance(error.body, dict) else None


def _client(connection: Connection) -> OpenAI:
    with scrubbed_environment():
        return OpenAI(
            base_url=connection.base_url, api_key=connection.api_key, http_client=connection.client, max_retries=0
        )


def _async_client(connection: Connection) -> AsyncOpenAI:
    with scrubbed_environment():
        return AsyncOpenAI(
            base_url=connection.base_url,
            api_key=connection.api_key,
            http_client=connection.async_client,
            max_retries=0,
        )
