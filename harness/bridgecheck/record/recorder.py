"""The recorder: an edge that listens in a thread of its own, and its cassettes.

with Recorder(options) as recorder:
    ...  # clients that were pointed at recorder.origin are driven
recorder.result
"""

import asyncio
import threading
from types import TracebackType
from typing import Final, Self

from bridgecheck.record.folder import Session, load_folder, open_session
from bridgecheck.record.options import (
    RecordOptions,
    command_that_records,
    parse_listen,
    parse_providers,
    parse_volatile,
)
from bridgecheck.record.provider_connection import tls_context
from bridgecheck.record.recordings import Recordings
from bridgecheck.record.summary import RecorderResult
from bridgecheck.record.traffic_edge import RECORDING, REPLAYING, EdgeSettings, TrafficEdge
from bridgecheck.record.writer import CassetteWriter
from bridgecheck.upstream.edge import PortTaken
from bridgecheck.upstream.listener import HOST, Listener

THREAD: Final = "bridgecheck-recorder"
"""The name of the thread in which a recorder listens, and connects to providers."""
_STOP_S: Final = 5.0
"""How long connections may take to close: what is under way is not whole and not waited for."""


class Recorder:
    """``origin``: scheme, host and port that it listens on, "" while it does not. ``left_over``: messages about what
    an interrupted recording left. ``result``: what came of it, once it has stopped."""

    def __init__(self, options: RecordOptions) -> None:
        """Check the options and read the folder. Raises RefusedAtStart."""
        self.origin = ""
        self.left_over: list[str] = []
        self.options = options
        self._port, self._volatile = parse_listen(options.listen), parse_volatile(options.volatile)
        tls = tls_context(options.ca_file)
        self.providers = parse_providers(options, load_folder(options.out))
        self._settings = EdgeSettings(
            options.mode, self.providers, tls, options.timeout, options.pace,
            command_that_records(self.providers, options),
        )  # fmt: skip
        self._result: RecorderResult | None = None
        self._session: Session | None = None
        self._writer: CassetteWriter | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=THREAD, daemon=True)

    @property
    def result(self) -> RecorderResult:
        assert self._result is not None, "the recorder has not stopped"
        return self._result

    def __enter__(self) -> Self:
        """Listen. Raises RefusedAtStart, PortTaken among it."""
        options = self.options
        if options.mode in RECORDING:
            self._session = open_session(options.out, options.mode == "new", options.volatile)
            self.left_over = self._session.left_over
        # Read again: what an interrupted recording left may stand there now.
        recordings = Recordings(load_folder(options.out) if options.mode in REPLAYING else {}, self._volatile)
        self._writer = CassetteWriter(self._session) if self._session else None
        self._edge = TrafficEdge(self._settings, recordings, self._session, self._writer)
        self._listener = Listener(self._edge.answer, self._edge.counts.refused.append)
        self._thread.start()
        try:
            starting = asyncio.run_coroutine_threadsafe(self._listener.start(self._port), self._loop)
            self.origin = f"http://{HOST}:{starting.result()}"
        except OSError as taken:
            self._stop()
            what = f"port {self._port} cannot be listened on: {taken.strerror}"
            next_step = f"--listen {HOST}:0 for any free port"
            raise PortTaken(what, f"--listen {options.listen}", "a free port", next_step) from taken
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop, and write what has to be written."""
        not_saved = self._stop()
        unplayed = [str(recording) for recording in self._edge.recordings.unplayed]
        saved = len(self._writer.saved) if self._writer else 0
        self._result = RecorderResult(
            self.options.mode, str(self.options.out), self._edge.counts, saved, not_saved, unplayed,
            self.options.unplayed == "fail", self._listener.errors,
        )  # fmt: skip

    def _stop(self) -> list[str]:
        """Return why cassettes were not written."""
        self._edge.is_stopping = True
        self.origin = ""
        try:
            asyncio.run_coroutine_threadsafe(self._listener.stop(), self._loop).result(_STOP_S)
        except TimeoutError:
            self._edge.counts.problems["connections did not close"] = f"within {_STOP_S:g} s"
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
        not_saved = self._close_writer(self._writer) if self._writer else []
        if self._session is not None:
            self._session.close()
        return not_saved

    def _close_writer(self, writer: CassetteWriter) -> list[str]:
        failed = {**self._edge.counts.failed, **self._edge.counts.broken}
        stays = writer.close(without=failed)
        unreplaced = [
            f"[not-replaced] {file}: the earlier cassette stays, for its last answer failed" for file in stays
        ]
        return [*unreplaced, *writer.problems.values()]
