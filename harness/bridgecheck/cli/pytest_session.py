"""Driving pytest in this process, apart from whatever conftest, configuration, plugins and PYTEST_ADDOPTS surround
it."""

import json
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from bridgecheck.model.case_json import case_from_dict
from bridgecheck.model.verdict import CaseResult

INI: Final = Path(__file__).with_name("isolated.ini")

ARGUMENTS: Final = (
    "--noconftest", "--assert=plain", "--capture=sys", "--strict-config",
    "-p", "xdist.plugin", "-p", "bridgecheck.pytest_plugin",
    "-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:warnings", "-p", "no:doctest", "-p", "no:logging",
    "-p", "no:unraisableexception", "-p", "no:threadexception", "-p", "no:faulthandler",
)  # fmt: skip

APART: Final = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONWARNINGS": "ignore"}
"""Warnings of SDKs about made-up enum members are no news here: scenarios send such on purpose."""

RESTARTS: Final = 10_000
"""Worker processes that may die: every one costs its case, none the run."""

SURROUNDINGS: Final = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_XDIST_AUTO_NUM_WORKERS")


@dataclass(slots=True)
class Collected:
    """What came out of the session. ``planned``: how many cases were collected. ``lost``: node ids whose worker
    died."""

    results: list[CaseResult] = field(default_factory=list)
    planned: int = 0
    lost: list[tuple[str, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    interrupted: bool = False


class Listener:
    """A pytest plugin of this session: gathers results as they arrive, from this process or from workers."""

    def __init__(self, planned: Callable[[int], None], arrived: Callable[[CaseResult], None]) -> None:
        self.collected = Collected()
        self._planned = planned
        self._arrived = arrived

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if session.items:
            self._plan(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: Sequence[str]) -> None:
        if not self.collected.planned:
            self._plan(len(ids))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.collected.problems.append(f"{report.nodeid}: {report.longreprtext}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        case = getattr(report, "bridgecheck_case", "")
        if case:
            result = case_from_dict(json.loads(case))
            self.collected.results.append(result)
            self._arrived(result)
        elif report.failed:
            self.collected.lost.append((report.nodeid, report.longreprtext))

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self.collected.interrupted = True

    def pytest_internalerror(self, excrepr: object) -> None:
        self.collected.problems.append(str(excrepr))

    def _plan(self, count: int) -> None:
        self.collected.planned = count
        self._planned(count)


def run_pytest(arguments: Sequence[str], root: Path, workers: int, listener: Listener) -> Collected:
    """Runs the session to its end, or to Ctrl-C; what came out is in the result either way."""
    options = ["-c", str(INI), "--rootdir", str(root), *ARGUMENTS]
    if workers:
        options += ["-n", str(workers), "--dist=worksteal", f"--max-worker-restart={RESTARTS}"]
    with _apart():
        code = pytest.main([*options, "--bridgecheck", *arguments], plugins=[listener])
    collected = listener.collected
    collected.interrupted = collected.interrupted or code == pytest.ExitCode.INTERRUPTED
    return collected


@contextmanager
def _apart() -> Iterator[None]:
    """The environment without what steers pytest from outside; worker processes inherit it."""
    before = dict(os.environ)
    for name in SURROUNDINGS:
        os.environ.pop(name, None)
    os.environ.update(APART)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for name in (*SURROUNDINGS, *APART):
            os.environ.pop(name, None)
            if name in before:
                os.environ[name] = before[name]
