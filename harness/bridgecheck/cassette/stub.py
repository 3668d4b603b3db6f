"""The transport under httpx and httpx2 that plays an answer as it was recorded: chunk by chunk, and ending as it ended.

vcrpy's stub joins the chunks and plays a broken stream as a clean end. This one is patched in once, for good, and
asks a ContextVar whether this task plays a cassette; where none is played the real transport runs. So cassettes
played at once in several tasks or threads do not meet.

How an ending looks to a client: reset -> ReadError, cut (closed before the last chunk) -> RemoteProtocolError, both
as on a socket (httpx2 2.16.2, tests/upstream compares the two); timeout -> ReadTimeout at once; client_closed -> what
there was.
"""

import asyncio
import functools
import importlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from threading import Lock
from types import ModuleType
from typing import Any, Final, Protocol

from bridgecheck.cassette.recorded import Recorded
from bridgecheck.model.exchange import End, Headers, HttpRequest


class Player(Protocol):
    def answer(self, request: HttpRequest, url: str) -> Recorded: ...

    def note(self, letter: str) -> None:
        """``letter``: "u" for a chunk that was read, "q" when the connection is let go."""


CURRENT: Final[ContextVar[Player | None]] = ContextVar("bridgecheck_player", default=None)

_LIBRARIES: Final = ("httpx2", "httpx")
_BROKEN: Final[dict[End, tuple[str, str]]] = {
    "reset": ("ReadError", "[Errno 104] Connection reset by peer"),
    "cut": (
        "RemoteProtocolError",
        "peer closed connection without sending complete message body (incomplete chunked read)",
    ),
    "timeout": ("ReadTimeout", "the read operation timed out"),
}
_FRAMING: Final = frozenset({"transfer-encoding", "content-length", "connection"})
_installing: Final = Lock()
_patched: Final[set[str]] = set()


def install() -> None:
    """Patches the transports of those libraries that are installed. Doing it again does nothing."""
    with _installing:
        for name in _LIBRARIES:
            if name not in _patched:
                _patched.add(name)
                try:
                    library = importlib.import_module(name)
                except ImportError:
                    continue
                _patch(library)


def _patch(library: ModuleType) -> None:
    sync_transport, async_transport = library.HTTPTransport, library.AsyncHTTPTransport
    really_send, really_send_async = sync_transport.handle_request, async_transport.handle_async_request
    answered = _answerer(library)

    @functools.wraps(really_send)
    def handle_request(self: object, request: Any) -> Any:
        player = CURRENT.get()
        if player is None:
            return really_send(self, request)
        request.read()
        return answered(player, request)

    @functools.wraps(really_send_async)
    async def handle_async_request(self: object, request: Any) -> Any:
        player = CURRENT.get()
        if player is None:
            return await really_send_async(self, request)
        await request.aread()
        return answered(player, request)

    sync_transport.handle_request = handle_request
    async_transport.handle_async_request = handle_async_request


def _answerer(library: ModuleType) -> Callable[[Player, Any], Any]:
    """The function that makes the library's own Response of an answer. Any: which library is known at run time only."""
    stream_class = type("PlayedStream", (_Chunks, library.SyncByteStream, library.AsyncByteStream), {})

    def answered(player: Player, request: Any) -> Any:
        sent = HttpRequest(
            request.method,
            request.url.raw_path.decode("ascii"),
            tuple((name.lower(), value) for name, value in request.headers.multi_items()),
            request.content,
        )
        answer = player.answer(sent, str(request.url))
        error, message = _BROKEN.get(answer.end, ("", ""))
        broken = getattr(library, error)(message, request=request) if error else None
        return library.Response(
            answer.status,
            headers=_headers(answer.headers),
            stream=stream_class(answer.chunks, broken, player),
            extensions={"http_version": b"HTTP/1.1"},
        )

    return answered


def _headers(headers: Headers) -> list[tuple[str, str]]:
    """Without those that speak of a connection there is none of."""
    return [(name, value) for name, value in headers if name not in _FRAMING]


class _Chunks:
    """A body: its chunks, then its ending. ``broken`` is raised in place of a clean end."""

    def __init__(self, chunks: tuple[bytes, ...], broken: Exception | None, player: Player) -> None:
        self._chunks = chunks
        self._broken = broken
        self._player = player

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self._player.note("u")
            yield chunk
        if self._broken is not None:
            raise self._broken

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            # Other tasks run between chunks, as they would on a socket.
            await asyncio.sleep(0)
            self._player.note("u")
            yield chunk
        if self._broken is not None:
            raise self._broken

    def close(self) -> None:
        self._player.note("q")

    async def aclose(self) -> None:
        self._player.note("q")
