"""Adapters in Python that do what no adapter should: one function each, under its name in ``AT_IMPORT`` or ``IN_CALL``.

Each converts wrongly, so that a run of it must fail, whatever it does besides. Those ``AT_IMPORT`` do it when their
module is imported, those ``IN_CALL`` when a request is to be converted.
"""

import atexit
import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Final, TypeAlias

Behaviour: TypeAlias = Callable[[], object]

GIB: Final = 1024**3


class Adapter:
    name, version = "hostile", "1"
    routes = (("openai-chat", "gemini"),)

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour

    def to_upstream(self, body: dict[str, Any], **context: object) -> object:
        return self._behaviour()

    def from_upstream(self, body: dict[str, Any], **context: object) -> object:
        return 200, {"wrong": True}

    def stream(self, **context: object) -> object:
        raise RuntimeError("it cannot")


def make_adapter(name: str) -> Adapter:
    """Return the adapter of this name; called while its module is imported."""
    if name in AT_IMPORT:
        AT_IMPORT[name]()
        return Adapter(lambda: {"wrong": True})
    return Adapter(IN_CALL[name])


def exit_at_once() -> None:
    os._exit(0)


def exit_when_the_interpreter_ends() -> None:
    atexit.register(os._exit, 0)


def leave_by_system_exit() -> None:
    sys.exit(0)


def interrupt() -> None:
    raise KeyboardInterrupt


def crash_interpreter() -> None:
    ctypes.string_at(0)


def send_sigterm_to_itself() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(30)


def loop() -> None:
    while True:
        pass


def match_for_ever() -> None:
    re.match(r"(a+)+$", "a" * 60 + "b")


def swallow_every_exception() -> None:
    while True:
        try:
            time.sleep(0.01)
        except BaseException:
            continue


def make_long_text() -> object:
    return {"contents": [{"role": "user", "parts": [{"text": "x" * (2 * GIB)}]}]}


def make_long_list() -> object:
    return {"contents": [0] * 300_000_000}


def nest_deeply(levels: int = 100_000) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return {"contents": value}


def add_many_keys() -> object:
    return {"contents": [], **{f"key{number}": number for number in range(100_000)}}


def return_cycle() -> object:
    value: dict[str, object] = {}
    value["contents"] = [value]
    return value


def recurse() -> object:
    return recurse()


def leave_daemon() -> object:
    subprocess.Popen(["sleep", "300"], start_new_session=True)
    return {"wrong": True}


def leave_fork_that_holds_every_pipe() -> object:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(300)
        os._exit(0)
    return {"wrong": True}


def leave_thread() -> object:
    threading.Thread(target=time.sleep, args=(300,), daemon=False).start()
    return {"wrong": True}


def write_to_standard_output() -> object:
    os.write(1, b'\x00\xff{"id": 1}\n' * 100_000)
    sys.stdout.write("</script>\n")
    return {"wrong": True}


def patch_json() -> object:
    json.loads = lambda *arguments, **options: {}
    json.dumps = lambda *arguments, **options: "{}"
    json.JSONEncoder.encode = lambda *arguments: "{}"  # type: ignore[method-assign]
    json.JSONDecoder.decode = lambda *arguments: {}  # type: ignore[method-assign]
    return {"wrong": True}


def change_folder() -> object:
    os.chdir("/")
    return {"wrong": True}


def clear_environment() -> object:
    os.environ.clear()
    return {"wrong": True}


AT_IMPORT: Final[dict[str, Behaviour]] = {
    "exits-at-import": exit_at_once, "exits-at-end": exit_when_the_interpreter_ends,
    "system-exit-at-import": leave_by_system_exit, "interrupt-at-import": interrupt,
    "crash-at-import": crash_interpreter, "thread-at-import": leave_thread, "daemon-at-import": leave_daemon,
    "patches-json-at-import": patch_json, "loops-at-import": loop, "long-list-at-import": make_long_list,
}  # fmt: skip
IN_CALL: Final[dict[str, Behaviour]] = {
    "exits": exit_at_once, "system-exit": leave_by_system_exit, "interrupt": interrupt, "crash": crash_interpreter,
    "sigterm": send_sigterm_to_itself, "loops": loop, "regular-expression": match_for_ever,
    "swallows": swallow_every_exception, "long-text": make_long_text, "long-list": make_long_list,
    "deep": nest_deeply, "deep-900": lambda: nest_deeply(900), "many-keys": add_many_keys, "cycle": return_cycle, "recursion": recurse, "daemon": leave_daemon,
    "fork": leave_fork_that_holds_every_pipe, "thread": leave_thread, "writes": write_to_standard_output,
    "patches-json": patch_json, "chdir": change_folder, "clears-environment": clear_environment,
}  # fmt: skip
