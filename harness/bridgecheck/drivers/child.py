"""A process of an adapter's: what it gets, what it wrote, how it ended; and that it always ends.

It runs under a keeper (``keeper.py``), which ends it and all that came of it when ``stop`` is called, when this process
ends, and when it is killed. Its environment is an explicit list: nothing of the harness's own reaches it.

What it writes is read and forgotten but for the beginning and the end, so that it may write for ever: no file grows.
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

from bridgecheck.cassette.redact import masked
from bridgecheck.drivers.placeholders import filled

GRACE_S: Final = 2.0
"""Seconds between SIGTERM and SIGKILL."""

START_S: Final = 10.0
"""Seconds a keeper may take to say that it began: milliseconds, but for a machine that is very busy."""

_KEEPER: Final = Path(__file__).with_name("keeper.py")
_LEFT_S: Final = 10.0
_HEAD: Final = 16 * 1024
_TAIL: Final = 64 * 1024
_READ: Final = 64 * 1024
_LINE: Final = 500
"""Characters shown of one line."""

_COLOUR: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


class NotStarted(Exception):
    """The process did not come into being; ``str()`` says why."""


def environment(home: Path, named: Mapping[str, str] | None = None) -> dict[str, str]:
    """All that a child gets: a home of its own, where to find programs, the language, and what was ``named``."""
    own = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": os.environ.get("LANG", "C.UTF-8"),
        "HOME": str(home),
        "TMPDIR": str(home),
    }
    return own | dict(named or {})


def write_files(home: Path, files: Mapping[str, str], values: Mapping[str, str]) -> None:
    """``files``: name in ``home`` -> content, with placeholders. Raises NotStarted."""
    try:
        for name, content in files.items():
            place = home / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(filled(content, values), encoding="utf-8")
    except (OSError, ValueError) as wrong:
        raise NotStarted(f"its files cannot be written: {wrong}") from wrong


class Log:
    """What a process wrote, from its beginning and from its end. Credentials and terminal codes are taken out where it
    is shown."""

    def __init__(self) -> None:
        self.size = 0
        self._head = b""
        self._tail = b""
        self._lock = threading.Lock()

    def write(self, data: bytes) -> None:
        with self._lock:
            self.size += len(data)
            room = _HEAD - len(self._head)
            self._head += data[:room]
            self._tail = (self._tail + data[room:])[-_TAIL:] if room < len(data) else self._tail

    def text(self) -> str:
        """All that was kept, fit to be shown."""
        with self._lock:
            left_out = self.size - len(self._head) - len(self._tail)
            gap = f"\n... ({left_out} bytes left out) ...\n".encode() if left_out else b""
            kept = self._head + gap + self._tail
        return shown(kept.decode("utf-8", "replace"))

    def last(self, lines: int = 12) -> str:
        """The last lines that say something, "" if it wrote nothing."""
        said = [line.rstrip()[:_LINE] for line in self.text().splitlines() if line.strip()]
        return "\n".join(said[-lines:])


def shown(text: str) -> str:
    """Without credentials, colours and characters that move the cursor."""
    plain = _COLOUR.sub("", masked(text)).replace("\r\n", "\n")
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "?" for letter in plain)


class Child:
    """``Child(["gateway", "--port", "4000"], env=environment(home), cwd=home)``. Raises NotStarted.

    ``stdio``: its standard input and output are ``stdin`` and ``stdout`` here, and only standard error goes to the log;
    otherwise it has no input, and both outputs go there.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        stdio: bool = False,
        grace: float = GRACE_S,
    ) -> None:
        self.log = Log()
        self._said = b""
        self._lifeline: int | None
        self._process, self._lifeline, self._status, log = _keep(command, env, cwd, stdio=stdio, grace=grace)
        self._reader = threading.Thread(target=self._read, args=(log,), daemon=True, name="adapter's log")
        self._reader.start()
        _LIVING.add(self)
        try:
            self.pid = self._begun(command[0])
        except NotStarted:
            self.stop()
            raise

    @property
    def stdin(self) -> IO[bytes]:
        return _pipe(self._process.stdin)

    @property
    def stdout(self) -> IO[bytes]:
        return _pipe(self._process.stdout)

    @property
    def ended(self) -> str:
        """How it ended: "exited with code 3", "was ended by SIGSEGV"; "" while it runs."""
        self._listen(0)
        _, found, code = self._said.partition(b"exited ")
        if found:
            return how(int(code))
        return "" if self._process.poll() is None else "was lost: its keeper was killed"

    @property
    def account(self) -> str:
        """How it ended, or that it runs, and the last lines it wrote."""
        state = self.ended
        if state:
            self._reader.join(0.5)
        last = self.log.last()
        return f"{state or 'is still running'}, " + (f"its last lines:\n{last}" if last else "and wrote nothing")

    def stop(self) -> None:
        """SIGTERM, SIGKILL after the grace, and nothing is left when this returns. May be called again."""
        _LIVING.discard(self)
        if self._lifeline is None:
            return
        os.close(self._lifeline)
        self._lifeline = None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LEFT_S)
        self._listen(0)
        self._reader.join(1)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not sent yet has nowhere to go
                    pipe.close()

    def _begun(self, name: str) -> int:
        """Its process id."""
        deadline = time.monotonic() + START_S
        while b"\n" not in self._said and self._listen(max(0.0, deadline - time.monotonic())):
            pass
        word, _, rest = self._said.partition(b"\n")[0].decode("utf-8", "replace").partition(" ")
        if word == "started":
            return int(rest)
        raise NotStarted(f"{name} cannot be started: {shown(rest) or 'its keeper says nothing'}")

    def _listen(self, seconds: float) -> bool:
        """Takes what the keeper says; False if it says nothing more in this time."""
        if self._status is None or not select.select([self._status], [], [], seconds)[0]:
            return False
        data = os.read(self._status, _READ)
        self._said += data
        if not data:
            os.close(self._status)
            self._status = None
        return bool(data)

    def _read(self, pipe: int) -> None:
        with open(pipe, "rb", buffering=0) as stream:
            while data := stream.read(_READ):
                self.log.write(data)


def how(code: int) -> str:
    """An exit code in words; a negative one is a signal."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was ended by {Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _keep(
    command: Sequence[str], env: Mapping[str, str], cwd: Path, *, stdio: bool, grace: float
) -> tuple[subprocess.Popen[bytes], int, int | None, int]:
    """The keeper, our ends of lifeline and status, and of the log. Raises NotStarted."""
    if os.name != "posix":
        raise NotStarted(f"{command[0]} cannot be started: processes are kept on Linux and macOS only")
    lifeline, held = os.pipe()
    status, told = os.pipe()
    log, written = os.pipe()
    try:
        keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_KEEPER), str(lifeline), str(told), str(grace), *command],
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.PIPE if stdio else subprocess.DEVNULL,
            stdout=subprocess.PIPE if stdio else written,
            stderr=written,
            pass_fds=(lifeline, told),
            start_new_session=True,
        )
    except (OSError, ValueError) as wrong:
        for end in (held, status, log):
            os.close(end)
        raise NotStarted(f"{command[0]} cannot be started: {wrong}") from wrong
    finally:
        for end in (lifeline, told, written):
            os.close(end)
    return keeper, held, status, log


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("the child was started without stdio")
    return pipe


_LIVING: Final[WeakSet[Child]] = WeakSet()


@atexit.register
def stop_all() -> None:
    """Stops what nobody stopped."""
    for child in list(_LIVING):
        child.stop()
