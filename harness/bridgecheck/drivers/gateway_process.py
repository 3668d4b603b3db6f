"""Starting a gateway as its recipe says, and waiting until it accepts requests."""

import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shlex import join
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Final, Protocol

from bridgecheck.drivers.child_process import ChildProcess, NotStarted, child_environment, write_files
from bridgecheck.drivers.http_client import Address, NoResponse, parse_address, send_request
from bridgecheck.drivers.recipe_keys import fill_placeholders, placeholder_names
from bridgecheck.drivers.reserved_port import ReservedPort
from bridgecheck.errors import HarnessError
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.secrets import UPSTREAM_KEY
from bridgecheck.wire.facts import RECORDS

_PROBE_S: Final = 2.0
_LEAST_S: Final = 0.5
"""The last probe gets this much too: what it says is what is told."""
_FIRST_PAUSE_S: Final = 0.02
_LONGEST_PAUSE_S: Final = 0.25
_MAX_BYTES: Final = 1024 * 1024


def wait_until_ready(
    address: Address, path: str, seconds: float, child: ChildProcess | None, cancelled: Event | None = None
) -> str:
    """Wait until the gateway is ready or ended; return "" or the last problem."""
    deadline = time.monotonic() + seconds
    pause = _FIRST_PAUSE_S
    while True:
        if child is not None and child.exit_description:
            return child.exit_description
        if cancelled is not None and cancelled.is_set():
            return "it is not needed any more"
        probe_s = max(_LEAST_S, min(_PROBE_S, deadline - time.monotonic()))
        problem = find_connection_or_5xx_failure(address, path, probe_s)
        if not problem:
            return ""
        if time.monotonic() + pause > deadline:
            return f"{problem}, for {seconds:g} s"
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def find_connection_or_5xx_failure(address: Address, path: str, seconds: float) -> str:
    """Probe the gateway once; return the problem, "" if it is ready: it responds to GET with a status below 500, or
    without a path accepts connections."""
    if not path:
        return _find_connection_failure(address, seconds)
    try:
        probe = HttpRequest("GET", f"{address.path}{path}", (("accept", "*/*"),))
        response = send_request(address, probe, seconds, max_bytes=_MAX_BYTES)
    except NoResponse as problem:
        return f"GET {address.url}{path}: {problem}" if problem.reason != "unreachable" else str(problem)
    return f"GET {address.url}{path} is answered with {response.status}" if response.status >= 500 else ""


def _find_connection_failure(address: Address, seconds: float) -> str:
    try:
        socket.create_connection((address.host, address.port), seconds).close()
    except OSError as problem:
        return f"nothing listens on {address.host}:{address.port}: {problem.strerror or problem}"
    return ""


READY_S: Final = 15.0
"""Seconds a gateway may take to be ready, unless its recipe says otherwise."""

_PORTS_TRIED: Final = 3
_PORT_TAKEN_PHRASES: Final = ("address already in use", "address in use", "eaddrinuse")
"""What servers say of a port that something else took meanwhile, in lower case."""


class NotReady(HarnessError):
    """The gateway does not run, so nothing is known about the adapter."""

    code = "adapter-not-ready"


@dataclass(frozen=True, slots=True)
class StartSettings:
    """How a gateway is started; texts with placeholders. ``files``: name in {tmp} -> content. ``here``: the folder of
    the recipe. ``ready_path``: "" if accepting connections is enough."""

    command: tuple[str, ...]
    here: Path
    cwd: str = "{tmp}"
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    ready_path: str = ""
    ready_seconds: float = READY_S

    @property
    def per_dialect(self) -> bool:
        """Whether each provider's dialect has a process of its own."""
        templates = (*self.command, self.cwd, *self.env.values(), *self.files.values())
        return any({"upstream", "upstream_base_path"} & {*placeholder_names(part)} for part in templates)


class UpstreamServer(Protocol):
    """The provider of one process (upstream.edge.Edge), which no other process is told of."""

    @property
    def base_url(self) -> str: ...

    def stop(self) -> None: ...


@dataclass(slots=True)
class GatewayProcess:
    child: ChildProcess
    home: "TemporaryDirectory[str]"
    address: Address
    port: ReservedPort
    start: "GatewayStart"
    upstream: UpstreamServer

    def stop(self) -> None:
        """End the process, and then its provider: until the end it is answered."""
        _clean_up(self.child, self.home, self.port)
        self.upstream.stop()


@dataclass(frozen=True, slots=True)
class GatewayStart:
    """All that starting a process takes. ``name``: the provider's dialect, "" for all. ``url``: with ``{port}``."""

    settings: StartSettings
    name: str
    url: str
    where: str
    open_upstream: Callable[[], UpstreamServer]

    def run(self, cancelled: Event | None = None) -> GatewayProcess:
        """Return a process that is ready; retry where its port was taken meanwhile. Raises NotReady."""
        for _ in range(_PORTS_TRIED - 1):
            with suppress(_PortTaken):
                return self._run_once(cancelled)
        try:
            return self._run_once(cancelled)
        except _PortTaken as taken:
            raise taken.failure from None

    def _run_once(self, cancelled: Event | None) -> GatewayProcess:
        upstream = self.open_upstream()
        try:
            return _start_once(self, upstream, cancelled)
        except BaseException:
            upstream.stop()
            raise


class SpareProcess:
    """A process that is started in the background, to take the place of one that is retired."""

    def __init__(self, start: GatewayStart) -> None:
        self._started: list[GatewayProcess] = []
        self._cancelled = Event()
        self._thread = Thread(target=self._run, args=(start,), daemon=True, name="spare adapter")
        self._thread.start()

    def _run(self, start: GatewayStart) -> None:
        with suppress(NotReady):  # the next start that somebody waits for tells why
            self._started.append(start.run(self._cancelled))

    def take(self) -> GatewayProcess | None:
        """Wait until it is ready and return it; None if it did not become ready, or ended."""
        self._thread.join()
        process = self._started.pop() if self._started else None
        if process is None or not process.child.exit_description:
            return process
        process.stop()
        return None

    def discard(self) -> None:
        self._cancelled.set()
        process = self.take()
        if process is not None:
            process.stop()


class _PortTaken(Exception):
    def __init__(self, failure: NotReady) -> None:
        super().__init__(str(failure))
        self.failure = failure


def _start_once(run: GatewayStart, upstream: UpstreamServer, cancelled: Event | None) -> GatewayProcess:
    """Start a process and wait until it is ready. Raises NotReady and _PortTaken."""
    start, where = run.settings, run.where
    home, port = TemporaryDirectory(prefix="bridgecheck-", ignore_cleanup_errors=True), ReservedPort()
    values = {
        "upstream_url": upstream.base_url, "upstream_key": UPSTREAM_KEY, "port": str(port.number), "tmp": home.name,
        "python": sys.executable, "here": str(start.here), **values_of_upstream(run.name),
    }  # fmt: skip
    address = parse_address(fill_placeholders(run.url, values), where)
    child: ChildProcess | None = None
    try:
        child = _write_files_and_start_child(start, values, Path(home.name))
        problem = wait_until_ready(address, start.ready_path, start.ready_seconds, child, cancelled)
        if not problem:
            return GatewayProcess(child, home, address, port, run, upstream)
    except NotStarted as reason:
        problem = str(reason)
    except BaseException:
        _clean_up(child, home, port)
        raise
    failure = _readiness_failure(start, values, address, problem, child, where)
    _clean_up(child, home, port)
    log = child.log.text().lower() if child is not None else ""
    if child is not None and child.exit_description and any(phrase in log for phrase in _PORT_TAKEN_PHRASES):
        raise _PortTaken(failure)
    raise failure


def values_of_upstream(upstream: str) -> dict[str, str]:
    """Return the values of the placeholders that follow from the provider's dialect, "" for none."""
    base_path = next((record.base_path for name, record in RECORDS.items() if name == upstream), "")
    return {"upstream": upstream, "upstream_base_path": base_path}


def _clean_up(child: ChildProcess | None, home: "TemporaryDirectory[str]", port: ReservedPort) -> None:
    if child is not None:
        child.stop()
    home.cleanup()
    port.release()


def _write_files_and_start_child(start: StartSettings, values: Mapping[str, str], home: Path) -> ChildProcess:
    """Raises NotStarted."""
    write_files(home, start.files, values)
    variables = {name: fill_placeholders(value, values) for name, value in start.env.items()}
    command = [fill_placeholders(part, values) for part in start.command]
    cwd = Path(fill_placeholders(start.cwd, values))
    return ChildProcess(command, env=child_environment(home, variables), cwd=cwd, home=home)


def _readiness_failure(
    start: StartSettings, values: dict[str, str], address: Address, problem: str, child: ChildProcess | None, where: str
) -> NotReady:
    command = join([fill_placeholders(part, values) for part in start.command])
    if child is None:
        return NotReady(f"the adapter does not start: {problem}", where, "a command that can be started", command)
    state, log = child.state_and_last_lines
    message = f"it {state}" if child.exit_description else f"{problem}; it {state}"
    url, path = address.url, start.ready_path
    expected = f"an answer below 500 to GET {url}{path}" if path else f"a listener at {url}"
    expected = f"{expected} within {start.ready_seconds:g} s"
    return NotReady(f"the adapter is not ready: {message}", where, expected, command, log)
