"""Collecting with ``--bridgecheck``: the corpus and recorded traffic as files, their cases as items."""

import os
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from bridgecheck.cassette import traffic as recorded
from bridgecheck.errors import BadTraffic, BridgecheckError
from bridgecheck.files import cassette_folders, scenarios_root
from bridgecheck.files.corpus import REQUIREMENTS, with_client_models
from bridgecheck.model.selection import Shard, parse_shard_or_refuse
from bridgecheck.model.verdict import CaseResult
from bridgecheck.pytest_plugin.guard import NAME, Guard, find_selecting_argument
from bridgecheck.pytest_plugin.items import Case, CorpusCase, reread_node_id
from bridgecheck.pytest_plugin.put_off import PutOffCases
from bridgecheck.pytest_plugin.suite import (
    Suite,
    find_deviations,
    find_project,
    load_scenario_once,
    make_suite,
    read_options,
)
from bridgecheck.report.findings import options_of_target
from bridgecheck.run import traffic
from bridgecheck.run.library import Library
from bridgecheck.run.patience import Patience
from bridgecheck.run.run_state import RunState

HOLDER = "bridgecheck"
"""The holder of the corpus's cases, as a test class is the holder of its own."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What one process collects with ``--bridgecheck``. ``traffic``: file -> glob of interaction ids. ``is_whole``: the
    whole corpus has to be in the session, and a guard checks that. ``put_off``: where cases may have to wait."""

    suite: Suite
    root: Path
    traffic: dict[Path, str]
    is_whole: bool
    put_off: PutOffCases[pytest.Item] | None = None

    def make_item(
        self, parent: pytest.Collector, name: str, address: str, play: Callable[[], CaseResult]
    ) -> CorpusCase:
        """Make an item. ``play``: the case with its excuses."""
        item = CorpusCase.from_parent(parent, name=name)
        reread_node_id(item)
        item.play, item.address = play, address
        item.holder = HOLDER if self.suite.gate.deviations and self.is_whole else ""
        item.options = options_of_target(self.suite.options.adapter.target)
        return item

    def close(self) -> None:
        self.suite.library.stop_edge()
        self.suite.driver.close()

    def make_guard(self, session: pytest.Session) -> "CorpusGuard":
        guard = CorpusGuard.from_parent(session, name=NAME, nodeid=f"{HOLDER}::{NAME}")
        guard.suite, guard.holder = self.suite, HOLDER
        return guard

    def make_collector(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Make the collector of a file, None if it is neither a scenario nor selected traffic."""
        if path in self.traffic:
            nodeid = f"{path.parent.name}/{path.name}"
            return cast(pytest.Collector, TrafficFile.from_parent(parent, path=path, corpus=self, nodeid=nodeid))
        if path.suffix == ".json" and path.parent.parent == self.root and path.parent.name != REQUIREMENTS:
            nodeid = f"scenarios/{path.parent.name}/{path.name}"
            return cast(pytest.Collector, ScenarioFile.from_parent(parent, path=path, corpus=self, nodeid=nodeid))
        return None


def _seconds_until_free(item: pytest.Item) -> float:
    return item.find_wait() if isinstance(item, CorpusCase) else 0


class CorpusGuard(Guard):
    """Fails unless the whole corpus is in the session."""

    suite: Suite

    def guards(self, item: pytest.Item) -> bool:
        return isinstance(item, CorpusCase)

    def find_suite(self) -> Suite:
        return self.suite

    def runtest(self) -> None:
        """A scenario that cannot be read has failed when it was collected, and fails here."""
        self.planned = frozenset(str(case.key) for case, _ in self.suite.plan_corpus())
        super().runtest()

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


@contextmanager
def guard_items(session: pytest.Session, items: list[pytest.Item], corpus: Corpus | None) -> Iterator[None]:
    """Surround what other plugins do with the items: select the shard before, then let the guards see what is left. A
    guard that was taken out is put back, unless the command line selects a part."""
    selecting = find_selecting_argument(session.config)
    if corpus is not None and corpus.is_whole and not selecting:
        items.append(corpus.make_guard(session))
    guards = [item for item in items if isinstance(item, Guard)]
    select_shard(parse_shard_or_refuse(session.config.getoption("--bridgecheck-shard")), session.config, items)
    shuffle_cases(items, session.config.getoption("--bridgecheck-shuffle"))
    yield
    for guard in guards:
        guard.note_present(items, selecting)
        if guard not in items and not selecting:
            items.append(guard)


def shuffle_cases(items: list[pytest.Item], seed: int | None) -> None:
    """Put the cases in the order that this seed gives, the same in every process; other items keep their positions."""
    if seed is None:
        return
    positions = [number for number, item in enumerate(items) if isinstance(item, Case)]
    order = random.Random(seed).sample(positions, len(positions))
    items[:] = [items[source] for source in _replace_positions(len(items), positions, order)]


def _replace_positions(count: int, positions: Sequence[int], sources: Sequence[int]) -> list[int]:
    replaced = dict(zip(positions, sources, strict=True))
    return [replaced.get(number, number) for number in range(count)]


def select_shard(part: Shard, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take the cases of the remaining shards out; items that are no cases stay."""
    cases = [item for item in items if isinstance(item, Case)]
    selected = set(map(id, part.select_items(cases, lambda case: case.address)))
    deselected = [item for item in items if isinstance(item, Case) and id(item) not in selected]
    if deselected:
        items[:] = [item for item in items if not isinstance(item, Case) or id(item) in selected]
        config.hook.pytest_deselected(items=deselected)


def add_corpus_to_arguments(config: pytest.Config) -> Corpus:
    """Read the options; add the corpus and the traffic to what pytest collects. Raises pytest.UsageError."""
    try:
        return _add_corpus_to_arguments(config)
    except BridgecheckError as error:
        raise pytest.UsageError(str(error)) from error


def _add_corpus_to_arguments(config: pytest.Config) -> Corpus:
    options = read_options(config, find_project(config, Path.cwd()))
    driver = options.adapter.driver()
    deviations = find_deviations(driver, options)
    files = dict(_find_traffic(config.getoption("--bridgecheck-traffic")))
    is_added = _add_traffic_and_maybe_corpus(config, scenarios_root(), files, bool(options.selection.addresses))
    parse_shard_or_refuse(config.getoption("--bridgecheck-shard"))
    is_running_gateway = driver.gateway is not None and not driver.gateway.is_started_by_harness
    folder = config.getoption("--bridgecheck-state")
    patience = Patience(RunState(Path(folder) if folder else None))
    return Corpus(
        suite=replace(make_suite(driver, options, Library(*cassette_folders()), deviations), patience=patience),
        root=scenarios_root(),
        traffic=files,
        is_whole=is_added and not config.getoption("--bridgecheck-bare"),
        put_off=PutOffCases(_seconds_until_free) if is_running_gateway else None,
    )


def _find_traffic(values: list[str]) -> Iterator[tuple[Path, str]]:
    for value in values:
        path, glob = recorded.split_address(value)
        for file in recorded.traffic_files(path):
            yield file.resolve(), glob


def _add_traffic_and_maybe_corpus(
    config: pytest.Config, root: Path, files: dict[Path, str], selects_scenarios: bool
) -> bool:
    """Add the traffic; and the corpus, unless a part of it is named, or traffic stands alone: no scenario selected."""
    config.args[:] = [_resolve_corpus_node_id(argument, root) for argument in config.args]
    paths = [Path(os.path.abspath(arg.partition("::")[0])) for arg in config.args]  # noqa: PTH100 - links stay as typed
    is_added = not any(path.is_relative_to(root) for path in paths) and (selects_scenarios or not files)
    config.args.extend([str(root)] if is_added else [])
    config.args.extend(str(file) for file in files if file not in paths)
    return is_added


def _resolve_corpus_node_id(argument: str, root: Path) -> str:
    """Return the path of ``scenarios/tools/parallel.json::...``, as ids are shown, wherever the corpus is."""
    first, _, rest = argument.partition("/")
    if first != root.name or Path(argument.partition("::")[0]).exists():
        return argument
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
    """One scenario; its cases are the items, those of a client model with its name in front."""

    def collect(self) -> Iterator[pytest.Item]:
        suite = self.corpus.suite
        for scenario in with_client_models(load_scenario_once(self.path)):
            model = f"{scenario.client_model}-" if scenario.client_model else ""
            for case in suite.plan_scenario(scenario):
                name = f"{model}{case.key.route_mode_layer}"
                item = self.corpus.make_item(self, name, str(case.key), partial(suite.play, case, scenario))
                if self.corpus.put_off is not None and not case.why_not:
                    item.find_wait = partial(suite.seconds_until_free, case, scenario)
                yield item


class TrafficFile(_File):
    """One file of recorded traffic; the cases of its interactions are the items, named ``ID[variant]``."""

    def collect(self) -> Iterator[pytest.Item]:
        suite, driver = self.corpus.suite, self.corpus.suite.driver
        glob = self.corpus.traffic[self.path]
        selection = replace(suite.selection, addresses=(glob,))
        for item in recorded.read_traffic(self.path, glob):
            if isinstance(item, BadTraffic):
                line = item.where.rpartition(":")[2]
                play = partial(traffic.unreadable_case, item, driver.info.name)
                yield self.corpus.make_item(self, f"line-{line}", item.where, partial(suite.excuse_failures_of, play))
                continue
            for case in traffic.plan(item, driver, selection):
                name = f"{item.id}[{case.key.route_mode_layer}]"
                yield self.corpus.make_item(self, name, str(case.key), partial(suite.play_traffic, case, item))
