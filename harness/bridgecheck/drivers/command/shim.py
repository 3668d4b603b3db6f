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
from dataclasses import dataclass
from typing import Final, TypeAlias

from bridgecheck.drivers.child import Child
from bridgecheck.drivers.command import protocol
from bridgecheck.drivers.command.lines import Lines, TooLong
from bridgecheck.drivers.command.protocol import Nonsense, Op
from bridgecheck.wire import JsonObject

MOST: Final = 64 * 1024 * 1024
"""Bytes of all lines since the last request: a stream without end is cut off here, if not by the clock."""

FLOOD: Final = 1024 * 1024
"""Bytes on standard error from which on they are worth a word."""

_READ: Final = 64 * 1024
_ENDS_S: Final = 1.0
"""Seconds in which the exit code of a child is known that has closed its output."""
_STEP_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class Said:
    """An answer. ``sort``: the member that names its shape (``protocol.sort_of``)."""

    sort: str
    members: JsonObject


@dataclass(frozen=True, slots=True)
class Broken:
    """There will be no answer; ``words`` say why. ``slow``: because it took too long."""

    words: str
    slow: bool = False


Heard: TypeAlias = Said | Broken
Sink: TypeAlias = Callable[[Heard], None]


@dataclass(slots=True)
class _Asked:
    """``sink``: None once nobody listens any more."""

    op: Op
    sink: Sink | None


class Shim:
    """``broken``: why nothing can be asked any more, "" while it can; ``told``: whether anybody was told. Sinks are
    called from the reader's thread; after ``Broken`` nothing more comes."""

    def __init__(self, child: Child) -> None:
        self.broken = ""
        self.told = False
        self._child = child
        self._number = 0
        self._read_since = 0
        self._asked: dict[int, _Asked] = {}
        self._lock = threading.Lock()
        self._ending = threading.Lock()
        os.set_blocking(child.stdin.fileno(), False)
        threading.Thread(target=self._listen, daemon=True, name="adapter's answers").start()

    def ask(self, op: Op, members: JsonObject, sink: Sink, until: float) -> int:
        """The request's id. ``until``: when it has to be written, by the monotonic clock. What goes wrong is told to
        the sink."""
        with self._lock:
            self._number += 1
            self._read_since = 0
            number, broken = self._number, self.broken
            if not broken:
                self._asked[number] = _Asked(op, sink)
        if broken:
            self.told = True
            sink(Broken(broken))
        else:
            self._write(protocol.write(number, op, members), op, until)
        return number

    def forget(self, number: int) -> None:
        """What still comes for this request is passed over, until its last line."""
        with self._lock:
            if number in self._asked:
                self._asked[number].sink = None

    def end(self, words: str) -> None:
        """Kills the child; everybody who waits is told ``words``. When this returns, nothing of it is left."""
        self._break(words)
        self._stop()

    def too_slow(self, words: str) -> None:
        """Likewise, but whoever says so has no time to wait until nothing is left of it."""
        self._break(words, slow=True)
        threading.Thread(target=self._stop, daemon=True, name="adapter's end").start()

    def _break(self, words: str, *, slow: bool = False) -> None:
        with self._lock:
            self.broken = self.broken or self._with_its_log(words)
            waiting = [asked.sink for asked in self._asked.values() if asked.sink]
            self._asked.clear()
            self.told = self.told or bool(waiting)
        for sink in waiting:
            sink(Broken(self.broken, slow))

    def _stop(self) -> None:
        with self._ending:
            self._child.stop()

    def _write(self, line: bytes, op: Op, until: float) -> None:
        pipe, rest = self._child.stdin.fileno(), memoryview(line)
        try:
            while rest:
                if not select.select([], [pipe], [], max(0.0, until - time.monotonic()))[1]:
                    self.too_slow(f"it does not read its standard input: {op} could not be written in time")
                    return
                rest = rest[os.write(pipe, rest) :]
        except (OSError, ValueError):
            # The reader is about to tell, and knows more: how it ended.
            pass

    def _listen(self) -> None:
        lines = Lines()
        try:
            while data := os.read(self._child.stdout.fileno(), _READ):
                self._count(len(data))
                for line in lines.feed(data):
                    self._hear(line)
        except (Nonsense, TooLong) as wrong:
            self.end(f"it wrote {wrong}")
        except (OSError, ValueError):
            self.end("its output was closed")
        else:
            self.end(self._how_it_ended())

    def _count(self, size: int) -> None:
        self._read_since += size
        if self._read_since > MOST:
            raise TooLong(f"more than {MOST} bytes for one request")

    def _hear(self, line: bytes) -> None:
        number, members = protocol.read(line)
        with self._lock:
            asked = self._asked.get(number)
        if asked is None:
            raise Nonsense(f"an answer with id {number}, which nobody waits for: {protocol.excerpt(line)}")
        heard = self._understood(asked, members)
        with self._lock:
            if not isinstance(heard, Said) or heard.sort != "event":
                self._asked.pop(number, None)
            sink = asked.sink
        if sink is not None:
            sink(heard)

    def _understood(self, asked: _Asked, members: JsonObject) -> Heard:
        """A bad answer breaks its request alone, unless more lines may follow."""
        try:
            return Said(protocol.sort_of(asked.op, members), members)
        except Nonsense as wrong:
            if asked.op == "call":
                raise
            return Broken(f"it wrote {wrong}")

    def _how_it_ended(self) -> str:
        deadline = time.monotonic() + _ENDS_S
        while time.monotonic() < deadline:
            with suppress(OSError, ValueError):
                if ended := self._child.ended:
                    return f"it {ended} without being asked to stop"
            time.sleep(_STEP_S)
        return "it closed its standard output"

    def _with_its_log(self, words: str) -> str:
        """What it wrote to standard error mostly says more."""
        log = self._child.log
        much = f" ({log.size} bytes)" if log.size > FLOOD else ""
        last = log.last()
        return f"{words}\nthe last it wrote to standard error{much}:\n{last}" if last else words
