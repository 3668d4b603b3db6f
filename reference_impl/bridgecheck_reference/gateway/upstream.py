"""Calls to the upstreams over raw HTTP, without an SDK.

A response is opened first, then read: as a whole, event by event, or byte for byte, always within a limit.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cache
from ssl import SSLContext
from typing import Final
from urllib.parse import urlsplit

import httpx

from bridgecheck.wire import JsonObject
from bridgecheck_reference import __version__
from bridgecheck_reference.cli_bridge.chat_request import find_losses
from bridgecheck_reference.convert.anthropic.settings import API_VERSION
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.failures import CONNECTION, INCOMPLETE, INVALID, TIMEOUT
from bridgecheck_reference.gateway.config import CLI_MODELS, LOOPBACK, GatewayConfig, UpstreamCommand, UpstreamUrlAndKey
from bridgecheck_reference.gateway.errors import GatewayError, upstream_error_with_status_of_code
from bridgecheck_reference.gateway.keys import key_header
from bridgecheck_reference.gateway.local_upstream import URL, ProviderTransport
from bridgecheck_reference.loss import LOSSES_HEADER
from bridgecheck_reference.providers.protocol import create_provider
from bridgecheck_reference.sse import StreamDocuments

_EXCERPT_LENGTH: Final = 200
_COUNT_DIGITS: Final = 6
_LINGER_S: Final = 0.05
"""Seconds for the last bytes behind ``[DONE]``, so that the connection can be used again."""


class UpstreamResponse:
    """``status`` and ``headers`` are there; the body is read once, in one of the three ways. ``GatewayError`` when it
    breaks off (502), stalls (504), is over the limit or no JSON (502)."""

    def __init__(self, response: httpx.Response, limit: int) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self.headers.encoding = "latin-1"  # as they are sent on, byte for byte
        self._response = response
        self._limit = limit
        self._chunks: AsyncIterator[bytes] | None = None
        self._complete = False

    @property
    def content_type(self) -> str:
        """Without parameters, lower case; "" where the upstream names none."""
        kind: str = self.headers.get("content-type", "")
        return kind.split(";")[0].strip().lower()

    async def raw(self) -> AsyncGenerator[bytes, None]:
        """Bytes as they came over the wire, packed if they were."""
        self._chunks = self._response.aiter_raw()
        async for piece in _map_transport_errors(self._chunks):
            yield piece

    async def read_all(self) -> bytes:
        """The body, unpacked."""
        received: list[bytes] = []
        size = 0
        async for piece in _map_transport_errors(self._response.aiter_bytes()):
            size += len(piece)
            if size > self._limit:
                raise upstream_error_with_status_of_code(
                    INVALID, f"upstream's answer is larger than {self._limit} bytes"
                )
            received.append(piece)
        return b"".join(received)

    @property
    def reported_losses(self) -> int:
        """How many losses an upstream that is a gateway or a program counted itself."""
        value = self.headers.get(LOSSES_HEADER, "")
        return int(value) if value.isdecimal() and len(value) <= _COUNT_DIGITS else 0

    async def object(self) -> JsonObject:
        """The JSON object; anything else (HTML, an event stream, nothing) is an error, whatever its status."""
        document = decode_json_or_text(await self.read_all())
        if isinstance(document, dict):
            return document
        raise not_an_object_error(self, document)

    async def documents(self) -> AsyncGenerator[JsonObject, None]:
        """The documents of a stream, each as soon as it is complete, whatever content type the upstream claims."""
        decoder = StreamDocuments(self._limit)
        self._chunks = self._response.aiter_bytes()
        async for piece in _map_transport_errors(self._chunks):
            with _raise_decode_errors_as_upstream_errors(INVALID):
                documents = decoder.feed(piece)
            for document in documents:
                yield _require_event_object(document)
            with _raise_decode_errors_as_upstream_errors(INVALID):
                decoder.raise_deferred_error()
            if decoder.has_done_marker:
                self._complete = True
                return
        with _raise_decode_errors_as_upstream_errors(
            INCOMPLETE if self.content_type == "text/event-stream" else INVALID
        ):
            documents = decoder.close()
        for document in documents:
            yield _require_event_object(document)

    async def close(self) -> None:
        """Hang up on what has not ended."""
        if self._complete and self._chunks is not None:
            with suppress(TimeoutError, httpx.HTTPError):
                async with asyncio.timeout(_LINGER_S):
                    async for _ in self._chunks:
                        pass
        await self._response.aclose()


def decode_json_or_text(body: bytes) -> object:
    """Return the JSON document, else the text."""
    try:
        document: object = json.loads(body)
    except (ValueError, RecursionError):
        return body.decode(errors="replace")
    return document


@contextmanager
def raise_conversion_errors_as_upstream_errors() -> Iterator[None]:
    """Turn a failed conversion into an error of the upstream: what no converter can read is not the client's fault."""
    try:
        yield
    except ConversionError as error:
        raise upstream_error_with_status_of_code(INVALID, f"upstream's answer cannot be converted: {error}") from None
    except RecursionError:
        raise upstream_error_with_status_of_code(INVALID, "upstream's answer is nested too deeply") from None


def not_an_object_error(response: UpstreamResponse, document: object) -> GatewayError:
    """Return the error for a response that is no JSON object."""
    shown = document if isinstance(document, str) else json.dumps(document)
    kind = response.content_type[:80] or "no content type"
    message = f"upstream answered {response.status} with {kind} and no JSON object: {shown[:_EXCERPT_LENGTH]!r}"
    return upstream_error_with_status_of_code(INVALID, message)


def transport_error(error: Exception, code_unless_timeout: str = CONNECTION) -> GatewayError:
    """Return the error for a call that failed below HTTP, without an address: it may be an internal one."""
    code = TIMEOUT if isinstance(error, httpx.TimeoutException) else code_unless_timeout
    message = {
        TIMEOUT: "upstream did not answer in time",
        CONNECTION: "upstream cannot be reached",
        INCOMPLETE: "upstream broke off its answer",
    }[code]
    return upstream_error_with_status_of_code(code, f"{message} ({type(error).__name__})")


async def _map_transport_errors(pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    try:
        async for piece in pieces:
            yield piece
    except httpx.HTTPError as error:
        raise transport_error(error, INCOMPLETE) from None


@contextmanager
def _raise_decode_errors_as_upstream_errors(code: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, RecursionError) as error:
        raise upstream_error_with_status_of_code(code, f"upstream sent an event that is not JSON: {error}") from None


def _require_event_object(document: object) -> JsonObject:
    if isinstance(document, dict):
        return document
    raise upstream_error_with_status_of_code(INVALID, "upstream sent an event that is no object")


@cache
def _tls_context() -> SSLContext:
    """Return the context of all upstreams: making one takes about 25 ms."""
    return httpx.create_ssl_context()


class Upstream:
    """One upstream. ``open`` raises ``GatewayError`` for a call that brought no answer at all."""

    def __init__(self, config: UpstreamUrlAndKey | UpstreamCommand, gateway: GatewayConfig) -> None:
        self.dialect = config.dialect
        self.key = config.key
        self._max_answer_bytes = gateway.max_answer_bytes
        self._url = config.url or URL
        self._client = (
            _client_of_program(config, gateway)
            if isinstance(config, UpstreamCommand)
            else _client_of_server(config, gateway)
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
    ) -> AsyncIterator[UpstreamResponse]:
        """Yield the response once its head has arrived; leaving the block hangs up on one that has not ended."""
        try:
            raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
            request = httpx.Request(method, self._url + path, headers=raw, content=content)
            http_response = await self._client.send(request, stream=True)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeEncodeError) as error:
            raise transport_error(error) from None
        response = UpstreamResponse(http_response, self._max_answer_bytes)
        try:
            yield response
        finally:
            await response.close()


def _client_of_server(config: UpstreamUrlAndKey, gateway: GatewayConfig) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        timeout=httpx.Timeout(gateway.read_timeout_s, connect=gateway.connect_timeout_s),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=100),
        verify=_tls_context(),
        trust_env=urlsplit(config.url).hostname not in LOOPBACK,  # a proxy cannot reach this machine's loopback
    )


def _client_of_program(config: UpstreamCommand, gateway: GatewayConfig) -> httpx.AsyncClient:
    provider = create_provider(
        "gemini-cli",
        {
            "api_key": config.key,
            "timeout_s": gateway.read_timeout_s,
            "options": {"command": config.command, "processes": config.processes, "queue": config.queue},
        },
    )
    return httpx.AsyncClient(transport=ProviderTransport(provider, CLI_MODELS, find_losses))


def encode_request(document: JsonObject, blamed_request: JsonObject | None = None) -> bytes:
    """``GatewayError`` 400 for text that has no UTF-8 and numbers that JSON cannot say. ``blamed_request``: the
    request whose member the error names, None if it is the document itself."""
    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        field = _find_key_of_member_without_utf8(blamed_request or document)
        where = field or "the request"
        raise GatewayError(
            400, f"{where}: holds half of a surrogate pair, which is no character", field=field
        ) from None
    except ValueError:
        raise GatewayError(400, "the request holds NaN or Infinity, which JSON cannot say") from None


def _find_key_of_member_without_utf8(document: JsonObject) -> str:
    """Return the key of the first member that has no UTF-8, "" if each has."""
    for key, value in document.items():
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return key
    return ""
