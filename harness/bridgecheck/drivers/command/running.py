"""A command as an adapter: started by the first request, limited in time, started again after it broke."""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from shlex import join, quote
from tempfile import TemporaryDirectory
from typing import Final

from bridgecheck import __version__
from bridgecheck.drivers.child_process import ChildProcess, NotStarted, child_environment, mask_and_clean, write_files
from bridgecheck.drivers.command.protocol import VERSION, Op
from bridgecheck.drivers.command.shim import Shim, ShimAnswerWithKind, ShimFailure, ShimResult
from bridgecheck.drivers.foreign_code import Crashed, Ended, Hung, Refused, remaining_seconds
from bridgecheck.drivers.recipe_keys import fill_placeholders
from bridgecheck.errors import HarnessError
from bridgecheck.wire import CLIENT_DIALECTS, JsonObject

START_S: Final = 15.0
"""Seconds until ``start`` is answered: programs that import much are slow to begin."""

STOP_S: Final = 2.0
GRACE_S: Final = 0.5
"""Seconds between SIGTERM and SIGKILL: a shim has nothing to save."""


_GREETING: Final[JsonObject] = {"bridgecheck": VERSION, "harness": __version__, "dialects": list(CLIENT_DIALECTS)}


class CommandStartFailed(HarnessError):
    """The command gave no first answer, so nothing is known about the adapter."""

    code = "adapter-start"


@dataclass(frozen=True, slots=True)
class Launch:
    """How a command is started. ``env``: besides PATH, LANG, HOME and TMPDIR. ``files``: name in its home -> content,
    written before each start. In all of them ``{tmp}`` is that home. ``start_s``: seconds until ``start`` has to be
    answered."""

    command: Sequence[str]
    cwd: Path
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    start_s: float = START_S


class Command:
    """A command and its running process, if any. ``start``: its answer to ``start``, {} before. ``start_count``: how
    often it was started."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.start: JsonObject = {}
        self.start_count = 0
        self._shim: Shim | None = None
        self._failed: CommandStartFailed | None = None
        self._stack = ExitStack()

    @property
    def manual_check_command(self) -> str:
        """A shell command that shows the program's first answer."""
        greeting = json.dumps({"id": 1, "op": "start", **_GREETING})
        return f"echo {quote(greeting)} | {join(self.launch.command)}"

    def running_shim(self) -> Shim:
        """Return a running shim. One that failed between two requests is returned once more, so that the failure is
        reported. Raises CommandStartFailed; a command that did not start once is not waited for again."""
        if self._failed is not None:
            raise replace(self._failed)
        if self._shim is None or (self._shim.failure and self._shim.failure_reported):
            self.close()
            try:
                self._shim = self._start_shim()
            except CommandStartFailed as error:
                self._failed = error
                raise
        return self._shim

    def request(self, op: Op, members: JsonObject, shim: Shim | None = None) -> JsonObject:
        """Send a request and return the members of its answer. ``shim``: the one that has to answer. Raises Crashed,
        Refused and CommandStartFailed."""
        return require_successful_answer(
            _await_result(shim or self.running_shim(), op, members, remaining_seconds(self.launch.start_s))
        ).members

    def close(self) -> None:
        """Stop the child; the next request starts it again."""
        shim, self._shim = self._shim, None
        if shim is not None and not shim.failure:
            _await_result(shim, "stop", {}, STOP_S)
        self._stack.close()

    def _start_shim(self) -> Shim:
        self.start_count += 1
        home = Path(self._stack.enter_context(TemporaryDirectory(prefix="bridgecheck-", ignore_cleanup_errors=True)))
        try:
            child = _write_files_and_start_child(self.launch, home)
        except NotStarted as error:
            self._stack.close()
            where, next_step = str(self.launch.cwd), self.manual_check_command
            raise CommandStartFailed(str(error), where, "a program that can be run", next_step) from error
        shim = Shim(child)
        self._stack.callback(shim.kill, "it was stopped")
        self.start = self._require_start_answer(_await_result(shim, "start", dict(_GREETING), self.launch.start_s))
        return shim

    def _require_start_answer(self, result: ShimResult) -> JsonObject:
        answer = result.members if isinstance(result, ShimAnswerWithKind) else {}
        if isinstance(result, ShimAnswerWithKind) and result.kind == "bridgecheck" and answer["bridgecheck"] == VERSION:
            return answer
        self._stack.close()
        reason, log = str(answer.get("unsupported") or answer.get("errored") or ""), ""
        if isinstance(result, ShimFailure):
            reason, log = result.reason, result.log
        if "bridgecheck" in answer:
            reason = f"it speaks version {answer['bridgecheck']} of the protocol"
        message = f"{join(self.launch.command)} did not start to answer: {mask_and_clean(reason)}"
        expected = f'{{"id": 1, "bridgecheck": {VERSION}, "name": ..., "version": ...}} on its standard output'
        raise CommandStartFailed(message, str(self.launch.cwd), expected, self.manual_check_command, log)


def _write_files_and_start_child(launch: Launch, home: Path) -> ChildProcess:
    """Raises NotStarted."""
    placeholders = {"tmp": str(home)}
    write_files(home, launch.files, placeholders)
    env = {name: fill_placeholders(value, placeholders) for name, value in launch.env.items()}
    command = [fill_placeholders(argument, placeholders) for argument in launch.command]
    cwd = Path(fill_placeholders(str(launch.cwd), placeholders))
    return ChildProcess(command, env=child_environment(home, env), cwd=cwd, stdio=True, grace=GRACE_S, home=home)


def require_successful_answer(result: ShimResult) -> ShimAnswerWithKind:
    """Return the answer, if it is a normal one. Raises Crashed or Refused."""
    if isinstance(result, ShimFailure):
        kind = Hung if result.slow else Ended if result.ended else Crashed
        raise kind(str(result))
    if result.kind == "unsupported":
        raise Refused(str(result.members["unsupported"]))
    if result.kind == "errored":
        reason, traceback = str(result.members["errored"]), str(result.members.get("traceback", ""))
        raise Crashed(traceback if reason in traceback else "\n".join(filter(None, (traceback, reason))))
    return result


def timeout_message(op: Op, seconds: float) -> str:
    return f"no answer to {op} within {seconds:.2g} s"


def _await_result(shim: Shim, op: Op, members: JsonObject, seconds: float) -> ShimResult:
    """Return the result of a request; without one in this time the child is killed."""
    results: SimpleQueue[ShimResult] = SimpleQueue()
    deadline = time.monotonic() + seconds
    shim.send_request(op, members, results.put, deadline)
    try:
        return results.get(timeout=max(0.0, deadline - time.monotonic()))
    except Empty:
        shim.kill_in_background(timeout_message(op, seconds))
        return results.get()
