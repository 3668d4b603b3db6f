"""The SDKs of OpenAI and Anthropic, which share their shape: ``client.post`` sends a body as it is, and the SDK's own
types read the response."""

import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, cast

from bridgecheck.drivers.environment import scrubbed_environment
from bridgecheck.drivers.sdk_result import Connection, SdkError
from bridgecheck.model.jsonvalue import integer, obj, parse_json
from bridgecheck.wire import JsonObject, Mode


class _Document(Protocol):
    def to_dict(self, *, mode: Literal["json"]) -> JsonObject: ...


class _EventStream(Protocol):
    def __iter__(self) -> Iterator[_Document]: ...

    def close(self) -> None: ...


class _AsyncEventStream(Protocol):
    def __aiter__(self) -> AsyncIterator[_Document]: ...

    async def close(self) -> None: ...


class _PostingClient(Protocol):
    """The asynchronous ones return an awaitable of the same."""

    def post(self, path: str, *, body: JsonObject, **types: object) -> object: ...


@dataclass(frozen=True, slots=True)
class PostingSdk:
    """One of the two SDKs. ``path``: below the base URL. ``message``: the type of a unary response. Of each pair the
    first is for the synchronous client."""

    path: str
    clients: tuple[Callable[..., object], Callable[..., object]]
    message: object
    streams: tuple[object, object]
    read_error: Callable[[Exception], SdkError | None]

    def request_documents(
        self, connection: Connection, mode: Mode, body: JsonObject, model: str
    ) -> Iterator[JsonObject]:
        """Yield the response, or its events. ``model`` stands in the body."""
        client = self._make_client(0, connection, connection.sync_client_without_size_limit)
        if mode == "unary":
            message = client.post(self.path, body=body, cast_to=self.message)
            yield cast(_Document, message).to_dict(mode="json")
            return
        opened = client.post(self.path, body=body, cast_to=self.message, stream=True, stream_cls=self.streams[0])
        stream = cast(_EventStream, opened)
        try:
            for event in stream:
                yield event.to_dict(mode="json")
        finally:
            stream.close()

    async def request_documents_async(
        self, connection: Connection, mode: Mode, body: JsonObject, model: str
    ) -> AsyncIterator[JsonObject]:
        """Yield the same through the asynchronous client."""
        client = self._make_client(1, connection, connection.async_client)
        if mode == "unary":
            message = client.post(self.path, body=body, cast_to=self.message)
            yield (await cast(Awaitable[_Document], message)).to_dict(mode="json")
            return
        opened = client.post(self.path, body=body, cast_to=self.message, stream=True, stream_cls=self.streams[1])
        stream = await cast(Awaitable[_AsyncEventStream], opened)
        try:
            async for event in stream:
                yield event.to_dict(mode="json")
        finally:
            await stream.close()

    def _make_client(self, kind: int, connection: Connection, http_client: object) -> _PostingClient:
        address = {"base_url": connection.base_url, "api_key": connection.api_key}
        with scrubbed_environment():
            return cast(_PostingClient, self.clients[kind](**address, http_client=http_client, max_retries=0))


def _json_object(text: str) -> JsonObject | None:
    """Return the object that this text is as JSON, None if it is none."""
    try:
        return obj(parse_json(text)) or None
    except ValueError:
        return None


@functools.cache
def openai_sdk() -> PostingSdk:
    """Import the openai SDK."""
    from openai import APIError, APIStatusError, AsyncOpenAI, AsyncStream, OpenAI, Stream
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    def read_status_or_event_error(error: Exception) -> SdkError | None:
        """``body`` is put back as it stood on the wire: the SDK keeps what is inside ``error``."""
        if not isinstance(error, APIError):
            return None
        kind, body = type(error).__name__, {"error": error.body} if isinstance(error.body, dict) else None
        if isinstance(error, APIStatusError):
            retry_after = error.response.headers.get("retry-after", "")
            document = body or _json_object(error.response.text)
            message = error.message if document else error.response.text
            return SdkError(kind, message, error.status_code, document, retry_after)
        # An error event inside a stream: its code may be an HTTP status.
        return SdkError(kind, error.message, integer(obj(error.body).get("code")), body)

    streams = Stream[ChatCompletionChunk], AsyncStream[ChatCompletionChunk]
    return PostingSdk("/chat/completions", (OpenAI, AsyncOpenAI), ChatCompletion, streams, read_status_or_event_error)


@functools.cache
def anthropic_sdk() -> PostingSdk:
    """Import the anthropic SDK. Raises ModuleNotFoundError: it is an extra."""
    from anthropic import Anthropic, APIError, APIStatusError, AsyncAnthropic, AsyncStream, Stream
    from anthropic.types import Message, RawMessageStreamEvent

    def read_status_or_event_error(error: Exception) -> SdkError | None:
        """``body`` is the whole error document, of a response and of an event alike."""
        if not isinstance(error, APIError):
            return None
        kind, body = type(error).__name__, error.body if isinstance(error.body, dict) else None
        if isinstance(error, APIStatusError) and error.status_code >= 400:
            retry_after = error.response.headers.get("retry-after", "")
            message = error.message if body else error.response.text
            return SdkError(kind, message, error.status_code, body, retry_after)
        # An error event inside a stream comes as a status error with status 200.
        return SdkError(kind, error.message, None, body)

    streams = Stream[RawMessageStreamEvent], AsyncStream[RawMessageStreamEvent]
    return PostingSdk("/v1/messages", (Anthropic, AsyncAnthropic), Message, streams, read_status_or_event_error)
