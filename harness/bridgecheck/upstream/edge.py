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
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
_FINISHED_KEPT: Final = 64
"""How many cases that are over are known, so that a late request of theirs is not taken for another's; besides those
that may be sent one of theirs again."""
_LONGEST_S: Final = 120.0
"""How long after its end a case may be sent a request again at most: nobody waits for one that asks for ever."""
_NO_CASSETTE: Final = CassetteAnswers(Cassette({}, ()))
_IDLE_MESSAGE: Final = "nothing is played that this belongs to"


@dataclass(slots=True)
class _FinishedPlay:
    """``until``: when no request of it is expected any more; ``last``: the latest time that this may become."""

    play: Play
    until: float
    last: float

    def expect_repeats(self, seconds: float) -> None:
        self.until = min(max(self.until, time.monotonic() + seconds), self.last)


class PortTaken(RefusedAtStart):
    """The port cannot be listened on."""

    code = "port-taken"


class Edge:
    """A server on one port. ``port``: a fixed one, 0: any free one. ``strays``: requests that came while nothing was
    played, or that belong to no play; they got a 503, before the first play a 404. ``late_requests``: repetitions of
    what a finished case was sent, which got that case's own answers. ``side_requests``: side traffic at such times.
    ``refusals``: descriptions of what came and was no request."""

    def __init__(self, port: int = 0, max_body: int = MAX_BODY) -> None:
        self.port = port
        self.strays: list[HttpRequest] = []
        self.late_requests: list[HttpRequest] = []
        self.side_requests: list[HttpRequest] = []
        self.refusals: list[str] = []
        self._max_body = max_body
        self._plays: list[Play] = []
        self._has_played = False
        self._finished_markers: deque[str] = deque(maxlen=_FINISHED_KEPT)
        self._finished: list[_FinishedPlay] = []
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
        self, cassette: Cassette, dialect: Dialect, mode: Mode, *, marker: str = "", settings: PlaySettings = IMMEDIATE,
        request_group: str = "", hangs_up: bool = True,
    ) -> Iterator[Play]:  # fmt: skip
        """Play a cassette until the block ends.

        With a ``marker`` (see ``new_marker``) several may be played at once: a request belongs to the play whose marker
        it contains. ``request_group``: the same for plays that may be sent the same request. A request that a finished
        play of another group was sent, and that may come again, belongs to that one. ``hangs_up``: whether answers that
        are under way at the end are broken off; a client may take that for a reason to try again. Raises HarnessError
        where requests could not be distinguished, and for failures of the server meanwhile.
        """
        play = Play(cassette, dialect, mode, self._running(), settings, marker, request_group)
        before = len(self._listener.errors)
        with self._lock:
            check_marker(marker, [active.marker for active in self._plays])
            self._plays.append(play)
            self._has_played = True
        try:
            yield play
        finally:
            self._remove_play(play)
            if hangs_up and self._loop is not None:
                self._loop.call_soon_threadsafe(self._listener.hang_up, play.owns)
        if self._listener.errors[before:]:
            raise HarnessError("the edge server failed", self._listener.errors[before])

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            raise HarnessError("the edge server is not running", "", "start() before play_cassette()")
        return self._loop

    def seconds_until_no_repeat(self, request_group: str) -> float:
        """Return for how many seconds yet a finished play of this group may be sent one of its requests again."""
        now = time.monotonic()
        with self._lock:
            left = [row.until - now for row in self._finished if row.play.request_group == request_group]
        return max((0.0, *left))

    def _remove_play(self, play: Play) -> None:
        seconds = play.seconds_of_repeats()
        with self._lock:
            self._plays.remove(play)
            if play.marker:
                self._finished_markers.append(play.marker)
            if seconds:
                self._note_finished(play, seconds)

    def _note_finished(self, play: Play, seconds: float) -> None:
        now = time.monotonic()
        finished = _FinishedPlay(play, now, now + _LONGEST_S)
        finished.expect_repeats(seconds)
        surplus = max(0, len(self._finished) + 1 - _FINISHED_KEPT)
        forgotten = [id(row) for row in self._finished if row.until <= now][:surplus]
        self._finished = [*(row for row in self._finished if id(row) not in forgotten), finished]

    def _reply(self, request: HttpRequest, raw: bytes) -> Reply:
        play = self._play_with_marker_or_only_play(request)
        finished = self._finished_play_sent_this_before(request, play)
        if finished is not None:
            self.late_requests.append(request)
            reply = finished.play.reply(request, f"{self.base_url}{request.path}", raw)
            finished.expect_repeats(finished.play.seconds_of_repeats())
            return reply
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
        if not self._has_played:  # whoever asks while it starts need not ask again
            return Reply(wire_response.response_from_recording(answer.answer))
        return Reply(error_response(503, _IDLE_MESSAGE))

    def _finished_play_sent_this_before(self, request: HttpRequest, current: Play | None) -> _FinishedPlay | None:
        """Return the finished play that was sent the same request, where the current one is not to be sent it."""
        with self._lock:
            for row in reversed(self._finished):
                group = row.play.request_group
                is_same_group = current is not None and (current.marker or current.request_group == group)
                if not is_same_group and row.play.was_sent(request):
                    return row
        return None

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
