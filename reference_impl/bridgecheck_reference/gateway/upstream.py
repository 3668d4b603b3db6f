"""Calls to the upstreams over raw HTTP, without an SDK.

A response is opened first, then read: as a whole, event by event, or byte for byte, always within a limit.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Final
from urllib.parse import urlsplit

import httpx

from bridgecheck.wire import JsonObject
from bridgecheck_reference import __version__
from bridgecheck_reference.convert.anthropic.settings import API_VERSION
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.failures import CONNECTION, INCOMPLETE, INVALID, TIMEOUT
from bridgecheck_reference.gateway.config import LOOPBACK, GatewayConfig, UpstreamConfig
from bridgecheck_reference.gateway.errors import GatewayError, upstream_error
from bridgecheck_reference.gateway.keys import key_header
from bridgecheck_reference.sse import StreamDocuments

_EXCERPT: Final = 200
_LINGER_S: Final = 0.05
"""Seconds for the last bytes behind ``[DONE]``, so that the connection can be used again."""


class Answer:
    """``status`` and ``headers`` are there; the body is read once, in one of the three ways. ``GatewayError`` when it
    breaks off (502), stalls (504), is over the limit or no JSON (502)."""

    def __init__(self, response: httpx.Response, limit: int) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self.headers.encoding = "latin-1"  # as they are sent on, byte for byte
        self._response = response
        self._limit = limit
        self._pieces: AsyncIterator[bytes] | None = None
        self._done = False

    @property
    def content_type(self) -> str:
        """Without parameters, lower case; "" where the upstream names none."""
        kind: str = self.headers.get("content-type", "")
        return kind.split(";")[0].strip().lower()

    async def raw(self) -> AsyncGenerator[bytes, None]:
        """Bytes as they came over the wire, packed if they were."""
        self._pieces = self._response.aiter_raw()
        async for piece in _told(self._pieces):
            yield piece

    async def whole(self) -> bytes:
        """The body, unpacked."""
        kept: list[bytes] = []
        size = 0
        async for piece in _told(self._response.aiter_bytes()):
            size += len(piece)
            if size > self._limit:
                raise upstream_error(INVALID, f"upstream's answer is larger than {self._limit} bytes")
            kept.append(piece)
        return b"".join(kept)

    async def object(self) -> JsonObject:
        """The JSON object; anything else (HTML, an event stream, nothing) is an error, whatever its status."""
        document = decoded(await self.whole())
        if isinstance(document, dict):
            return document
        raise not_an_object(self, document)

    async def documents(self) -> AsyncGenerator[JsonObject, None]:
        """The documents of a stream, each as soon as it is complete, whatever content type the upstream claims."""
        decoder = StreamDocuments(self._limit)
        self._pieces = self._response.aiter_bytes()
        async for piece in _told(self._pieces):
            with _telling(INVALID):
                found = decoder.feed(piece)
            for document in found:
                yield _object(document)
            with _telling(INVALID):
                decoder.check()
            if decoder.done:
                self._done = True
                return
        with _telling(INCOMPLETE if self.content_type == "text/event-stream" else INVALID):
            found = decoder.close()
        for document in found:
            yield _object(document)

    async def close(self) -> None:
        """Hang up on what has not ended."""
        if self._done and self._pieces is not None:
            with suppress(TimeoutError, httpx.HTTPError):
                async with asyncio.timeout(_LINGER_S):
                    async for _ in self._pieces:
                        pass
        await self._response.aclose()


def decoded(body: bytes) -> object:
    """The JSON document, else the text."""
    try:
        document: object = json.loads(body)
    except (ValueError, RecursionError):
        return body.decode(errors="replace")
    return document


@contextmanager
def reading_answer() -> Iterator[None]:
    """What no converter can read is the upstream's fault, not the client's."""
    try:
        yield
    except ConversionError as error:
        raise upstream_error(INVALID, f"upstream's answer cannot be converted: {error}") from None
    except RecursionError:
        raise upstream_error(INVALID, "upstream's answer is nested too deeply") from None


def not_an_object(answer: Answer, document: object) -> GatewayError:
    """What the client hears of an answer that is none."""
    shown = document if isinstance(document, str) else json.dumps(document)
    kind = answer.content_type[:80] or "no content type"
    words = f"upstream answered {answer.status} with {kind} and no JSON object: {shown[:_EXCERPT]!r}"
    return upstream_error(INVALID, words)


def transport_error(error: Exception, code: str = CONNECTION) -> GatewayError:
    """A call that failed below HTTP. No address is told: it may be an internal one."""
    found = TIMEOUT if isinstance(error, httpx.TimeoutException) else code
    words = {
        TIMEOUT: "upstream did not answer in time",
        CONNECTION: "upstream cannot be reached",
        INCOMPLETE: "upstream broke off its answer",
    }[found]
    return upstream_error(found, f"{words} ({type(error).__name__})")


async def _told(pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    try:
        async for piece in pieces:
            yield piece
    except httpx.HTTPError as error:
        raise transport_error(error, INCOMPLETE) from None


@contextmanager
def _telling(code: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, RecursionError) as error:
        raise upstream_error(code, f"upstream sent an event that is not JSON: {error}") from None


def _object(document: object) -> JsonObject:
    if isinstance(document, dict):
        return document
    raise upstream_error(INVALID, "upstream sent an event that is no object")


class Upstream:
    """One upstream. ``open`` raises ``GatewayError`` for a call that brought no answer at all."""

    def __init__(self, config: UpstreamConfig, gateway: GatewayConfig) -> None:
        self.dialect = config.dialect
        self.key = config.key
        self._max_answer_bytes = gateway.max_answer_bytes
        self._url = config.url
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(gateway.read_timeout_s, connect=gateway.connect_timeout_s),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=100),
            trust_env=urlsplit(config.url).hostname not in LOOPBACK,  # a proxy cannot reach this machine's loopback
        )

    async def close(self) -> None:
        await self._client.aclose()

    def headers(self, client_key: str) -> list[tuple[str, str]]:
        """Of a call that was converted: nothing of the client's but, where there is no own one, its key."""
        version = [("anthropic-version", API_VERSION)] if self.dialect == "anthropic" else []
        return [
            ("content-type", "application/json"),
            ("accept", "*/*"),
            ("accept-encoding", "gzip, deflate"),
            ("user-agent", f"bridgecheck-reference/{__version__}"),
            *version,
            *key_header(self.dialect, self.key or client_key),
        ]

    @asynccontextmanager
    async def open(
        self, method: str, path: str, headers: Sequence[tuple[str, str]], content: bytes = b""
    ) -> AsyncIterator[Answer]:
        """The answer once its head is there; leaving the block hangs up on an answer that has not ended."""
        try:
            raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
            request = httpx.Request(method, self._url + path, headers=raw, content=content)
            response = await self._client.send(request, stream=True)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeEncodeError) as error:
            raise transport_error(error) from None
        answer = Answer(response, self._max_answer_bytes)
        try:
            yield answer
        finally:
            await answer.close()


def encode_request(document: JsonObject, asked: JsonObject | None = None) -> bytes:
    """``GatewayError`` 400 for text that has no UTF-8 and numbers that JSON cannot say. ``asked``: the client's
    request, whose member it names, if that is another document."""
    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        field = _unwritable(asked or document)
        where = field or "the request"
        raise GatewayError(
            400, f"{where}: holds half of a surrogate pair, which is no character", field=field
        ) from None
    except ValueError:
        raise GatewayError(400, "the request holds NaN or Infinity, which JSON cannot say") from None


def _unwritable(document: JsonObject) -> str:
    """The first member that has no UTF-8, "" if each has."""
    for key, value in document.items():
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return key
    return ""
