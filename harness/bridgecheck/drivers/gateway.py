"""A gateway: reached over HTTP at an address, and started first where its recipe says how.

It is started when the first case needs it, one process for each provider's dialect if the recipe names ``{upstream}``,
and kept until ``close``. One that cannot be started is said so once, with the reason; the cases after it are told the
same at once. One that ends while a case is played is started again for the next.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bridgecheck.drivers.gateway_client import ClientSide, default_clients
from bridgecheck.drivers.gateway_start import NotReady, Process, Start, started
from bridgecheck.drivers.ready import probed
from bridgecheck.drivers.wire_client import Address, address
from bridgecheck.wire import DIALECTS, Dialect

PATIENCE: Final = 5
"""A process that ended so often is not started again."""

PROBE_S: Final = 2.0

_STEP_S: Final = 0.01

HANGS: Final = 3
IMPATIENT_S: Final = 1.0
"""After so many answers that never came, those that follow get no more than this: thousands may."""


class Gateway:
    """``url``: with ``{port}`` where it is started; ``start``: None for one that runs already. ``where``: the recipe or
    target, for messages. ``upstream_port``: where a gateway that runs already looks for the provider, 0 if that is not
    said."""

    def __init__(
        self,
        url: str,
        start: Start | None = None,
        clients: Mapping[Dialect, ClientSide] | None = None,
        where: str = "",
        upstream_port: int = 0,
    ) -> None:
        self.clients = default_clients() if clients is None else clients
        self.where = where
        self.upstream_port = upstream_port
        self._url = url
        self._start = start
        self._running: dict[str, Process] = {}
        self._failed: dict[str, NotReady] = {}
        self._ended: dict[str, int] = {}
        self._worked = False
        self._hung = 0

    @property
    def url(self) -> str:
        """As the target or the recipe has it, ``{port}`` not filled in."""
        return self._url

    @property
    def command(self) -> tuple[str, ...]:
        """That starts it, placeholders not filled in; () for one that runs already."""
        return self._start.command if self._start is not None else ()

    @property
    def start(self) -> Start | None:
        """How it is started; None for one that runs already."""
        return self._start

    @property
    def is_started(self) -> bool:
        """Whether this harness starts and stops it."""
        return self._start is not None

    def reach(self, upstream: Dialect, upstream_url: str) -> Address:
        """Where it listens, ready to be asked. ``upstream_url``: of the recorded provider, without a path. Raises
        NotReady."""
        name = self._name(upstream)
        self.ended(upstream)
        if name in self._failed:
            raise replace(self._failed[name])
        if self._start is None:
            return self._reached(name)
        if name not in self._running:
            self._running[name] = self._started(name, self._start, upstream_url)
            self._worked = True
        return self._running[name].at

    def patience(self, seconds: float) -> float:
        """How long it is waited for: ``seconds``, or a second once it hung a few times."""
        return seconds if self._hung < HANGS else min(seconds, IMPATIENT_S)

    def ended(self, upstream: Dialect, within: float = 0) -> str:
        """How the process ended, with its last lines, "" if it runs. One that ended is started again for the next
        case. ``within``: seconds to wait for its end: connections break a moment before."""
        name = self._name(upstream)
        process = self._running.get(name)
        deadline = time.monotonic() + within
        while process is not None and not process.child.ended and time.monotonic() < deadline:
            time.sleep(_STEP_S)
        if process is None or not process.child.ended:
            return ""
        self._given_up(name)
        return process.child.account

    def suspected(self, upstream: Dialect, *, hung: bool) -> None:
        """After trouble that it survived: if it answers no probe it is stopped, and started again for the next case.
        ``hung``: it gave no answer in time."""
        self._hung += hung
        name = self._name(upstream)
        process = self._running.get(name)
        if process is not None and self._start is not None and probed(process.at, self._start.ready_path, PROBE_S):
            self._given_up(name)

    def last_lines(self, upstream: Dialect) -> str:
        """What it wrote last, "" if nothing is known of that."""
        process = self._running.get(self._name(upstream))
        return process.child.log.last() if process is not None else ""

    def close(self) -> None:
        """Stops what runs; it is started again if it is asked again."""
        while self._running:
            self._running.popitem()[1].stop()

    def _name(self, upstream: Dialect) -> str:
        return upstream if self._start is not None and self._start.one_each else ""

    def _reached(self, name: str) -> Address:
        at = address(self._url, self.where)
        if not self._worked and (wrong := probed(at, "", PROBE_S)):
            self._failed[name] = NotReady(f"the adapter is not there: {wrong}", self.where, f"a gateway at {at.url}")
            raise self._failed[name]
        self._worked = True
        return at

    def _started(self, name: str, start: Start, upstream_url: str) -> Process:
        try:
            return started(start, name, self._url, upstream_url, self.where)
        except NotReady as wrong:
            # What never came up for one provider will not for the others: nobody waits for it again.
            for other in (name, *(() if self._worked else DIALECTS)):
                self._failed[other] = wrong
            raise

    def _given_up(self, name: str) -> None:
        process = self._running.pop(name)
        process.stop()
        self._ended[name] = self._ended.get(name, 0) + 1
        if self._ended[name] >= PATIENCE:
            what = f"the adapter ended {PATIENCE} times and is not started again: it {process.child.account}"
            self._failed[name] = NotReady(what, self.where, "one that keeps running")
