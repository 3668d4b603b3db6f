"""Files of the corpus and of recorded traffic as collectors, their cases as items."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from bridgecheck.cassette import traffic as recorded
from bridgecheck.errors import BadTraffic, BridgecheckError
from bridgecheck.files import cassettes_root, scenarios_root
from bridgecheck.files.corpus import REQUIREMENTS
from bridgecheck.model.selection import Shard, parse_shard
from bridgecheck.model.verdict import CaseResult
from bridgecheck.pytest_plugin.guard import NAME, Guard
from bridgecheck.pytest_plugin.items import Case, CaseItem
from bridgecheck.pytest_plugin.options import options, project_of
from bridgecheck.pytest_plugin.suite import Suite, deviations_of, load, suite
from bridgecheck.run import traffic
from bridgecheck.run.library import Library

HOLDER = "bridgecheck"
"""What the cases of the corpus are held by, as a class holds its own."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What one process collects with ``--bridgecheck``. ``traffic``: file -> glob of interaction ids. ``whole``: all of
    the corpus is to be there, and a guard sees to it."""

    suite: Suite
    root: Path
    traffic: dict[Path, str]
    shard: Shard
    whole: bool

    def item(self, parent: pytest.Collector, name: str, address: str, play: Callable[[], CaseResult]) -> CaseItem:
        """``play``: the case with its excuses."""
        item = CaseItem.of(parent, name, address, play)
        item.holder = HOLDER if self.suite.gate.deviations and self.whole else ""
        item.target = self.suite.asked.adapter.target
        return item

    def close(self) -> None:
        self.suite.library.close()
        self.suite.driver.close()

    def guard(self, session: pytest.Session) -> "CorpusGuard":
        guard = CorpusGuard.from_parent(session, name=NAME, nodeid=f"{HOLDER}::{NAME}")
        guard.current, guard.holder = self.suite, HOLDER
        return guard

    def collector(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        if path in self.traffic:
            nodeid = f"{path.parent.name}/{path.name}"
            return cast(pytest.Collector, TrafficFile.from_parent(parent, path=path, corpus=self, nodeid=nodeid))
        if path.suffix == ".json" and path.parent.parent == self.root and path.parent.name != REQUIREMENTS:
            nodeid = f"scenarios/{path.parent.name}/{path.name}"
            return cast(pytest.Collector, ScenarioFile.from_parent(parent, path=path, corpus=self, nodeid=nodeid))
        return None


class CorpusGuard(Guard):
    """That all of the corpus is in the session."""

    current: Suite

    def mine(self, item: pytest.Item) -> bool:
        return isinstance(item, CaseItem)

    def suite(self) -> Suite:
        return self.current

    def runtest(self) -> None:
        """A scenario that cannot be read has failed when it was collected, and fails here."""
        self.planned = frozenset(str(case.key) for case, _ in self.current.every())
        super().runtest()

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


def keep_shard(dealt: Shard, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Takes the cases of other shards out; items that are no cases stay."""
    cases = [item for item in items if isinstance(item, Case)]
    mine = set(map(id, dealt.select_items(cases, lambda case: case.address)))
    others = [item for item in items if isinstance(item, Case) and id(item) not in mine]
    if others:
        items[:] = [item for item in items if not isinstance(item, Case) or id(item) in mine]
        config.hook.pytest_deselected(items=others)


def corpus_of(config: pytest.Config) -> Corpus:
    """Reads the options; adds the corpus and the traffic to what pytest collects. Raises pytest.UsageError."""
    try:
        return _corpus(config)
    except BridgecheckError as error:
        raise pytest.UsageError(str(error)) from error


def _corpus(config: pytest.Config) -> Corpus:
    asked = options(config, project_of(config, Path.cwd()))
    driver = asked.adapter.driver()
    places = deviations_of(driver, asked)
    found = dict(_traffic(config.getoption("--bridgecheck-traffic")))
    whole = _add_arguments(config, scenarios_root(), found, bool(asked.selection.addresses))
    return Corpus(
        suite=suite(driver, asked, Library(cassettes_root()), places),
        root=scenarios_root(),
        traffic=found,
        shard=parse_shard(config.getoption("--bridgecheck-shard")),
        whole=whole and not config.getoption("--bridgecheck-bare"),
    )


def _traffic(places: list[str]) -> Iterator[tuple[Path, str]]:
    for place in places:
        path, glob = recorded.split_address(place)
        for file in recorded.traffic_files(path):
            yield file.resolve(), glob


def _add_arguments(config: pytest.Config, root: Path, traffic: dict[Path, str], asked: bool) -> bool:
    """The traffic files; and the corpus, unless part of it was named, or there is traffic and no scenario was asked
    for. Whether the corpus was added."""
    config.args[:] = [_in_corpus(arg, root) for arg in config.args]
    named = [Path(os.path.abspath(arg.partition("::")[0])) for arg in config.args]  # noqa: PTH100 - links stay as typed
    added = not any(path.is_relative_to(root) for path in named) and (asked or not traffic)
    config.args.extend([str(root)] if added else [])
    config.args.extend(str(file) for file in traffic if file not in named)
    return added


def _in_corpus(arg: str, root: Path) -> str:
    """``scenarios/tools/parallel.json::...``, as the ids of the items are shown, wherever the corpus is."""
    first, _, rest = arg.partition("/")
    if first != root.name or Path(arg.partition("::")[0]).exists():
        return arg
    return str(root / rest)


class _File(pytest.File):
    corpus: Corpus

    def __init__(self, *, corpus: Corpus, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]  # pytest's own constructor arguments, passed on
        self.corpus = corpus

    def repr_failure(  # type: ignore[override]  # pytest's own return type is not public
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> object:
        """Our own errors say where and what next; a traceback adds nothing."""
        return str(excinfo.value) if isinstance(excinfo.value, BridgecheckError) else super().repr_failure(excinfo)


class ScenarioFile(_File):
    """One scenario; its cases are the items."""

    def collect(self) -> Iterator[pytest.Item]:
        suite = self.corpus.suite
        scenario = load(self.path)
        for case in suite.cases(scenario):
            yield self.corpus.item(self, case.key.variant, str(case.key), partial(suite.play, case, scenario))


class TrafficFile(_File):
    """One file of recorded traffic; the cases of its interactions are the items, named ``ID[variant]``."""

    def collect(self) -> Iterator[pytest.Item]:
        suite, driver = self.corpus.suite, self.corpus.suite.driver
        everywhere = replace(suite.selection, addresses=())
        for item in recorded.read_traffic(self.path, self.corpus.traffic[self.path]):
            if isinstance(item, BadTraffic):
                line = item.where.rpartition(":")[2]
                broken = partial(traffic.unreadable_case, item, driver.info.name)
                yield self.corpus.item(self, f"line-{line}", item.where, partial(suite.judged, broken))
                continue
            for case in traffic.plan(item, driver, everywhere):
                name = f"{item.id}[{case.key.variant}]"
                play = partial(traffic.run_case, case, item, driver, suite.asked.relating)
                yield self.corpus.item(self, name, str(case.key), partial(suite.judged, play))
