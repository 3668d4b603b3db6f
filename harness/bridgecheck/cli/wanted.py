"""What the command line of ``run`` asks for, checked before anything runs."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from bridgecheck.cassette import traffic
from bridgecheck.drivers import Driver, NamedAdapter
from bridgecheck.drivers.recipe import SUFFIX
from bridgecheck.errors import MissingPath, UnknownScenario
from bridgecheck.files import cassettes_root, scenarios, scenarios_root
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.selection import SHARD_OPTION, parse_shard
from bridgecheck.model.verdict import Layer
from bridgecheck.model.verdict import Path as CasePath
from bridgecheck.relations.choose import NONE, Relating
from bridgecheck.report.deviations_file import DEVIATIONS_FILE, check_deviations_path, default_deviations_path
from bridgecheck.run import plan
from bridgecheck.run.library import Library
from bridgecheck.run.processes import choose_workers
from bridgecheck.wire import Mode

BYTES_A_CASE: Final = 2_000
"""Of recorded traffic: about what one case stands for in the files."""

LAYER: Final = "--layer"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The command line of ``run``, and what the project it is run in says beside it. Empty or None: not said.
    ``capabilities`` None: what the adapter claims itself. ``workers`` 0: no worker processes. ``max_fail``: how many
    failed cases end the run, 0 for no limit. ``deviations``: None for the adapter's own file. ``update``: write it
    anew. ``standing``: the choice of cases, as (key, value), is not of this run but of the project. ``root``: the
    project's folder."""

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
    relating: Relating = NONE
    folder: Path = Path("reports/local")
    standing: bool = False
    root: Path | None = None
    upstream_port: int = 0

    def driver(self) -> Driver:
        """Raises BadTarget and BadRecipe."""
        return NamedAdapter(self.adapter, self.capabilities, self.root, self.upstream_port).driver()

    @property
    def selection(self) -> plan.Selection:
        modes = (self.mode,) if self.mode else ()
        paths = (self.path,) if self.path else ()
        return plan.Selection(modes, paths, self.scenarios, self.layers)

    @property
    def said(self) -> tuple[tuple[str, str], ...]:
        """The options that choose cases and what is tried on them, as (option, value). What a project always leaves
        out stands under its key, not under an option: such a run is whole."""
        pairs = [("scenarios" if self.standing else "--scenario", value) for value in self.scenarios]
        pairs += [("layers" if self.standing else LAYER, value) for value in self.layers]
        pairs += [("--tag", value) for value in self.tags]
        pairs += [("--traffic", value) for value in self.traffic]
        pairs += [("--mode", self.mode or ""), ("--path", self.path or ""), (SHARD_OPTION, self.shard)]
        if self.relating.how_many != "none":
            pairs += [("--relations", self.relating.how_many), ("--seed", str(self.relating.seed))]
        return tuple(pair for pair in pairs if pair[1])


@dataclass(frozen=True, slots=True)
class Checked:
    """What will run: scenarios with about how many cases, and traffic files, each with its glob of ids. ``fixed_port``:
    where the provider has to listen, which one process alone can do; 0: anywhere."""

    scenarios: tuple[Scenario, ...]
    files: dict[Path, str]
    cases: int
    fixed_port: int = 0


def check(wanted: Wanted, driver: Driver) -> Checked:
    """Raises RefusedAtStart: a shard outside its range, a path that is not there, a scenario that is unknown, broken or
    without its recording."""
    part = parse_shard(wanted.shard)
    files = _traffic_files(wanted.traffic)
    chosen = _scenarios(wanted)
    Library(cassettes_root()).require_recordings(chosen)
    planned = [case for scenario in chosen for case in plan.plan(scenario, driver, wanted.selection)]
    for glob in wanted.scenarios:
        _check_address(glob, wanted, chosen, driver)
    size = sum(file.stat().st_size for file in files)
    port = driver.gateway.upstream_port if driver.gateway is not None else 0
    return Checked(tuple(chosen), files, (len(planned) + size // BYTES_A_CASE) // part.count, port)


def workers(wanted: Wanted, checked: Checked) -> int:
    return choose_workers(
        wanted.workers, checked.cases, is_foreign=bool(wanted.adapter), has_fixed_port=bool(checked.fixed_port)
    )


def deviations_place(wanted: Wanted, driver: Driver) -> Path:
    """Of the file with the adapter's accepted failures; it need not be there. Raises MissingPath."""
    if wanted.deviations is not None:
        return check_deviations_path(wanted.deviations, wanted.update)
    if wanted.adapter.endswith(SUFFIX):
        return Path(wanted.adapter).parent / DEVIATIONS_FILE
    return Path(os.path.relpath(wanted.root or ".")) / default_deviations_path(driver.info.name)


def arguments(wanted: Wanted, checked: Checked, deviations: Path) -> list[str]:
    """For the pytest plugin: what to run with what."""
    root = scenarios_root()
    given = [f"--bridgecheck-adapter={wanted.adapter}", "--bridgecheck-project=", "--bridgecheck-bare"]
    if wanted.capabilities is not None:
        given.append(f"--bridgecheck-capabilities={','.join(wanted.capabilities)}")
    given += [f"--bridgecheck-upstream-port={wanted.upstream_port}"] if wanted.upstream_port else []
    given += [f"--bridgecheck-layer={layer}" for layer in wanted.layers]
    given += [f"--bridgecheck-scenario={glob}" for glob in wanted.scenarios]
    given += [f"--bridgecheck-tag={tag}" for tag in wanted.tags]
    given += [f"--bridgecheck-traffic={place}" for place in wanted.traffic]
    given += [f"--bridgecheck-mode={wanted.mode or ''}", f"--bridgecheck-path={wanted.path or ''}"]
    given += [f"--bridgecheck-deviations={deviations}"] if deviations.exists() else []
    given += [f"--bridgecheck-requirements={wanted.requirements}"]
    given += [f"--bridgecheck-shard={wanted.shard}", f"--maxfail={wanted.max_fail}"]
    given += [f"--bridgecheck-relations={wanted.relating.how_many}", f"--bridgecheck-seed={wanted.relating.seed}"]
    return given + [str(root / f"{scenario.id}.json") for scenario in checked.scenarios] + list(map(str, checked.files))


def _scenarios(wanted: Wanted) -> list[Scenario]:
    """None at all where only traffic was asked for."""
    if wanted.traffic and not wanted.scenarios and not wanted.tags:
        return []
    return scenarios(scenarios_root(), wanted.scenarios, wanted.tags)


def _check_address(glob: str, wanted: Wanted, chosen: Sequence[Scenario], driver: Driver) -> None:
    """A case address that no case has is a mistake, unless --mode or --path left it out."""
    everything = plan.Selection(addresses=(glob,))
    if not any(plan.plan(scenario, driver, everything) for scenario in chosen):
        known = [str(case.key) for scenario in chosen[:1] for case in plan.plan(scenario, driver, plan.Selection())]
        expected = f"one of {', '.join(known[:4])}, ..." if known else ""
        raise UnknownScenario(f"no case matches {glob!r}", "", expected, f"bridgecheck show {glob.partition('::')[0]}")


def _traffic_files(places: Sequence[str]) -> dict[Path, str]:
    """Every traffic file, once, with the glob of the ids that count. Raises MissingPath, and UnknownScenario where
    PATH::GLOB names no interaction."""
    found: dict[Path, str] = {}
    for place in places:
        path, glob = traffic.split_address(place)
        files = traffic.traffic_files(path)
        if not files:
            suffixes = ", ".join(traffic.SUFFIXES)
            raise MissingPath("there is no traffic in this folder", str(path), f"files that end in {suffixes}")
        if glob != traffic.EVERY and next(iter(traffic.read_traffic(path, glob)), None) is None:
            raise UnknownScenario(f"no interaction matches {glob!r}", str(path), "the id of a recorded interaction")
        found.update(dict.fromkeys((file.resolve() for file in files), glob))
    return found
