"""A gateway: reached over HTTP at an address, and started first where its recipe has a command.

It is started when the first case needs it, one process for each provider's dialect if the recipe names ``{upstream}``,
and runs until ``close``. If it cannot be started, the first case and all later ones fail at once with the same reason.
If it ends while a case is played, it is started again for the next.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bridgecheck.drivers.gateway_client import ClientSide, default_clients
from bridgecheck.drivers.gateway_process import (
    GatewayProcess,
    NotReady,
    StartSettings,
    find_connection_or_5xx_failure,
    start_gateway,
    values_of_upstream,
)
from bridgecheck.drivers.http_client import Address, parse_address
from bridgecheck.wire import DIALECTS, Dialect

MAX_EXITS: Final = 5
"""A process that ended so often is not started again."""

PROBE_S: Final = 2.0

_POLL_S: Final = 0.01

MAX_HANGS: Final = 3
SHORT_LIMIT_S: Final = 1.0
"""After so many answers that never came, those that follow get no more than this: thousands may."""


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
        self._hang_count = 0

    @property
    def command_template(self) -> tuple[str, ...]:
        """That starts it, placeholders not filled in; () for one that runs already."""
        return self.start.command if self.start is not None else ()

    @property
    def is_started_by_harness(self) -> bool:
        """Whether this harness starts and stops it."""
        return self.start is not None

    def reach(self, upstream: Dialect, upstream_url: str) -> Address:
        """Return its address, ready for requests. ``upstream_url``: the provider's, without a path. Raises NotReady."""
        name = self._process_name(upstream)
        self._upstream_urls[upstream] = upstream_url
        self.discard_if_ended(upstream)
        if name in self._start_failures:
            raise replace(self._start_failures[name])
        if self.start is None:
            return self._external_address_probed_once(name)
        if name not in self._running:
            self._running[name] = self._start_or_remember_failure(name, self.start, upstream_url)
            self._has_worked = True
        return self._running[name].address

    def client(self, dialect: Dialect, upstream: Dialect) -> ClientSide:
        """Return how clients of a dialect reach it: the headers tell where the provider is since ``reach``."""
        values = {"upstream_url": self._upstream_urls.get(upstream, ""), **values_of_upstream(upstream)}
        return self.clients[dialect].with_headers_filled(values)

    def limit_after_hangs(self, seconds: float) -> float:
        """Return how long to wait for it: ``seconds``, or one second after it hung a few times."""
        return seconds if self._hang_count < MAX_HANGS else min(seconds, SHORT_LIMIT_S)

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

    def count_hang(self) -> None:
        self._hang_count += 1

    def stop_process_if_probe_fails(self, upstream: Dialect) -> None:
        """Stop a process that answers no probe; the next case starts it again."""
        name = self._process_name(upstream)
        process = self._running.get(name)
        if process and self.start and find_connection_or_5xx_failure(process.address, self.start.ready_path, PROBE_S):
            self._discard_process_and_limit_restarts(name)

    def last_lines(self, upstream: Dialect) -> str:
        """Return the last lines of its output, "" if there are none or it was not started here."""
        process = self._running.get(self._process_name(upstream))
        return process.child.log.last_lines() if process is not None else ""

    def close(self) -> None:
        """Stop its processes; the next request starts them again."""
        while self._running:
            self._running.popitem()[1].stop()

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

    def _start_or_remember_failure(self, name: str, start: StartSettings, upstream_url: str) -> GatewayProcess:
        try:
            return start_gateway(start, name, self.url, upstream_url, self.where)
        except NotReady as problem:
            # What never came up for one provider will not for the others: nobody waits for it again.
            for dialect in (name, *(() if self._has_worked else DIALECTS)):
                self._start_failures[dialect] = problem
            raise

    def _discard_process_and_limit_restarts(self, name: str) -> None:
        process = self._running.pop(name)
        process.stop()
        self._exit_counts[name] = self._exit_counts.get(name, 0) + 1
        if self._exit_counts[name] >= MAX_EXITS:
            state, log = process.child.state_and_last_lines
            message = f"the adapter ended {MAX_EXITS} times and is not started again: it {state}"
            self._start_failures[name] = NotReady(message, self.where, "one that keeps running", log=log)
