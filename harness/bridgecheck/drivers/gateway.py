"""A gateway: reached over HTTP at an address, and started first where its recipe has a command.

It is started when the first case needs it, one process for each provider's dialect if the recipe names ``{upstream}``,
and runs until ``close``. Each process has a provider's address of its own, so that what it still sends after a case
reaches no case of another process. If it cannot be started, the first case and all later ones fail at once with the
same reason. If it ends while a case is played, it is started again for the next. One that may still work on a finished
case is retired, and another takes its place: from then on a spare is started beforehand.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import Thread
from typing import Final

from bridgecheck.drivers.gateway_client import ClientSide, default_clients
from bridgecheck.drivers.gateway_process import (
    GatewayProcess,
    GatewayStart,
    NotReady,
    SpareProcess,
    StartSettings,
    UpstreamServer,
    find_connection_or_5xx_failure,
    values_of_upstream,
)
from bridgecheck.drivers.http_client import Address, parse_address
from bridgecheck.wire import DIALECTS, Dialect

MAX_EXITS: Final = 20
"""A process that ended so often, in one case after the other, is not started again. One that ends now and then is:
whether a case is played must not depend on the cases before it."""

PROBE_S: Final = 2.0

_POLL_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class ReachedGateway:
    """``upstream``: the provider that it calls."""

    address: Address
    upstream: UpstreamServer


class Gateway:
    """``url``: with ``{port}`` where it is started; ``start``: None for one that runs already. ``where``: the recipe or
    target, for messages. ``upstream_port``: where a gateway that runs already calls the provider, 0 if unknown."""

    def __init__(
        self,
        url: str,
        start: StartSettings | None = None,
        clients: Mapping[Dialect, ClientSide] | None = None,
        where: str = "",
        upstream_port: int = 0,
    ) -> None:
        self.clients = default_clients() if clients is None else clients
        self.where = where
        self.upstream_port = upstream_port
        self.url = url
        self.start = start
        self._running: dict[str, GatewayProcess] = {}
        self._start_failures: dict[str, NotReady] = {}
        self._exit_counts: dict[str, int] = {}
        self._has_worked = False
        self._upstream_urls: dict[Dialect, str] = {}
        self._spares: dict[str, SpareProcess] = {}
        self._retiring: list[Thread] = []

    @property
    def command_template(self) -> tuple[str, ...]:
        """That starts it, placeholders not filled in; () for one that runs already."""
        return self.start.command if self.start is not None else ()

    @property
    def is_started_by_harness(self) -> bool:
        """Whether this harness starts and stops it."""
        return self.start is not None

    def reach(self, upstream: Dialect, open_upstream: Callable[[], UpstreamServer]) -> ReachedGateway:
        """Return its address, ready for requests. ``open_upstream``: opens the provider of a process that is started,
        which ends with it; else returns the one that the gateway calls. Raises NotReady."""
        name = self._process_name(upstream)
        if not self.discard_if_ended(upstream) and name in self._running:
            self._exit_counts[name] = 0  # it survived the last case
        if name in self._start_failures:
            raise replace(self._start_failures[name])
        if self.start is None:
            return self._note_upstream(upstream, self._external_address_probed_once(name), open_upstream())
        if name not in self._running:
            start = GatewayStart(self.start, name, self.url, self.where, open_upstream)
            self._running[name] = self._take_spare(start) or self._start_or_remember_failure(start)
            self._has_worked = True
        process = self._running[name]
        return self._note_upstream(upstream, process.address, process.upstream)

    def client(self, dialect: Dialect, upstream: Dialect) -> ClientSide:
        """Return how clients of a dialect reach it: the headers tell where the provider is since ``reach``."""
        values = {"upstream_url": self._upstream_urls.get(upstream, ""), **values_of_upstream(upstream)}
        return self.clients[dialect].with_headers_filled(values)

    def retire(self, upstream: Dialect) -> None:
        """End its process, which may still work on a finished case; the next case gets another. That is no crash."""
        name = self._process_name(upstream)
        process = self._running.pop(name, None)
        if process is None or self.start is None:
            return
        self._exit_counts[name] = 0
        ending = Thread(target=process.stop, daemon=True, name="retired adapter")
        ending.start()
        self._retiring = [thread for thread in (*self._retiring, ending) if thread.is_alive()]
        if name not in self._spares:
            self._spares[name] = SpareProcess(process.start)

    def discard_if_ended(self, upstream: Dialect, within: float = 0) -> str:
        """Discard a process that ended, so that the next case starts it again; return how, with its last lines, "" if
        it runs. ``within``: seconds to wait for its end: connections break a moment before."""
        name = self._process_name(upstream)
        process = self._running.get(name)
        deadline = time.monotonic() + within
        while process is not None and not process.child.exit_description and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        if process is None or not process.child.exit_description:
            return ""
        self._discard_process_and_limit_restarts(name)
        return process.child.state_with_last_lines_text

    def last_lines(self, upstream: Dialect) -> str:
        """Return the last lines of its output, "" if there are none or it was not started here."""
        process = self._running.get(self._process_name(upstream))
        return process.child.log.last_lines() if process is not None else ""

    def running_process(self, upstream: Dialect) -> int:
        """Return the id of the process that runs, 0 for none; -1 for one that was not started here."""
        process = self._running.get(self._process_name(upstream))
        return -1 if self.start is None else process.child.pid if process is not None else 0

    def close(self) -> None:
        """Stop its processes; the next request starts them again."""
        while self._spares:
            self._spares.popitem()[1].discard()
        while self._running:
            self._running.popitem()[1].stop()
        while self._retiring:
            self._retiring.pop().join()

    def _take_spare(self, start: GatewayStart) -> GatewayProcess | None:
        """Return the process that was started beforehand, and start another; None if there is none."""
        spare = self._spares.pop(start.name, None)
        process = spare.take() if spare is not None else None
        if process is not None:
            self._spares[start.name] = SpareProcess(start)
        return process

    def _note_upstream(self, upstream: Dialect, address: Address, server: UpstreamServer) -> ReachedGateway:
        self._upstream_urls[upstream] = server.base_url
        return ReachedGateway(address, server)

    def _process_name(self, upstream: Dialect) -> str:
        return upstream if self.start is not None and self.start.per_dialect else ""

    def _external_address_probed_once(self, name: str) -> Address:
        address = parse_address(self.url, self.where)
        if not self._has_worked and (problem := find_connection_or_5xx_failure(address, "", PROBE_S)):
            failure = NotReady(f"the adapter is not there: {problem}", self.where, f"a gateway at {address.url}")
            self._start_failures[name] = failure
            raise failure
        self._has_worked = True
        return address

    def _start_or_remember_failure(self, start: GatewayStart) -> GatewayProcess:
        try:
            return start.run()
        except NotReady as problem:
            # What never came up for one provider will not for the others: nobody waits for it again.
            for dialect in (start.name, *(() if self._has_worked else DIALECTS)):
                self._start_failures[dialect] = problem
            raise

    def _discard_process_and_limit_restarts(self, name: str) -> None:
        process = self._running.pop(name)
        process.stop()
        self._exit_counts[name] = self._exit_counts.get(name, 0) + 1
        if self._exit_counts[name] >= MAX_EXITS:
            state, log = process.child.state_and_last_lines
            message = f"the adapter ended {MAX_EXITS} times in a row and is not started again: it {state}"
            self._start_failures[name] = NotReady(message, self.where, "one that keeps running", log=log)
