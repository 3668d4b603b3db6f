"""The provider's side for everything that is reached over HTTP: one server a process, in a thread of its own.

    edge = Edge()
    edge.start()  # or: with Edge() as edge
    with edge.playing(cassette, "gemini", "stream") as play:
        ...  # an adapter that was pointed at edge.base_url is driven
    play.interactions(), play.misses, play.side, play.arrivals
    edge.stop()

It tells requests apart by the shape of their path, whatever base path stands before it, so one address serves all
three dialects.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Self

from bridgecheck.cassette.answers import Answers
from bridgecheck.cassette.recorded import Cassette
from bridgecheck.errors import HarnessError, RefusedAtStart
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.upstream import encode, markers
from bridgecheck.upstream.listener import HOST, Listener, Reply, error
from bridgecheck.upstream.peer import MAX_BODY
from bridgecheck.upstream.play import AT_ONCE, Manner, Play
from bridgecheck.wire import Dialect, Mode

_STOP_S: Final = 0.8
_REMEMBERED: Final = 64
"""How many markers of scenarios that are over are known, so that a late request is not taken for another's."""
_NOTHING: Final = Answers(Cassette({}, ()))
_IDLE: Final = "nothing is played that this belongs to"


class PortTaken(RefusedAtStart):
    code = "port-taken"


class Edge:
    """``port``: a fixed one, 0: whichever is free. ``strays``: requests that came while nothing was played, or that
    belong to no play; they got a 503. ``side``: side traffic at such times. ``refused``: in words, what came and was
    no request."""

    def __init__(self, port: int = 0, max_body: int = MAX_BODY) -> None:
        self.port = port
        self.strays: list[HttpRequest] = []
        self.side: list[HttpRequest] = []
        self.refused: list[str] = []
        self._max_body = max_body
        self._plays: list[Play] = []
        self._over: deque[str] = deque(maxlen=_REMEMBERED)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._listener = Listener(self._reply)

    @property
    def base_url(self) -> str:
        """Scheme, host and port; "" before the start."""
        return f"http://{HOST}:{self.port}" if self._loop is not None else ""

    def start(self) -> None:
        """Listens; again, it does nothing. Raises PortTaken."""
        if self._loop is not None:
            return
        self._listener = Listener(self._reply, self._refuse, self._max_body)
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="bridgecheck-edge", daemon=True)
        thread.start()
        self._loop, self._thread = loop, thread
        try:
            self.port = asyncio.run_coroutine_threadsafe(self._listener.start(self.port), loop).result()
        except OSError as taken:
            self.stop()
            raise PortTaken(
                f"port {self.port} cannot be listened on: {taken.strerror}", HOST, "a free port, or 0 for any"
            ) from taken

    def stop(self) -> None:
        """Ends within a second, whatever is under way; again, or before a start, it does nothing."""
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

    def __exit__(self, *raised: object) -> None:
        self.stop()

    @contextmanager
    def playing(
        self, cassette: Cassette, dialect: Dialect, mode: Mode, *, marker: str = "", manner: Manner = AT_ONCE
    ) -> Iterator[Play]:
        """Plays a cassette until the block ends; what is still under way then is broken off. With a ``marker`` (see
        markers.fresh) several may be played at once: a request belongs to the play whose marker stands in its path,
        headers or body. Raises HarnessError where requests could not be told apart, and for what went wrong in here
        meanwhile."""
        play = Play(cassette, dialect, mode, self._running(), manner, marker)
        before = len(self._listener.errors)
        self._begin(play)
        try:
            yield play
        finally:
            self._end(play)
        if self._listener.errors[before:]:
            raise HarnessError("the edge server failed", self._listener.errors[before])

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            raise HarnessError("the edge server is not running", "", "start() before playing()")
        return self._loop

    def _begin(self, play: Play) -> None:
        with self._lock:
            markers.refuse_unfit(play.marker, [other.marker for other in self._plays])
            self._plays.append(play)

    def _end(self, play: Play) -> None:
        with self._lock:
            self._plays.remove(play)
            if play.marker:
                self._over.append(play.marker)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._listener.hang_up, play.shows)

    def _reply(self, request: HttpRequest, raw: bytes) -> Reply:
        play = self._of(request)
        return play.reply(request, f"{self.base_url}{request.path}", raw) if play is not None else self._idle(request)

    def _idle(self, request: HttpRequest) -> Reply:
        """A gateway may look around before anything is played: that is no stray."""
        given = _NOTHING.to(request, "")
        if given.kind == "side":
            self.side.append(request)
            return Reply(encode.answer(given.answer))
        self.strays.append(request)
        return Reply(error(503, _IDLE))

    def _of(self, request: HttpRequest) -> Play | None:
        """The play whose marker the request carries. One that carries none belongs to the only play, if there is one:
        adapters do lose markers."""
        with self._lock:
            marked = [play for play in self._plays if play.marker and markers.stands_in(play.marker, request)]
            if marked or len(self._plays) != 1:
                return marked[0] if marked else None
            late = any(markers.stands_in(old, request) for old in self._over)
            return None if late else self._plays[0]

    def _refuse(self, words: str) -> None:
        """What is no request says not whose it is; it is held against the one scenario that is in flight."""
        self.refused.append(words)
        with self._lock:
            if len(self._plays) == 1:
                self._plays[0].misses.append(words)
