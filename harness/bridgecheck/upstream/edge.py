"""The provider's side for everything that is reached over HTTP: one server a process, in a thread of its own.

    edge = Edge()
    edge.start()  # or: with Edge() as edge
    with edge.play_cassette(cassette, "gemini", "stream") as play:
        ...  # an adapter that was pointed at edge.base_url is driven
    play.interactions(), play.misses, play.side, play.arrivals
    edge.stop()

It tells requests apart by the shape of their path, whatever base path stands before it, so one address serves all
three dialects.
"""

import asyncio
import re
import secrets
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Self
from urllib.parse import unquote

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.playback import CassetteAnswers
from bridgecheck.codec.body import decompress_body_if_possible
from bridgecheck.errors import HarnessError, RefusedAtStart
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.upstream import wire_response
from bridgecheck.upstream.connection import MAX_BODY
from bridgecheck.upstream.listener import HOST, Listener, Reply, error_response
from bridgecheck.upstream.play import IMMEDIATE, Play, PlaySettings
from bridgecheck.wire import Dialect, Mode

_MARKER: Final = re.compile(r"[A-Za-z0-9-]{6,}")


def new_marker() -> str:
    """Return a marker that is part of no other: letters and digits, which need no escape anywhere."""
    return f"bc{secrets.token_hex(8)}"


def check_marker(marker: str, active_markers: list[str]) -> None:
    """Raise HarnessError if its requests could be taken for those of active markers; "" matches all requests."""
    if marker and not _MARKER.fullmatch(marker):
        letters = "six or more letters, digits and hyphens: they survive adapters"
        raise HarnessError(f"no marker: {marker!r}", "", letters)
    for active in active_markers:
        if active in marker or marker in active:
            what = f"two scenarios at once with the markers {active!r} and {marker!r}"
            raise HarnessError(what, expected="one scenario, or markers of which none holds another")


def is_in_path_headers_or_body(marker: str, request: HttpRequest) -> bool:
    """Return whether the marker occurs in the path, in a header's value or in the body, also a compressed one."""
    return (
        marker in unquote(request.path)
        or any(marker in value for _, value in request.headers)
        or marker.encode() in decompress_body_if_possible(request.body, request.headers)
    )


_STOP_S: Final = 0.8
_MARKERS_KEPT: Final = 64
"""How many markers of scenarios that are over are known, so that a late request is not taken for another's."""
_NO_CASSETTE: Final = CassetteAnswers(Cassette({}, ()))
_IDLE_MESSAGE: Final = "nothing is played that this belongs to"


class PortTaken(RefusedAtStart):
    """The port cannot be listened on."""

    code = "port-taken"


class Edge:
    """A server on one port. ``port``: a fixed one, 0: any free one. ``strays``: requests that came while nothing was
    played, or that belong to no play; they got a 503. ``side_requests``: side traffic at such times. ``refusals``:
    descriptions of what came and was no request."""

    def __init__(self, port: int = 0, max_body: int = MAX_BODY) -> None:
        self.port = port
        self.strays: list[HttpRequest] = []
        self.side_requests: list[HttpRequest] = []
        self.refusals: list[str] = []
        self._max_body = max_body
        self._plays: list[Play] = []
        self._finished_markers: deque[str] = deque(maxlen=_MARKERS_KEPT)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._listener = Listener(self._reply)

    @property
    def base_url(self) -> str:
        """Scheme, host and port; "" before the start."""
        return f"http://{HOST}:{self.port}" if self._loop is not None else ""

    def start(self) -> None:
        """Start to listen; does nothing when called again. Raises PortTaken."""
        if self._loop is not None:
            return
        self._listener = Listener(self._reply, self._record_invalid_request, self._max_body)
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="bridgecheck-edge", daemon=True)
        thread.start()
        self._loop, self._thread = loop, thread
        try:
            self.port = asyncio.run_coroutine_threadsafe(self._listener.start(self.port), loop).result()
        except OSError as taken:
            self.stop()
            what = f"port {self.port} cannot be listened on: {taken.strerror}"
            raise PortTaken(what, HOST, "a free port, or 0 for any") from taken

    def stop(self) -> None:
        """Stop within a second, whatever is under way; does nothing when called again or before a start."""
        loop, thread = self._loop, self._thread
        self._loop = self._thread = None
        if loop is None or thread is None:
            return
        stopping = asyncio.run_coroutine_threadsafe(self._listener.stop(), loop)
        try:
            stopping.result(_STOP_S)
        except TimeoutError:
            stopping.cancel()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    @contextmanager
    def play_cassette(
        self, cassette: Cassette, dialect: Dialect, mode: Mode, *, marker: str = "", settings: PlaySettings = IMMEDIATE
    ) -> Iterator[Play]:
        """Play a cassette until the block ends; what is still under way then is broken off.

        With a ``marker`` (see ``new_marker``) several may be played at once: a request belongs to the play whose marker
        it contains. Raises HarnessError where requests could not be distinguished, and for failures of the server
        meanwhile.
        """
        play = Play(cassette, dialect, mode, self._running(), settings, marker)
        before = len(self._listener.errors)
        with self._lock:
            check_marker(marker, [active.marker for active in self._plays])
            self._plays.append(play)
        try:
            yield play
        finally:
            self._remove_play_and_hang_up(play)
        if self._listener.errors[before:]:
            raise HarnessError("the edge server failed", self._listener.errors[before])

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            raise HarnessError("the edge server is not running", "", "start() before play_cassette()")
        return self._loop

    def _remove_play_and_hang_up(self, play: Play) -> None:
        with self._lock:
            self._plays.remove(play)
            if play.marker:
                self._finished_markers.append(play.marker)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._listener.hang_up, play.owns)

    def _reply(self, request: HttpRequest, raw: bytes) -> Reply:
        play = self._play_with_marker_or_only_play(request)
        if play is None:
            return self._reply_to_side_request_or_stray(request)
        return play.reply(request, f"{self.base_url}{request.path}", raw)

    def _reply_to_side_request_or_stray(self, request: HttpRequest) -> Reply:
        """Reply while nothing is played. Side traffic of a gateway is no stray."""
        answer = _NO_CASSETTE.answer_request(request, "")
        if answer.kind == "side":
            self.side_requests.append(request)
            return Reply(wire_response.response_from_recording(answer.answer))
        self.strays.append(request)
        return Reply(error_response(503, _IDLE_MESSAGE))

    def _play_with_marker_or_only_play(self, request: HttpRequest) -> Play | None:
        """Return the play whose marker the request contains. A request without one belongs to the only play, if there
        is one: adapters do lose markers."""
        with self._lock:
            marked = [play for play in self._plays if play.marker and is_in_path_headers_or_body(play.marker, request)]
            if marked or len(self._plays) != 1:
                return marked[0] if marked else None
            late = any(is_in_path_headers_or_body(marker, request) for marker in self._finished_markers)
            return None if late else self._plays[0]

    def _record_invalid_request(self, reason: str) -> None:
        """Record what is no request. It names no scenario, so it counts against the only one in flight."""
        self.refusals.append(reason)
        with self._lock:
            if len(self._plays) == 1:
                self._plays[0].misses.append(reason)
