"""``python:``: an adapter in Python, in a process of its own; it is imported there and nowhere else.

The process (run/python_worker) imports the adapter, drives it and plays recordings to it; what came of it is judged
here. It is limited in time, in memory and in what it sends; what it prints goes to a log. Whatever it does ends at
worst in its own end, which is the adapter's crash, and a new process follows.
"""

import json
import os
import pickle
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast

from bridgecheck.drivers import python_frames as frames
from bridgecheck.drivers.child_process import ChildProcess, NotStarted, mask_and_clean
from bridgecheck.drivers.driver import WIRE_METHODS, Driver
from bridgecheck.drivers.environment import scrub_environment
from bridgecheck.drivers.foreign_code import IMPORT_S, Crashed, Ended, Hung
from bridgecheck.drivers.inprocess import ConvertedRequest, ConvertedResponse
from bridgecheck.drivers.python_frames import BadFrame, FailedInProcess
from bridgecheck.errors import BadTarget, HarnessError
from bridgecheck.model.adapter import AdapterInfo, Connects, Converses, Converter, Handles, Route
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import Dialect, JsonObject

MAX_RESIDENT_BYTES: Final = 2 * 1024**3
"""Bytes of memory that the process, or one that it starts, may have resident."""

MARGIN_S: Final = 5.0
"""Seconds that the process has to tell of a hang itself: it cannot where the adapter lets nothing else run."""

_GRACE_S: Final = 0.5
_POLL_S: Final = 0.2
_READ_BYTES: Final = 1024 * 1024
_STACK_S: Final = 0.3
"""Seconds for the process to write down where it stands, before it is killed."""
_LOG_LINES: Final = 40

_WORKER: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from bridgecheck.run.python_worker import main; main(sys.argv[2])"
)
"""Finds the modules that this process would find."""


class ProcessNotStarted(HarnessError):
    """The process, which ran before, cannot be started again."""

    code = "adapter-start"


class PythonProcess:
    """An adapter and its running process, if any. ``target``: "package.module:object". ``root``: a further folder that
    may hold its modules. ``edge_url``: where the provider of the last case listened, "" if nowhere."""

    def __init__(self, target: str, root: Path | None = None) -> None:
        self.target = target
        self.edge_url = ""
        self._search = [str(root)] if root is not None else []
        self._child: ChildProcess | None = None
        self._received = bytearray()
        self._description: JsonObject = {}

    @property
    def running_process(self) -> int:
        """The id of the process that runs, 0 for none."""
        return self._child.pid if self._child is not None else 0

    def describe(self) -> JsonObject:
        """Start the process, unless it runs, and return how the adapter describes itself. Raises BadTarget."""
        if self._child is not None:
            return self._description
        try:
            self._start()
        except NotStarted as error:
            raise BadTarget(f"no process for it: {error}", f"python:{self.target}") from error
        except FailedInProcess as error:
            raise BadTarget(error.what, error.where, error.expected, error.next_step) from error
        except Crashed as error:
            what = f"it cannot be imported: {mask_and_clean(str(error))}"
            command = f"{Path(sys.executable).name} -c 'import {self.target.partition(':')[0]}'"
            raise BadTarget(what, f"python:{self.target}", "a module that this Python can import", command) from error
        return self._description

    def convert_request(self, request: Request, upstream: Dialect, seconds: float) -> ConvertedRequest:
        """As ``inprocess.convert_request``."""
        result = self.request("convert_request", request, upstream, seconds=seconds)
        sent = Request(upstream, request.mode, obj(result.get("body")), text(result.get("model")))
        return ConvertedRequest(sent, frames.losses_from_json(result.get("losses")))

    def convert_response(
        self, response: Response, request: Request, seconds: float, second: Response | None = None
    ) -> ConvertedResponse:
        """As ``inprocess.convert_response``; with ``second`` as ``inprocess.convert_interleaved``."""
        result = self.request("convert_response", response, request, second, seconds=seconds)
        try:
            answer = frames.response_from_json(result.get("response"), request.dialect, response.mode)
        except BadFrame as error:
            raise Crashed(str(error)) from error
        losses = frames.losses_from_json(result.get("losses"))
        return ConvertedResponse(answer, losses, text(result.get("arrivals")))

    def request(
        self, operation: str, *arguments: object, seconds: float,
        answer_turn: Callable[[JsonObject], object] | None = None,
    ) -> JsonObject:  # fmt: skip
        """Return the result of an operation. ``answer_turn``: returns the request of a turn. Raises Crashed, Refused
        and HarnessError."""
        if self._child is None:
            try:
                self._start()
            except (NotStarted, FailedInProcess, Crashed) as error:
                raise ProcessNotStarted(f"{self.target} cannot be started again: {error}") from error
        try:
            self._send((operation, *arguments, seconds), seconds)
            # Above the wire layer the process imports an SDK first.
            first_limit = IMPORT_S if operation == "play" else seconds + MARGIN_S
            return self._receive_result(first_limit, seconds, answer_turn or _refuse_question)
        except Hung:
            self.close()
            raise

    def close(self) -> None:
        """End the process and all that it started; the next request starts it again."""
        child, self._child = self._child, None
        self._received.clear()
        if child is not None:
            child.stop()

    def _start(self) -> None:
        """Raises NotStarted, Crashed and FailedInProcess."""
        search = [*self._search, str(Path.cwd()), *sys.path]
        command = [sys.executable, "-c", _WORKER, json.dumps(list(dict.fromkeys(search))), self.target]
        self._child = ChildProcess(
            command, env=scrub_environment(os.environ), cwd=Path.cwd(), stdio=True, grace=_GRACE_S,
            memory=MAX_RESIDENT_BYTES,
        )  # fmt: skip
        os.set_blocking(self._child.stdin.fileno(), False)
        try:
            self._description = self._receive_result(IMPORT_S, 0, _refuse_question)
        except BaseException:
            self.close()
            raise

    def _send(self, message: object, seconds: float) -> None:
        """Raises Crashed."""
        assert self._child is not None
        data = pickle.dumps(message)
        pipe, rest = self._child.stdin.fileno(), memoryview(frames.HEAD.pack(len(data)) + data)
        deadline = time.monotonic() + seconds + MARGIN_S
        while rest:
            if not select.select([], [pipe], [], max(0.0, deadline - time.monotonic()))[1]:
                raise self._hang(seconds)
            try:
                rest = rest[os.write(pipe, rest) :]
            except OSError:
                return  # it has ended, which the next read tells

    def _receive_result(
        self, first_limit: float, seconds: float, answer_turn: Callable[[JsonObject], object]
    ) -> JsonObject:
        """Return the result, after all that comes before it. ``first_limit``: seconds until the first message;
        ``seconds``: the adapter's time, for each that follows. Raises Crashed, Refused and HarnessError."""
        limit = first_limit
        while True:
            message = self._receive_message(limit)
            limit = seconds + MARGIN_S
            if "turn" in message:
                try:
                    self._send(answer_turn(message), seconds)
                except BaseException:  # it waits for an answer that it will not get
                    self.close()
                    raise
            elif "failed" in message:
                raise frames.failure_from_json(message["failed"])
            elif "result" in message:
                return obj(message["result"])

    def _receive_message(self, limit: float) -> JsonObject:
        try:
            head = self._receive_bytes(frames.HEAD.size, limit)
            size = frames.HEAD.unpack(head)[0]
            if size > frames.MAX_FRAME_BYTES:
                raise BadFrame(f"its answer is longer than {frames.MAX_FRAME_BYTES} bytes")
            return frames.decode_message(self._receive_bytes(size, limit))
        except BadFrame as error:
            self.close()
            raise Ended(str(error)) from error

    def _receive_bytes(self, count: int, limit: float) -> bytes:
        child, deadline = self._child, time.monotonic() + limit
        assert child is not None
        pipe = child.stdout.fileno()
        while len(self._received) < count:
            if select.select([pipe], [], [], _POLL_S)[0]:
                data = os.read(pipe, _READ_BYTES)
                self._received += data
                if not data:
                    raise self._end(child)
            elif child.exit_description:  # something that it started may hold the pipe
                raise self._end(child)
            elif time.monotonic() > deadline:
                raise self._hang(limit)
        data = bytes(self._received[:count])
        del self._received[:count]
        return data

    def _end(self, child: ChildProcess) -> Ended:
        """Return the crash of a process that ended by itself."""
        deadline = time.monotonic() + 1
        while not child.exit_description and time.monotonic() < deadline:
            time.sleep(0.01)
        state, last_lines = child.state_and_last_lines
        self.close()
        return Ended(f"{last_lines}\nthe process of the adapter {state}".strip())

    def _hang(self, seconds: float) -> Hung:
        """Return the hang of a process that does not even tell where it stands; its log may."""
        child = self._child
        assert child is not None
        with suppress(OSError, AttributeError):
            os.kill(child.pid, signal.SIGUSR1)
            time.sleep(_STACK_S)
        lines = child.log.last_lines(_LOG_LINES)
        self.close()
        return Hung(f"{lines}\nno answer within {seconds:g} s, and no sign of life".strip())


def _refuse_question(question: JsonObject) -> object:
    raise Crashed(f"it needs the request of turn {question.get('turn')}, where nothing is played")


def driver_of_python_target(target: str, rest: str, root: Path | None = None) -> Driver:
    """Import the adapter in a process of its own; return its driver. Raises BadTarget."""
    module_name, _, name = rest.partition(":")
    if not module_name or not name:
        raise BadTarget(f"{target!r} names no object", "--adapter", "python:package.module:object")
    process = _process_of(rest, root, Path.cwd(), tuple(sys.path))
    described = process.describe()
    methods, info = frozenset(map(text, arr(described.get("methods")))), obj(described.get("info"))
    wire = {method: _raise_if_called for method in WIRE_METHODS if method in methods}

    def stand_in(method: str) -> Any:
        return SimpleNamespace(**{method: _raise_if_called}) if method in methods else None

    return Driver(
        target=target, info=_info_from_json(info), process=process,
        converter=cast(Converter, SimpleNamespace(**wire)) if wire else None,
        connects=cast("Connects | None", stand_in("connect")), handles=cast("Handles | None", stand_in("handle")),
        converses=cast("Converses | None", stand_in("converse")),
        sessions=_routes_from_json(described.get("sessions")), judged_on_all=described.get("judged_on_all") is True,
        over_socket=described.get("over_socket") is True, close=process.close,
    )  # fmt: skip


@lru_cache(maxsize=4)
def _process_of(target: str, root: Path | None, folder: Path, search: tuple[str, ...]) -> PythonProcess:
    """Return the process of an adapter as it is found from here: the same one for who plans and for who plays."""
    return PythonProcess(target, root)


def _raise_if_called(*_: object, **__: object) -> None:
    raise AssertionError("the adapter is in another process")


def description_to_json(driver: Driver) -> JsonObject:
    """Return how an adapter describes itself, of its driver in its own process."""
    has = {"connect": driver.connects, "handle": driver.handles, "converse": driver.converses}
    wire = [method for method in WIRE_METHODS if callable(getattr(driver.converter, method, None))]
    info = driver.info
    return {
        "methods": [*wire, *(method for method, holder in has.items() if holder is not None)],
        "sessions": sorted(driver.sessions), "judged_on_all": driver.judged_on_all, "over_socket": driver.over_socket,
        "info": {"name": info.name, "version": info.version, "routes": sorted(info.routes),
                 "pivots": [[*route, dialect] for route, dialect in info.pivots], "claims": sorted(info.claims),
                 "cannot_say": sorted(info.cannot_say)},
    }  # fmt: skip


def _info_from_json(info: Mapping[str, object]) -> AdapterInfo:
    pivots = [arr(pivot) for pivot in arr(info.get("pivots"))]
    return AdapterInfo(
        name=text(info.get("name")), version=text(info.get("version")), routes=_routes_from_json(info.get("routes")),
        pivots=tuple((cast(Route, tuple(pivot[:2])), cast(Dialect, pivot[2])) for pivot in pivots if len(pivot) == 3),
        claims=frozenset(map(text, arr(info.get("claims")))),
        cannot_say=frozenset(map(text, arr(info.get("cannot_say")))),
    )  # fmt: skip


def _routes_from_json(pairs: object) -> frozenset[Route]:
    return frozenset(cast(Route, tuple(arr(pair))) for pair in arr(pairs))
