"""``bridgecheck run``: refuse what cannot be done, run the rest through pytest, report."""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from rich.console import Console

from bridgecheck.cli.lost import lost_cases
from bridgecheck.cli.pytest_session import Collected, Listener, run_pytest
from bridgecheck.cli.wanted import Wanted, arguments, check, deviations_place, workers
from bridgecheck.files import corpus_root
from bridgecheck.files.requirements import check_requirements
from bridgecheck.files.writable import make_folder_writable
from bridgecheck.model.verdict import CaseResult
from bridgecheck.report import Report, RunInfo, sentences, terminal, write_report
from bridgecheck.report.deviations_file import accept_failures, load_gate
from bridgecheck.report.folder import Journal
from bridgecheck.report.gate import Gate
from bridgecheck.run.mask import strip_paths
from bridgecheck.wire.facts import SDKS

DISTRIBUTIONS: Final = ("bridgecheck", *(sdk.distribution for sdk in SDKS), "vcrpy", "pytest")
"""Whose versions a report names, if they are installed."""

BROKEN: Final = 3


@dataclass(frozen=True, slots=True)
class Run:
    """What was run. ``place``: of the adapter's deviations, there or not. ``folder``: where the report goes."""

    report: Report
    gate: Gate
    place: Path
    folder: Path
    problems: tuple[str, ...]


def run_cases(wanted: Wanted) -> int:
    """Runs and reports; gives the exit code. Raises RefusedAtStart before anything runs."""
    run = play(wanted)
    return published(replace(run, report=accept_failures(run.report, run.gate, run.place)) if wanted.update else run)


def play(wanted: Wanted) -> Run:
    """Raises RefusedAtStart before anything runs."""
    driver = wanted.driver()
    checked = check(wanted, driver)
    place = deviations_place(wanted, driver)
    gate = load_gate(place, wanted.requirements, driver.info.version, datetime.now(UTC).date())
    if gate.requirements is not None:
        check_requirements(gate.requirements)
    make_folder_writable(wanted.folder)
    if checked.fixed_port:
        _point_at(checked.fixed_port)
    started = RunInfo(
        adapter=driver.info.name,
        version=driver.info.version,
        target=wanted.adapter,
        versions=tuple(_versions()),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        strict=wanted.strict,
        stale=wanted.stale,
        requirements=wanted.requirements,
        selection=wanted.said,
        argv=tuple(map(strip_paths, sys.argv[1:])),
    )
    clock = time.monotonic()
    collected = _played(wanted, started, gate, arguments(wanted, checked, place), workers(wanted, checked))
    results = [*collected.results, *map(gate.excuse_failures, lost_cases(collected, driver.info.name))]
    info = replace(
        started,
        seconds=round(time.monotonic() - clock, 2),
        planned=collected.planned,
        partial=collected.interrupted or len(results) < collected.planned,
    )
    return Run(
        Report.from_results(info, results, gate.deviations), gate, place, wanted.folder, tuple(collected.problems)
    )


def _point_at(port: int) -> None:
    """Says where a gateway that runs already has to look for its provider. Raises PortTaken."""
    from bridgecheck.upstream.edge import Edge

    with Edge(port) as edge:
        sys.stderr.write(f"The recorded provider listens on {edge.base_url}: point the gateway at it.\n")


def _played(wanted: Wanted, info: RunInfo, gate: Gate, given: list[str], jobs: int) -> Collected:
    """Runs the cases with progress on standard error, each written down as it comes. The streams are put back: pytest
    and rich both replace them."""
    console = Console(file=sys.stderr)
    streams = sys.stdout, sys.stderr
    with ExitStack() as stack:
        bars: list[terminal.Progress] = []
        journals: list[Journal] = []

        def planned(total: int) -> None:
            bars.append(stack.enter_context(terminal.Progress(console, total)))
            journals.append(stack.enter_context(Journal(wanted.folder, replace(info, planned=total), gate.deviations)))

        def arrived(result: CaseResult) -> None:
            for bar, journal in zip(bars, journals, strict=True):
                bar.advance(result)
                journal.add(result)

        listener = Listener(planned, arrived)
        collected = run_pytest(given, corpus_root(), jobs, listener)
    sys.stdout, sys.stderr = streams
    return collected


def published(run: Run) -> int:
    """Shows and writes the report. A problem of the session itself is exit code 3, whatever the cases say."""
    for problem in run.problems:
        sys.stderr.write(f"[harness] {problem}\n")
    publish(run.report, run.folder)
    return run.report.exit_code if run.report.exit_code == 1 or not run.problems else BROKEN


def publish(report: Report, folder: Path) -> None:
    """Writes the report into the folder and shows it. Raises OSError."""
    report = report.with_rationales()
    written = write_report(report, folder)
    console = Console(file=sys.stdout)
    terminal.print_report(console, report)
    said = [f"Report: {folder} ({', '.join(path.name for path in written)})", sentences.next_step_line(report)]
    for line in filter(None, said):
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def _versions() -> Iterator[tuple[str, str]]:
    yield "python", ".".join(map(str, sys.version_info[:3]))
    for name in DISTRIBUTIONS:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue
