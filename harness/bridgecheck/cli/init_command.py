"""``bridgecheck init``: recipe, claims and deviations of an adapter, so that its first run in CI is green."""

import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from bridgecheck.cli.run_command import Run, play, published
from bridgecheck.cli.wanted import Wanted
from bridgecheck.drivers import Driver, resolve
from bridgecheck.drivers.recipe import FILE, SUFFIX, recipe_text
from bridgecheck.errors import BadRecipe
from bridgecheck.files import scenarios, scenarios_root, write_text
from bridgecheck.files.writable import make_folder_writable
from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.report import Report
from bridgecheck.report.deviations_file import DEVIATIONS_FILE as DEVIATIONS
from bridgecheck.report.deviations_file import accept_failures, default_deviations_path
from bridgecheck.run.plan import find_working_capabilities


def init(target: str, folder: Path | None, upstream_port: int = 0) -> int:
    """Runs everything once; gives the exit code of the run that CI will do. Raises RefusedAtStart."""
    driver = resolve(target, upstream_port)
    place = (folder or default_deviations_path(driver.info.name).parent) / FILE
    _refuse_to_overwrite(target, place)
    make_folder_writable(place.parent)
    run = _tried(place, driver)
    if run.report.info.partial:
        return published(run)
    claims = driver.info.claims | find_working_capabilities(run.report.cases)
    write_text(place, _recipe(place, driver, claims))
    run = replace(run, report=_accepted(run, claims))
    code = published(run)
    sys.stdout.write(_next_steps(place, target, claims, run.report))
    return code


def _recipe(place: Path, driver: Driver, claims: Collection[str]) -> str:
    gateway = driver.gateway
    if gateway is None:
        return recipe_text(place, driver.target, claims)
    return recipe_text(place, driver.target, claims, driver.info.routes, gateway.upstream_port)


def _tried(place: Path, driver: Driver) -> Run:
    """Everything, as if all were claimed. Nothing is left behind: what is cut off can be begun again."""
    write_text(place, _recipe(place, driver, CAPABILITIES))
    try:
        return play(Wanted(adapter=str(place)))
    finally:
        place.unlink()


def _refuse_to_overwrite(target: str, place: Path) -> None:
    if target.endswith(SUFFIX):
        raise BadRecipe("the adapter is named by a recipe already", target, "python:package.module:object")
    for name in (FILE, DEVIATIONS):
        if (place.parent / name).exists():
            next_step = f"bridgecheck run --adapter {place} --update-deviations"
            raise BadRecipe(f"there is an {name} already", str(place.parent / name), "another folder", next_step)


def _accepted(run: Run, claims: frozenset[str]) -> Report:
    """The report on what is claimed, with all that fails in it written down."""
    demanded = {scenario.id for scenario in scenarios(scenarios_root()) if claims.issuperset(scenario.requires)}
    judged = [case for case in run.report.cases if case.key.path == "native" or case.key.scenario in demanded]
    report = Report.from_results(replace(run.report.info, planned=len(judged)), judged, run.report.deviations)
    return accept_failures(report, run.gate, run.place)


def _next_steps(place: Path, target: str, claims: frozenset[str], report: Report) -> str:
    unclaimed = sorted(set(CAPABILITIES) - claims)
    lines = [
        "",
        f"Written: {place} ({len(claims)} of {len(CAPABILITIES)} capabilities claimed)",
        f"         {place.parent / DEVIATIONS} ({len(report.deviations)} accepted)",
        *([f"Not claimed: {', '.join(unclaimed)}"] if unclaimed else []),
        "Next:",
        f"  read {place.parent / DEVIATIONS} and give every entry its reason, or mend it and take it out",
        f"  in CI: bridgecheck run --adapter {place} --stale fail",
    ]
    return "\n".join(lines) + "\n"
