"""The command ``bridgecheck smoke``: starts the process that plays, reads its messages, prints the result."""

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from bridgecheck.drivers import select_adapter_or_reference
from bridgecheck.drivers.child_process import ChildProcess, NotStarted
from bridgecheck.files.project import nearest_project
from bridgecheck.model.case_json import read_known_fields
from bridgecheck.model.jsonvalue import integer, obj, text
from bridgecheck.report.side_by_side import escape_invisible
from bridgecheck.smoke import diagnosis
from bridgecheck.smoke.json_format import result_to_json
from bridgecheck.smoke.result import AdapterRoutesAndClaims, SmokeResult
from bridgecheck.smoke.terminal_report import print_result
from bridgecheck.smoke.trials import DiagnosedTrial
from bridgecheck.wire import JsonObject

START_S: Final = 30.0
"""Seconds until the first message: a Python starts."""

_WORKER: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from bridgecheck.smoke.worker import main; main(sys.argv[2], int(sys.argv[3]))"
)
"""Finds the modules that this process would find, whatever folder it runs in."""


def run_smoke(target: str, as_json: bool, upstream_port: int = 0) -> int:
    """Play and print; return the exit code. ``target`` "": the project's adapter, else the reference.
    ``upstream_port``: where a running gateway calls its provider, 0 if that is not said. Raises BadProject."""
    target = select_adapter_or_reference(target, nearest_project(Path.cwd())).target
    status = Console(file=sys.stderr, emoji=False).status("", spinner="line")
    with status if status.console.is_terminal else nullcontext():
        result = play_in_child_process(
            target, lambda activity: status.update(Text(escape_invisible(activity))), upstream_port
        )
    if as_json:
        sys.stdout.write(json.dumps(result_to_json(result), indent=2) + "\n")
    else:
        print_result(result)
    return result.exit_code


def play_in_child_process(target: str, on_activity: Callable[[str], None], upstream_port: int = 0) -> SmokeResult:
    """Play in a separate process, which has ended when this returns. ``on_activity``: called with what is played."""
    started = time.monotonic()
    command = [sys.executable, "-c", _WORKER, json.dumps(sys.path), target, str(upstream_port)]
    try:
        child = ChildProcess(command, env=dict(os.environ), cwd=Path.cwd(), stdio=True)
    except NotStarted as error:
        return SmokeResult(target, stopped=diagnosis.diagnose_harness_fault(str(error)))
    try:
        result = _Receiver(target, child, on_activity).receive()
    finally:
        child.stop()
    result.seconds = time.monotonic() - started
    return result


class _Receiver:
    """Receives the worker's messages until the last one."""

    def __init__(self, target: str, child: ChildProcess, on_activity: Callable[[str], None]) -> None:
        self._result = SmokeResult(target)
        self._child = child
        self._on_activity = on_activity
        self._activity = "its start"
        self._timeout = START_S
        self._lines: queue.Queue[bytes] = queue.Queue()

    def receive(self) -> SmokeResult:
        threading.Thread(target=self._read_lines, daemon=True, name="smoke's messages").start()
        is_last = False
        while not is_last:
            try:
                line = self._lines.get(timeout=self._timeout)
            except queue.Empty:
                log = self._child.log.last_lines()
                self._result.stopped = diagnosis.diagnose_silence(self._activity, self._timeout, log)
                break
            if not line:
                log = self._child.log.last_lines()
                self._result.stopped = diagnosis.diagnose_exit(self._activity, self._describe_end(), log)
                break
            is_last = self._note_message(obj(json.loads(line)))
        return self._result

    def _read_lines(self) -> None:
        for line in self._child.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _describe_end(self) -> str:
        """Return how the process ended, which is known a moment after its last line."""
        deadline = time.monotonic() + 1
        while not self._child.exit_description and time.monotonic() < deadline:
            time.sleep(0.01)
        return self._child.exit_description or "closed its output"

    def _note_message(self, message: JsonObject) -> bool:
        """Note one message; return whether it is the last."""
        if "activity" in message:
            self._activity, self._timeout = text(message["activity"]), float(str(message.get("timeout", START_S)))
            self._on_activity(self._activity)
        elif "adapter" in message:
            self._result.adapter = read_known_fields(AdapterRoutesAndClaims, message["adapter"], "adapter")
        elif "trial" in message:
            self._result.trials.append(read_known_fields(DiagnosedTrial, message["trial"], "trial"))
        elif "refused" in message:
            self._result.stopped = read_known_fields(diagnosis.Diagnosis, message["refused"], "refused")
        elif "failed" in message:
            self._result.stopped = diagnosis.diagnose_harness_fault(text(message["failed"]))
        else:
            self._result.skipped = integer(message.get("skipped")) or 0
        return not message.keys() & {"activity", "adapter", "trial"}
