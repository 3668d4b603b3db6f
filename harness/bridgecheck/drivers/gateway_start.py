"""Starting a gateway as a recipe says, until it takes requests."""

import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shlex import join
from tempfile import TemporaryDirectory
from typing import Final

from bridgecheck.compare.secrets import UPSTREAM_KEY
from bridgecheck.drivers.child import Child, NotStarted, environment, write_files
from bridgecheck.drivers.placeholders import filled, names
from bridgecheck.drivers.ready import waited
from bridgecheck.drivers.wire_client import Address, address
from bridgecheck.errors import HarnessError

READY_S: Final = 15.0
"""Seconds a gateway may take to be ready, unless its recipe says otherwise."""

_PORTS_TRIED: Final = 3
_TAKEN: Final = ("address already in use", "address in use", "eaddrinuse")
"""What servers say of a port that something else took meanwhile, in lower case."""


class NotReady(HarnessError):
    """Nothing can be said about the adapter: it does not run."""

    code = "adapter-not-ready"


@dataclass(frozen=True, slots=True)
class Start:
    """How a gateway is started; texts with placeholders. ``files``: name in {tmp} -> content. ``here``: the folder of
    the recipe. ``ready_path``: "" if taking connections is enough."""

    command: tuple[str, ...]
    here: Path
    cwd: str = "{tmp}"
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    ready_path: str = ""
    ready_seconds: float = READY_S

    @property
    def one_each(self) -> bool:
        """Whether each provider's dialect has a process of its own."""
        told = (*self.command, self.cwd, *self.env.values(), *self.files.values())
        return any("upstream" in names(part) for part in told)


@dataclass(slots=True)
class Process:
    child: Child
    home: "TemporaryDirectory[str]"
    at: Address

    def stop(self) -> None:
        self.child.stop()
        self.home.cleanup()


def started(start: Start, upstream: str, url: str, upstream_url: str, where: str) -> Process:
    """A process that is ready; another port is tried where the first was taken meanwhile. Raises NotReady."""
    for _ in range(_PORTS_TRIED - 1):
        with suppress(_PortTaken):
            return _start(start, upstream, url, upstream_url, where)
    try:
        return _start(start, upstream, url, upstream_url, where)
    except _PortTaken as taken:
        raise taken.said from None


class _PortTaken(Exception):
    def __init__(self, said: NotReady) -> None:
        super().__init__(str(said))
        self.said = said


def _start(start: Start, upstream: str, url: str, upstream_url: str, where: str) -> Process:
    """A process that is ready. Raises NotReady and _PortTaken."""
    home = TemporaryDirectory(prefix="bridgecheck-", ignore_cleanup_errors=True)
    values = _values(start, upstream, upstream_url, home.name)
    at = address(filled(url, values), where)
    child: Child | None = None
    try:
        child = _child(start, values, Path(home.name))
        wrong = waited(at, start.ready_path, start.ready_seconds, child)
        if not wrong:
            return Process(child, home, at)
    except NotStarted as reason:
        wrong = str(reason)
    except BaseException:
        _clean(child, home)
        raise
    failed = _not_ready(start, values, at, wrong, child, where)
    _clean(child, home)
    log = child.log.text().lower() if child is not None else ""
    if child is not None and child.ended and any(words in log for words in _TAKEN):
        raise _PortTaken(failed)
    raise failed


def _clean(child: Child | None, home: "TemporaryDirectory[str]") -> None:
    if child is not None:
        child.stop()
    home.cleanup()


def _values(start: Start, upstream: str, upstream_url: str, home: str) -> dict[str, str]:
    return {
        "upstream_url": upstream_url,
        "upstream_key": UPSTREAM_KEY,
        "upstream": upstream,
        "port": str(free_port()),
        "tmp": home,
        "python": sys.executable,
        "here": str(start.here),
    }


def _child(start: Start, values: Mapping[str, str], home: Path) -> Child:
    """Raises NotStarted."""
    write_files(home, start.files, values)
    named = {name: filled(value, values) for name, value in start.env.items()}
    command = [filled(part, values) for part in start.command]
    return Child(command, env=environment(home, named), cwd=Path(filled(start.cwd, values)))


def _not_ready(
    start: Start, values: Mapping[str, str], at: Address, wrong: str, child: Child | None, where: str
) -> NotReady:
    command = join([filled(part, values) for part in start.command])
    if child is None:
        return NotReady(f"the adapter does not start: {wrong}", where, "a command that can be started", command)
    ended = child.ended
    what = f"it {child.account}" if ended else f"{wrong}; it {child.account}"
    asked = f"an answer below 500 to GET {at.url}{start.ready_path}" if start.ready_path else f"a listener at {at.url}"
    return NotReady(f"the adapter is not ready: {what}", where, f"{asked} within {start.ready_seconds:g} s", command)


def free_port() -> int:
    """A port nothing listens on at the moment."""
    with socket.socket() as probe:
        with suppress(OSError):
            probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
