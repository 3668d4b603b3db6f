"""pytest plugin: every case is a test item with a stable, addressable id.

    class TestMine(bridgecheck.testing.Conformance)     the cases of one adapter, in a test module
    tests/test_mine.py::TestMine::tools/parallel[bridged-openai-chat-to-gemini-stream-wire]

    pytest --bridgecheck                                all that bridgecheck run does, native path and all
    scenarios/tools/parallel.json::bridged-openai-chat-to-gemini-stream-wire

What neither a class nor an option says is what ``[tool.bridgecheck]`` of the nearest pyproject.toml says
(files/project). Where there is no such class and no ``--bridgecheck``, the hooks return at once and import nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from bridgecheck.pytest_plugin.collect import Corpus
    from bridgecheck.pytest_plugin.stale import Tally

CORPUS: pytest.StashKey[Corpus] = pytest.StashKey()
"""What this process collects with ``--bridgecheck``; not there without it."""

TESTING = "bridgecheck.testing"

RESTARTS = "1000000"
"""Worker processes that an adapter may end: each costs its case, none the session."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("bridgecheck", "conformance of adapters between LLM APIs")
    group.addoption("--bridgecheck", action="store_true", help="collect the scenario corpus, to check an adapter")
    group.addoption("--bridgecheck-adapter", metavar="TARGET", default="", help="python:module:object or native:")
    group.addoption(
        "--bridgecheck-project", metavar="FILE", default=None, help="pyproject.toml with [tool.bridgecheck]"
    )
    group.addoption(
        "--bridgecheck-capabilities", metavar="A,B", default=None, help="what it claims, in place of its own"
    )
    group.addoption("--bridgecheck-scenario", metavar="GLOB", action="append", default=[], help="scenario id or case")
    group.addoption("--bridgecheck-tag", metavar="TAG", action="append", default=[], help="only with this tag")
    group.addoption("--bridgecheck-traffic", metavar="PATH", action="append", default=[], help="recorded traffic")
    group.addoption("--bridgecheck-mode", metavar="MODE", default="", help="unary or stream")
    group.addoption("--bridgecheck-path", metavar="PATH", default="", help="native or bridged")
    group.addoption("--bridgecheck-layer", metavar="LAYER", action="append", default=[], help="wire, sdk or http")
    group.addoption("--bridgecheck-deviations", metavar="FILE", default="", help="accepted failures: they xfail")
    group.addoption("--bridgecheck-stale", metavar="HOW", default="", help="accepted, but it passes: warn or fail")
    group.addoption(
        "--bridgecheck-requirements", metavar="ID", default="", help="only what this frozen set holds gates"
    )
    group.addoption("--bridgecheck-shard", metavar="I/N", default="", help="only the I-th of N shards of the cases")
    group.addoption("--bridgecheck-relations", metavar="N", default="", help="other streams: none, fast or all")
    group.addoption(
        "--bridgecheck-upstream-port",
        metavar="N",
        type=int,
        default=0,
        help="where a running gateway calls its provider",
    )
    group.addoption("--bridgecheck-bare", action="store_true", help=argparse.SUPPRESS)
    group.addoption("--bridgecheck-seed", metavar="N", type=int, default=0, help="which relations fast takes")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_End(), "bridgecheck-end")
    if not config.getoption("--bridgecheck"):
        return
    from bridgecheck.pytest_plugin.collect import corpus_of

    config.stash[CORPUS] = corpus_of(config)
    if getattr(config.option, "maxworkerrestart", "") is None:
        config.option.maxworkerrestart = RESTARTS


def pytest_unconfigure(config: pytest.Config) -> None:
    corpus = config.stash.get(CORPUS, None)
    if corpus is not None:
        corpus.close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    corpus = parent.config.stash.get(CORPUS, None)
    return corpus.collector(file_path, parent) if corpus is not None else None


def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> pytest.Collector | None:
    """A test class of ours can only be there if its base was imported."""
    if TESTING not in sys.modules:
        return None
    from bridgecheck.pytest_plugin.conformance import collected

    return collected(collector, name, obj)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> Generator[None]:
    corpus = session.config.stash.get(CORPUS, None)
    if corpus is None and TESTING not in sys.modules:
        return (yield)
    from bridgecheck.pytest_plugin.watch import watched

    with watched(session, items, corpus):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if type(item).__module__.startswith(f"{__name__}."):
        item.finish(report)  # type: ignore[attr-defined]  # every item of ours has it
    return report


class _End:
    """What is known when all cases have run, in the process that gathers the reports."""

    def __init__(self) -> None:
        self.tally: Tally | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not getattr(report, "bridgecheck_holder", ""):
            return
        from bridgecheck.pytest_plugin.stale import Tally

        self.tally = self.tally or Tally()
        self.tally.add(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.tally is not None:
            self.tally.finish(session)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.tally.warned if self.tally is not None else ():
            terminalreporter.write_line(f"STALE {line}", yellow=True)
