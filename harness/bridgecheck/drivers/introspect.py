"""A Python object -> Driver: what it says of itself, read with care, since anyone may have written it."""

from collections.abc import Mapping
from typing import Final, TypeGuard, cast

from bridgecheck.drivers.driver import Driver
from bridgecheck.errors import BadTarget
from bridgecheck.model.adapter import CAPABILITIES, AdapterInfo, Connects, Converter, Handles, Route
from bridgecheck.model.express import FEATURES_OF_CAPABILITY, OPTIONAL_FEATURES
from bridgecheck.wire import CLIENT_DIALECTS, DIALECTS, Dialect

WIRE_METHODS: Final = ("to_upstream", "from_upstream", "stream")
IN_PROCESS: Final = "httpx"
SOCKET: Final = "socket"


def describe(target: str, found: object) -> Driver:
    """Raises BadTarget if the object is no adapter or contradicts itself."""
    if isinstance(found, type):
        raise BadTarget("the target is a class, not an object", target, "an instance of it at module level")
    wire = any(callable(getattr(found, name, None)) for name in WIRE_METHODS)
    connects, handles = (callable(getattr(found, name, None)) for name in ("connect", "handle"))
    if not (wire or connects or handles):
        methods = ", ".join((*WIRE_METHODS, "connect", "handle"))
        raise BadTarget(f"{type(found).__name__} is no adapter: it has none of {methods}", target, "one of them")
    info = _info(target, found)
    return Driver(
        target=target,
        info=info,
        converter=cast(Converter, found) if wire else None,
        connects=cast(Connects, found) if connects else None,
        sessions=_routes(target, found, "sessions") if hasattr(found, "sessions") else info.routes,
        judged_on_all=getattr(found, "capabilities", None) is None,
        over_socket=_over_socket(target, found),
        handles=cast(Handles, found) if handles else None,
    )


def _info(target: str, found: object) -> AdapterInfo:
    return AdapterInfo(
        name=str(getattr(found, "name", "") or target),
        version=str(getattr(found, "version", "")),
        routes=_routes(target, found),
        pivots=_pivots(target, found),
        claims=_claims(target, found),
        cannot_say=_cannot_say(target, found),
    )


def _routes(target: str, found: object, name: str = "routes") -> frozenset[Route]:
    try:
        routes = list(getattr(found, name, ()))
    except TypeError:
        routes = []
    wrong = [route for route in routes if not _is_route(route)]
    if wrong or not routes:
        what = f"no route is {wrong[0]!r}" if wrong else f"the adapter names no {name}"
        pairs = f"{name} = [(client, upstream), ...] with dialects {', '.join(DIALECTS)}, client also outcome"
        raise BadTarget(what, f"{target} .{name}", pairs)
    return frozenset(routes)


def _is_route(value: object) -> TypeGuard[Route]:
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    return value[0] in CLIENT_DIALECTS and value[1] in DIALECTS


def _pivots(target: str, found: object) -> tuple[tuple[Route, Dialect], ...]:
    pivots = getattr(found, "pivots", None) or {}
    if not isinstance(pivots, Mapping):
        raise BadTarget("pivots is no mapping", f"{target} .pivots", "{(client, upstream): dialect}")
    kept: list[tuple[Route, Dialect]] = []
    for route, dialect in pivots.items():
        if not _is_route(route) or (dialect and dialect not in DIALECTS):
            raise BadTarget(f"no pivot is {route!r}: {dialect!r}", f"{target} .pivots", "{(client, upstream): dialect}")
        if dialect:
            kept.append((route, dialect))
    return tuple(kept)


def _over_socket(target: str, found: object) -> bool:
    transport = getattr(found, "transport", "") or IN_PROCESS
    if transport not in (IN_PROCESS, SOCKET):
        what = f"no transport is {transport!r}"
        raise BadTarget(what, f"{target} .transport", f"{SOCKET!r}, or none for httpx clients in this process")
    return bool(transport == SOCKET)


def _claims(target: str, found: object) -> frozenset[str]:
    claims = frozenset(map(str, getattr(found, "capabilities", None) or ()))
    unknown = sorted(claims - set(CAPABILITIES))
    if unknown:
        what = f"unknown capability {unknown[0]!r}"
        raise BadTarget(what, f"{target} .capabilities", f"among {', '.join(CAPABILITIES)}")
    return claims


def _cannot_say(target: str, found: object) -> frozenset[str]:
    """What its types have no place for. Raises BadTarget for a name that is none, or that a claim answers for."""
    said = frozenset(map(str, getattr(found, "cannot_say", None) or ()))
    named = {feature: capability for capability, features in FEATURES_OF_CAPABILITY.items() for feature in features}
    for feature in sorted(said - OPTIONAL_FEATURES):
        why = f"claim {named[feature]} or not" if feature in named else f"among {', '.join(sorted(OPTIONAL_FEATURES))}"
        raise BadTarget(f"cannot_say names {feature!r}", f"{target} .cannot_say", why)
    return said
