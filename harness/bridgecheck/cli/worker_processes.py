"""The worker processes of a run end when the run does: at once when it was killed, soon when it was interrupted.

xdist leaves a worker that is in the middle of a case another five to fifteen seconds.
"""

import os
import signal
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

import pytest

from bridgecheck.cli import exit_with_parent

if TYPE_CHECKING:
    from execnet import Gateway

KILL_AFTER_S: Final = 1.5
"""Seconds between the interruption of a worker and its end: it stops the process of the adapter, which may be busy. The
supervisor of that process stops it all the same."""


class _WorkerController(Protocol):
    """What xdist calls by this name."""

    gateway: "Gateway"


class WorkerProcesses:
    """A pytest plugin of the process that has the workers."""

    def __init__(self) -> None:
        self._pids: list[int] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: _WorkerController) -> None:
        """Called for each worker process as soon as it runs, before it imports anything."""
        self._pids.append(int(node.gateway.remote_exec(exit_with_parent).receive()))

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        _signal_own_children(self._pids, signal.SIGINT)
        timer = threading.Timer(KILL_AFTER_S, _signal_own_children, (self._pids, signal.SIGKILL))
        timer.daemon = True
        timer.start()


def _signal_own_children(pids: Sequence[int], number: int) -> None:
    """Signal those of these processes that have not ended. The id of one that was waited for may be another's now."""
    for pid in pids:
        with suppress(ChildProcessError, ProcessLookupError):
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                os.kill(pid, number)
