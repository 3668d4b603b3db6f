"""The options of ``run`` and ``plan``: put together with the project's, and checked before anything runs."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from bridgecheck.cassette import traffic
from bridgecheck.drivers import AdapterSelection, Driver, select_adapter_or_reference
from bridgecheck.drivers.recipe import SUFFIX
from bridgecheck.errors import BadRequire, MissingPath, UnknownScenario
from bridgecheck.files import cassette_folders, scenarios, scenarios_root
from bridgecheck.files.project import Project
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.selection import SHARD_OPTION, parse_shard_or_refuse
from bridgecheck.model.verdict import Layer
from bridgecheck.model.verdict import Path as CasePath
from bridgecheck.relations.choice import NO_RELATIONS, RelationChoice
from bridgecheck.report.deviations_file import DEVIATIONS_FILE, default_deviations_path, require_file_unless_written
from bridgecheck.report.rests_on import topic_demanded
from bridgecheck.run import plan
from bridgecheck.run.library import Library
from bridgecheck.run.plan import choose_workers
from bridgecheck.wire import Mode

BYTES_PER_CASE: Final = 2_000
"""About how many bytes of recorded traffic make one case."""


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of ``run``, from the command line and the project. Empty or None: not stated.

    ``capabilities`` None: what the adapter claims itself. ``workers`` 0: no worker processes. ``max_fail``: number of
    failed cases that end the run, 0 for no limit. ``deviations``: None for the adapter's own file. ``update``: write
    that file anew. ``is_projects_selection``: the selection of cases is the project's, not this run's. ``root``: the
    project's folder. ``upstream_port``: where a running gateway calls its provider, 0 for what its recipe or the
    environment says. ``shuffle``: seed of the order in which the cases are played, None for the corpus's own.
    ``max_age``: days that a live cassette may be old, 0 for any, None: not stated. ``require``: ``live`` or
    ``live:TOPIC``. ``folders``: (option, folder) pairs of --corpus and --recordings, where stated. ``now``: the clock
    that tells how old recordings and deviations are.
    """

    adapter: str = ""
    capabilities: tuple[str, ...] | None = None
    scenarios: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    traffic: tuple[str, ...] = ()
    mode: Mode | None = None
    path: CasePath | None = None
    layers: tuple[Layer, ...] = ()
    workers: int | None = None
    strict: bool = False
    shard: str = ""
    max_fail: int = 0
    deviations: Path | None = None
    stale: Literal["warn", "fail"] = "warn"
    update: bool = False
    requirements: str = ""
    relation_choice: RelationChoice = NO_RELATIONS
    folder: Path = Path("reports/local")
    is_projects_selection: bool = False
    root: Path | None = None
    upstream_port: int = 0
    shuffle: int | None = None
    max_age: int | None = None
    require: tuple[str, ...] = ()
    folders: tuple[tuple[str, str], ...] = ()
    now: Callable[[], datetime] = utc_now

    def load_driver(self) -> Driver:
        """Load the adapter. Raises BadTarget and BadRecipe."""
        return AdapterSelection(self.adapter, self.capabilities, self.root, self.upstream_port).driver()

    @property
    def case_selection(self) -> plan.Selection:
        modes = (self.mode,) if self.mode else ()
        paths = (self.path,) if self.path else ()
        return plan.Selection(modes, paths, self.scenarios, self.layers)

    @property
    def selecting_options(self) -> tuple[tuple[str, str], ...]:
        """The options that select cases and relations, as (option, value). What a project always omits is named by its
        key instead of an option: such a run is not partial."""
        scenario, layer = ("scenarios", "layers") if self.is_projects_selection else ("--scenario", "--layer")
        pairs = [(scenario, value) for value in self.scenarios]
        pairs += [(layer, value) for value in self.layers]
        pairs += [("--tag", value) for value in self.tags]
        pairs += [("--traffic", value) for value in self.traffic]
        pairs += [("--mode", self.mode or ""), ("--path", self.path or ""), (SHARD_OPTION, self.shard)]
        if self.relation_choice.how_many != "none":
            pairs += [("--relations", self.relation_choice.how_many), ("--seed", str(self.relation_choice.seed))]
        return tuple(pair for pair in pairs if pair[1])


def add_project(options: RunOptions, project: Project) -> RunOptions:
    """Complete the options of a command line with those of the project. What the project states about its adapter holds
    for no other adapter; its selection of cases, and what it requires of them, hold where the command line selects
    nothing."""
    adapter = select_adapter_or_reference(options.adapter, project, options.upstream_port)
    is_projects_adapter = bool(project.adapter) and adapter.target == select_adapter_or_reference("", project).target
    deviations = project.deviations if is_projects_adapter else None
    selects = bool(options.scenarios or options.tags or options.traffic or options.layers)
    return replace(
        options, adapter=adapter.target, capabilities=adapter.capabilities,
        deviations=options.deviations or (Path(os.path.relpath(deviations)) if deviations else None),
        requirements=options.requirements or project.requirements,
        scenarios=options.scenarios if selects else project.scenarios,
        layers=options.layers if selects else project.layers, is_projects_selection=not selects, root=adapter.root,
        max_age=(project.max_age or None) if options.max_age is None else options.max_age,
        require=options.require or (() if selects else project.require),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScenariosAndTrafficToRun:
    """What will run: scenarios with about how many cases, and traffic files, each with its glob of ids. ``fixed_port``:
    where the provider has to listen, which only one process can; 0: anywhere. ``workers``: number of worker
    processes. ``version``: of the adapter. ``skipped``: files of the folders of traffic that hold no recording."""

    scenarios: tuple[Scenario, ...]
    files: dict[Path, str]
    workers: int
    version: str
    fixed_port: int = 0
    skipped: tuple[Path, ...] = ()


def plan_run(options: RunOptions, driver: Driver) -> ScenariosAndTrafficToRun:
    """Find what the options select. Raises RefusedAtStart: a shard outside its range, a path that does not exist, a
    scenario that is unknown, broken or without its recording."""
    part = parse_shard_or_refuse(options.shard)
    files = _map_traffic_files_to_interaction_globs(options.traffic)
    only_traffic = options.traffic and not options.scenarios and not options.tags
    selected = [] if only_traffic else scenarios(scenarios_root(), options.scenarios, options.tags)
    _require_known_topics(options.require, selected)
    Library(*cassette_folders()).require_recordings(selected)
    planned = [case for scenario in selected for case in plan.plan(scenario, driver, options.case_selection)]
    for glob in options.scenarios:
        _require_scenario_glob_matches_a_case(glob, selected, driver)
    size = sum(file.stat().st_size for file in files)
    port = driver.gateway.upstream_port if driver.gateway is not None else 0
    cases = (len(planned) + size // BYTES_PER_CASE) // part.count
    workers = choose_workers(options.workers, cases, has_fixed_port=bool(port))
    skipped = _files_without_recordings(options.traffic)
    return ScenariosAndTrafficToRun(tuple(selected), files, workers, driver.info.version, port, skipped)


def deviations_path(options: RunOptions, driver: Driver) -> Path:
    """Return the path of the file with the adapter's accepted failures, which need not exist. Raises MissingPath."""
    if options.deviations is not None:
        return require_file_unless_written(options.deviations, options.update)
    if options.adapter.endswith(SUFFIX):
        return Path(options.adapter).parent / DEVIATIONS_FILE
    return Path(os.path.relpath(options.root or ".")) / default_deviations_path(driver.info.name)


def pytest_arguments(options: RunOptions, planned: ScenariosAndTrafficToRun, deviations: Path) -> list[str]:
    root = scenarios_root()
    arguments = [f"--bridgecheck-adapter={options.adapter}", "--bridgecheck-project=", "--bridgecheck-bare"]
    arguments += [f"--bridgecheck-root={options.root}"] if options.root is not None else []
    if options.capabilities is not None:
        arguments.append(f"--bridgecheck-capabilities={','.join(options.capabilities)}")
    arguments += [f"--bridgecheck-upstream-port={options.upstream_port}", f"--bridgecheck-version={planned.version}"]
    arguments += [f"--bridgecheck-layer={layer}" for layer in options.layers]
    arguments += [f"--bridgecheck-scenario={glob}" for glob in options.scenarios]
    arguments += [f"--bridgecheck-tag={tag}" for tag in options.tags]
    arguments += [f"--bridgecheck-traffic={path}" for path in options.traffic]
    arguments += [f"--bridgecheck-mode={options.mode or ''}", f"--bridgecheck-path={options.path or ''}"]
    arguments += [f"--bridgecheck-deviations={deviations}"] if deviations.exists() else []
    arguments += [f"--bridgecheck-requirements={options.requirements}"]
    arguments += [f"--bridgecheck-shard={options.shard}", f"--maxfail={options.max_fail}"]
    arguments += [f"--bridgecheck-shuffle={options.shuffle}"] if options.shuffle is not None else []
    relations = options.relation_choice
    arguments += [f"--bridgecheck-relations={relations.how_many}", f"--bridgecheck-seed={relations.seed}"]
    arguments += list(dict.fromkeys(str(root / f"{scenario.file_id}.json") for scenario in planned.scenarios))
    return arguments + [str(file) for file in planned.files]


def _require_known_topics(require: Sequence[str], selected: Sequence[Scenario]) -> None:
    """Raises BadRequire for what --require does not take, and for a topic of which nothing is selected: such a
    gate would never fail."""
    topics = sorted({scenario.topic for scenario in selected})
    for option in require:
        try:
            topic = topic_demanded(option)
        except ValueError as error:
            raise BadRequire(f"--require {option}: {error}", "", "live, or live:TOPIC", "bridgecheck list") from None
        if topic not in ("", *topics) or not topics:
            expected = f"one of {', '.join(topics)}" if topics else "scenarios to play, not recorded traffic alone"
            raise BadRequire(f"--require {option}: no scenario of it is selected", "", expected, "bridgecheck list")


def _require_scenario_glob_matches_a_case(glob: str, selected: Sequence[Scenario], driver: Driver) -> None:
    """Raises UnknownScenario for a case address that no case has, whatever --mode and --path leave out."""
    selection = plan.Selection(addresses=(glob,))
    if not any(plan.plan(scenario, driver, selection) for scenario in selected):
        known = [str(case.key) for scenario in selected[:1] for case in plan.plan(scenario, driver, plan.Selection())]
        expected = f"one of {', '.join(known[:4])}, ..." if known else ""
        next_step = f"bridgecheck show {glob.partition('::')[0]}"
        raise UnknownScenario(f"no case matches {glob!r}", str(scenarios_root()), expected, next_step)


def _files_without_recordings(values: Sequence[str]) -> tuple[Path, ...]:
    folders = [path for path, _ in map(traffic.split_address, values) if path.is_dir()]
    return tuple(file for folder in folders for file in traffic.sort_folder(folder).skipped)


def _map_traffic_files_to_interaction_globs(values: Sequence[str]) -> dict[Path, str]:
    """Return every traffic file, once, with the glob of the ids that count. Raises MissingPath, and UnknownScenario
    where PATH::GLOB names no interaction."""
    found: dict[Path, str] = {}
    for value in values:
        path, glob = traffic.split_address(value)
        files = traffic.traffic_files(path)
        if not files:
            suffixes = ", ".join(traffic.SUFFIXES)
            raise MissingPath("there is no traffic in this folder", str(path), f"files that end in {suffixes}")
        if glob != traffic.EVERY and next(iter(traffic.read_traffic(path, glob)), None) is None:
            raise UnknownScenario(f"no interaction matches {glob!r}", str(path), "the id of a recorded interaction")
        found.update(dict.fromkeys((file.resolve() for file in files), glob))
    return found
