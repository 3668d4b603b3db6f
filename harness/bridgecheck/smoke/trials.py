"""The few cases that show whether an adapter is wired correctly, played in four steps.

control     the native path of every dialect that the adapter routes: if it fails, nothing is known of the adapter
plain       ``PLAIN_SCENARIO`` through every route, mode and layer of the adapter
model       one case for each model that scenarios name, through a gateway: whether it is routed, and nothing else
capability  the scenario that detects each capability, through every working route, in one mode and at one layer
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, cast

from bridgecheck.checks.table import HARNESS
from bridgecheck.drivers import Driver
from bridgecheck.errors import MissingPath
from bridgecheck.files import load_scenario, scenarios, scenarios_root
from bridgecheck.model.adapter import CAPABILITIES, Route
from bridgecheck.model.corpus_variables import CORPUS_VARIABLE
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult, Layer, Status, Verdict
from bridgecheck.run.execute import JudgedCase, judge_case
from bridgecheck.run.library import Library
from bridgecheck.run.longer_limits import MachineStalled, try_again_with_longer_limits
from bridgecheck.run.machine_load import MachineLoad
from bridgecheck.run.plan import Case, Selection, name_model, plan
from bridgecheck.smoke.diagnosis import Diagnosis, diagnose, diagnose_unrouted_models
from bridgecheck.smoke.observation import NOT_PLAYED, Observation
from bridgecheck.smoke.symptoms import does_not_route_model
from bridgecheck.wire import MODES, Dialect, Mode, WireDialect
from bridgecheck.wire.facts import RECORDS

PLAIN_SCENARIO: Final = "messages/plain-text"

Step: TypeAlias = Literal["control", "plain", "model", "capability"]

PASSING: Final[frozenset[Status]] = frozenset({"PASS", "NOTE", "WARN", "INHERITED", "DISPUTED"})
"""The statuses of a case that works."""

WARM_TIMEOUT_S: Final = 5.0
"""Seconds an adapter may take for one step after its first call, less than in a run. A gateway's recipe sets its own
limit."""

LOG_DELAY_S: Final = 0.2
"""Seconds between a response and the reading of what the process wrote with it."""

BUDGET_S: Final = 30.0
"""Seconds after the first plain case in which further cases are started."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One case to play. ``model``: as the client calls it, of the step that is about models."""

    step: Step
    case: Case
    scenario: Scenario
    model: str = ""

    @property
    def route(self) -> Route:
        return self.case.key.client, self.case.key.upstream


@dataclass(frozen=True, slots=True)
class DiagnosedTrial:
    """One played case. ``diagnosis``: None where nothing is wrong, or nothing was played. ``is_claimed``: the adapter
    claims all that the scenario requires. ``model``: as of the trial."""

    step: Step
    result: CaseResult
    diagnosis: Diagnosis | None = None
    is_claimed: bool = True
    model: str = ""

    @property
    def works(self) -> bool:
        return self.result.status in PASSING

    @property
    def is_answered(self) -> bool:
        """Whether the adapter carried the request to its provider and an answer back, right or wrong."""
        return self.works or (self.diagnosis is not None and self.diagnosis.name in ("meaning", "error"))

    @property
    def route(self) -> Route:
        return self.result.key.client, self.result.key.upstream

    @property
    def capabilities(self) -> tuple[str, ...]:
        return detected_capabilities(self.result.key.scenario)


class TrialRunner:
    """Plays the cases of one adapter. ``skipped``: the number of cases that were not played, because they would have
    shown the same or the time was up. ``measure_load``: makes what measures the machine while a case is tried again."""

    def __init__(
        self, driver: Driver, library: Library, budget: float = BUDGET_S,
        measure_load: Callable[[], MachineLoad] = MachineLoad,
    ) -> None:  # fmt: skip
        self.skipped = 0
        self._measure_load = measure_load
        self._driver = replace(driver, judged_on_all=True)
        self._library = library
        self._budget = budget
        self._deadline = math.inf
        self._warm: set[tuple[Layer, Dialect]] = set()
        self._skipped_routes: set[Route] = set()
        self._failed_modes: set[tuple[Route, Mode]] = set()
        self._skips_all = False

    def play(self, on_start: Callable[[Trial], None]) -> Iterator[DiagnosedTrial]:
        """Play all four steps; the first is the last if it fails. ``on_start``: called before each case."""
        controls = [*self._play_all(plan_controls_without_adapter(self._driver), on_start)]
        yield from controls
        if any(result.diagnosis for result in controls):
            return
        plain: list[DiagnosedTrial] = []
        for result in self._play_all(plan_plain(self._driver), on_start):
            if not plain:
                # The first case has waited for everything that is started and imported only once.
                self._deadline = time.monotonic() + self._budget
            plain.append(result)
            yield result
        working = frozenset((result.route, result.result.key.layer) for result in plain if result.works)
        yield from self._play_all(plan_models(self._driver, working), on_start)
        yield from self._play_all(plan_capabilities(self._driver, working), on_start)

    def _play_all(self, trials: Iterable[Trial], on_start: Callable[[Trial], None]) -> Iterator[DiagnosedTrial]:
        for trial in trials:
            if self._is_pointless_or_too_late(trial):
                self.skipped += 1
                continue
            result = self._play_until_answered(trial, on_start)
            self._note_what_to_skip(result)
            yield result

    def _play_until_answered(self, trial: Trial, on_start: Callable[[Trial], None]) -> DiagnosedTrial:
        """Play one case; again, with longer limits, if it hit its limit. ``on_start``: called before each try."""
        driver = self._driver_with_short_timeout_once_warm(trial)

        def play_with_limit(factor: float) -> JudgedCase:
            on_start(trial)
            return judge_case(trial.case, trial.scenario, driver.with_time(factor), self._library)

        judged = play_with_limit(1)
        try:
            if judged.has_hung:
                judged = try_again_with_longer_limits(
                    judged, play_with_limit, lambda tried: tried.has_hung, measure_load=self._measure_load
                )
        except MachineStalled as stalled:
            result = replace(judged.result, verdicts=(Verdict(HARNESS, "ERROR", stalled.what),))
            judged = replace(judged, result=result, error=stalled)
        return diagnose_trial(trial, judged, driver, self._library)

    def _driver_with_short_timeout_once_warm(self, trial: Trial) -> Driver:
        """Return the driver with a short timeout, except for the first call to a provider, which may import an SDK."""
        key, driver = trial.case.key, self._driver
        is_warm = (key.layer, key.upstream) in self._warm
        self._warm.add((key.layer, key.upstream))
        has_short_limit = is_warm and not driver.gateway
        return replace(driver, timeout=min(driver.timeout, WARM_TIMEOUT_S)) if has_short_limit else driver

    def _is_pointless_or_too_late(self, trial: Trial) -> bool:
        """Whether the case would show nothing new. A gateway's second client receives what the first did, with less
        detail."""
        repeats = self._driver.gateway is not None and (trial.route, trial.case.key.mode) in self._failed_modes
        is_over = self._skips_all or time.monotonic() > self._deadline
        return is_over or repeats or trial.route in self._skipped_routes

    def _note_what_to_skip(self, result: DiagnosedTrial) -> None:
        if result.diagnosis is None:
            return
        if result.step == "plain":
            self._failed_modes.add((result.route, result.result.key.mode))
        if result.diagnosis.skips:
            self._skipped_routes.add(result.route)
            self._skips_all = result.diagnosis.skips == "all"


def plan_controls_without_adapter(driver: Driver) -> Iterator[Trial]:
    """Yield the native path of the adapter's dialects, at the layers at which the adapter is played."""
    scenario = _load_scenario(PLAIN_SCENARIO)
    layers = {trial.case.key.layer for trial in plan_plain(driver)}
    dialects = {dialect for route in driver.info.routes for dialect in route}
    for case in plan(scenario, driver, Selection(paths=("native",))):
        if case.key.layer in layers and case.key.client in dialects:
            yield Trial("control", case, scenario)


def plan_plain(driver: Driver) -> Iterator[Trial]:
    """Yield the plain text through every route, mode and layer of the adapter."""
    yield from _plan_through_adapter("plain", _load_scenario(PLAIN_SCENARIO), driver)


def plan_capabilities(driver: Driver, working: frozenset[tuple[Route, Layer]]) -> Iterator[Trial]:
    """Yield the case that detects each capability, once per route: at the first ``working`` layer, unary if
    possible."""
    for scenario_id in dict.fromkeys(CAPABILITIES.values()):
        planned: set[Route] = set()
        for trial in _plan_through_adapter("capability", _load_scenario(scenario_id), driver):
            if trial.route not in planned and (trial.route, trial.case.key.layer) in working:
                planned.add(trial.route)
                yield trial


def plan_models(driver: Driver, working: frozenset[tuple[Route, Layer]]) -> Iterator[Trial]:
    """Yield a case for each model that clients of a gateway name to a provider, but for the one of the plain text:
    through the first ``working`` route and layer. Models that exist nowhere, which only errors are about, are left
    out."""
    if driver.gateway is None:
        return
    played: set[tuple[str, Dialect]] = set()
    for trial in plan_plain(driver):
        played.add((name_model(driver, trial.case.key, trial.scenario), trial.case.key.upstream))
    trials = [found for item in scenarios(scenarios_root()) for found in _plan_through_adapter("model", item, driver)]
    for trial in sorted(trials, key=lambda trial: MODES.index(trial.case.key.mode)):
        key = trial.case.key
        model = name_model(driver, key, trial.scenario)
        is_new = bool(model) and (model, key.upstream) not in played and (trial.route, key.layer) in working
        if is_new and _has_success(trial.scenario, key.upstream, key.mode):
            played.add((model, key.upstream))
            yield replace(trial, model=model)


def _has_success(scenario: Scenario, upstream: Dialect, mode: Mode) -> bool:
    return any(answer.status < 400 for answer in scenario.turns[0].upstream[upstream][mode])


def diagnose_trial(trial: Trial, judged: JudgedCase, driver: Driver, library: Library) -> DiagnosedTrial:
    """Return the case as it was played, with what is wrong."""
    result = judged.result
    url, capabilities = _upstream_url(driver, result, library), detected_capabilities(trial.scenario.id)
    log = _read_gateway_log_of_failed_case(driver, result)
    observation = Observation(result, judged.transcript or NOT_PLAYED, url, capabilities, log, judged.error)
    is_claimed = driver.info.claims.issuperset(trial.scenario.requires)
    if trial.step == "model":
        diagnosis = diagnose_unrouted_models([trial.model]) if does_not_route_model(observation) else None
    else:
        diagnosis = diagnose(observation, driver.target)
    return DiagnosedTrial(trial.step, result, diagnosis, is_claimed, trial.model)


def detected_capabilities(scenario_id: str) -> tuple[str, ...]:
    return tuple(name for name, detecting in CAPABILITIES.items() if detecting == scenario_id)


def _plan_through_adapter(step: Step, scenario: Scenario, driver: Driver) -> Iterator[Trial]:
    for case in plan(scenario, driver, Selection(paths=("bridged",))):
        if not case.why_not:
            yield Trial(step, case, scenario)


def _load_scenario(scenario_id: str) -> Scenario:
    """Raises MissingPath where the corpus in use has no such scenario."""
    path = scenarios_root() / f"{scenario_id}.json"
    if not path.is_file():
        what = f"this corpus has no {scenario_id}, which smoke plays"
        raise MissingPath(
            what, str(path), "the corpus of bridgecheck itself", f"without --corpus, and unset {CORPUS_VARIABLE}"
        )
    return load_scenario(path)


def _read_gateway_log_of_failed_case(driver: Driver, result: CaseResult) -> str:
    """Return what the process of a gateway wrote about a case that failed."""
    if driver.gateway is None or result.status in PASSING:
        return ""
    time.sleep(LOG_DELAY_S)
    return driver.gateway.last_lines(result.key.upstream)


def _upstream_url(driver: Driver, result: CaseResult, library: Library) -> str:
    """Return the address at which the adapter has to call its provider, "" where it does not call over HTTP."""
    if result.key.layer == "wire" or result.key.path == "native":
        return ""
    if driver.process is not None and driver.process.edge_url:
        return driver.process.edge_url
    over_socket = result.key.layer == "http" or driver.gateway is not None or driver.over_socket
    return library.edge.base_url if over_socket else RECORDS[cast(WireDialect, result.key.upstream)].base_url
