"""The few cases that tell whether an adapter is wired right: a control, a plain text, and one case a capability.

control     the native path of every dialect it routes: if that fails, nothing is known of the adapter
plain       ``PLAIN`` through every route, mode and layer it has
capability  what detects each capability, through every route that came through, in one mode and at one layer
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, cast

from bridgecheck.drivers import Driver
from bridgecheck.errors import MissingPath
from bridgecheck.files import load_scenario, scenarios_root
from bridgecheck.model.adapter import Route
from bridgecheck.model.capability import CAPABILITIES
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult, Layer, Status
from bridgecheck.run.diagnose import Diagnosis, diagnose
from bridgecheck.run.execute import watched
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case, Selection, plan
from bridgecheck.run.seen import Seen
from bridgecheck.wire import Dialect, Mode, WireDialect
from bridgecheck.wire.facts import RECORDS

PLAIN: Final = "messages/plain-text"

Stage: TypeAlias = Literal["control", "plain", "capability"]

WORKS: Final[frozenset[Status]] = frozenset({"PASS", "NOTE", "WARN", "INHERITED", "DISPUTED"})
"""The statuses of a case that came through."""

HASTE_S: Final = 5.0
"""Seconds one step of an adapter may take here once it is warm, less than in a run. A gateway's recipe says its own."""

SETTLE_S: Final = 0.2
"""Seconds until what a process wrote with its answer is read."""

BUDGET_S: Final = 30.0
"""Seconds behind the first case after which no more are begun."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One case to play."""

    stage: Stage
    case: Case
    scenario: Scenario

    @property
    def route(self) -> Route:
        return self.case.key.client, self.case.key.upstream


@dataclass(frozen=True, slots=True)
class Tried:
    """``diagnosis``: None where nothing is wrong, or nothing was played. ``demanded``: the adapter claims all that the
    scenario requires."""

    stage: Stage
    result: CaseResult
    diagnosis: Diagnosis | None = None
    demanded: bool = True

    @property
    def works(self) -> bool:
        return self.result.status in WORKS

    @property
    def route(self) -> Route:
        return self.result.key.client, self.result.key.upstream

    @property
    def capabilities(self) -> tuple[str, ...]:
        """Those that this case detects."""
        return detected(self.result.key.scenario)


class Smoke:
    """Plays what is worth playing, in order. ``left``: cases that were not tried: they would have shown the same, or
    the time was up."""

    def __init__(self, driver: Driver, library: Library, budget: float = BUDGET_S) -> None:
        self.left = 0
        self._driver = demanding(driver)
        self._warm: set[tuple[Layer, Dialect]] = set()
        self._library = library
        self._budget = budget
        self._until = math.inf
        self._ended: set[Route] = set()
        self._wrong: set[tuple[Route, Mode]] = set()
        self._over = False

    def play(self, starting: Callable[[Trial], None]) -> Iterator[Tried]:
        """``starting``: told of each case before it is played. Nothing follows a control that fails."""
        controlled = [*self._all(controls(self._driver), starting)]
        yield from controlled
        if any(one.diagnosis for one in controlled):
            return
        plainly: list[Tried] = []
        for one in self._all(plain(self._driver), starting):
            if not plainly:
                # The first has waited for all that is started and imported once.
                self._until = time.monotonic() + self._budget
            plainly.append(one)
            yield one
        yield from self._all(capabilities(self._driver, came_through(plainly)), starting)

    def _all(self, trials: Iterable[Trial], starting: Callable[[Trial], None]) -> Iterator[Tried]:
        for trial in trials:
            if self._idle(trial):
                self.left += 1
                continue
            starting(trial)
            one = tried(trial, self._paced(trial), self._library)
            self._learn(one)
            yield one

    def _paced(self, trial: Trial) -> Driver:
        """The adapter with little time, but for the first call to a provider: it may import an SDK for that."""
        key, driver = trial.case.key, self._driver
        warm = (key.layer, key.upstream) in self._warm
        self._warm.add((key.layer, key.upstream))
        return replace(driver, timeout=min(driver.timeout, HASTE_S)) if warm and not driver.gateway else driver

    def _idle(self, trial: Trial) -> bool:
        """Whether it would show nothing new. A gateway's second client hears what the first did, and tells less."""
        again = self._driver.gateway is not None and (trial.route, trial.case.key.mode) in self._wrong
        over = self._over or time.monotonic() > self._until
        return over or again or trial.route in self._ended

    def _learn(self, one: Tried) -> None:
        if one.diagnosis is None:
            return
        if one.stage == "plain":
            self._wrong.add((one.route, one.result.key.mode))
        if one.diagnosis.ends:
            self._ended.add(one.route)
            self._over = one.diagnosis.ends == "all"


def demanding(driver: Driver) -> Driver:
    """The adapter with everything demanded of it."""
    return replace(driver, judged_on_all=True)


def controls(driver: Driver) -> Iterator[Trial]:
    """The native path of its dialects, at the layers it is played at."""
    scenario = _scenario(PLAIN)
    layers = {trial.case.key.layer for trial in plain(driver)}
    dialects = {dialect for route in driver.info.routes for dialect in route}
    for case in plan(scenario, driver, Selection(paths=("native",))):
        if case.key.layer in layers and case.key.client in dialects:
            yield Trial("control", case, scenario)


def plain(driver: Driver) -> Iterator[Trial]:
    """The plain text through all that the adapter says it has."""
    yield from _bridged("plain", _scenario(PLAIN), driver)


def capabilities(driver: Driver, works: frozenset[tuple[Route, Layer]]) -> Iterator[Trial]:
    """What detects each capability, once a route: at the first layer that ``works``, unary where there is that."""
    for scenario_id in dict.fromkeys(CAPABILITIES.values()):
        played: set[Route] = set()
        for trial in _bridged("capability", _scenario(scenario_id), driver):
            if trial.route not in played and (trial.route, trial.case.key.layer) in works:
                played.add(trial.route)
                yield trial


def tried(trial: Trial, driver: Driver, library: Library) -> Tried:
    """Plays it. Never raises for what goes wrong in it."""
    result, transcript = watched(trial.case, trial.scenario, driver, library)
    told = _upstream_url(driver, result, library)
    seen = Seen(result, transcript, told, detected(trial.scenario.id), _log(driver, result))
    demanded = driver.info.claims.issuperset(trial.scenario.requires)
    return Tried(trial.stage, result, diagnose(seen, driver.target), demanded)


def _log(driver: Driver, result: CaseResult) -> str:
    """What the process of a gateway wrote about a case that went wrong."""
    if driver.gateway is None or result.status in WORKS:
        return ""
    time.sleep(SETTLE_S)
    return driver.gateway.last_lines(result.key.upstream)


def detected(scenario_id: str) -> tuple[str, ...]:
    """The capabilities that a scenario detects."""
    return tuple(name for name, detecting in CAPABILITIES.items() if detecting == scenario_id)


def came_through(played: Sequence[Tried]) -> frozenset[tuple[Route, Layer]]:
    """The routes, each with a layer at which it works in some mode."""
    return frozenset((one.route, one.result.key.layer) for one in played if one.works)


def _bridged(stage: Stage, scenario: Scenario, driver: Driver) -> Iterator[Trial]:
    for case in plan(scenario, driver, Selection(paths=("bridged",))):
        if not case.why_not:
            yield Trial(stage, case, scenario)


def _scenario(scenario_id: str) -> Scenario:
    """Raises MissingPath where the corpus in use has no such scenario."""
    place = scenarios_root() / f"{scenario_id}.json"
    if not place.is_file():
        what = f"this corpus has no {scenario_id}, which smoke plays"
        raise MissingPath(what, str(place), "the corpus of bridgecheck itself", "unset BRIDGECHECK_CORPUS")
    return load_scenario(place)


def _upstream_url(driver: Driver, result: CaseResult, library: Library) -> str:
    """Where the adapter was told its provider is."""
    if result.key.layer == "wire" or result.key.path == "native":
        return ""
    over_socket = result.key.layer == "http" or driver.gateway is not None or driver.over_socket
    return library.edge.base_url if over_socket else RECORDS[cast(WireDialect, result.key.upstream)].base_url
