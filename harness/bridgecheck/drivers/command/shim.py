"""A running child that speaks the protocol: requests go in, and each answer to whoever asked.

What it does that the protocol does not know is its end: it is killed with all that came of it, and everybody who waits
is told why. ``Command`` starts a new one when it is needed.
"""

import os
import select
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from bridgecheck.codec.limits import MAX_EVENTS
from bridgecheck.drivers.child_process import ChildProcess
from bridgecheck.drivers.command import protocol
from bridgecheck.drivers.command.protocol import InvalidLine, Op
from bridgecheck.wire import JsonObject

MAX_LINE_BYTES: Final = 16 * 1024 * 1024
"""Bytes of one line. The longest document of the corpus has a hundredth of it."""


class LineTooLong(Exception):
    """More bytes than a line may have, and no line end among them."""


class LineSplitter:
    """``feed(data)`` returns the lines that are complete now, without their ends. Raises LineTooLong."""

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self._limit = limit
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        self._rest += data
        if b"\n" not in data:
            self._check_length(self._rest)
            return []
        *lines, rest = bytes(self._rest).split(b"\n")
        for line in (*lines, rest):
            self._check_length(line)
        self._rest = bytearray(rest)
        return lines

    def _check_length(self, line: bytes | bytearray) -> None:
        if len(line) > self._limit:
            raise LineTooLong(f"a line of more than {self._limit} bytes")


MAX_REQUEST_BYTES: Final = 32 * 1024 * 1024
"""Bytes of all lines since the last request: a stream without end is cut off here, or at ``MAX_EVENTS`` lines, if not
by the clock."""

FLOOD: Final = 1024 * 1024
"""Bytes on standard error from which on they are worth a word."""

_READ: Final = 64 * 1024
_ENDS_S: Final = 1.0
"""Seconds in which the exit code of a child is known that has closed its output."""
_STEP_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class ShimAnswerWithKind:
    """An answer. ``kind``: the member that names its shape (``protocol.require_valid_answer_kind``)."""

    kind: str
    members: JsonObject


@dataclass(frozen=True, slots=True)
class ShimFailure:
    """There will be no answer, because of ``reason``. ``log``: the last lines of its standard error, which mostly say
    more. ``log_size``: bytes of all that it wrote there. ``slow``: because it took too long. ``ended``: the child does
    not run any longer."""

    reason: str
    log: str = ""
    log_size: int = 0
    slow: bool = False
    ended: bool = False

    def __str__(self) -> str:
        size_note = f" ({self.log_size} bytes)" if self.log_size > FLOOD else ""
        log = f"\nthe last it wrote to standard error{size_note}:\n{self.log}" if self.log else ""
        return f"{self.reason}{log}"


ShimResult: TypeAlias = ShimAnswerWithKind | ShimFailure
ResultListener: TypeAlias = Callable[[ShimResult], None]


@dataclass(slots=True)
class _PendingRequest:
    """A request without its answer. ``listener``: None once nobody waits for it."""

    op: Op
    listener: ResultListener | None


class Shim:
    """A running child process and the requests it has not answered.

    ``failure``: why nothing can be requested any more, None while it can; ``failure_reported``: whether a listener
    received that failure. Listeners are called from the reader's thread; after ``ShimFailure`` nothing more comes.
    """

    def __init__(self, child: ChildProcess) -> None:
        self.failure: ShimFailure | None = None
        self.failure_reported = False
        self._child = child
        self._number = 0
        self._read_since = 0
        self._lines_since = 0
        self._pending: dict[int, _PendingRequest] = {}
        self._lock = threading.Lock()
        self._ending = threading.Lock()
        os.set_blocking(child.stdin.fileno(), False)
        threading.Thread(target=self._read_output, daemon=True, name="adapter's answers").start()

    def send_request(self, op: Op, members: JsonObject, listener: ResultListener, deadline: float) -> int:
        """Send a request and return its id. ``deadline``: when it has to be written, by the monotonic clock. The
        listener receives the answer or the failure."""
        with self._lock:
            self._number += 1
            self._read_since = self._lines_since = 0
            number, failure = self._number, self.failure
            if not failure:
                self._pending[number] = _PendingRequest(op, listener)
        if failure:
            self.failure_reported = True
            listener(failure)
        else:
            self._write_line(protocol.encode_request(number, op, members), op, deadline)
        return number

    def ignore_answers(self, number: int) -> None:
        """Ignore what still comes for this request, until its last line."""
        with self._lock:
            if number in self._pending:
                self._pending[number].listener = None

    def kill(self, reason: str) -> None:
        """Kill the child; every pending request fails with ``reason``. When this returns, nothing of it runs."""
        self._fail_pending(reason)
        self._stop_child()

    def kill_in_background(self, reason: str) -> None:
        """Kill the child without waiting for its end; every pending request fails with ``reason``."""
        self._fail_pending(reason, slow=True)
        threading.Thread(target=self._stop_child, daemon=True, name="adapter's end").start()

    def _fail_pending(self, reason: str, *, slow: bool = False) -> None:
        with self._lock:
            log = self._child.log
            self.failure = failure = self.failure or ShimFailure(reason, log.last_lines(), log.size, ended=True)
            listeners = [request.listener for request in self._pending.values() if request.listener]
            self._pending.clear()
            self.failure_reported = self.failure_reported or bool(listeners)
        for listener in listeners:
            listener(replace(failure, slow=slow))

    def _stop_child(self) -> None:
        with self._ending:
            self._child.stop()

    def _write_line(self, line: bytes, op: Op, deadline: float) -> None:
        pipe, rest = self._child.stdin.fileno(), memoryview(line)
        try:
            while rest:
                if not select.select([], [pipe], [], max(0.0, deadline - time.monotonic()))[1]:
                    self.kill_in_background(f"it does not read its standard input: {op} could not be written in time")
                    return
                rest = rest[os.write(pipe, rest) :]
        except (OSError, ValueError):
            pass  # the reader is about to tell, and knows more: how it ended

    def _read_output(self) -> None:
        lines = LineSplitter()
        try:
            while data := os.read(self._child.stdout.fileno(), _READ):
                self._count_output_and_check_limit(len(data))
                for line in lines.feed(data):
                    self._count_line_and_check_limit()
                    self._handle_line(line)
        except (InvalidLine, LineTooLong) as error:
            self.kill(f"it wrote {error}")
        except (OSError, ValueError):
            self.kill("its output was closed")
        else:
            self.kill(self._wait_for_exit_description())

    def _count_output_and_check_limit(self, new_bytes: int) -> None:
        self._read_since += new_bytes
        if self._read_since > MAX_REQUEST_BYTES:
            raise LineTooLong(f"more than {MAX_REQUEST_BYTES} bytes for one request")

    def _count_line_and_check_limit(self) -> None:
        self._lines_since += 1
        if self._lines_since > MAX_EVENTS:
            raise LineTooLong(f"more than {MAX_EVENTS} lines for one request")

    def _handle_line(self, line: bytes) -> None:
        number, members = protocol.decode_answer(line)
        with self._lock:
            request = self._pending.get(number)
        if request is None:
            raise InvalidLine(f"an answer with id {number}, which nobody waits for: {protocol.line_excerpt(line)}")
        result = self._parse_answer(request, members)
        with self._lock:
            if not isinstance(result, ShimAnswerWithKind) or result.kind != "event":
                self._pending.pop(number, None)
            listener = request.listener
        if listener is not None:
            listener(result)

    def _parse_answer(self, request: _PendingRequest, members: JsonObject) -> ShimResult:
        """Return the answer in a line. A bad answer fails its request alone, unless more lines may follow."""
        try:
            return ShimAnswerWithKind(protocol.require_valid_answer_kind(request.op, members), members)
        except InvalidLine as error:
            if request.op == "call":
                raise
            return ShimFailure(f"it wrote {error}")

    def _wait_for_exit_description(self) -> str:
        deadline = time.monotonic() + _ENDS_S
        while time.monotonic() < deadline:
            with suppress(OSError, ValueError):
                if exit_description := self._child.exit_description:
                    return f"it {exit_description} without being asked to stop"
            time.sleep(_STEP_S)
        return "it closed its standard output"
