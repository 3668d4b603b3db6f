"""The plan: scenario x path x client x upstream x mode x layer, as cases with stable addresses.

    layer  path     which pairs                                                            driven by
    wire   native   every dialect that has both a request and a script                     the identity
    wire   bridged  every pair of a stated request and a script that the adapter routes    its converter
    sdk    native   as wire native                                                         the provider's own SDK
    sdk    bridged  as wire bridged, if the adapter makes sessions                         its SDK clients
    http   bridged  as wire bridged, for a gateway, and an object that is one              the wire client
    sdk    bridged  the same, its second client                                            the client's own SDK

The client dialect ``outcome`` is paired with every script, if the adapter routes it: its requests are made from those
of any dialect.

A mode is played where the upstream has a script in it. A pair the scenario states and the adapter does not route is one
case on its first layer that is NOT_APPLICABLE, so that it is counted and not forgotten. So is one that needs what is
not claimed; but the scenario that detects a capability is played all the same, and a NOTE where it works.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from bridgecheck.drivers import Driver
from bridgecheck.model.capability import CAPABILITIES
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, Layer, Path
from bridgecheck.wire import DIALECTS, Dialect, Mode


@dataclass(frozen=True, slots=True)
class Selection:
    """What is run of what there is; empty means all. ``addresses``: of cases, or ids of scenarios, with wildcards."""

    modes: tuple[Mode, ...] = ()
    paths: tuple[Path, ...] = ()
    addresses: tuple[str, ...] = ()
    layers: tuple[Layer, ...] = ()

    def takes(self, key: CaseKey) -> bool:
        sides = ((key.mode, self.modes), (key.path, self.paths), (key.layer, self.layers))
        if any(chosen and value not in chosen for value, chosen in sides):
            return False
        return not self.addresses or any(_addresses(glob, key) for glob in self.addresses)


def _addresses(glob: str, key: CaseKey) -> bool:
    """A glob without ``::`` takes every case of the scenarios it names."""
    name, _, variant = glob.partition("::")
    named = fnmatchcase(key.scenario, name) or key.scenario.startswith(f"{name.rstrip('/')}/")
    return named and (not variant or fnmatchcase(key.variant, variant))


@dataclass(frozen=True, slots=True)
class Case:
    """``why_not``: why it does not count ("" if it does): the text of its NOT_APPLICABLE verdict. ``unclaimed``:
    capabilities that it detects; it is played to see whether they work without being claimed."""

    key: CaseKey
    why_not: str = ""
    unclaimed: tuple[str, ...] = ()


def plan(scenario: Scenario, driver: Driver, selection: Selection) -> list[Case]:
    """The cases of one scenario, native before bridged, in a fixed order."""
    found = [*_native(scenario), *_bridged(scenario, driver)]
    return [case for case in found if selection.takes(case.key)]


def _native(scenario: Scenario) -> Iterator[Case]:
    for client, upstream, mode in _pairs(scenario):
        if client == upstream:
            yield Case(CaseKey(scenario.id, "native", client, upstream, mode, "wire"))
            yield Case(CaseKey(scenario.id, "native", client, upstream, mode, "sdk"))


def _bridged(scenario: Scenario, driver: Driver) -> Iterator[Case]:
    missing = () if driver.judged_on_all else sorted(set(scenario.requires) - driver.info.claims)
    for client, upstream, mode in (*_pairs(scenario), *_own_types(scenario, driver)):
        key = CaseKey(scenario.id, "bridged", client, upstream, mode, _first(driver))
        why_not = _why_not(driver, client, upstream, missing)
        if why_not:
            routed = (client, upstream) in driver.info.routes
            yield Case(key, why_not, _detected(scenario, driver, missing) if routed else ())
        else:
            yield from (Case(replace(key, layer=layer)) for layer in _layers(driver, client, upstream))


def _first(driver: Driver) -> Layer:
    """Where a case stands that is not played."""
    reached = driver.gateway or driver.handles
    return "http" if reached and not driver.converter else "wire"


def _layers(driver: Driver, client: Dialect, upstream: Dialect) -> Iterator[Layer]:
    if driver.converter or driver.identity:
        yield "wire"
    if (driver.gateway or driver.handles) and client in DIALECTS:
        yield "http"
    if driver.gateway or (driver.connects and (client, upstream) in driver.sessions):
        yield "sdk"


def _detected(scenario: Scenario, driver: Driver, missing: Sequence[str]) -> tuple[str, ...]:
    """What is missing, if this is the scenario that detects all of it at a level the adapter has."""
    played = any(part is not None for part in (driver.converter, driver.gateway, driver.handles))
    told = all(CAPABILITIES[capability] == scenario.id for capability in missing)
    return tuple(missing) if played and told else ()


def _why_not(driver: Driver, client: Dialect, upstream: Dialect, missing: Sequence[str]) -> str:
    if (client, upstream) not in driver.info.routes:
        return f"{driver.info.name} does not route {client} to {upstream}"
    if missing:
        return f"{driver.info.name} does not claim {', '.join(missing)}"
    return ""


def _pairs(scenario: Scenario) -> Iterator[tuple[Dialect, Dialect, Mode]]:
    """Pairs that every turn states, in the modes that every turn has a script for."""
    for client in DIALECTS:
        if all(client in turn.client for turn in scenario.turns):
            yield from ((client, upstream, mode) for upstream, mode in _scripts(scenario))


def _own_types(scenario: Scenario, driver: Driver) -> Iterator[tuple[Dialect, Dialect, Mode]]:
    """Pairs of ``outcome``, which has words for what scenarios state in any dialect. Only of adapters that route it:
    of the others nobody would expect it."""
    if any(client == "outcome" for client, _ in driver.info.routes):
        yield from (("outcome", upstream, mode) for upstream, mode in _scripts(scenario))


def _scripts(scenario: Scenario) -> Iterator[tuple[Dialect, Mode]]:
    for upstream in DIALECTS:
        for mode in scenario.modes:
            if all(mode in turn.upstream.get(upstream, {}) for turn in scenario.turns):
                yield upstream, mode
