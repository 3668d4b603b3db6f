"""A Python object -> Driver: what it says of itself, read with care, since anyone may have written it."""

from collections.abc import Mapping
from typing import Final, TypeGuard, cast

from bridgecheck.drivers.driver import Driver
from bridgecheck.errors import BadTarget
from bridgecheck.model.adapter import AdapterInfo, Connects, Converter, Route
from bridgecheck.model.capability import CAPABILITIES
from bridgecheck.wire import DIALECTS, Dialect

WIRE_METHODS: Final = ("to_upstream", "from_upstream", "stream")


def describe(target: str, found: object) -> Driver:
    """Raises BadTarget if the object is no adapter or contradicts itself."""
    if isinstance(found, type):
        raise BadTarget("the target is a class, not an object", target, "an instance of it at module level")
    wire = any(callable(getattr(found, name, None)) for name in WIRE_METHODS)
    connects = callable(getattr(found, "connect", None))
    if not wire and not connects:
        methods = ", ".join((*WIRE_METHODS, "connect"))
        raise BadTarget(f"{type(found).__name__} is no adapter: it has none of {methods}", target, "one of them")
    info = _info(target, found)
    return Driver(
        target=target,
        info=info,
        converter=cast(Converter, found) if wire else None,
        connects=cast(Connects, found) if connects else None,
        sessions=_routes(target, found, "sessions") if hasattr(found, "sessions") else info.routes,
        judged_on_all=getattr(found, "capabilities", None) is None,
    )


def _info(target: str, found: object) -> AdapterInfo:
    return AdapterInfo(
        name=str(getattr(found, "name", "") or target),
        version=str(getattr(found, "version", "")),
        routes=_routes(target, found),
        pivots=_pivots(target, found),
        claims=_claims(target, found),
    )


def _routes(target: str, found: object, name: str = "routes") -> frozenset[Route]:
    try:
        routes = list(getattr(found, name, ()))
    except TypeError:
        routes = []
    wrong = [route for route in routes if not _is_route(route)]
    if wrong or not routes:
        what = f"no route is {wrong[0]!r}" if wrong else f"the adapter names no {name}"
        pairs = f"{name} = [(client, upstream), ...] with dialects {', '.join(DIALECTS)}"
        raise BadTarget(what, f"{target} .{name}", pairs)
    return frozenset(routes)


def _is_route(value: object) -> TypeGuard[Route]:
    return isinstance(value, tuple) and len(value) == 2 and all(member in DIALECTS for member in value)


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


def _claims(target: str, found: object) -> frozenset[str]:
    claims = frozenset(map(str, getattr(found, "capabilities", None) or ()))
    unknown = sorted(claims - set(CAPABILITIES))
    if unknown:
        what = f"unknown capability {unknown[0]!r}"
        raise BadTarget(what, f"{target} .capabilities", f"among {', '.join(CAPABILITIES)}")
    return claims
