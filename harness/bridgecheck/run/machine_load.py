"""How much of a time this machine gave to whoever wanted to run, and how much of it the adapter took."""

import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

_STEP_S: Final = 0.05
_STALLED: Final = 0.2
_BUSY: Final = 0.3
_COMPUTING: Final = 2 / 3
"""Of the shortest of the longer limits, which is the adapter's own limit."""
_PARENT: Final = 1
_TIMES: Final = slice(11, 15)
"""Of the fields of ``stat`` behind the name: of the process in user and kernel mode, and of its children likewise."""
_PROCESSES: Final = Path("/proc")
_PRESSURE: Final = _PROCESSES / "pressure" / "cpu"


class MachineLoad:
    """Measures while the block runs: how late a thread is woken that slept, as a share of the time; and, on Linux, for
    which share somebody had to wait for a processor (``some`` of https://docs.kernel.org/accounting/psi.html, read
    2026-11-23) and for which share the processes that this one started had one (proc_pid_stat(5)). What this process
    computed itself is no standstill: an adapter that floods it keeps it busy."""

    def __init__(self) -> None:
        self._late = 0.0
        self._waited = 0.0
        self._computed = 0.0
        self._seconds = 0.0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._measure, daemon=True, name="machine load")

    @property
    def is_stalled(self) -> bool:
        """Whether it stood still for a part of the time: nothing is known then of who did not answer."""
        return self._late > _STALLED * self._seconds

    @property
    def is_busy(self) -> bool:
        return self.is_stalled or self._waited > _BUSY * self._seconds

    @property
    def are_children_computing(self) -> bool:
        """Whether what this process started had a processor nearly all the time: it did not wait for the machine."""
        return self._computed >= _COMPUTING * self._seconds

    def __enter__(self) -> Self:
        self._seconds, self._waited = -time.monotonic(), -_seconds_waited_for_processors()
        self._computed = -seconds_computed_below(os.getpid())
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._is_over.set()
        self._thread.join()
        self._seconds += time.monotonic()
        self._waited += _seconds_waited_for_processors()
        self._computed += seconds_computed_below(os.getpid())

    def _measure(self) -> None:
        before, used_before = time.monotonic(), time.process_time()
        while not self._is_over.wait(_STEP_S):
            now, used = time.monotonic(), time.process_time()
            self._late += max(0.0, now - before - _STEP_S - (used - used_before))
            before, used_before = now, used


def _seconds_waited_for_processors() -> float:
    with suppress(OSError, ValueError, IndexError):
        return int(_PRESSURE.read_text(encoding="ascii").split("total=")[1].split()[0]) / 1e6
    return 0.0


def seconds_computed_below(process: int) -> float:
    """Return the processor time of all processes below this one, and of those of them that ended; 0 where unknown."""
    parents: dict[int, int] = {}
    seconds: dict[int, float] = {}
    for path in _PROCESSES.glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            fields = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            number = int(path.parent.name)
            parents[number] = int(fields[_PARENT])
            seconds[number] = sum(map(int, fields[_TIMES])) / os.sysconf("SC_CLK_TCK")
    below = {process}
    while more := {number for number, parent in parents.items() if parent in below} - below:
        below |= more
    return sum(seconds.get(number, 0.0) for number in below - {process})
