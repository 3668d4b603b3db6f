"""An adapter's process: its environment, its output, how it ended; it always ends.

It runs under a supervisor (``process_supervisor.py``), which ends it and all its descendants when ``stop`` is called,
when this process ends and when this process is killed. Its environment is an explicit list: nothing of the harness's
own reaches it. Only the beginning and the end of its output are kept, so it may write without limit.
"""

import atexit
import os
import re
import select
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from signal import Signals
from typing import IO, Final
from weakref import WeakSet

from bridgecheck.drivers.recipe_keys import fill_placeholders
from bridgecheck.secrets import mask_text

GRACE_S: Final = 2.0
"""Seconds between SIGTERM and SIGKILL."""

START_S: Final = 10.0
"""Seconds a supervisor may take to report that it began: milliseconds, but for a machine that is very busy."""

_SUPERVISOR: Final = Path(__file__).with_name("process_supervisor.py")
_STOP_TIMEOUT_S: Final = 10.0
_HEAD_BYTES: Final = 16 * 1024
_TAIL_BYTES: Final = 64 * 1024
_READ_BYTES: Final = 64 * 1024
_LINE_CHARACTERS: Final = 500
"""Characters shown of one line."""

_WORD_BYTES: Final = 4096
_CUT_WORD_BEHIND: Final = re.compile(rb"\A\S{1,%d}" % _WORD_BYTES)
"""What stands behind a part that was left out: half a credential is not known as one."""
_COLOUR: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


class NotStarted(Exception):
    """The process could not be started; ``str()`` is the reason."""


def child_environment(home: Path, variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the whole environment of a child: PATH, language, a home of its own, and ``variables``."""
    path, language = os.environ.get("PATH", os.defpath), os.environ.get("LANG", "C.UTF-8")
    return {"PATH": path, "LANG": language, "HOME": str(home), "TMPDIR": str(home), **(variables or {})}


def write_files(home: Path, files: Mapping[str, str], values: Mapping[str, str]) -> None:
    """Write the files of a recipe (name in ``home`` -> content, with placeholders). Raises NotStarted."""
    try:
        for name, content in files.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(fill_placeholders(content, values), encoding="utf-8")
    except (OSError, ValueError) as wrong:
        raise NotStarted(f"its files cannot be written: {wrong}") from wrong


def _without_cut_word(data: bytes) -> bytes:
    """Return the output before a part that was left out, without the word that may be half a credential. No regular
    expression: over output without a blank it takes a second where the machine is busy, as long as some limits."""
    last = data[-_WORD_BYTES:]
    return data if not last or last[-1:].isspace() else data[: len(data) - len(last.split()[-1])]


class HeadAndTailLog:
    """The beginning and the end of a process's output. Credentials and terminal codes are removed when it is shown."""

    def __init__(self) -> None:
        self.size = 0
        self._head = b""
        self._tail = b""
        self._lock = threading.Lock()

    def write(self, data: bytes) -> None:
        with self._lock:
            self.size += len(data)
            room = _HEAD_BYTES - len(self._head)
            self._head += data[:room]
            self._tail = (self._tail + data[room:])[-_TAIL_BYTES:] if room < len(data) else self._tail

    def text(self) -> str:
        """Return all stored output, safe to show."""
        with self._lock:
            omitted = self.size - len(self._head) - len(self._tail)
            stored = self._head + self._tail
            if omitted:
                gap = f"\n... ({omitted} bytes left out) ...\n".encode()
                stored = _without_cut_word(self._head) + gap + _CUT_WORD_BEHIND.sub(b"", self._tail)
        return mask_and_clean(stored.decode("utf-8", "replace"))

    def last_lines(self, lines: int = 12) -> str:
        """Return the last lines that are not blank, "" if it wrote nothing."""
        lines_written = [line.rstrip()[:_LINE_CHARACTERS] for line in self.text().splitlines() if line.strip()]
        return "\n".join(lines_written[-lines:])


def mask_and_clean(text: str) -> str:
    """Remove credentials, colours and characters that move the cursor."""
    plain = _COLOUR.sub("", mask_text(text)).replace("\r\n", "\n")
    return "".join(character if character.isprintable() or character in "\n\t" else "?" for character in plain)


class ChildProcess:
    """A running process: ``ChildProcess(["gateway", "--port", "4000"], env=child_environment(home), cwd=home)``.

    ``stdio``: its standard input and output are ``stdin`` and ``stdout`` here, and only standard error goes to the log;
    otherwise it has no input, and both outputs go to the log. ``memory``: bytes that it may have resident, and each
    process that it starts, on Linux; 0: no limit. ``home``: a folder that is removed when the process was stopped, or
    this one was killed. Raises NotStarted.
    """

    def __init__(
        self, command: Sequence[str], *, env: Mapping[str, str], cwd: Path, stdio: bool = False,
        grace: float = GRACE_S, memory: int = 0, home: Path | None = None,
    ) -> None:  # fmt: skip
        self.log = HeadAndTailLog()
        self._memory = memory
        self._reports = b""
        self._lifeline: int | None
        self._process, self._lifeline, self._status, log = _start_supervisor_lifeline_status_log(
            command, env, cwd, stdio=stdio, grace=grace, memory=memory, home=home
        )
        self._reader = threading.Thread(target=self._read_log, args=(log,), daemon=True, name="adapter's log")
        self._reader.start()
        _RUNNING.add(self)
        try:
            self.pid = self._await_process_id(command[0])
        except NotStarted:
            self.stop()
            raise

    @property
    def stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None, "started without stdio"
        return self._process.stdin

    @property
    def stdout(self) -> IO[bytes]:
        assert self._process.stdout is not None, "started without stdio"
        return self._process.stdout

    @property
    def exit_description(self) -> str:
        """How it ended: "exited with code 3", "was ended by SIGSEGV"; "" while it runs."""
        self._read_report_bytes_if_any(0)
        _, exited, code = self._reports.partition(b"exited ")
        if exited and b"\nexceeded\n" in self._reports:
            return f"was ended: it had more than {self._memory // 1024**2} MiB of memory"
        if exited:
            return describe_exit(int(code))
        return "" if self._process.poll() is None else "was lost: its supervisor was killed"

    @property
    def state_and_last_lines(self) -> tuple[str, str]:
        """How it ended, or that it is still running, and whether it wrote nothing; the last lines of its output."""
        state = self.exit_description
        if state:
            self._reader.join(0.5)
        last_lines = self.log.last_lines()
        return f"{state or 'is still running'}{'' if last_lines else ', and wrote nothing'}", last_lines

    @property
    def state_with_last_lines_text(self) -> str:
        """How it ended, or that it is still running, and the last lines of its output."""
        return ", its last lines:\n".join(filter(None, self.state_and_last_lines))

    def stop(self) -> None:
        """End the process and all its descendants: SIGTERM, then SIGKILL after the grace period. Nothing of it runs
        when this returns. May be called again."""
        _RUNNING.discard(self)
        if self._lifeline is None:
            return
        os.close(self._lifeline)
        self._lifeline = None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_STOP_TIMEOUT_S)
        self._read_report_bytes_if_any(0)
        self._reader.join(1)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not sent yet has nowhere to go
                    pipe.close()

    def _await_process_id(self, name: str) -> int:
        """Wait until the supervisor reports the start; return the process id. Raises NotStarted."""
        deadline = time.monotonic() + START_S
        while b"\n" not in self._reports and self._read_report_bytes_if_any(max(0.0, deadline - time.monotonic())):
            pass
        keyword, _, rest = self._reports.partition(b"\n")[0].decode("utf-8", "replace").partition(" ")
        if keyword == "started":
            return int(rest)
        raise NotStarted(f"{name} cannot be started: {mask_and_clean(rest) or 'its supervisor says nothing'}")

    def _read_report_bytes_if_any(self, seconds: float) -> bool:
        """Read what the supervisor reports; False if nothing more comes within ``seconds``."""
        if self._status is None or not select.select([self._status], [], [], seconds)[0]:
            return False
        data = os.read(self._status, _READ_BYTES)
        self._reports += data
        if not data:
            os.close(self._status)
            self._status = None
        return bool(data)

    def _read_log(self, pipe: int) -> None:
        with open(pipe, "rb", buffering=0) as stream:
            while data := stream.read(_READ_BYTES):
                self.log.write(data)


def describe_exit(code: int) -> str:
    """Return an exit code in words; a negative one is a signal."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was ended by {Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _start_supervisor_lifeline_status_log(
    command: Sequence[str],
    env: Mapping[str, str],
    cwd: Path,
    *,
    stdio: bool,
    grace: float,
    memory: int,
    home: Path | None,
) -> tuple[subprocess.Popen[bytes], int, int | None, int]:
    """Start the supervisor; return it, our ends of the lifeline and status pipes, and of the log. Raises NotStarted."""
    if os.name != "posix":
        raise NotStarted(f"{command[0]} cannot be started: processes are kept on Linux and macOS only")
    lifeline, lifeline_writer = os.pipe()
    status, status_writer = os.pipe()
    log, log_writer = os.pipe()
    try:
        arguments = map(str, (lifeline, status_writer, grace, memory, home or ""))
        supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_SUPERVISOR), *arguments, *command],
            env=dict(env), cwd=cwd, stdin=subprocess.PIPE if stdio else subprocess.DEVNULL,
            stdout=subprocess.PIPE if stdio else log_writer, stderr=log_writer, pass_fds=(lifeline, status_writer),
            start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as wrong:
        for end in (lifeline_writer, status, log):
            os.close(end)
        raise NotStarted(f"{command[0]} cannot be started: {wrong}") from wrong
    finally:
        for end in (lifeline, status_writer, log_writer):
            os.close(end)
    return supervisor, lifeline_writer, status, log


_RUNNING: Final[WeakSet[ChildProcess]] = WeakSet()


@atexit.register
def stop_all() -> None:
    """Stop every process that was not stopped."""
    for child in list(_RUNNING):
        child.stop()
