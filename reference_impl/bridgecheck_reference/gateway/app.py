"""The gateway as an ASGI application: it receives every request, and responds in its client's dialect."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from bridgecheck.wire import Dialect
from bridgecheck_reference.errors import ConversionError, UnknownFormatError
from bridgecheck_reference.gateway.access import check_access
from bridgecheck_reference.gateway.call import LOG, Call, UpstreamChooser, find_requested_model, printable_excerpt
from bridgecheck_reference.gateway.config import GatewayConfig
from bridgecheck_reference.gateway.errors import GatewayError
from bridgecheck_reference.gateway.generation import generate_converted
from bridgecheck_reference.gateway.keys import client_key, path_without_ids
from bridgecheck_reference.gateway.passthrough import pass_through
from bridgecheck_reference.gateway.paths import Operation, PathTarget, dialect_of_path, resolve
from bridgecheck_reference.gateway.reply import Reply
from bridgecheck_reference.gateway.request_body import Body, decode_body, read_body
from bridgecheck_reference.gateway.side_operations import (
    count_tokens,
    embed_texts,
    list_upstream_models,
    show_upstream_model,
)
from bridgecheck_reference.gateway.signature_memory import SignatureMemory
from bridgecheck_reference.gateway.upstream import Upstream

CLIENT_LEFT: Final = "client left"
STOPPED: Final = "gateway stopped"
_CLOSE: Final = (("connection", "close"),)


def create_app(config: GatewayConfig) -> Starlette:
    """``app.state.stop()`` ends everything that is in flight: a stream with an error event, the rest with a 503."""
    gateway = Gateway(config)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with gateway:
            yield

    app = Starlette(lifespan=lifespan)
    app.router.default = gateway  # a route's pattern would not match every path, and answer in no dialect
    app.state.stop = gateway.stop
    return app


class Gateway:
    """An ASGI endpoint. Entered before the first request, left after the last one."""

    def __init__(self, config: GatewayConfig) -> None:
        self._config = config
        self._upstreams: dict[Dialect, Upstream] = {}
        self._switch = UpstreamChooser(config, self._upstreams)
        self._signatures = SignatureMemory(config.signature_memory_bytes)
        self._stopping = asyncio.Event()

    async def __aenter__(self) -> None:
        self._upstreams.update((item.dialect, Upstream(item, self._config)) for item in self._config.upstreams)

    async def __aexit__(self, *_: object) -> None:
        for upstream in self._upstreams.values():
            await upstream.close()

    def stop(self) -> None:
        self._stopping.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        headers, query = dict(request.headers), dict(request.query_params)
        path = path_decoded_by_server(request)
        reply = Reply(send, dialect_of_path(path, headers, query), head_only=request.method == "HEAD")
        begun = monotonic()
        try:
            await self._serve(request, reply, headers, query)
        except ClientDisconnect:
            reply.note = CLIENT_LEFT
        finally:
            LOG.info(
                "%s %s %s %s %.3fs losses=%d%s",
                request.method,
                printable_excerpt(path_without_ids(path, self._secrets(headers, query))),
                reply.status or "-",
                reply.upstream or "-",
                monotonic() - begun,
                reply.losses,
                f" {reply.note}" if reply.note else "",
            )

    def _secrets(self, headers: Mapping[str, str], query: Mapping[str, str]) -> tuple[str, ...]:
        """Keys that must stand in no log."""
        keys = (client_key(headers, query.get("key", "")), *(upstream.key for upstream in self._config.upstreams))
        return tuple(key for key in keys if key)

    async def _serve(
        self, request: Request, reply: Reply, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> None:
        try:
            check_access(self._config, headers, client_key(headers, query.get("key", "")))
            target = resolve(request.method, path_decoded_by_server(request), headers, query)
            reply.dialect = target.dialect
            call = self._call(
                request.method, target, headers, request, await self._read_body_if_any(request, target, headers)
            )
        except GatewayError as error:
            await reply.fail(error)
            return
        reply.upstream = call.upstream.dialect
        reply.secrets = call.secrets
        await self._answer_until_end(call, reply, request.receive)

    async def _read_body_if_any(self, request: Request, target: PathTarget, headers: Mapping[str, str]) -> Body | None:
        if target.operation in ("models", "model"):
            return None
        limit = self._config.max_body_bytes
        try:
            async with asyncio.timeout(self._config.read_timeout_s):
                raw = await read_body(request.stream(), limit, client_awaits_continue="expect" in headers)
        except TimeoutError:
            raise GatewayError(408, "the request's body did not arrive in time", headers=_CLOSE) from None
        return decode_body(raw, headers.get("content-encoding", ""), limit)

    def _call(
        self, method: str, target: PathTarget, headers: Mapping[str, str], request: Request, body: Body | None
    ) -> Call:
        requested_model = find_requested_model(target, body.document if body is not None else {})
        upstream, model = self._switch.choose_or_fall_back(target.dialect, requested_model)
        pairs = parse_qsl(request.url.query, keep_blank_values=True)
        parameters = dict(pairs)
        key = client_key(headers, parameters.get("key", ""))
        return Call(
            target=target,
            method=method,
            upstream=upstream,
            requested_model=requested_model,
            model=model,
            body=body,
            headers=headers,
            query=urlencode([pair for pair in pairs if pair[0] != "key"]),
            client_key=key,
            signatures=self._signatures.signatures_of(key, model),
            profile=self._config.profile,
            framing="sse" if "sse" in (parameters.get("alt"), parameters.get("$alt")) else "array",
        )

    async def _answer_until_end(self, call: Call, reply: Reply, receive: Receive) -> None:
        """Answer until the response ends, the client leaves or the gateway stops, whichever comes first."""
        work = asyncio.create_task(self._answer(call, reply))
        disconnect = asyncio.create_task(_wait_for_disconnect(receive))
        stop = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait((work, disconnect, stop), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                reply.note = CLIENT_LEFT if disconnect.done() else STOPPED
        finally:
            for task in (disconnect, stop, work):
                task.cancel()
            await asyncio.gather(work, disconnect, stop, return_exceptions=True)

    async def _answer(self, call: Call, reply: Reply) -> None:
        try:
            await run_operation(call, reply)
        except asyncio.CancelledError:
            if reply.note != STOPPED:
                raise
            await reply.fail(GatewayError(503, "the gateway is stopping", code="gateway_stopped"))
        except Exception as error:
            await reply.fail(_as_gateway_error(error))


def _as_gateway_error(error: Exception) -> GatewayError:
    """Log the class and location of an unexpected error, without its text, which may hold what a user wrote."""
    if isinstance(error, GatewayError):
        return error
    if isinstance(error, ConversionError):
        return GatewayError(400, str(error), field=error.field, details=error.details)
    if isinstance(error, RecursionError):
        return GatewayError(400, "the request is nested too deeply to be converted")
    if isinstance(error, UnknownFormatError):
        return GatewayError(501, f"this gateway cannot convert {error.name}", code="not_implemented")
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    location = f"{frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}" if frame is not None else "?"
    LOG.error("unexpected %s at %s", type(error).__name__, location)
    return GatewayError(500, f"the gateway failed on this request ({type(error).__name__})", code="internal_error")


def path_decoded_by_server(request: Request) -> str:
    """Return the path as the server percent-decoded it: ``m%3AgenerateContent`` is ``m:generateContent``."""
    path: str = request.scope["path"]
    return path


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


_OPERATIONS: Final[dict[Operation, Callable[[Call, Reply], Awaitable[None]]]] = {
    "generate": generate_converted,
    "count": count_tokens,
    "embed": embed_texts,
    "embed_many": embed_texts,
    "models": list_upstream_models,
    "model": show_upstream_model,
}


async def run_operation(call: Call, reply: Reply) -> None:
    """Answers one request. Raises ``GatewayError``, ``ConversionError`` or ``UnknownFormatError``."""
    if call.client == call.upstream.dialect:
        await pass_through(call, reply)
    else:
        await _OPERATIONS[call.target.operation](call, reply)
