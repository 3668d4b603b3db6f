"""``bridgecheck init``: recipe, claims and deviations of an adapter, so that its first run in CI is green."""

import sys
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from bridgecheck.cli.options import RunOptions
from bridgecheck.cli.run_command import FinishedRun, play, write_and_print_run_report
from bridgecheck.drivers import Driver, resolve
from bridgecheck.drivers.recipe import FILE, SUFFIX, recipe_text
from bridgecheck.errors import BadRecipe
from bridgecheck.files import scenarios, scenarios_root, write_text
from bridgecheck.files.writable import create_writable_folder
from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.report import Report, sentences
from bridgecheck.report.deviations_file import DEVIATIONS_FILE as DEVIATIONS
from bridgecheck.report.deviations_file import accept_failures_and_remove_stale, default_deviations_path
from bridgecheck.run.plan import find_working_capabilities


def init_adapter(target: str, folder: Path | None, upstream_port: int = 0) -> int:
    """Run everything once and write the files into ``folder``, None for the default one; return the exit code of the
    run that CI will do. Raises RefusedAtStart."""
    driver = resolve(target, upstream_port)
    path = (folder or default_deviations_path(driver.info.name).parent) / FILE
    _refuse_recipe_target_and_existing_files(target, path)
    create_writable_folder(path.parent)
    with _run_with_all_claims(path, driver) as run:
        if run.report.info.partial:
            return write_and_print_run_report(run)
        claims = driver.info.claims | find_working_capabilities(run.report.cases)
        write_text(path, _starter_recipe_text(path, driver, claims))
        run = replace(run, report=_accept_failures(run, claims))
        code = write_and_print_run_report(run)
        sys.stdout.write(_next_steps(path, claims, run.report))
        return code


def _starter_recipe_text(path: Path, driver: Driver, claims: Collection[str]) -> str:
    gateway = driver.gateway
    if gateway is None:
        return recipe_text(path, driver.target, claims)
    return recipe_text(path, driver.target, claims, driver.info.routes, gateway.upstream_port)


@contextmanager
def _run_with_all_claims(path: Path, driver: Driver) -> Iterator[FinishedRun]:
    """Run everything as if all were claimed. The recipe is removed again, so that a run that is cut off can be
    repeated."""
    write_text(path, _starter_recipe_text(path, driver, CAPABILITIES))
    with ExitStack() as stack:
        try:
            run = stack.enter_context(play(RunOptions(adapter=str(path))))
        finally:
            path.unlink()
        yield run


def _refuse_recipe_target_and_existing_files(target: str, path: Path) -> None:
    if target.endswith(SUFFIX):
        raise BadRecipe("the adapter is named by a recipe already", target, "python:package.module:object")
    for name in (FILE, DEVIATIONS):
        if (path.parent / name).exists():
            next_step = f"bridgecheck run --adapter {path} --update-deviations"
            raise BadRecipe(f"there is an {name} already", str(path.parent / name), "another folder", next_step)


def _accept_failures(run: FinishedRun, claims: frozenset[str]) -> Report:
    """Return the report on what is claimed, after writing all its failures to the deviations."""
    required = {scenario.id for scenario in scenarios(scenarios_root()) if claims.issuperset(scenario.requires)}
    judged = [case for case in run.report.cases if case.key.path == "native" or case.key.scenario in required]
    report = Report.from_results(replace(run.report.info, planned=len(judged)), judged, run.report.deviations)
    return accept_failures_and_remove_stale(report, run.gate, run.deviations)[0]


def _next_steps(path: Path, claims: frozenset[str], report: Report) -> str:
    unclaimed = sorted(set(CAPABILITIES) - claims)
    deviations = path.parent / DEVIATIONS
    lines = [
        "",
        f"Written: {path} ({len(claims)} of {len(CAPABILITIES)} capabilities claimed)",
        f"         {deviations} ({sentences.plural(len(report.deviations), 'accepted failure')})",
        *([f"Not claimed: {', '.join(unclaimed)}"] if unclaimed else []),
        "Next:",
        f"  read {deviations} and give every entry its reason, or fix it and remove the entry",
        f"  in CI: bridgecheck run --adapter {path} --stale fail",
    ]
    return "\n".join(lines) + "\n"
