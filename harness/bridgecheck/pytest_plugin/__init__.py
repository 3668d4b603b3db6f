"""pytest plugin: every case is a test item with a stable, addressable id.

    class TestMine(bridgecheck.testing.Conformance)     the cases of one adapter, in a test module
    tests/test_mine.py::TestMine::tools/parallel[bridged-openai-chat-to-gemini-stream-wire]

    pytest --bridgecheck                                everything that bridgecheck run does, native path included
    scenarios/tools/parallel.json::bridged-openai-chat-to-gemini-stream-wire

What neither a class nor an option states is taken from ``[tool.bridgecheck]`` of the nearest pyproject.toml
(files/project). Where there is no such class and no ``--bridgecheck``, the hooks return at once and import nothing.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.runner import call_and_report

if TYPE_CHECKING:
    from bridgecheck.pytest_plugin.cassettes import EdgeOfTest
    from bridgecheck.pytest_plugin.corpus import Corpus
    from bridgecheck.pytest_plugin.guard import StaleTally

CORPUS: pytest.StashKey[Corpus] = pytest.StashKey()
"""What this process collects with ``--bridgecheck``; absent without it."""

TESTING = "bridgecheck.testing"

COLLECT_AFTER = (50_000, 20, 20)
"""Thresholds of the garbage collector during ``bridgecheck run``: the types of the SDKs stay for good and are many, so
that looking through them as often as Python does by itself takes a tenth of the run."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("bridgecheck", "conformance of adapters between LLM APIs")

    def add(name: str, metavar: str, description: str, default: str | None = "") -> None:
        group.addoption(f"--bridgecheck-{name}", metavar=metavar, default=default, help=description)

    def add_repeatable(name: str, metavar: str, description: str) -> None:
        group.addoption(f"--bridgecheck-{name}", metavar=metavar, action="append", default=[], help=description)

    group.addoption("--bridgecheck", action="store_true", help="collect the scenario corpus, to check an adapter")
    add("adapter", "TARGET", "python:module:object or native:")
    add("project", "FILE", "pyproject.toml with [tool.bridgecheck]", default=None)
    add("capabilities", "A,B", "what the adapter claims, in place of its own claims", default=None)
    add_repeatable("scenario", "GLOB", "scenario id or case")
    add_repeatable("tag", "TAG", "only scenarios with this tag")
    add_repeatable("traffic", "PATH", "recorded traffic")
    add("mode", "MODE", "unary or stream")
    add("path", "PATH", "native or bridged")
    add_repeatable("layer", "LAYER", "wire, sdk or http")
    add("deviations", "FILE", "accepted failures: they xfail")
    add("stale", "HOW", "what to do about an accepted failure that passes: warn or fail")
    add("requirements", "ID", "judge only by this frozen set")
    add("shard", "I/N", "only the I-th of N shards of the cases")
    add("relations", "N", "streams in other forms: none, fast or all")
    group.addoption("--bridgecheck-seed", metavar="N", type=int, default=0, help="seed for the selection of fast")
    order = "play the cases in another order, which this seed decides"
    group.addoption("--bridgecheck-shuffle", metavar="SEED", type=int, default=None, help=order)
    port = "for http:URL: the port where that gateway calls its provider"
    group.addoption("--bridgecheck-upstream-port", metavar="N", type=int, default=0, help=port)
    modes = ("none", "once", "new_episodes", "all", "rewrite")
    with suppress(ValueError):  # pytest-recording has it too, with the same words
        description = "how tests with cassettes record; default: none"
        group.addoption("--record-mode", choices=modes, default=None, help=description)
    # What the command found out already: so worker processes need not run a recipe's version_command again, and find
    # the modules of the project's folder without reading its table.
    group.addoption("--bridgecheck-version", default=None, help=argparse.SUPPRESS)
    group.addoption("--bridgecheck-root", default="", help=argparse.SUPPRESS)
    group.addoption("--bridgecheck-state", default="", help=argparse.SUPPRESS)
    group.addoption("--bridgecheck-bare", action="store_true", help=argparse.SUPPRESS)


def pytest_configure(config: pytest.Config) -> None:
    line = (
        "bridgecheck_cassette(serve, key_env, volatile, ca_file, unplayed): record and replay what its clients exchange"
    )
    config.addinivalue_line("markers", line)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_StaleDeviationReporter(), "bridgecheck-end")
    if not config.getoption("--bridgecheck"):
        return
    from bridgecheck.pytest_plugin.corpus import add_corpus_to_arguments

    config.stash[CORPUS] = add_corpus_to_arguments(config)
    if config.getoption("--bridgecheck-bare"):
        config.add_cleanup(partial(gc.set_threshold, *gc.get_threshold()))
        gc.set_threshold(*COLLECT_AFTER)
        atexit.register(gc.freeze)  # or the interpreter looks through everything once more to end: a second of its time


def pytest_unconfigure(config: pytest.Config) -> None:
    corpus = config.stash.get(CORPUS, None)
    if corpus is not None:
        corpus.close()


@pytest.fixture
def bridgecheck_edge(request: pytest.FixtureRequest) -> Iterator[EdgeOfTest]:
    """The recorder of a test: ``origin`` and ``base_url(dialect)``."""
    from bridgecheck.pytest_plugin.cassettes import open_edge

    with open_edge(request.node) as edge:
        yield edge


def pytest_itemcollected(item: pytest.Item) -> None:
    """A test with the marker has the recorder, whether or not it names the fixture."""
    names = getattr(item, "fixturenames", None)
    if names is not None and bridgecheck_edge.__name__ not in names and item.get_closest_marker("bridgecheck_cassette"):
        names.insert(0, bridgecheck_edge.__name__)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    corpus = parent.config.stash.get(CORPUS, None)
    return corpus.make_collector(file_path, parent) if corpus is not None else None


def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> pytest.Collector | None:
    """A ``Conformance`` class can only exist if its module was imported."""
    if TESTING not in sys.modules:
        return None
    from bridgecheck.pytest_plugin.conformance_class import make_collector

    return make_collector(collector, name, obj)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> Generator[None]:
    corpus = session.config.stash.get(CORPUS, None)
    if corpus is None and TESTING not in sys.modules:
        return (yield)
    from bridgecheck.pytest_plugin.corpus import guard_items

    with guard_items(session, items, corpus):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Run a case of ``bridgecheck run``. Nothing is set up for it or torn down after it, and nobody listens to these
    phases, of which a worker process would send a report each."""
    if not item.config.getoption("--bridgecheck-bare"):
        return None
    corpus = item.config.stash.get(CORPUS, None)
    if corpus is not None and corpus.put_off is not None:
        item = corpus.put_off.choose(item, item.session.items)
    call_and_report(item, "call")
    return True


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if type(item).__module__.startswith(f"{__name__}."):
        item.complete_report(report)  # type: ignore[attr-defined]  # every item of ours has it
    return report


class _StaleDeviationReporter:
    """Finds stale deviations when all cases have run, in the process that collects the reports."""

    def __init__(self) -> None:
        self.tally: StaleTally | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not getattr(report, "bridgecheck_holder", ""):
            return
        from bridgecheck.pytest_plugin.guard import StaleTally

        self.tally = self.tally or StaleTally()
        self.tally.add_case_result_or_suite_data(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.tally is not None:
            self.tally.fail_or_warn_of_stale_deviations(session)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.tally.warnings if self.tally is not None else ():
            terminalreporter.write_line(f"STALE {line}", yellow=True)
