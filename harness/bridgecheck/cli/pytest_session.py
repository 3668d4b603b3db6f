"""Running pytest in this process, whatever conftest, configuration, plugins and PYTEST_ADDOPTS surround it."""

import json
import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

import pytest

from bridgecheck.checks.table import HARNESS
from bridgecheck.cli.worker_processes import WorkerProcesses
from bridgecheck.errors import ReportNotWritten
from bridgecheck.model.case_json import case_from_dict
from bridgecheck.model.verdict import CaseKey, CaseResult, Layer, Verdict
from bridgecheck.model.verdict import Path as CasePath
from bridgecheck.wire import DIALECTS, Dialect, Mode

INI: Final = Path(__file__).with_name("isolated.ini")

ARGUMENTS: Final = (
    "--noconftest", "--assert=plain", "--capture=sys", "--strict-config",
    "-p", "xdist.plugin", "-p", "bridgecheck.pytest_plugin",
    "-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:warnings", "-p", "no:doctest", "-p", "no:logging",
    "-p", "no:unraisableexception", "-p", "no:threadexception", "-p", "no:faulthandler",
)  # fmt: skip

ENVIRONMENT: Final = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONWARNINGS": "ignore"}
"""Variables during the session. Warnings of SDKs about invented enum members are expected: scenarios send such on
purpose."""

REMOVED: Final = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_XDIST_AUTO_NUM_WORKERS")
"""Variables that are removed during the session."""

RESTARTS: Final = 10_000
"""Worker processes that may be ended by something: each costs its case, none the run."""

_NODE_ID: Final = re.compile(
    r"(?P<name>.*?)(?:\.json::|\[|::)(?P<path>native|bridged)-(?P<client>[a-z-]+)-to-(?P<upstream>[a-z-]+)"
    r"-(?P<mode>unary|stream)-(?P<layer>wire|sdk|http)\]?$"
)
_WORKER_DIED: Final = "crashed while running"
"""Stands in xdist's report of a worker process that died."""


@dataclass(slots=True)
class Collected:
    """The outcome of a session. ``planned``: number of collected cases. ``lost``: node ids of cases without a result,
    each with pytest's message. ``problems``: of the session itself. ``refused``: it ended before any case was played,
    and has said why: mostly an adapter that started once and does not start again."""

    results: list[CaseResult] = field(default_factory=list)
    planned: int = 0
    lost: list[tuple[str, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    interrupted: bool = False
    refused: bool = False


class Listener:
    """A pytest plugin of this session: collects results as they arrive, from this process or from workers. Where they
    cannot be written down, the session ends: what follows would cost time, and be lost."""

    def __init__(self, on_planned: Callable[[int], None], on_result: Callable[[CaseResult], None]) -> None:
        self.collected = Collected()
        self._on_planned = on_planned
        self._on_result = on_result

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if session.items:
            self._note_planned(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: Sequence[str]) -> None:
        if not self.collected.planned:
            self._note_planned(len(ids))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.collected.problems.append(f"[harness] {report.nodeid}: {report.longreprtext}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        case = getattr(report, "bridgecheck_case", "")
        if case:
            result = case_from_dict(json.loads(case))
            self.collected.results.append(result)
            with self._end_session_if_report_not_written():
                self._on_result(result)
        elif report.failed:
            self.collected.lost.append((report.nodeid, report.longreprtext))

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self.collected.interrupted = True

    def pytest_internalerror(self, excrepr: object) -> None:
        self.collected.problems.append(f"[harness] {excrepr}")

    def _note_planned(self, count: int) -> None:
        self.collected.planned = count
        with self._end_session_if_report_not_written():
            self._on_planned(count)

    @contextmanager
    def _end_session_if_report_not_written(self) -> Iterator[None]:
        try:
            yield
        except ReportNotWritten as error:
            self.collected.problems.append(str(error))
            pytest.exit(error.what)


def run_pytest(arguments: Sequence[str], root: Path, workers: int, listener: Listener) -> Collected:
    """Run the session to its end, or to Ctrl-C, and return what was collected."""
    options = ["-c", str(INI), "--rootdir", str(root), *ARGUMENTS]
    if workers:
        options += ["-n", str(workers), "--dist=worksteal", f"--max-worker-restart={RESTARTS}"]
    with _without_pytest_variables_and_warnings():
        code = _run_main([*options, "--bridgecheck", *arguments], [listener, WorkerProcesses()])
    collected = listener.collected
    collected.interrupted = collected.interrupted or code == pytest.ExitCode.INTERRUPTED
    collected.refused = code == pytest.ExitCode.USAGE_ERROR and not collected.results
    return collected


def _run_main(arguments: list[str], plugins: list[object]) -> int:
    """Run pytest, which leaves an interruption that comes while it starts or ends to whoever called it."""
    try:
        return pytest.main(arguments, plugins=plugins)
    except KeyboardInterrupt:
        return pytest.ExitCode.INTERRUPTED


def error_results_of_lost_cases(collected: Collected, adapter: str) -> list[CaseResult]:
    """Return an ERROR for each case without a result. That a worker process died is no fault of the adapter, which is
    in a process of its own."""
    return [_error_result_of_lost_case(nodeid, text, adapter) for nodeid, text in collected.lost]


def _error_result_of_lost_case(nodeid: str, text: str, adapter: str) -> CaseResult:
    verdict = Verdict(HARNESS, "ERROR", "the process that judged it was ended" if _WORKER_DIED in text else text)
    key = _parse_node_id(nodeid)
    topic = key.scenario.partition("/")[0]
    return CaseResult(key, adapter, (verdict,), topic=topic, where=nodeid.partition("::")[0])


def _parse_node_id(nodeid: str) -> CaseKey:
    match = _NODE_ID.fullmatch(nodeid)
    if match is None:
        return CaseKey(nodeid, "native", DIALECTS[0], DIALECTS[0], "unary", "wire")
    return CaseKey(
        match["name"].rpartition("::")[2].removeprefix("scenarios/"), cast(CasePath, match["path"]),
        cast(Dialect, match["client"]), cast(Dialect, match["upstream"]), cast(Mode, match["mode"]),
        cast(Layer, match["layer"]),
    )  # fmt: skip


@contextmanager
def _without_pytest_variables_and_warnings() -> Iterator[None]:
    """Remove what steers pytest from the environment, which worker processes inherit; restore it at the end."""
    before = dict(os.environ)
    for name in REMOVED:
        os.environ.pop(name, None)
    os.environ.update(ENVIRONMENT)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for name in (*REMOVED, *ENVIRONMENT):
            os.environ.pop(name, None)
            if name in before:
                os.environ[name] = before[name]
