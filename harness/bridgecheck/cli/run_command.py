"""``bridgecheck run``: refuse what cannot be done, run the rest through pytest, report."""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console

from bridgecheck.cli.interruption import without_interruption
from bridgecheck.cli.options import RunOptions, ScenariosAndTrafficToRun, deviations_path, plan_run, pytest_arguments
from bridgecheck.cli.pytest_session import Collected, Listener, error_results_of_lost_cases, run_pytest
from bridgecheck.errors import BadTarget, ReportNotWritten
from bridgecheck.files import corpus_root
from bridgecheck.files.requirements import require_corpus_as_frozen
from bridgecheck.files.system import require_posix
from bridgecheck.files.writable import create_writable_folder, lock_folder
from bridgecheck.model.verdict import CaseResult
from bridgecheck.report import Report, RunInfo, sentences, terminal, write_masked_report
from bridgecheck.report.deviations_file import accept_failures_and_remove_stale, load_gate
from bridgecheck.report.folder import PartialReportJson
from bridgecheck.report.gate import Gate
from bridgecheck.run.mask import strip_paths
from bridgecheck.secrets import mask_strings
from bridgecheck.wire.facts import SDKS

DISTRIBUTIONS: Final = ("bridgecheck", *(sdk.distribution for sdk in SDKS), "vcrpy", "pytest")
"""Whose versions a report names, if they are installed."""

BROKEN: Final = 3


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """``deviations``: path of the adapter's deviations, which need not exist. ``folder``: of the report. ``problems``:
    of the session itself."""

    report: Report
    gate: Gate
    deviations: Path
    folder: Path
    problems: tuple[str, ...]


def run_cases(options: RunOptions) -> int:
    """Run and report; return the exit code. Raises RefusedAtStart before anything runs."""
    with play(options) as run, without_interruption():
        if not options.update:
            return write_and_print_run_report(run)
        report, changes = accept_failures_and_remove_stale(run.report, run.gate, run.deviations)
        code = write_and_print_run_report(replace(run, report=report))
        for line in sentences.deviation_change_lines(changes, str(run.deviations)):
            sys.stdout.write(f"{line}\n")
        return code


@contextmanager
def play(options: RunOptions) -> Iterator[FinishedRun]:
    """Run all cases that the options select; nobody else writes into the folder until the report is written. Raises
    RefusedAtStart before anything runs."""
    require_posix("playing cases")
    with ExitStack() as stack:
        yield _play_in_locked_folder(options, stack)


def _play_in_locked_folder(options: RunOptions, stack: ExitStack) -> FinishedRun:
    driver = options.load_driver()
    planned = plan_run(options, driver)
    deviations = deviations_path(options, driver)
    gate = load_gate(deviations, options.requirements, driver.info.version, options.now().date())
    if gate.requirements is not None:
        require_corpus_as_frozen(gate.requirements)
    create_writable_folder(options.folder)
    stack.enter_context(lock_folder(options.folder))
    if planned.fixed_port:
        _announce_provider(planned.fixed_port)
    if planned.skipped:
        sys.stderr.write(f"{sentences.skipped_files(planned.skipped)}\n")
    info = RunInfo(
        adapter=driver.info.name, version=driver.info.version, target=options.adapter,
        versions=tuple(_installed_versions()), started=options.now().isoformat(timespec="seconds"),
        strict=options.strict, stale=options.stale, requirements=options.requirements,
        max_age=options.max_age or 0, require=options.require, folders=options.folders,
        selection=options.selecting_options, argv=tuple(map(strip_paths, sys.argv[1:])),
    )  # fmt: skip
    if planned.workers:
        driver.close()  # each process that judges starts its own
    started = time.monotonic()
    collected = _run_session(options, planned, info, gate, deviations)
    if collected.refused:
        what, next_step = "nothing was played, for the reason above", f"bridgecheck smoke {quote(driver.target)}"
        raise BadTarget(what, driver.target, "an adapter that starts as often as it is started", next_step)
    lost = error_results_of_lost_cases(collected, driver.info.name)
    results = [*collected.results, *map(gate.excuse_failures, lost)]
    is_partial = collected.interrupted or bool(collected.problems) or len(results) < collected.planned
    seconds = time.monotonic() - started
    info = replace(info, seconds=round(seconds, 2), planned=collected.planned, partial=is_partial)
    report = Report.from_results(info, results, gate.deviations)
    return FinishedRun(report, gate, deviations, options.folder, tuple(collected.problems))


def write_and_print_run_report(run: FinishedRun) -> int:
    """Print and write the report; return the exit code. A problem of the session itself is exit code 3, unless cases
    failed."""
    for problem in run.problems:
        sys.stderr.write(f"{problem}\n")
    try:
        write_and_print_report(run.report, run.folder)
    except ReportNotWritten as error:
        sys.stderr.write(f"{error}\n")
        return run.report.exit_code if run.report.exit_code == 1 else BROKEN
    return run.report.exit_code if run.report.exit_code == 1 or not run.problems else BROKEN


def write_and_print_report(report: Report, folder: Path) -> None:
    """Write the report into the folder and print it, which is done in any case. Raises ReportNotWritten."""
    report = mask_strings(report.with_failing_scenario_rationales())
    console = Console(file=sys.stdout, emoji=False)
    try:
        written = write_masked_report(report, folder)
    except ReportNotWritten:
        terminal.print_report(console, report)
        raise
    terminal.print_report(console, report)
    for line in (f"Report: {folder} ({', '.join(path.name for path in written)})", sentences.accept_advice(report)):
        if line:
            console.print(line, soft_wrap=True, highlight=False, markup=False)


def _announce_provider(port: int) -> None:
    """Print where a running gateway has to call its provider. Raises PortTaken."""
    from bridgecheck.upstream.edge import Edge

    with Edge(port) as edge:
        sys.stderr.write(f"The recorded provider listens on {edge.base_url}: point the gateway at it.\n")


def _run_session(
    options: RunOptions, planned: ScenariosAndTrafficToRun, info: RunInfo, gate: Gate, deviations: Path
) -> Collected:
    """Run the cases with progress on standard error, and write each result down as it arrives. The standard streams are
    restored, since pytest and rich both replace them."""
    console = Console(file=sys.stderr, emoji=False)
    streams = sys.stdout, sys.stderr
    with ExitStack() as stack:
        bars: list[terminal.Progress] = []
        partial_reports: list[PartialReportJson] = []

        def start_progress_and_partial_report(total: int) -> None:
            bars.append(stack.enter_context(terminal.Progress(console, total)))
            started = replace(info, planned=total)
            partial_reports.append(stack.enter_context(PartialReportJson(options.folder, started, gate.deviations)))

        def advance_progress_and_partial_report(result: CaseResult) -> None:
            for bar, partial_report in zip(bars, partial_reports, strict=True):
                bar.advance(result)
                partial_report.append_case_and_close_json(result)

        listener = Listener(start_progress_and_partial_report, advance_progress_and_partial_report)
        state = stack.enter_context(TemporaryDirectory(prefix="bridgecheck-", ignore_cleanup_errors=True))
        arguments = [f"--bridgecheck-state={state}", *pytest_arguments(options, planned, deviations)]
        collected = run_pytest(arguments, corpus_root(), planned.workers, listener)
    sys.stdout, sys.stderr = streams
    return collected


def _installed_versions() -> Iterator[tuple[str, str]]:
    yield "python", ".".join(map(str, sys.version_info[:3]))
    for name in DISTRIBUTIONS:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue
