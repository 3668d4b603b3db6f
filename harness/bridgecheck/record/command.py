"""``bridgecheck record``: a recorder around a command, or until it is interrupted."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final

from bridgecheck.drivers.environment import DUMMY_KEY
from bridgecheck.errors import RefusedAtStart
from bridgecheck.record.options import RecordOptions
from bridgecheck.record.recorder import Recorder
from bridgecheck.record.summary import summary_lines
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import base_url

_BASE_URLS: Final[Mapping[str, Dialect]] = {
    "OPENAI_BASE_URL": "openai-chat", "ANTHROPIC_BASE_URL": "anthropic", "GOOGLE_GEMINI_BASE_URL": "gemini",
}  # fmt: skip
_KEYS: Final = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")
_KILLED: Final = 128
"""Added to a signal's number, as shells do."""
_TERMINATE_S: Final = 5.0
"""How long an interrupted command may take to end."""


class BadCommand(RefusedAtStart):
    """The command after -- cannot be started."""


def run_recorder(options: RecordOptions) -> int:
    """Serve until the command ends or the process is interrupted; return the exit code. Raises RefusedAtStart."""
    with Recorder(options) as recorder:
        _print(f"[left-over] {message}" for message in recorder.left_over)
        sys.stdout.write(f"listening on {recorder.origin}\n")
        sys.stdout.flush()
        code = _run_command(recorder) if options.command else _wait_for_interruption()
    _print(summary_lines(recorder.result))
    return code or recorder.result.exit_code


def environment_of_clients(recorder: Recorder, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return environment variables with which SDKs find the recorder; with dummies for keys that are not set where the
    recorder brings the key, or where none is needed."""
    base_urls = {name: base_url(dialect, recorder.origin) for name, dialect in _BASE_URLS.items()}
    needs_dummies = recorder.options.mode == "replay" or any(provider.key for provider in recorder.providers)
    dummies = {name: DUMMY_KEY for name in _KEYS if needs_dummies and not environment.get(name)}
    return {**environment, **dummies, **base_urls}


def _run_command(recorder: Recorder) -> int:
    """Return the command's exit code."""
    command = list(recorder.options.command)
    try:
        process = subprocess.Popen(command, env=environment_of_clients(recorder))
    except OSError as error:
        what = f"the command cannot be started: {error.strerror}"
        raise BadCommand(what, command[0], "a program on the PATH, after --") from error
    try:
        code = process.wait()
    except KeyboardInterrupt:
        code = _end_process(process)
    return code if code >= 0 else _KILLED - code


def _end_process(process: "subprocess.Popen[bytes]") -> int:
    process.terminate()
    try:
        return process.wait(_TERMINATE_S)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        return process.wait()


def _wait_for_interruption() -> int:
    """Return at Ctrl-C, SIGTERM or SIGHUP, which end a recording in the ordinary way."""
    with suppress(KeyboardInterrupt):
        threading.Event().wait()
    return 0


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
