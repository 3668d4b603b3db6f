"""Driver: an adapter that was found, with what it says of itself and the levels at which it can be driven."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bridgecheck.model.adapter import AdapterInfo, Connects, Converter, Handles, Route
from bridgecheck.model.express import inexpressible_features
from bridgecheck.wire import DIALECTS

if TYPE_CHECKING:
    from bridgecheck.drivers.gateway import Gateway

TIMEOUT_S: Final = 10.0
"""Seconds an adapter may take over one step (wire level), one case (sdk level) or one turn (http level) before it
counts as hanging."""


def nothing() -> None:
    """An adapter in this process needs no start and no end."""


@dataclass(frozen=True, slots=True)
class Driver:
    """``converter``: None if the adapter has no wire level. ``connects``: None if it has no sdk level. ``identity``:
    it is the native path, documents pass through whatever they are. ``sessions``: the routes it connects at the sdk
    level. ``judged_on_all``: it says nothing of its capabilities, so no scenario is left out for lack of a claim.
    ``over_socket``: at the sdk level it needs a real address to send to. ``gateway``: None if it is not reached over
    HTTP. ``handles``: None if it is no gateway in this process. ``ready``: called before the adapter is; what has to
    run for it runs then. Raises HarnessError. ``close``: ends what runs; it is started again if it is asked again."""

    target: str
    info: AdapterInfo
    converter: Converter | None = None
    connects: Connects | None = None
    sessions: frozenset[Route] = frozenset()
    identity: bool = False
    judged_on_all: bool = False
    timeout: float = TIMEOUT_S
    over_socket: bool = False
    gateway: "Gateway | None" = None
    handles: Handles | None = None
    ready: Callable[[], None] = nothing
    close: Callable[[], None] = nothing

    @property
    def inexpressible_features(self) -> frozenset[str]:
        """Features that the types of an ``outcome`` client have no place for."""
        return inexpressible_features(None if self.judged_on_all else self.info.claims, self.info.cannot_say)


IDENTITY: Final = Driver(
    target="native:",
    info=AdapterInfo("identity", "", frozenset((dialect, dialect) for dialect in DIALECTS)),
    identity=True,
    judged_on_all=True,
)
"""The native path at wire level."""
