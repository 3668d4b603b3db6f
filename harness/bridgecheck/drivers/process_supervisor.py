"""Supervises one process and ends it with all its descendants, whatever becomes of the harness and of the process that
supervises.

Run as a script, ``python -I -S process_supervisor.py LIFELINE STATUS GRACE MEMORY HOME COMMAND...``, in a session of
its own, so that no Ctrl-C reaches it. The harness holds the other end of the pipe LIFELINE: when that closes, because
the harness closed it or was killed, the process group gets SIGTERM, ``GRACE`` seconds later SIGKILL. On the pipe STATUS
the supervisor writes one line when it begins, ``started PID`` or ``failed REASON``, and one when the process ended:
``exited CODE``, negative for a signal. Before that one stands ``exceeded`` if it was killed because it, or a process
that it started, had more than ``MEMORY`` bytes resident; 0: no limit. At the end the folder ``HOME`` is removed, "" for
none: a harness that was killed cannot. It imports nothing of bridgecheck: it is started once for each adapter.

On Linux what left the group (a daemon) is found too: orphans of the process become children of the supervisor, and of
its own parent, which does nothing but wait for it and end what is left, where the process killed its supervisor. Memory
is looked at on Linux only.
"""

import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

_SET_CHILD_SUBREAPER: Final = 36
_SET_DEATH_SIGNAL: Final = 1
"""Of prctl(2). Source: https://man7.org/linux/man-pages/man2/prctl.2.html (read 2026-11-22)."""

_POLL_S: Final = 0.01
_MEMORY_POLL_S: Final = 0.05
_KILL_TIMEOUT_S: Final = 3.0
"""Seconds for what was killed to be gone."""


def main(lifeline: int, status: int, grace: float, memory: int, home: str, command: list[str]) -> None:
    if sys.platform != "linux":
        supervise(lifeline, status, grace, memory, home, command)
        return
    _try_prctl_on_linux(_SET_CHILD_SUBREAPER)
    supervisor = os.fork()
    if not supervisor:
        _die_with_parent()
        os.setsid()
        supervise(lifeline, status, grace, memory, home, command)
        return
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(supervisor, signal.SIGTERM))
    os.close(lifeline)
    os.close(status)
    _release_standard_streams()
    os.waitpid(supervisor, 0)
    _kill_children_until_none_is_left()


def supervise(lifeline: int, status: int, grace: float, memory: int, home: str, command: list[str]) -> None:
    """Run the command until it ends or the lifeline closes. Nothing of it runs when this returns."""
    wakeup = _install_signal_pipe()
    _try_prctl_on_linux(_SET_CHILD_SUBREAPER)
    try:
        process = subprocess.Popen(command, start_new_session=True, preexec_fn=_die_with_parent)
    except OSError as error:
        _write_status(status, f"failed {error.strerror}: {error.filename or command[0]}")
        return
    _write_status(status, f"started {process.pid}")
    _release_standard_streams()
    while not _has_ended(process.pid):
        readable, _, _ = select.select([lifeline, wakeup], [], [], _MEMORY_POLL_S if memory else None)
        if memory and _largest_resident_bytes_of_descendants() > memory:
            _write_status(status, "exceeded")
            break
        if lifeline in readable or (wakeup in readable and signal.SIGTERM in os.read(wakeup, 4096)):
            _send_sigterm_and_wait(process.pid, grace)
            break
    code = _kill_all_and_return_exit_code(process.pid)
    if home and lifeline in select.select([lifeline], [], [], 0)[0]:
        shutil.rmtree(home, ignore_errors=True)
    _write_status(status, f"exited {code}")


def _write_status(status: int, line: str) -> None:
    """Write one line to the harness, which may have ended."""
    with suppress(OSError):
        os.write(status, f"{line}\n".encode())


def _install_signal_pipe() -> int:
    """Return a pipe that becomes readable with every signal. Handlers, unlike ignored signals, are not inherited."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    return reader


def _try_prctl_on_linux(option: int, value: int = 1) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _die_with_parent() -> None:
    """Ask the kernel to kill this process, also when it has become the command, when its parent is killed."""
    _try_prctl_on_linux(_SET_DEATH_SIGNAL, signal.SIGKILL)


def _release_standard_streams() -> None:
    """Close our copies of the process's standard streams: the harness has to see when it closes them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _has_ended(pid: int) -> bool:
    """Return whether it ended. It is not reaped: until then its number, the group's too, is not reused."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _send_sigterm_and_wait(pid: int, grace: float) -> None:
    _signal_group(pid, signal.SIGTERM)
    deadline = time.monotonic() + grace
    while not _has_ended(pid) and time.monotonic() < deadline:
        time.sleep(_POLL_S)


def _kill_all_and_return_exit_code(pid: int) -> int:
    """Kill what is left of the group, then what left the group; return the exit code of the process."""
    _signal_group(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    _kill_children_until_none_is_left()
    return os.waitstatus_to_exitcode(status)


def _kill_children_until_none_is_left() -> None:
    deadline = time.monotonic() + _KILL_TIMEOUT_S
    while _are_children_left_after_kill() and time.monotonic() < deadline:
        time.sleep(_POLL_S)


def _are_children_left_after_kill() -> bool:
    """Kill and reap all children of this process; return whether any are left. Their own orphans come next."""
    for pid in _child_pids():
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _child_pids() -> list[int]:
    """Return the process ids of this process's children; none where there is no /proc."""
    own_pid = str(os.getpid())
    pids = []
    for stat_file in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name, in brackets, may hold anything; state and parent follow the last bracket.
            parent = stat_file.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1]
        except (OSError, IndexError):
            continue
        if parent == own_pid:
            pids.append(int(stat_file.parent.name))
    return pids


def _largest_resident_bytes_of_descendants() -> int:
    """Return what the largest descendant of the supervisor has resident; 0 where there is no /proc."""
    page_size, largest, pids = os.sysconf("SC_PAGE_SIZE"), 0, [os.getpid()]
    while pids:
        pid = pids.pop()
        with suppress(OSError, ValueError, IndexError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                children = (task / "children").read_text(encoding="ascii").split()
                pids += map(int, children)
                for child in children:
                    resident_pages = Path(f"/proc/{child}/statm").read_text(encoding="ascii").split()[1]
                    largest = max(largest, int(resident_pages) * page_size)
    return largest


def _signal_group(pid: int, number: int) -> None:
    # PermissionError: macOS, where a group of nothing but zombies may not be signalled.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6:])
