"""Files of the corpus and of recorded traffic as collectors, their cases as items."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from bridgecheck.cassette import traffic as recorded
from bridgecheck.drivers import DEFAULT_TARGET, Driver, resolve
from bridgecheck.errors import BadTraffic, BridgecheckError
from bridgecheck.files import cassettes_root, load_scenario, scenarios_root
from bridgecheck.model.shard import Shard, shard
from bridgecheck.model.verdict import Path as CasePath
from bridgecheck.pytest_plugin.items import CaseItem
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
        if path.suffix == ".json" and path.parent.parent == self.root:
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
    suite = Suite(
        driver=resolve(option("--bridgecheck-adapter") or DEFAULT_TARGET),
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
    )
    _add_arguments(config, suite)
    return suite


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
            yield CaseItem.of(
                self, case.key.variant, str(case.key), partial(execute.run_case, case, scenario, driver, suite.library)
            )

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
                yield CaseItem.of(self, f"line-{line}", item.where, partial(traffic.broken, item, driver.info.name))
                continue
            for case in traffic.plan(item, driver, everywhere):
                name = f"{item.id}[{case.key.variant}]"
                yield CaseItem.of(self, name, str(case.key), partial(traffic.run_case, case, item, driver))

    def repr_failure(  # type: ignore[override]  # pytest's own return type is not public
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> object:
        return _short(excinfo) or super().repr_failure(excinfo)


def _short(excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    """Our own errors say where and what next; a traceback adds nothing."""
    return str(excinfo.value) if isinstance(excinfo.value, BridgecheckError) else ""
