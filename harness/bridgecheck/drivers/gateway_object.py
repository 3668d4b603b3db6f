"""A gateway in this process: an object with ``handle(request, upstream)``, asked with the bytes of its client's HTTP.

    async def handle(request, upstream):
        answer = await upstream.send(replace(request, path="/v1/chat/completions", body=...))
        return answer.status, answer.headers, events(answer.body)

``request`` is a model/exchange.HttpRequest. The answer is anything with ``status``, ``headers`` and ``body``, or these
three; a body is bytes, or an iterator of bytes, async or not. ``handle`` may be async or not. One that owns its HTTP
client sends to ``upstream.base_url`` instead, which is a real address.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from inspect import isawaitable
from typing import Final, TypeGuard, cast

from bridgecheck.codec.limits import MAX_BODY_BYTES
from bridgecheck.drivers.foreign_code import Crashed, iterate_async, run_foreign_code
from bridgecheck.drivers.gateway import Gateway, ReachedGateway
from bridgecheck.drivers.gateway_process import UpstreamServer
from bridgecheck.drivers.http_client import BytesListener, ReceivedResponse, parse_address
from bridgecheck.model.adapter import Handles
from bridgecheck.model.exchange import Headers, HttpRequest, HttpResponse
from bridgecheck.secrets import UPSTREAM_KEY
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import base_url

_STATUSES: Final = range(100, 600)
_CONNECTION_HEADERS: Final = frozenset({"host", "content-length", "transfer-encoding", "connection"})
"""Headers of a single connection, which are not sent on."""


class ProviderClient:
    """The provider's side of one exchange (model/exchange.Upstream). ``origin``: of the edge server."""

    def __init__(self, origin: str, dialect: Dialect) -> None:
        self.base_url = base_url(dialect, origin)
        self.dialect = dialect
        self.api_key = UPSTREAM_KEY
        self._origin = origin
        self._exit_stack = AsyncExitStack()

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Return the provider's response, its body as it arrives. ``request.path`` is the path at the provider. Raises
        ConnectionError, and so does the body, where the connection breaks."""
        import httpx2

        client = await self._exit_stack.enter_async_context(httpx2.AsyncClient(trust_env=False, timeout=None))
        headers = [header for header in request.headers if header[0].lower() not in _CONNECTION_HEADERS]
        url = f"{self._origin}{request.path}"
        request_upstream = client.build_request(request.method, url, headers=headers, content=request.body)
        try:
            answer = await client.send(request_upstream, stream=True)
        except httpx2.HTTPError as broken:
            raise ConnectionError(str(broken)) from broken
        self._exit_stack.push_async_callback(answer.aclose)
        pairs = tuple((name.lower(), value) for name, value in answer.headers.multi_items())
        return HttpResponse(answer.status_code, _body_or_connection_error(answer.aiter_raw(), httpx2.HTTPError), pairs)

    async def close(self) -> None:
        await self._exit_stack.aclose()


class InProcessGateway(Gateway):
    """The object in the place of a gateway. It listens nowhere, and no part of it can end by itself. ``on_retire``:
    called where a gateway's process would be retired."""

    def __init__(self, handles: Handles, where: str, on_retire: Callable[[], None] = lambda: None) -> None:
        super().__init__("", where=where)
        self.handles = handles
        self._on_retire = on_retire

    def reach(self, upstream: Dialect, open_upstream: Callable[[], UpstreamServer]) -> ReachedGateway:
        """Return the provider's address: the object sends there."""
        server = open_upstream()
        return ReachedGateway(parse_address(server.base_url, self.where), server)

    def retire(self, upstream: Dialect) -> None:
        self._on_retire()


def call_gateway(
    handles: Handles, request: HttpRequest, upstream: ProviderClient, seconds: float, on_bytes: BytesListener
) -> ReceivedResponse:
    """Return what the client receives. ``on_bytes``: as in ``http_client.send_request``. Raises Crashed or Refused."""

    return run_foreign_code(lambda runner: runner.run(_run_exchange(handles, request, upstream, on_bytes)), seconds)


async def _run_exchange(
    handles: Handles, request: HttpRequest, upstream: ProviderClient, on_bytes: BytesListener
) -> ReceivedResponse:
    try:
        result: object = handles.handle(request, upstream)
        status, headers, body = _status_headers_body(await result if isawaitable(result) else result)
        received = ReceivedResponse(status, headers)
        await _read_body(received, body, on_bytes)
        return received
    finally:
        await upstream.close()


async def _read_body(received: ReceivedResponse, body: object, on_bytes: BytesListener) -> None:
    chunks = _body_chunks(body)
    try:
        async for chunk in chunks:
            received.chunks.append(chunk)
            received.size += len(chunk)
            if received.size > MAX_BODY_BYTES:
                raise Crashed(f"its answer is longer than {MAX_BODY_BYTES} bytes")
            if on_bytes(chunk):
                received.end = "client_closed"
                break
    except ConnectionError:
        received.end = "reset"  # so a server would tell its client that the provider broke off
    finally:
        await chunks.aclose()


def _status_headers_body(answer: object) -> tuple[int, Headers, object]:
    """Return the three parts of what ``handle`` returned. Raises Crashed."""
    if isinstance(answer, tuple) and len(answer) == 3:
        status, headers, body = answer
    elif all(hasattr(answer, name) for name in ("status", "headers", "body")):
        response = cast(HttpResponse, answer)
        status, headers, body = response.status, response.headers, response.body
    else:
        raise Crashed(f"handle() gave {type(answer).__name__}, expected (status, headers, body)")
    if isinstance(status, bool) or not isinstance(status, int) or status not in _STATUSES:
        raise Crashed(f"handle() gave the status {status!r}, expected a number from 100 to 599")
    return status, _check_headers(headers), body


def _check_headers(headers: object) -> Headers:
    """Return the headers with names in lower case. Raises Crashed."""
    pairs = list(headers.items()) if isinstance(headers, Mapping) else headers
    if not isinstance(pairs, list | tuple) or not all(_is_header(pair) for pair in pairs):
        raise Crashed(f"handle() gave the headers {headers!r}, expected pairs of texts")
    return tuple((name.lower(), value) for name, value in pairs)


def _is_header(pair: object) -> TypeGuard[tuple[str, str]]:
    return isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)


async def _body_chunks(body: object) -> AsyncGenerator[bytes, None]:
    """Yield the pieces of a body that are not empty; the source of the pieces is closed with this. Raises Crashed."""
    if isinstance(body, bytes | bytearray):
        pieces: AsyncIterator[object] = iterate_async([body])
    elif hasattr(body, "__aiter__"):
        pieces = cast(AsyncIterator[object], body)
    elif isinstance(body, Iterable) and not isinstance(body, str | Mapping):
        pieces = iterate_async(body)
    else:
        raise Crashed(f"handle() gave {type(body).__name__} for a body, expected bytes, or an iterator of bytes")
    try:
        async for piece in pieces:
            if not isinstance(piece, bytes | bytearray):
                raise Crashed(f"the body of handle() gave {type(piece).__name__}, expected bytes")
            if piece:
                yield bytes(piece)
    finally:
        close = getattr(pieces, "aclose", None)
        if close is not None:
            await close()


async def _body_or_connection_error(pieces: AsyncIterator[bytes], http_error: type[Exception]) -> AsyncIterator[bytes]:
    try:
        async for piece in pieces:
            yield piece
    except http_error as error:
        raise ConnectionError(str(error)) from error
