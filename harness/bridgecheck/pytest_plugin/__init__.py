"""pytest plugin: every case is a test item with a stable, addressable id.

    pytest --bridgecheck --bridgecheck-adapter python:mygateway:adapter
    scenarios/tools/parallel.json::bridged-openai-chat-to-gemini-stream-wire

Without ``--bridgecheck`` it does nothing and imports nothing: the hooks return at once.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from bridgecheck.pytest_plugin.collect import Suite

SUITE: pytest.StashKey[Suite] = pytest.StashKey()
"""What this process collects and runs; not there when the plugin is not in use."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("bridgecheck", "conformance of adapters between LLM APIs")
    group.addoption("--bridgecheck", action="store_true", help="collect the scenario corpus, to check an adapter")
    group.addoption("--bridgecheck-adapter", metavar="TARGET", default="", help="python:module:object or native:")
    group.addoption("--bridgecheck-scenario", metavar="GLOB", action="append", default=[], help="scenario id or case")
    group.addoption("--bridgecheck-tag", metavar="TAG", action="append", default=[], help="only with this tag")
    group.addoption("--bridgecheck-traffic", metavar="PATH", action="append", default=[], help="recorded traffic")
    group.addoption("--bridgecheck-mode", metavar="MODE", default="", help="unary or stream")
    group.addoption("--bridgecheck-path", metavar="PATH", default="", help="native or bridged")
    group.addoption("--bridgecheck-deviations", metavar="FILE", default="", help="accepted failures: they xfail")
    group.addoption(
        "--bridgecheck-requirements", metavar="ID", default="", help="only what this frozen set holds gates"
    )
    group.addoption("--bridgecheck-shard", metavar="I/N", default="", help="only the I-th of N shards of the cases")
    group.addoption("--bridgecheck-relations", metavar="N", default="none", help="other streams: none, fast or all")
    group.addoption("--bridgecheck-seed", metavar="N", type=int, default=0, help="which relations fast takes")


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--bridgecheck"):
        return
    from bridgecheck.pytest_plugin.collect import suite_of

    config.stash[SUITE] = suite_of(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    suite = parent.config.stash.get(SUITE, None)
    return suite.collector(file_path, parent) if suite is not None else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    suite = config.stash.get(SUITE, None)
    if suite is not None:
        suite.keep_shard(config, items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    result = getattr(item, "case_json", "")
    if result and call.when == "call":
        report.bridgecheck_case = result  # type: ignore[attr-defined]  # reports carry extra attributes between workers
    return report
