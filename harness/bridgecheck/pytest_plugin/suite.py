"""Suite: one adapter with all that a session requires of it; and the options that say so."""

import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import cast, get_args

import pytest

from bridgecheck.cassette.traffic import TrafficItem
from bridgecheck.drivers import AdapterSelection, Driver, select_adapter_or_reference
from bridgecheck.drivers.recipe import SUFFIX
from bridgecheck.files import load_scenario, scenarios, scenarios_root
from bridgecheck.files.project import NO_PROJECT, Project, Stale, nearest_project, read_project
from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult, Layer
from bridgecheck.model.verdict import Path as CasePath
from bridgecheck.relations.choice import HowMany, RelationChoice
from bridgecheck.report.deviations_file import DEVIATIONS_FILE as DEVIATIONS
from bridgecheck.report.deviations_file import default_deviations_path, load_gate, require_file_unless_written
from bridgecheck.report.gate import Gate
from bridgecheck.run import execute, plan
from bridgecheck.run.library import Library
from bridgecheck.run.patience import Patience
from bridgecheck.run.plan import Case, Selection
from bridgecheck.secrets import remember_environment
from bridgecheck.wire import Mode


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line, completed by those of the test class and of ``[tool.bridgecheck]``.

    ``adapter``: of the command line or the project. ``capabilities``: claimed for whatever adapter it is, None for its
    own claims. ``deviations``: a file that must exist, None where none is named. ``selected``: by this command line;
    ``standing_selection``: what the project always runs. ``tags``: of this command line.
    """

    project: Project
    adapter: AdapterSelection
    capabilities: tuple[str, ...] | None
    deviations: Path | None
    requirements: str
    stale: Stale
    relation_choice: RelationChoice
    selected: Selection
    standing_selection: Selection
    tags: frozenset[str]

    @property
    def selection(self) -> Selection:
        """The project's selection holds where the command line selects nothing."""
        return self.selected if self.is_partial else self.standing_selection

    @property
    def is_partial(self) -> bool:
        """Whether the command line selects a part of the cases."""
        return self.selected != Selection() or bool(self.tags)


def find_project(config: pytest.Config, folder: Path) -> Project:
    """Return the project of ``--bridgecheck-project``, which may be "" for none; else the nearest, in ``folder`` or
    above. Raises pytest.UsageError and BadProject."""
    option = config.getoption("--bridgecheck-project")
    if option is None:
        return nearest_project(folder)
    if not option:
        return NO_PROJECT
    project = read_project(Path(os.path.abspath(option)))  # noqa: PTH100 - links stay as typed
    if project.root is None:
        raise pytest.UsageError(f"--bridgecheck-project={option}: a pyproject.toml with [tool.bridgecheck]")
    return project


def read_options(config: pytest.Config, project: Project, has_own_adapter: bool = False) -> Options:
    """Read the options of the command line, completed by ``project``. ``has_own_adapter``: the adapter is not the one
    that the command line names. Raises pytest.UsageError."""
    option = config.getoption
    target = "" if has_own_adapter else option("--bridgecheck-adapter")
    adapter = select_adapter_or_reference(target, project, option("--bridgecheck-upstream-port"))
    named, claims = option("--bridgecheck-capabilities"), adapter.capabilities
    if named is not None:
        claims = tuple(_check_value("capabilities", claim, CAPABILITIES) for claim in named.split(",") if claim)
    deviations, folder = option("--bridgecheck-deviations"), option("--bridgecheck-root")
    root = Path(folder) if folder else adapter.root
    is_projects_adapter = adapter.target == select_adapter_or_reference("", project).target
    how_many = _check_value("relations", option("--bridgecheck-relations") or project.relations, get_args(HowMany))
    return Options(
        project=project,
        adapter=replace(adapter, capabilities=claims, version=option("--bridgecheck-version"), root=root),
        capabilities=claims,
        deviations=Path(deviations) if deviations else project.deviations if is_projects_adapter else None,
        requirements=option("--bridgecheck-requirements") or project.requirements,
        stale=cast(Stale, _check_value("stale", option("--bridgecheck-stale") or project.stale, get_args(Stale))),
        relation_choice=RelationChoice(cast(HowMany, how_many), option("--bridgecheck-seed")),
        selected=_read_selection(config),
        standing_selection=Selection(addresses=project.scenarios, layers=project.layers),
        tags=frozenset(option("--bridgecheck-tag")),
    )


def _read_selection(config: pytest.Config) -> Selection:
    option = config.getoption
    mode, path = option("--bridgecheck-mode"), option("--bridgecheck-path")
    layers = [_check_value("layer", layer, get_args(Layer)) for layer in option("--bridgecheck-layer")]
    return Selection(
        modes=(cast(Mode, _check_value("mode", mode, get_args(Mode))),) if mode else (),
        paths=(cast(CasePath, _check_value("path", path, get_args(CasePath))),) if path else (),
        addresses=tuple(option("--bridgecheck-scenario")),
        layers=cast("tuple[Layer, ...]", tuple(layers)),
    )


def _check_value(name: str, value: str, known: Collection[str]) -> str:
    """Return the value of an option. Raises pytest.UsageError if it is not among the known ones."""
    if value not in known:
        raise pytest.UsageError(f"--bridgecheck-{name}={value}: expected one of {', '.join(known)}")
    return value


@dataclass(frozen=True, slots=True)
class Suite:
    """``deviations``: the file that ``gate`` has them from, None for none. ``only_bridged_routes``: what the adapter
    does not route is omitted, and so is the native path."""

    driver: Driver
    options: Options
    library: Library
    gate: Gate
    deviations: Path | None = None
    only_bridged_routes: bool = False
    patience: Patience = field(default_factory=Patience)

    @property
    def selection(self) -> Selection:
        return self.options.selection

    def plan_scenario(self, scenario: Scenario) -> list[Case]:
        """Return the cases of a scenario, none if it lacks the selected tags."""
        if self.options.tags and not self.options.tags & set(scenario.tags):
            return []
        cases, routes = plan.plan(scenario, self.driver, self.selection), self.driver.info.routes
        if not self.only_bridged_routes:
            return cases
        return [case for case in cases if case.key.path == "bridged" and (case.key.client, case.key.upstream) in routes]

    def plan_corpus(self) -> Iterator[tuple[Case, Scenario]]:
        """Yield all selected cases of the corpus. Raises UnknownScenario where nothing has a selected id or tag, and
        BadScenario."""
        for scenario in scenarios(scenarios_root(), self.selection.addresses, self.options.tags, load_scenario_once):
            for case in self.plan_scenario(scenario):
                yield case, scenario

    def play(self, case: Case, scenario: Scenario) -> CaseResult:
        """Play and judge the case, and add its excuses."""
        return self.patience.play(
            case, scenario, self.driver, self.library, self.options.relation_choice, self.gate.excuse_failures
        )

    def play_traffic(self, case: Case, item: TrafficItem) -> CaseResult:
        """Play and judge a case of recorded traffic, and add its excuses."""
        return self.patience.play_traffic(
            case, item, self.driver, self.options.relation_choice, self.gate.excuse_failures
        )

    def seconds_until_free(self, case: Case, scenario: Scenario) -> float:
        """Return how long the case has to wait: a running gateway may yet repeat its request for an earlier."""
        return execute.seconds_until_free(case.key, scenario, self.driver, self.library)

    def excuse_failures_of(self, play: Callable[[], CaseResult]) -> CaseResult:
        """Play a case by ``play``, and add its excuses."""
        return self.gate.excuse_failures(play())


def make_suite(
    driver: Driver, options: Options, library: Library, deviations: Path | None, only_bridged_routes: bool = False
) -> Suite:
    """Read deviations and requirements. What variables of this process hold that may be credentials is masked in
    results from now on: it may be a worker process, or anyone's pytest. Raises BadDeviations, BadRequirements and
    MissingPath."""
    remember_environment(os.environ)
    today = datetime.now(UTC).date()
    gate = load_gate(deviations, options.requirements, driver.info.version, today)
    return Suite(driver, options, library, gate, deviations, only_bridged_routes)


def find_deviations(driver: Driver, options: Options) -> Path | None:
    """Return the path of an adapter's deviations: the file that was named, else beside its recipe, else the default in
    its project. In the last two it need not exist. Raises MissingPath."""
    if options.deviations is not None:
        return require_file_unless_written(options.deviations, to_be_written=False)
    if options.adapter.target.endswith(SUFFIX):
        return Path(options.adapter.target).parent / DEVIATIONS
    return options.project.root / default_deviations_path(driver.info.name) if options.project.root else None


@cache
def load_scenario_once(path: Path) -> Scenario:
    """Load a scenario, once per process. Raises BadScenario."""
    return load_scenario(path)
