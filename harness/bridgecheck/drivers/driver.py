"""Driver: an adapter that was found, with what it says of itself and the levels at which it can be driven."""

from dataclasses import dataclass
from typing import Final

from bridgecheck.model.adapter import AdapterInfo, Connects, Converter, Route
from bridgecheck.wire import DIALECTS

TIMEOUT_S: Final = 10.0
"""Seconds an adapter may take over one step (wire level) or one case (sdk level) before it counts as hanging."""


@dataclass(frozen=True, slots=True)
class Driver:
    """``converter``: None if the adapter has no wire level. ``connects``: None if it has no sdk level. ``identity``:
    it is the native path, documents pass through whatever they are. ``sessions``: the routes it connects at the sdk
    level. ``judged_on_all``: it says nothing of its capabilities, so no scenario is left out for lack of a claim."""

    target: str
    info: AdapterInfo
    converter: Converter | None = None
    connects: Connects | None = None
    sessions: frozenset[Route] = frozenset()
    identity: bool = False
    judged_on_all: bool = False
    timeout: float = TIMEOUT_S


IDENTITY: Final = Driver(
    target="native:",
    info=AdapterInfo("identity", "", frozenset((dialect, dialect) for dialect in DIALECTS)),
    identity=True,
    judged_on_all=True,
)
"""The native path at wire level."""
