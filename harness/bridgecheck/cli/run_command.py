"""``bridgecheck run``: refuse what cannot be done, run the rest through pytest, report."""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from rich.console import Console

from bridgecheck.cli.lost import lost_cases
from bridgecheck.cli.pytest_session import Collected, Listener, run_pytest
from bridgecheck.cli.wanted import Checked, Wanted, arguments, check, workers
from bridgecheck.drivers import DEFAULT_TARGET, resolve
from bridgecheck.files import corpus_root
from bridgecheck.model.verdict import CaseResult
from bridgecheck.report import Report, RunInfo, terminal, write

DISTRIBUTIONS: Final = ("bridgecheck", "openai", "google-genai", "anthropic", "vcrpy", "pytest")
"""Whose versions a report names, if they are installed."""

BROKEN: Final = 3


def run_cases(wanted: Wanted) -> int:
    """Runs and reports; gives the exit code. Raises RefusedAtStart before anything runs."""
    driver = resolve(wanted.adapter or DEFAULT_TARGET)
    checked = check(wanted, driver)
    started, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    collected = _played(wanted, checked)
    results = [*collected.results, *lost_cases(collected, driver.info.name)]
    info = RunInfo(
        adapter=driver.info.name,
        version=driver.info.version,
        target=wanted.adapter,
        versions=tuple(_versions()),
        started=started,
        seconds=round(time.monotonic() - clock, 2),
        planned=collected.planned,
        partial=collected.interrupted or len(results) < collected.planned,
        strict=wanted.strict,
        selection=wanted.said,
        argv=tuple(sys.argv[1:]),
    )
    return _reported(Report.of(info, results), wanted, collected)


def _played(wanted: Wanted, checked: Checked) -> Collected:
    """Runs the cases with progress on standard error. The streams are put back: pytest and rich both replace them."""
    console = Console(file=sys.stderr)
    streams = sys.stdout, sys.stderr
    with ExitStack() as stack:
        bars: list[terminal.Progress] = []

        def planned(total: int) -> None:
            bars.append(stack.enter_context(terminal.Progress(console, total)))

        def arrived(result: CaseResult) -> None:
            for bar in bars:
                bar.advance(result)

        listener = Listener(planned, arrived)
        collected = run_pytest(arguments(wanted, checked), corpus_root(), workers(wanted, checked), listener)
    sys.stdout, sys.stderr = streams
    return collected


def _reported(report: Report, wanted: Wanted, collected: Collected) -> int:
    """Shows and writes the report. A problem of the session itself is exit code 3, whatever the cases say."""
    for problem in collected.problems:
        sys.stderr.write(f"[harness] {problem}\n")
    written = write(report, wanted.folder)
    console = Console(file=sys.stdout)
    terminal.show(console, report)
    console.print(f"Report: {', '.join(map(str, written))}", soft_wrap=True, highlight=False)
    return report.exit_code if report.exit_code == 1 or not collected.problems else BROKEN


def _versions() -> Iterator[tuple[str, str]]:
    yield "python", ".".join(map(str, sys.version_info[:3]))
    for name in DISTRIBUTIONS:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue
