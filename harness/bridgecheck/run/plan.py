"""Plans which cases are played: scenario x path x client x upstream x mode x layer, with stable addresses.

    layer  path     which pairs                                                            driven by
    wire   native   every dialect that has both a request and a script                     the identity
    wire   bridged  every pair of a stated request and a script that the adapter routes    its converter
    sdk    native   as wire native                                                         the provider's own SDK
    sdk    bridged  as wire bridged, if the adapter makes sessions                         its SDK clients
    http   bridged  as wire bridged, for a gateway, and an object that is one              the wire client
    sdk    bridged  the same, its second client                                            the client's own SDK
    chat   native   conversations with Gemini, if the adapter has a chat                   its chat, flag off
    chat   bridged  conversations of Gemini's clients, if it has one                       its chat, flag on

The client dialect ``outcome`` is paired with every script, if the adapter routes it: its requests are made from those
of any dialect.

A mode is played where the upstream has a script in it. A pair the scenario states and the adapter does not route is one
case on its first layer that is NOT_APPLICABLE, so that it is counted and not forgotten. So is one that needs what is
not claimed; but the scenario that detects a capability is played all the same, and a NOTE where it works.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final

from bridgecheck.checks.adapter import COMPLETES
from bridgecheck.drivers import Driver
from bridgecheck.files.corpus import matches_glob
from bridgecheck.model.adapter import CAPABILITIES, describe_unclaimed
from bridgecheck.model.evidence import REFUSED
from bridgecheck.model.exchange import Request
from bridgecheck.model.jsonvalue import text
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, CaseResult, Layer, Path, Status
from bridgecheck.run.turns import CHAT_DIALECT, is_conversation_of_one_chat
from bridgecheck.wire import DIALECTS, Dialect, Mode


@dataclass(frozen=True, slots=True)
class Selection:
    """Which cases are run; empty means all. ``addresses``: of cases, or ids of scenarios, with wildcards."""

    modes: tuple[Mode, ...] = ()
    paths: tuple[Path, ...] = ()
    addresses: tuple[str, ...] = ()
    layers: tuple[Layer, ...] = ()

    def selects(self, key: CaseKey) -> bool:
        axes = ((key.mode, self.modes), (key.path, self.paths), (key.layer, self.layers))
        if any(chosen and value not in chosen for value, chosen in axes):
            return False
        return not self.addresses or any(_matches_address(glob, key) for glob in self.addresses)


def _matches_address(glob: str, key: CaseKey) -> bool:
    """Whether the case has this address. A glob without ``::`` matches every case of the scenarios it names."""
    variant = glob.partition("::")[2]
    return matches_glob(key.scenario, glob) and (not variant or fnmatchcase(key.route_mode_layer, variant))


@dataclass(frozen=True, slots=True)
class Case:
    """``why_not``: why it does not count ("" if it does): the text of its NOT_APPLICABLE verdict. ``unclaimed``:
    capabilities that it detects; it is played to see whether they work without being claimed."""

    key: CaseKey
    why_not: str = ""
    unclaimed: tuple[str, ...] = ()


def plan(scenario: Scenario, driver: Driver, selection: Selection) -> list[Case]:
    """Return the cases of one scenario, native before bridged, in a fixed order."""
    return [case for case in _scenario_cases(scenario, driver) if selection.selects(case.key)]


def _scenario_cases(scenario: Scenario, driver: Driver) -> Iterator[Case]:
    for client, upstream, mode in _dialect_pairs(scenario):
        if client == upstream:
            yield Case(CaseKey(scenario.id, "native", client, upstream, mode, "wire"))
            yield Case(CaseKey(scenario.id, "native", client, upstream, mode, "sdk"))
            if _is_chat(scenario, driver, client, mode):
                yield Case(CaseKey(scenario.id, "native", client, upstream, mode, "chat"))
    missing = () if driver.judged_on_all else sorted(set(scenario.requires) - driver.info.claims)
    first_layer: Layer = "http" if (driver.gateway or driver.handles) and not driver.converter else "wire"
    for client, upstream, mode in (*_dialect_pairs(scenario), *_pairs_with_outcome_client(scenario, driver)):
        key = CaseKey(scenario.id, "bridged", client, upstream, mode, first_layer)
        if (client, upstream) not in driver.info.routes:
            yield Case(key, f"{driver.info.name} does not route {client} to {upstream}")
        elif missing:
            why_not = describe_unclaimed(driver.info.name, missing)
            yield Case(key, why_not, _unclaimed_capabilities_to_detect(scenario, driver, missing))
        else:
            yield from (Case(replace(key, layer=layer)) for layer in _layers(driver, client, upstream))
            if _is_chat(scenario, driver, client, mode):
                yield Case(replace(key, layer="chat"))


def _layers(driver: Driver, client: Dialect, upstream: Dialect) -> Iterator[Layer]:
    if driver.converter or driver.identity:
        yield "wire"
    if (driver.gateway or driver.handles) and client in DIALECTS:
        yield "http"
    if driver.gateway or (driver.connects and (client, upstream) in driver.sessions):
        yield "sdk"


def _is_chat(scenario: Scenario, driver: Driver, client: Dialect, mode: Mode) -> bool:
    is_spoken = client == CHAT_DIALECT and mode == "stream"
    return driver.converses is not None and is_spoken and is_conversation_of_one_chat(scenario)


def _unclaimed_capabilities_to_detect(scenario: Scenario, driver: Driver, missing: Sequence[str]) -> tuple[str, ...]:
    """Return what is ``missing`` if this scenario detects all of it at a level the adapter has; else ()."""
    is_playable = any(part is not None for part in (driver.converter, driver.gateway, driver.handles))
    detects_all = all(CAPABILITIES[capability] == scenario.id for capability in missing)
    return tuple(missing) if is_playable and detects_all else ()


def _dialect_pairs(scenario: Scenario) -> Iterator[tuple[Dialect, Dialect, Mode]]:
    """Yield the pairs that every turn states, in the modes that every turn has a script for."""
    for client in DIALECTS:
        if all(client in turn.client for turn in scenario.turns):
            yield from ((client, upstream, mode) for upstream, mode in _scripted_modes(scenario))


def _pairs_with_outcome_client(scenario: Scenario, driver: Driver) -> Iterator[tuple[Dialect, Dialect, Mode]]:
    """Yield the pairs whose client speaks ``outcome``, which can express what scenarios state in any dialect; only of
    adapters that route it: nobody expects it of the rest."""
    if not scenario.client_model and any(client == "outcome" for client, _ in driver.info.routes):
        yield from (("outcome", upstream, mode) for upstream, mode in _scripted_modes(scenario))


def _scripted_modes(scenario: Scenario) -> Iterator[tuple[Dialect, Mode]]:
    for upstream in DIALECTS:
        for mode in scenario.modes:
            if all(mode in turn.upstream.get(upstream, {}) for turn in scenario.turns):
                yield upstream, mode


def name_model(driver: Driver, key: CaseKey, scenario: Scenario) -> str:
    """Return the model of the first turn as the client of this case calls it, "" where it names none."""
    stated = scenario.turns[0].client.get(key.client)
    if stated is None:
        return ""
    model = stated.model or text(stated.body.get("model"))
    request = Request(key.client, key.mode, {}, model)
    return driver.gateway.clients[key.client].model_and_body(request, key.upstream)[0] if driver.gateway else model


CAPABILITY_SHOWN: Final[frozenset[Status]] = frozenset({"PASS", "NOTE", "WARN"})
"""The statuses of a case that shows that a capability works."""


def find_refusals(cases: Iterable[CaseResult]) -> dict[str, str]:
    """Return what an adapter said where it refused the detecting scenario of a capability: capability -> its first
    refusal. ``cases``: of a run as if all were claimed."""
    refusals: dict[str, str] = {}
    for case in cases:
        if case.key.path == "bridged" and (refusal := _refusal(case)):
            refusals.setdefault(case.key.scenario, refusal)
    return {name: refusals[scenario] for name, scenario in CAPABILITIES.items() if scenario in refusals}


def find_wrong_capabilities(cases: Iterable[CaseResult], scenarios: Iterable[Scenario]) -> frozenset[str]:
    """Return the capabilities whose detecting scenario failed in some direction by more than a refusal, with an answer
    that is wrong or with none, and what else these scenarios require: not to claim all of it would hide the fault.
    ``cases``: of a run as if all were claimed."""
    wrong = {
        case.key.scenario
        for case in cases
        if case.key.path == "bridged" and case.status == "FAIL" and not _refusal(case)
    }
    wrong &= set(CAPABILITIES.values())
    return frozenset(name for scenario in scenarios if scenario.id in wrong for name in scenario.requires)


def _refusal(case: CaseResult) -> str:
    """Return what an adapter said that refused this case, "" where it did not."""
    for verdict in case.verdicts:
        if verdict.check == COMPLETES.id and (verdict.status == "REJECTED" or verdict.message.startswith(REFUSED)):
            return verdict.message.removeprefix(REFUSED)
    return ""


def find_working_capabilities(cases: Iterable[CaseResult]) -> frozenset[str]:
    """Return what an adapter could claim: the capabilities whose detecting scenario passed in some direction and mode.
    A failure in the rest is a failure to accept, and no reason not to claim it."""
    works = {case.key.scenario for case in cases if case.key.path == "bridged" and case.status in CAPABILITY_SHOWN}
    return frozenset(capability for capability, scenario in CAPABILITIES.items() if scenario in works)


FEW_CASES: Final = 200
"""Up to this many cases, worker processes cost more than they save."""

MOST_WORKERS: Final = 4


def count_cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def choose_workers(requested: int | None, cases: int, *, has_fixed_port: bool) -> int:
    """Return the ``requested`` number; for None one per core for a large run, none for a small one. With a fixed port
    there is at most one, since one process can listen on it. 0: no worker processes."""
    if has_fixed_port:
        return min(requested or 0, 1)
    if requested is not None:
        return requested
    return min(count_cores(), MOST_WORKERS) if cases > FEW_CASES and count_cores() > 1 else 0
