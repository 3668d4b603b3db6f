"""One call of an official SDK: its HTTP clients, and its result as a response of the dialect."""

import functools
import json
import ssl
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bridgecheck.codec.limits import MAX_BODY_BYTES
from bridgecheck.codec.unpack import ENCODINGS, Unpacker
from bridgecheck.model.exchange import End, Headers, Response
from bridgecheck.model.jsonvalue import count_values, obj
from bridgecheck.wire import Dialect, JsonObject, Mode

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True, slots=True)
class SdkError:
    """``kind``: the exception's class name. ``message``: its own, or the body where that is no error document of the
    dialect. ``status``: the HTTP status, or the code the SDK read from an error
    event; None for a broken connection and for an answer the SDK could not read. ``body``: the error document in its
    dialect, None if there was none. ``retry_after``: the header as sent, "" if none. ``end``: how the connection
    ended, as the SDK saw it."""

    kind: str
    message: str
    status: int | None = None
    body: object | None = None
    retry_after: str = ""
    end: End = "complete"


@dataclass(frozen=True, slots=True)
class DocumentsAndSdkError:
    """``documents``: the answer, or the events until the error. They went through the SDK's own types: keys it does
    not know are gone (google-genai) or kept (openai, anthropic). ``sent_body``: the request as the SDK spelt it on the
    wire, None if it sent none."""

    documents: tuple[JsonObject, ...]
    error: SdkError | None = None
    sent_body: JsonObject | None = None

    @property
    def unreadable_reason(self) -> str:
        """What the SDK said of an answer that arrived and made no sense to it; "" otherwise."""
        error = self.error
        if error is None or error.status is not None or error.body is not None or error.end != "complete":
            return ""
        return f"{error.kind}: {error.message}"

    def response(self, dialect: Dialect, mode: Mode) -> Response:
        """As a response of the dialect: an error before the first event has its status, one after it is the last
        event. What the SDK could not read is ``text``: the body that came with a status, else the SDK's own words."""
        error = self.error
        if error is None:
            return Response(dialect, mode, self.documents)
        body = () if error.body is None else (error.body,)
        headers: Headers = (("retry-after", error.retry_after),) if error.retry_after else ()
        opened = bool(self.documents) or error.status is None
        text = error.message if not opened and error.message else f"{error.kind}: {error.message}"
        return Response(
            dialect, mode, (*self.documents, *body), status=200 if opened else error.status or 200, headers=headers,
            end=error.end, text="" if body or error.end != "complete" else text,
        )  # fmt: skip


TIMEOUT_S: Final = 30.0
"""Seconds without a byte."""


@functools.cache
def tls_context() -> ssl.SSLContext:
    """Return the one TLS context of this process: making one costs 25 to 50 ms."""
    return ssl.create_default_context()


MAX_BYTES: Final = MAX_BODY_BYTES
MAX_VALUES: Final = 250_000
"""Values of an answer, by its commas and brackets: an SDK makes an object of a kilobyte of each."""


class ResponseTooLong(Exception):
    """An answer that goes on and on."""


class Connection:
    """The address of a call and its HTTP clients. An asynchronous client belongs to one event loop, so they live for
    one call. ``headers``: of the caller, besides those of the SDK. ``sent_body``: of the last request of the
    asynchronous client, None before it. A response of more than ``MAX_BYTES`` bytes or ``MAX_VALUES`` values ends
    in ResponseTooLong in the asynchronous client."""

    def __init__(self, base_url: str, api_key: str, headers: Headers = ()) -> None:
        self.base_url = base_url
        self.api_key = api_key
        self.sent_body: JsonObject | None = None
        self._headers = headers

    @functools.cached_property
    def sync_client_without_size_limit(self) -> "httpx2.Client":
        """The synchronous client, made when it is used: google-genai takes both, the rest one of them."""
        import httpx2

        headers = list(self._headers)
        return httpx2.Client(headers=headers, verify=tls_context(), trust_env=False, timeout=TIMEOUT_S)

    @functools.cached_property
    def async_client(self) -> "httpx2.AsyncClient":
        """The asynchronous client, made when it is used."""
        import httpx2

        headers = [("accept-encoding", ", ".join(ENCODINGS)), *self._headers]
        return httpx2.AsyncClient(
            headers=headers, verify=tls_context(), trust_env=False, timeout=TIMEOUT_S,
            event_hooks={"request": [self._note_sent_body], "response": [_limit_response]},
        )  # fmt: skip

    async def _note_sent_body(self, request: "httpx2.Request") -> None:
        self.sent_body = obj(json.loads(await request.aread()))

    def close_sync_client(self) -> None:
        if "sync_client_without_size_limit" in vars(self):
            self.sync_client_without_size_limit.close()

    async def aclose_both_clients(self) -> None:
        self.close_sync_client()
        if "async_client" in vars(self):
            await self.async_client.aclose()


async def _limit_response(response: "httpx2.Response") -> None:
    """Put limits around the body, which was not read yet. It is unpacked here, where its length can be seen."""
    import httpx2

    encoding = response.headers.pop("content-encoding", "").lower()
    stream = response.stream
    if isinstance(stream, httpx2.AsyncByteStream):
        response.stream = _limit_stream(stream, encoding)


def _limit_stream(stream: "httpx2.AsyncByteStream", encoding: str) -> "httpx2.AsyncByteStream":
    import httpx2

    class LimitedStream(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            unpacker, size, values = Unpacker(encoding), 0, 0
            async for chunk in stream:
                try:
                    for piece in unpacker.feed(chunk):
                        size += len(piece)
                        values += count_values(piece)
                        _refuse_too_long(size, values)
                        yield piece
                except zlib.error as error:
                    raise httpx2.DecodingError(str(error)) from error

        async def aclose(self) -> None:
            await stream.aclose()

    return LimitedStream()


def _refuse_too_long(size: int, values: int) -> None:
    """Raises ResponseTooLong."""
    if size > MAX_BYTES:
        raise ResponseTooLong(f"its answer is longer than {MAX_BYTES} bytes")
    if values > MAX_VALUES:
        raise ResponseTooLong(f"its answer has more than {MAX_VALUES} values")
