"""SDK level: a live adapter with real SDK clients inside, one turn at a time. Its methods may be async or not.

A failed call is an answer, not a crash, if its exception says so with ``status``, ``body`` or ``retry_after``
(model/adapter, Session). Any other exception is the adapter's crash and passes through.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterable
from inspect import isawaitable
from typing import Final, TypeAlias, cast

from bridgecheck.codec import body as body_codec
from bridgecheck.drivers.foreign_code import Crashed, iterate_async
from bridgecheck.drivers.inprocess import document_or_raise_crashed
from bridgecheck.model.adapter import Session
from bridgecheck.model.exchange import End, Request, Response
from bridgecheck.model.jsonvalue import integer
from bridgecheck.wire import JsonObject

ArrivalListener: TypeAlias = Callable[[str], None]
"""Takes the letters of ``CaseTranscript.arrivals``."""

LOOP_TURNS: Final = 50
"""How long an adapter may take to notice that its client went away; it waits for nothing but its own tasks."""


def accepts_headers(session: Session) -> bool:
    """Return whether the adapter accepts the client's headers: both of its methods have a parameter ``headers``."""
    methods = [getattr(session, name, None) for name in ("generate", "stream")]
    return all(method is not None and "headers" in inspect.signature(method).parameters for method in methods)


def lets_client_cancel(session: Session) -> bool:
    """Return whether its client may leave in the middle: behind a protocol it may have no means to learn of it."""
    return getattr(session, "cancels", True) is not False


async def await_session_close(session: Session) -> None:
    """Close the session."""
    result: object = session.close()
    if isawaitable(result):
        await result


async def call_session(
    session: Session, request: Request, on_arrival: ArrivalListener, leaves_after: int = 0
) -> Response:
    """Return what the client receives; after ``leaves_after`` events of a stream (0: never) it leaves. Raises Crashed
    on nonsense, and every exception of the adapter that carries no response."""
    if request.mode == "stream":
        return await _read_stream(session, request, on_arrival, leaves_after)
    try:
        result: object = session.generate(request.body, model=request.model, **_header_arguments(session, request))
        body = await result if isawaitable(result) else result
    except Exception as error:
        return _error_response_or_reraise(error, request, ())
    return Response(request.dialect, "unary", (document_or_raise_crashed(body, "generate"),))


async def _read_stream(session: Session, request: Request, on_arrival: ArrivalListener, leaves_after: int) -> Response:
    events: list[JsonObject] = []
    chunks: list[bytes] = []
    try:
        stream = await _open_stream(session, request)
        async for event in stream:
            on_arrival("c")
            if isinstance(event, bytes):
                chunks.append(event)
            else:
                events.append(document_or_raise_crashed(event, "stream"))
            if leaves_after and len(events) + len(chunks) == leaves_after:
                await _close_stream_and_turn_loop(stream, on_arrival)
                return Response(request.dialect, "stream", tuple(events), end="client_closed")
    except Crashed:
        raise
    except Exception as error:
        return _error_response_or_reraise(error, request, tuple(events))
    if chunks and request.dialect == "outcome":
        raise Crashed("stream() gave bytes, expected events of docs/outcome.md")
    if chunks:
        return body_codec.decode_response(request.dialect, "stream", 200, _EVENTS, tuple(chunks), "complete")
    return Response(request.dialect, "stream", tuple(events))


def _header_arguments(session: Session, request: Request) -> dict[str, dict[str, str]]:
    return {"headers": dict(request.headers)} if request.headers and accepts_headers(session) else {}


async def _close_stream_and_turn_loop(stream: AsyncIterator[JsonObject | bytes], on_arrival: ArrivalListener) -> None:
    """Close the iterator, as a client that leaves, and give the adapter a moment to do the same upstream."""
    on_arrival("x")
    close = getattr(stream, "aclose", None)
    if close is not None:
        await close()
    for _ in range(LOOP_TURNS):
        await asyncio.sleep(0)


async def _open_stream(session: Session, request: Request) -> AsyncIterator[JsonObject | bytes]:
    """Return the iterator of a stream. ``stream`` may be a coroutine or not, and so may the iterator be async."""
    result: object = session.stream(request.body, model=request.model, **_header_arguments(session, request))
    stream = await result if isawaitable(result) else result
    if not hasattr(stream, "__aiter__"):
        if not isinstance(stream, Iterable) or isinstance(stream, str | bytes | dict):
            raise Crashed(f"stream() gave {type(stream).__name__}, expected an iterator, async or not")
        return iterate_async(stream)
    return cast("AsyncIterator[JsonObject | bytes]", stream)


_EVENTS: Final = (("content-type", "text/event-stream"),)


def _error_response_or_reraise(error: Exception, request: Request, events: tuple[JsonObject, ...]) -> Response:
    """Return the response that a raised error carries. Without a document, the client saw the connection break."""
    carries_response = any(hasattr(error, name) for name in ("status", "status_code", "body", "retry_after"))
    if isinstance(error, NotImplementedError) or not carries_response:
        raise error
    body = getattr(error, "body", None)
    documents = (*events, body) if isinstance(body, dict) else events
    status = getattr(error, "status", None)
    status = getattr(error, "status_code", None) if status is None else status
    status = 200 if events else integer(status) or 200
    end: End = "complete" if isinstance(body, dict) else "reset"
    return Response(request.dialect, request.mode, documents, status, _retry_after_header(error), end)


def _retry_after_header(error: Exception) -> tuple[tuple[str, str], ...]:
    seconds = getattr(error, "retry_after", None)
    return (("retry-after", f"{seconds:g}"),) if isinstance(seconds, int | float) else ()
