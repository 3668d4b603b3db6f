"""Driver: an adapter that was found, its own description and the levels at which it can be driven; and how a Python
object becomes one. What the object says of itself is read with care, since anyone may have written it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeGuard, cast

from bridgecheck.errors import BadTarget
from bridgecheck.model.adapter import CAPABILITIES, AdapterInfo, Connects, Converses, Converter, Handles, Route
from bridgecheck.model.express import FEATURES_OF_CAPABILITY, OPTIONAL_FEATURES
from bridgecheck.wire import CLIENT_DIALECTS, DIALECTS, Dialect

if TYPE_CHECKING:
    from bridgecheck.drivers.gateway import Gateway
    from bridgecheck.drivers.python_process import PythonProcess

TIMEOUT_S: Final = 10.0
"""Seconds for one step (wire level), case (sdk level) or turn (http level) before an adapter counts as hanging."""


def do_nothing() -> None:
    """Do nothing: an adapter in this process needs no start and no end."""


@dataclass(frozen=True, slots=True)
class Driver:
    """An adapter and the levels at which it can be driven.

    ``converter``: None if the adapter has no wire level. ``connects``: None if it has no sdk level. ``identity``: it is
    the native path, documents pass unchanged. ``sessions``: the routes it connects at the sdk level. ``judged_on_all``:
    it claims no capabilities, so no scenario is left out for lack of a claim. ``over_socket``: at the sdk level it
    needs a real address to send to. ``gateway``: None if it is not reached over HTTP. ``handles``: None if it is no
    gateway in this process. ``converses``: None if it has no chat client. ``process``: where a Python adapter is; its
    methods here stand for those there. None if there is no such process. ``ready``: called before the adapter is;
    starts what has to run for it, raises HarnessError. ``process_number``: tells the processes that run for it one
    after another apart, where each session tells the process where its provider is. ``retire``: ends the one that runs,
    which may still work on a finished case; the next call starts another. ``close``: ends what runs; the next call
    starts it again.
    """

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
    converses: Converses | None = None
    process: "PythonProcess | None" = None
    ready: Callable[[], None] = do_nothing
    process_number: Callable[[], int] = lambda: 0
    retire: Callable[[], None] = do_nothing
    close: Callable[[], None] = do_nothing

    def with_time(self, factor: float) -> "Driver":
        """Return it with so many times its time limit."""
        return replace(self, timeout=factor * self.timeout)

    def running_process(self, upstream: Dialect) -> int:
        """Return a number of the process that would get the next request to this provider, 0 if none runs yet."""
        if self.gateway is not None:
            return self.gateway.running_process(upstream)
        return self.process.running_process if self.process is not None else self.process_number() + 1

    @property
    def inexpressible_or_unclaimed_features(self) -> frozenset[str]:
        """Features that the types of an ``outcome`` client cannot express, those of unclaimed capabilities included."""
        return frozenset(self.info.cannot_say) | self.unclaimed_features

    @property
    def unclaimed_features(self) -> frozenset[str]:
        """Features of the capabilities that the adapter does not claim; none if it claims nothing in particular."""
        claims = FEATURES_OF_CAPABILITY if self.judged_on_all else self.info.claims
        unclaimed = [features for name, features in FEATURES_OF_CAPABILITY.items() if name not in claims]
        return frozenset[str]().union(*unclaimed)

    @property
    def features_without_claim(self) -> frozenset[str]:
        """Features of the capabilities that the adapter does not name; all of them where it claims nothing in
        particular: it is judged on them, and may refuse them by name."""
        unclaimed = [features for name, features in FEATURES_OF_CAPABILITY.items() if name not in self.info.claims]
        return frozenset[str]().union(*unclaimed)


_OWN_ROUTES: Final = frozenset[Route]((dialect, dialect) for dialect in DIALECTS)
IDENTITY: Final = Driver("native:", AdapterInfo("identity", "", _OWN_ROUTES), identity=True, judged_on_all=True)
"""The native path at wire level."""


WIRE_METHODS: Final = ("to_upstream", "from_upstream", "stream")
LIVE_METHODS: Final = ("connect", "handle", "converse")
IN_PROCESS: Final = "httpx"
SOCKET: Final = "socket"


def describe_adapter(target: str, adapter: object) -> Driver:
    """Return the driver of a Python object. Raises BadTarget if it is no adapter or contradicts itself."""
    if isinstance(adapter, type):
        raise BadTarget("the target is a class, not an object", target, "an instance of it at module level")
    wire = any(callable(getattr(adapter, name, None)) for name in WIRE_METHODS)
    connects, handles, converses = (callable(getattr(adapter, name, None)) for name in LIVE_METHODS)
    if not (wire or connects or handles or converses):
        methods = ", ".join((*WIRE_METHODS, *LIVE_METHODS))
        raise BadTarget(f"{type(adapter).__name__} is no adapter: it has none of {methods}", target, "one of them")
    info = AdapterInfo(
        name=str(getattr(adapter, "name", "") or target), version=str(getattr(adapter, "version", "")),
        routes=_check_routes(target, adapter), pivots=_check_pivots(target, adapter),
        claims=_check_capabilities(target, adapter), cannot_say=_check_cannot_say(target, adapter),
    )  # fmt: skip
    return Driver(
        target=target, info=info, converter=cast(Converter, adapter) if wire else None,
        connects=cast(Connects, adapter) if connects else None,
        sessions=_check_routes(target, adapter, "sessions") if hasattr(adapter, "sessions") else info.routes,
        judged_on_all=getattr(adapter, "capabilities", None) is None,
        over_socket=_is_transport_socket(target, adapter), handles=cast(Handles, adapter) if handles else None,
        converses=cast(Converses, adapter) if converses else None,
    )  # fmt: skip


def _check_routes(target: str, adapter: object, name: str = "routes") -> frozenset[Route]:
    try:
        routes = list(getattr(adapter, name, ()))
    except TypeError:
        routes = []
    wrong = [route for route in routes if not _is_route(route)]
    if wrong or not routes:
        problem = f"no route is {wrong[0]!r}" if wrong else f"the adapter names no {name}"
        pairs = f"{name} = [(client, upstream), ...] with dialects {', '.join(DIALECTS)}, client also outcome"
        raise BadTarget(problem, f"{target} .{name}", pairs)
    return frozenset(routes)


def _is_route(value: object) -> TypeGuard[Route]:
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    return value[0] in CLIENT_DIALECTS and value[1] in DIALECTS


def _check_pivots(target: str, adapter: object) -> tuple[tuple[Route, Dialect], ...]:
    pivots = getattr(adapter, "pivots", None) or {}
    if not isinstance(pivots, Mapping):
        raise BadTarget("pivots is no mapping", f"{target} .pivots", "{(client, upstream): dialect}")
    pairs: list[tuple[Route, Dialect]] = []
    for route, dialect in pivots.items():
        if not _is_route(route) or (dialect and dialect not in DIALECTS):
            raise BadTarget(f"no pivot is {route!r}: {dialect!r}", f"{target} .pivots", "{(client, upstream): dialect}")
        if dialect:
            pairs.append((route, dialect))
    return tuple(pairs)


def _is_transport_socket(target: str, adapter: object) -> bool:
    transport = getattr(adapter, "transport", "") or IN_PROCESS
    if transport not in (IN_PROCESS, SOCKET):
        problem = f"no transport is {transport!r}"
        raise BadTarget(problem, f"{target} .transport", f"{SOCKET!r}, or none for httpx clients in this process")
    return bool(transport == SOCKET)


def _check_capabilities(target: str, adapter: object) -> frozenset[str]:
    claims = frozenset(map(str, getattr(adapter, "capabilities", None) or ()))
    unknown = sorted(claims - set(CAPABILITIES))
    if unknown:
        problem = f"unknown capability {unknown[0]!r}"
        raise BadTarget(problem, f"{target} .capabilities", f"among {', '.join(CAPABILITIES)}")
    return claims


def _check_cannot_say(target: str, adapter: object) -> frozenset[str]:
    """Return what its types cannot express. Raises BadTarget for what is unknown or decided by a claim."""
    features = frozenset(map(str, getattr(adapter, "cannot_say", None) or ()))
    for feature in sorted(features - OPTIONAL_FEATURES):
        claim = next((claim for claim, of_claim in FEATURES_OF_CAPABILITY.items() if feature in of_claim), "")
        why = f"claim {claim} or not" if claim else f"among {', '.join(sorted(OPTIONAL_FEATURES))}"
        raise BadTarget(f"cannot_say names {feature!r}", f"{target} .cannot_say", why)
    return features
