"""Suite: one adapter with all that is demanded of it, in one process."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from bridgecheck.drivers import Driver
from bridgecheck.drivers.recipe import SUFFIX
from bridgecheck.files import load_scenario, scenarios, scenarios_root
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult
from bridgecheck.pytest_plugin.options import Options
from bridgecheck.report.deviations_file import DEVIATIONS_FILE as DEVIATIONS
from bridgecheck.report.deviations_file import check_deviations_path, default_deviations_path, load_gate
from bridgecheck.report.gate import Gate
from bridgecheck.run import execute, plan
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case, Selection


@dataclass(frozen=True, slots=True)
class Suite:
    """``deviations``: the file that ``gate`` has them from, None for none. ``routed``: what the adapter does not route
    is left out, and so is the control path."""

    driver: Driver
    asked: Options
    library: Library
    gate: Gate
    deviations: Path | None = None
    routed: bool = False

    @property
    def selection(self) -> Selection:
        return self.asked.selection

    def cases(self, scenario: Scenario) -> list[Case]:
        found = plan.plan(scenario, self.driver, self.selection)
        return [case for case in found if not self.routed or self._routes(case)] if self._tagged(scenario) else []

    def _routes(self, case: Case) -> bool:
        return case.key.path == "bridged" and (case.key.client, case.key.upstream) in self.driver.info.routes

    def _tagged(self, scenario: Scenario) -> bool:
        return not self.asked.tags or bool(self.asked.tags & set(scenario.tags))

    def every(self) -> Iterator[tuple[Case, Scenario]]:
        """All that the corpus holds for it. Raises UnknownScenario where nothing has an id or tag that was asked for,
        and BadScenario."""
        for scenario in scenarios(scenarios_root(), self.selection.addresses, self.asked.tags, load):
            for case in self.cases(scenario):
                yield case, scenario

    def play(self, case: Case, scenario: Scenario) -> CaseResult:
        """The case, judged, with its excuses."""
        relating = self.asked.relating
        return self.judged(lambda: execute.run_case(case, scenario, self.driver, self.library, relating))

    def judged(self, play: Callable[[], CaseResult]) -> CaseResult:
        """What ``play`` gives, with its excuses."""
        return self.gate.excuse_failures(play())


def suite(driver: Driver, asked: Options, library: Library, deviations: Path | None, routed: bool = False) -> Suite:
    """Raises BadDeviations, BadRequirements and MissingPath."""
    today = datetime.now(UTC).date()
    gate = load_gate(deviations, asked.requirements, driver.info.version, today)
    return Suite(driver, asked, library, gate, deviations, routed)


def deviations_of(driver: Driver, asked: Options) -> Path | None:
    """Where those of an adapter are: the file that was named, else beside its recipe, else the default place in its
    project. In the last two it need not be. Raises MissingPath."""
    if asked.deviations is not None:
        return check_deviations_path(asked.deviations, to_be_written=False)
    if asked.adapter.target.endswith(SUFFIX):
        return Path(asked.adapter.target).parent / DEVIATIONS
    return asked.project.root / default_deviations_path(driver.info.name) if asked.project.root else None


@cache
def load(path: Path) -> Scenario:
    """A scenario, read once a process. Raises BadScenario."""
    return load_scenario(path)
