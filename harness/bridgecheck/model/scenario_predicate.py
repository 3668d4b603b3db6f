"""One literal expectation of a scenario: where it applies, and what has to be so there. docs/expectations.md."""

from dataclasses import dataclass
from typing import Literal

from bridgecheck.wire import Dialect, Mode


@dataclass(frozen=True, slots=True)
class WireDocumentPredicate:
    """A literal expectation. ``on``: upstream_request, client_response or client_events; ``index``: of the upstream
    request over all turns. ``operator`` and ``operand``: of ``model/literals``."""

    on: Literal["upstream_request", "client_response", "client_events"]
    path: str
    operator: str
    operand: object
    index: int = 0
    turn: int = 0
    dialect: Dialect | None = None
    mode: Mode | None = None
