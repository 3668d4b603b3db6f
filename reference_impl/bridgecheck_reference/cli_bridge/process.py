"""One run of a command-line program: input in, bytes of output out, and its whole process group ended.

The program leads a session and process group of its own. When it ends, by itself or not, so does everything that it
started and left behind in that group: nothing keeps its output open.
"""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, SubprocessStreamProtocol
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

_CHUNK_BYTES: Final = 64 * 1024
STDERR_TAIL_BYTES: Final = 16 * 1024
TERMINATE_S: Final = 2.0
"""How long a program may take to end itself on SIGTERM, in seconds."""


class CliProcess:
    """A started program; ``start`` makes one. ``aclose`` at the end, whatever happened."""

    def __init__(self, process: asyncio.subprocess.Process, stdin: bytes, exited: asyncio.Event) -> None:
        self._process = process
        self._exited = exited
        self._tail = bytearray()
        self._feeding = asyncio.create_task(self._feed(stdin))
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(
        cls, command: Sequence[str], stdin: bytes, *, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> "CliProcess":
        """Start ``command`` and give it ``stdin``, which is closed behind it. ``OSError``: it cannot be started.

        ``cwd``, ``env``: None is this process's own.
        """
        loop = asyncio.get_running_loop()
        exited = asyncio.Event()
        transport, protocol = await loop.subprocess_exec(
            lambda: _Protocol(loop, exited.set),
            *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=cwd, env=env, start_new_session=True,
        )  # fmt: skip
        return cls(asyncio.subprocess.Process(transport, protocol, loop), stdin, exited)

    @property
    def pid(self) -> int:
        """The program's process id, and that of its group."""
        return self._process.pid

    @property
    def stderr_tail(self) -> str:
        """The last 16 KiB that it printed as warnings and errors."""
        return self._tail.decode("utf-8", "replace")

    async def output(self) -> AsyncIterator[bytes]:
        """Yield what it prints as it comes, to the end."""
        assert self._process.stdout is not None
        ending = asyncio.create_task(self._end_group_after_leader())
        try:
            while data := await self._process.stdout.read(_CHUNK_BYTES):
                yield data
        finally:
            ending.cancel()

    async def wait(self) -> int:
        """Return its exit code when it has ended and both its outputs are read; -N where signal N ended it."""
        await self._exited.wait()
        self._signal_group(signal.SIGKILL)
        await self._listening
        code = self._process.returncode
        assert code is not None  # set before ``exited`` is
        return code

    async def aclose(self) -> None:
        """End the whole group: SIGTERM, and after two seconds, or when cancelled, SIGKILL. May be called again."""
        try:
            if not self._exited.is_set():
                self._signal_group(signal.SIGTERM)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._exited.wait(), TERMINATE_S)
        finally:
            self._signal_group(signal.SIGKILL)
            self._feeding.cancel()
        await self._exited.wait()
        await asyncio.gather(self._feeding, self._listening, return_exceptions=True)

    def _signal_group(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def _end_group_after_leader(self) -> None:
        await self._exited.wait()
        self._signal_group(signal.SIGKILL)

    async def _feed(self, data: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        with suppress(BrokenPipeError, ConnectionResetError):  # it ended, or does not read its input
            stdin.write(data)
            await stdin.drain()
            stdin.close()
            await stdin.wait_closed()

    async def _listen(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        while data := await stderr.read(_CHUNK_BYTES):
            self._tail += data
            del self._tail[:-STDERR_TAIL_BYTES]


class _Protocol(SubprocessStreamProtocol):
    """Tells of the exit itself; ``Process.wait`` of some Python versions waits for the pipes too."""

    def __init__(self, loop: asyncio.AbstractEventLoop, on_exit: Callable[[], None]) -> None:
        super().__init__(limit=_CHUNK_BYTES, loop=loop)
        self._on_exit = on_exit

    def process_exited(self) -> None:
        super().process_exited()
        self._on_exit()
