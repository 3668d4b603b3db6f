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
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Protocol

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.model.exchange import End, HttpRequest

if TYPE_CHECKING:
    from bridgecheck.cassette.playback import Playback


@contextmanager
def play_cassette(cassette: Cassette) -> "Iterator[Playback]":
    """Play a cassette while the block runs: what httpx or httpx2 clients of this task (and tasks it starts) send is
    answered from it; nothing reaches a network."""
    from bridgecheck.cassette.playback import Playback

    patch_httpx_transports()
    playback = Playback(cassette)
    token = CURRENT.set(playback)
    try:
        yield playback
    finally:
        CURRENT.reset(token)


class Player(Protocol):
    """Answers requests and notes what is read."""

    def answer(self, request: HttpRequest, url: str) -> RecordedInteraction: ...

    def note(self, letter: str) -> None:
        """``letter``: "u" for a chunk that was read, "q" when the connection is let go."""


CURRENT: Final[ContextVar[Player | None]] = ContextVar("bridgecheck_player", default=None)

_LIBRARIES: Final = ("httpx2", "httpx")
_FAILURES: Final[dict[End, tuple[str, str]]] = {
    "reset": ("ReadError", "[Errno 104] Connection reset by peer"),
    "timeout": ("ReadTimeout", "the read operation timed out"),
    "cut": ("RemoteProtocolError",
            "peer closed connection without sending complete message body (incomplete chunked read)"),
}  # fmt: skip
_FRAMING: Final = frozenset({"transfer-encoding", "content-length", "connection"})
"""Headers of a connection, which are left out: there is none."""
_installing: Final = Lock()
_patched: Final[set[str]] = set()


def patch_httpx_transports() -> None:
    """Patch the transports of those libraries that are installed. Doing it again does nothing."""
    with _installing:
        for name in _LIBRARIES:
            if name not in _patched:
                _patched.add(name)
                try:
                    library = importlib.import_module(name)
                except ImportError:
                    continue
                _patch_transports(library)


def _patch_transports(library: ModuleType) -> None:
    sync_transport, async_transport = library.HTTPTransport, library.AsyncHTTPTransport
    really_send, really_send_async = sync_transport.handle_request, async_transport.handle_async_request
    build_response_ending_as_recorded = _response_builder(library)

    @functools.wraps(really_send)
    def handle_request(self: object, request: Any) -> Any:
        player = CURRENT.get()
        if player is None:
            return really_send(self, request)
        request.read()
        return build_response_ending_as_recorded(player, request)

    @functools.wraps(really_send_async)
    async def handle_async_request(self: object, request: Any) -> Any:
        player = CURRENT.get()
        if player is None:
            return await really_send_async(self, request)
        await request.aread()
        return build_response_ending_as_recorded(player, request)

    sync_transport.handle_request = handle_request
    async_transport.handle_async_request = handle_async_request


def _response_builder(library: ModuleType) -> Callable[[Player, Any], Any]:
    """Return the function that makes the library's own Response. Any: which library is known at run time only."""
    stream_class = type("PlayedStream", (_BodyPlayedWithoutPauses, library.SyncByteStream, library.AsyncByteStream), {})

    def build_response_ending_as_recorded(player: Player, request: Any) -> Any:
        headers = tuple((name.lower(), value) for name, value in request.headers.multi_items())
        sent_request = HttpRequest(request.method, request.url.raw_path.decode("ascii"), headers, request.content)
        answer = player.answer(sent_request, str(request.url))
        error, message = _FAILURES.get(answer.end, ("", ""))
        failure = getattr(library, error)(message, request=request) if error else None
        return library.Response(
            answer.status,
            headers=[header for header in answer.headers if header[0] not in _FRAMING],
            stream=stream_class(answer.chunks, failure, player),
            extensions={"http_version": b"HTTP/1.1"},
        )

    return build_response_ending_as_recorded


class _BodyPlayedWithoutPauses:
    """A body: its chunks, then its ending. ``failure`` is raised in place of a clean end."""

    def __init__(self, chunks: tuple[bytes, ...], failure: Exception | None, player: Player) -> None:
        self._chunks = chunks
        self._failure = failure
        self._player = player

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self._player.note("u")
            yield chunk
        if self._failure is not None:
            raise self._failure

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            # Other tasks run between chunks, as they would on a socket.
            await asyncio.sleep(0)
            self._player.note("u")
            yield chunk
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        self._player.note("q")

    async def aclose(self) -> None:
        self._player.note("q")
