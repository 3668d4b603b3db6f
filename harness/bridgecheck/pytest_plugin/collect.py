"""Files of the corpus and of recorded traffic as collectors, their cases as items."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import cast, get_args

import pytest

from bridgecheck.cassette import traffic as recorded
from bridgecheck.drivers import DEFAULT_TARGET, Driver, resolve
from bridgecheck.errors import BadTraffic, BridgecheckError
from bridgecheck.files import cassettes_root, load_scenario, scenarios_root
from bridgecheck.files.corpus import REQUIREMENTS
from bridgecheck.model.shard import Shard, shard
from bridgecheck.model.verdict import CaseResult
from bridgecheck.model.verdict import Path as CasePath
from bridgecheck.pytest_plugin.items import CaseItem
from bridgecheck.relations.choose import NONE, HowMany, Relating
from bridgecheck.report.gate import Gate
from bridgecheck.report.gate_files import gate_of
from bridgecheck.run import execute, plan, traffic
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Selection
from bridgecheck.wire import Mode


@dataclass(frozen=True, slots=True)
class Suite:
    """What one process runs. ``traffic``: file -> glob of interaction ids."""

    driver: Driver
    selection: Selection
    tags: frozenset[str]
    library: Library
    root: Path
    traffic: dict[Path, str]
    shard: Shard
    gate: Gate
    relating: Relating = NONE

    def item(self, parent: pytest.Collector, name: str, address: str, play: Callable[[], CaseResult]) -> CaseItem:
        """``play``: the case without its excuses."""
        return CaseItem.of(parent, name, address, lambda: self.gate.applied(play()))

    def keep_shard(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Takes the cases of other shards out; items that are no cases stay."""
        cases = [item for item in items if isinstance(item, CaseItem)]
        mine = set(self.shard.takes(cases, lambda item: item.address))
        others = [item for item in cases if item not in mine]
        if others:
            items[:] = [item for item in items if item not in set(others)]
            config.hook.pytest_deselected(items=others)

    def collector(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        if path in self.traffic:
            nodeid = f"{path.parent.name}/{path.name}"
            return cast(pytest.Collector, TrafficFile.from_parent(parent, path=path, suite=self, nodeid=nodeid))
        if path.suffix == ".json" and path.parent.parent == self.root and path.parent.name != REQUIREMENTS:
            nodeid = f"scenarios/{path.parent.name}/{path.name}"
            return cast(pytest.Collector, ScenarioFile.from_parent(parent, path=path, suite=self, nodeid=nodeid))
        return None


def suite_of(config: pytest.Config) -> Suite:
    """Reads the options; adds the corpus and the traffic to what pytest collects. Raises pytest.UsageError."""
    try:
        return _suite(config)
    except BridgecheckError as error:
        raise pytest.UsageError(str(error)) from error


def _suite(config: pytest.Config) -> Suite:
    option = config.getoption
    mode, path = option("--bridgecheck-mode"), option("--bridgecheck-path")
    driver = resolve(option("--bridgecheck-adapter") or DEFAULT_TARGET)
    suite = Suite(
        driver=driver,
        selection=Selection(
            modes=(cast(Mode, mode),) if mode else (),
            paths=(cast(CasePath, path),) if path else (),
            addresses=tuple(option("--bridgecheck-scenario")),
        ),
        tags=frozenset(option("--bridgecheck-tag")),
        library=Library(cassettes_root()),
        root=scenarios_root(),
        traffic=dict(_traffic(option("--bridgecheck-traffic"))),
        shard=shard(option("--bridgecheck-shard")),
        gate=_gate(config, driver),
        relating=_relating(option("--bridgecheck-relations"), option("--bridgecheck-seed")),
    )
    _add_arguments(config, suite)
    return suite


def _gate(config: pytest.Config, driver: Driver) -> Gate:
    deviations = config.getoption("--bridgecheck-deviations")
    requirements = config.getoption("--bridgecheck-requirements")
    return gate_of(
        Path(deviations) if deviations else None, requirements, driver.info.version, datetime.now(UTC).date()
    )


def _relating(how_many: str, seed: int) -> Relating:
    if how_many not in get_args(HowMany):
        raise pytest.UsageError(f"--bridgecheck-relations={how_many}: one of {', '.join(get_args(HowMany))}")
    return Relating(cast(HowMany, how_many), seed)


def _traffic(places: list[str]) -> Iterator[tuple[Path, str]]:
    for place in places:
        path, glob = recorded.address(place)
        for file in recorded.files(path):
            yield file.resolve(), glob


def _add_arguments(config: pytest.Config, suite: Suite) -> None:
    """The traffic files; and the corpus, unless part of it was named, or there is traffic and no scenario was asked
    for."""
    named = [Path(os.path.abspath(arg.partition("::")[0])) for arg in config.args]  # noqa: PTH100 - links stay as typed
    corpus_named = any(path.is_relative_to(suite.root) for path in named)
    if not corpus_named and (suite.selection.addresses or not suite.traffic):
        config.args.append(str(suite.root))
    config.args.extend(str(file) for file in suite.traffic if file not in named)


class ScenarioFile(pytest.File):
    """One scenario; its cases are the items."""

    suite: Suite

    def __init__(self, *, suite: Suite, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]  # pytest's own constructor arguments, passed on
        self.suite = suite

    def collect(self) -> Iterator[pytest.Item]:
        suite, driver = self.suite, self.suite.driver
        scenario = load_scenario(self.path)
        if suite.tags and not suite.tags & set(scenario.tags):
            return
        for case in plan.plan(scenario, driver, suite.selection):
            play = partial(execute.run_case, case, scenario, driver, suite.library, suite.relating)
            yield suite.item(self, case.key.variant, str(case.key), play)

    def repr_failure(  # type: ignore[override]  # pytest's own return type is not public
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> object:
        return _short(excinfo) or super().repr_failure(excinfo)


class TrafficFile(pytest.File):
    """One file of recorded traffic; the cases of its interactions are the items, named ``ID[variant]``."""

    suite: Suite

    def __init__(self, *, suite: Suite, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]  # pytest's own constructor arguments, passed on
        self.suite = suite

    def collect(self) -> Iterator[pytest.Item]:
        suite, driver = self.suite, self.suite.driver
        everywhere = replace(suite.selection, addresses=())
        for item in recorded.read(self.path, suite.traffic[self.path]):
            if isinstance(item, BadTraffic):
                line = item.where.rpartition(":")[2]
                yield suite.item(self, f"line-{line}", item.where, partial(traffic.broken, item, driver.info.name))
                continue
            for case in traffic.plan(item, driver, everywhere):
                name = f"{item.id}[{case.key.variant}]"
                play = partial(traffic.run_case, case, item, driver, suite.relating)
                yield suite.item(self, name, str(case.key), play)

    def repr_failure(  # type: ignore[override]  # pytest's own return type is not public
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> object:
        return _short(excinfo) or super().repr_failure(excinfo)


def _short(excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    """Our own errors say where and what next; a traceback adds nothing."""
    return str(excinfo.value) if isinstance(excinfo.value, BridgecheckError) else ""
