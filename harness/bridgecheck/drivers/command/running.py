"""A command as an adapter: started when it is asked for, asked with a time limit, started again after it broke."""

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
from bridgecheck.drivers.child import Child, NotStarted, environment, shown, write_files
from bridgecheck.drivers.command.protocol import VERSION, Op
from bridgecheck.drivers.command.shim import Broken, Heard, Said, Shim
from bridgecheck.drivers.placeholders import filled
from bridgecheck.drivers.supervise import Crashed, Hung, Refused, remaining
from bridgecheck.errors import HarnessError
from bridgecheck.wire import CLIENT_DIALECTS, JsonObject

START_S: Final = 15.0
"""Seconds until ``start`` is answered: programs that import much are slow to begin."""

STOP_S: Final = 2.0
GRACE_S: Final = 0.5
"""Seconds between SIGTERM and SIGKILL: a shim has nothing to save."""


_HELLO: Final[JsonObject] = {"bridgecheck": VERSION, "harness": __version__, "dialects": list(CLIENT_DIALECTS)}


class NotAnswering(HarnessError):
    """The command did not begin to speak: nothing can be said of the adapter."""

    code = "adapter-start"


@dataclass(frozen=True, slots=True)
class Launch:
    """``env``: beside PATH, LANG, HOME and TMPDIR. ``files``: name in its home -> content, written before each start.
    In all of them ``{tmp}`` is that home. ``start_s``: seconds until ``start`` has to be answered."""

    command: Sequence[str]
    cwd: Path
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    start_s: float = START_S


class Command:
    """``start``: what the adapter said when it began, {} before."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.start: JsonObject = {}
        self._shim: Shim | None = None
        self._failed: NotAnswering | None = None
        self._stack = ExitStack()

    @property
    def by_hand(self) -> str:
        """A shell command that shows what the program answers first."""
        hello = json.dumps({"id": 1, "op": "start", **_HELLO})
        return f"echo {quote(hello)} | {join(self.launch.command)}"

    def shim(self) -> Shim:
        """One that runs. One that broke between two requests is given once more, so that somebody hears of it. Raises
        NotAnswering; where it did not start once it is not waited for again."""
        if self._failed is not None:
            raise replace(self._failed)
        if self._shim is None or (self._shim.broken and self._shim.told):
            self.close()
            try:
                self._shim = self._started()
            except NotAnswering as wrong:
                self._failed = wrong
                raise
        return self._shim

    def ask(self, op: Op, members: JsonObject, shim: Shim | None = None) -> JsonObject:
        """The answer of an operation that has one. ``shim``: the very one that has to answer. Raises Crashed, Refused
        and NotAnswering."""
        return answer_of(_heard(shim or self.shim(), op, members, remaining(self.launch.start_s))).members

    def close(self) -> None:
        """Stops the child; it may be asked again, and is started again then."""
        shim, self._shim = self._shim, None
        if shim is not None and not shim.broken:
            _heard(shim, "stop", {}, STOP_S)
        self._stack.close()

    def _started(self) -> Shim:
        home = Path(self._stack.enter_context(TemporaryDirectory(prefix="bridgecheck-", ignore_cleanup_errors=True)))
        try:
            child = _child(self.launch, home)
        except NotStarted as wrong:
            self._stack.close()
            raise NotAnswering(str(wrong), str(self.launch.cwd), "a program that can be run", self.by_hand) from wrong
        shim = Shim(child)
        self._stack.callback(shim.end, "it was stopped")
        self.start = self._greeted(_heard(shim, "start", dict(_HELLO), self.launch.start_s))
        return shim

    def _greeted(self, heard: Heard) -> JsonObject:
        said = heard.members if isinstance(heard, Said) else {}
        if isinstance(heard, Said) and heard.sort == "bridgecheck" and said["bridgecheck"] == VERSION:
            return said
        self._stack.close()
        words = heard.words if isinstance(heard, Broken) else str(said.get("unsupported") or said.get("errored") or "")
        if "bridgecheck" in said:
            words = f"it speaks version {said['bridgecheck']} of the protocol"
        what = f"{join(self.launch.command)} did not start to answer: {shown(words)}"
        expected = f'{{"id": 1, "bridgecheck": {VERSION}, "name": ..., "version": ...}} on its standard output'
        raise NotAnswering(what, str(self.launch.cwd), expected, self.by_hand)


def _child(launch: Launch, home: Path) -> Child:
    """Raises NotStarted."""
    own = {"tmp": str(home)}
    write_files(home, launch.files, own)
    env = {name: filled(value, own) for name, value in launch.env.items()}
    command = [filled(word, own) for word in launch.command]
    cwd = Path(filled(str(launch.cwd), own))
    return Child(command, env=environment(home, env), cwd=cwd, stdio=True, grace=GRACE_S)


def answer_of(heard: Heard) -> Said:
    """The answer, if it is one to go on with. Raises Crashed or Refused."""
    if isinstance(heard, Broken):
        raise Hung(heard.words) if heard.slow else Crashed(heard.words)
    if heard.sort == "unsupported":
        raise Refused(str(heard.members["unsupported"]))
    if heard.sort == "errored":
        raise Crashed(_trace(str(heard.members["errored"]), str(heard.members.get("traceback", ""))))
    return heard


def no_answer(op: Op, seconds: float) -> str:
    return f"no answer to {op} within {seconds:.2g} s"


def _heard(shim: Shim, op: Op, members: JsonObject, seconds: float) -> Heard:
    """What is heard in this time; if nothing is, the child is ended."""
    box: SimpleQueue[Heard] = SimpleQueue()
    until = time.monotonic() + seconds
    shim.ask(op, members, box.put, until)
    try:
        return box.get(timeout=max(0.0, until - time.monotonic()))
    except Empty:
        shim.too_slow(no_answer(op, seconds))
        return box.get()


def _trace(words: str, traceback: str) -> str:
    return traceback if words in traceback else "\n".join(filter(None, (traceback, words)))
