"""``bridgecheck smoke``: whether an adapter is wired right, in seconds; what it could claim; what is wrong if not."""

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bridgecheck.cli.project import here
from bridgecheck.cli.smoke_lines import Smoked, adapter_from_dict, tried_from_dict
from bridgecheck.drivers import named
from bridgecheck.drivers.child import Child, NotStarted
from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.run import diagnose_process
from bridgecheck.run.diagnose import Diagnosis
from bridgecheck.wire import JsonObject

START_S: Final = 30.0
"""Seconds until the first line: a Python starts."""

_WORKER: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from bridgecheck.cli.smoke_worker import main; main(sys.argv[2])"
)
"""With the modules that this process would find, wherever it is run from."""


def smoke(target: str, as_json: bool) -> int:
    """Plays, shows, and gives the exit code. ``target`` "": the project's adapter, else the reference. Raises
    BadProject."""
    from bridgecheck.cli import smoke_json, smoke_page

    with smoke_page.Waiting() as waiting:
        smoked = play(named(target, here()).target, waiting.say)
    if as_json:
        sys.stdout.write(json.dumps(smoke_json.to_json(smoked), indent=2) + "\n")
    else:
        smoke_page.show(smoked)
    return smoked.exit_code


def play(target: str, doing: Callable[[str], None]) -> Smoked:
    """Plays in a process of its own, which is gone when this returns. ``doing``: told what is played."""
    started = time.monotonic()
    command = [sys.executable, "-c", _WORKER, json.dumps(sys.path), target]
    try:
        child = Child(command, env=dict(os.environ), cwd=Path.cwd(), stdio=True)
    except NotStarted as wrong:
        return Smoked(target, stopped=diagnose_process.of_fault(str(wrong)))
    try:
        smoked = _Listener(target, child, doing).listen()
    finally:
        child.stop()
    smoked.seconds = time.monotonic() - started
    return smoked


class _Listener:
    """Takes what the worker says until it says no more."""

    def __init__(self, target: str, child: Child, doing: Callable[[str], None]) -> None:
        self._smoked = Smoked(target)
        self._child = child
        self._told = doing
        self._doing = "its start"
        self._within = START_S
        self._over = False
        self._lines: queue.Queue[bytes] = queue.Queue()

    def listen(self) -> Smoked:
        threading.Thread(target=self._read, daemon=True, name="smoke's lines").start()
        while not self._over:
            try:
                line = self._lines.get(timeout=self._within)
            except queue.Empty:
                self._stop(diagnose_process.of_silence(self._doing, self._within, self._child.log.last()))
                break
            if not line:
                self._stop(diagnose_process.of_death(self._doing, self._how(), self._child.log.last()))
                break
            self._take(obj(json.loads(line)))
        return self._smoked

    def _read(self) -> None:
        for line in self._child.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _how(self) -> str:
        """The end is told a moment after the last line."""
        deadline = time.monotonic() + 1
        while not self._child.ended and time.monotonic() < deadline:
            time.sleep(0.01)
        return self._child.ended or "closed its output"

    def _take(self, said: JsonObject) -> None:
        if "doing" in said:
            self._doing, self._within = text(said["doing"]), float(str(said.get("within", START_S)))
            self._told(self._doing)
        elif "adapter" in said:
            self._smoked.adapter = adapter_from_dict(said["adapter"])
        elif "tried" in said:
            self._smoked.tried.append(tried_from_dict(said["tried"]))
        else:
            self._end(said)

    def _end(self, said: JsonObject) -> None:
        self._over = True
        self._smoked.left = int(str(said.get("left", 0)))
        if "refused" in said:
            error = {name: text(value) for name, value in obj(said["refused"]).items()}
            self._stop(diagnose_process.of_refusal(error))
        elif "broken" in said:
            self._stop(diagnose_process.of_fault(text(said["broken"])))

    def _stop(self, why: Diagnosis) -> None:
        self._smoked.stopped = why
