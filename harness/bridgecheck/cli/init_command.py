"""``bridgecheck init``: recipe, claims and deviations of an adapter, so that its first run in CI is green."""

import sys
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from shlex import quote

from bridgecheck.cli.options import RunOptions
from bridgecheck.cli.run_command import FinishedRun, play, write_and_print_run_report
from bridgecheck.drivers import Driver, resolve
from bridgecheck.drivers.recipe import FILE, SUFFIX, add_claims, read_recipe, recipe_text
from bridgecheck.errors import BadRecipe, BadTarget
from bridgecheck.files import scenarios, scenarios_root, write_text
from bridgecheck.files.writable import create_writable_folder
from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.counts import plural
from bridgecheck.report import Report
from bridgecheck.report.deviations_file import DEVIATIONS_FILE as DEVIATIONS
from bridgecheck.report.deviations_file import accept_failures_and_remove_stale, default_deviations_path
from bridgecheck.run.plan import find_working_capabilities
from bridgecheck.smoke.command import play_in_child_process
from bridgecheck.smoke.terminal_report import print_result
from bridgecheck.smoke.trials import PLAIN_SCENARIO


def init_adapter(target: str, folder: Path | None, upstream_port: int = 0) -> int:
    """Run everything once and write the files into ``folder``, None for the default one; return the exit code of the
    run that CI will do. The files of a recipe stand beside it. Raises RefusedAtStart."""
    driver = resolve(target, upstream_port)
    driver.close()
    is_recipe = target.endswith(SUFFIX)
    path = Path(target) if is_recipe else (folder or default_deviations_path(driver.info.name).parent) / FILE
    _refuse_another_folder_and_existing_files(path, folder, is_recipe)
    _require_an_answer(target, upstream_port)
    create_writable_folder(path.parent)
    has_claims = is_recipe and "claims" in read_recipe(target)
    with _run_with_all_claims(path, driver, is_recipe, has_claims) as run:
        if run.report.info.partial:
            return write_and_print_run_report(run)
        claims = driver.info.claims
        if not has_claims:
            claims |= find_working_capabilities(run.report.cases)
            text = path.read_text(encoding="utf-8") if is_recipe else ""
            write_text(path, add_claims(text, claims) if is_recipe else _starter_recipe_text(path, driver, claims))
        run = replace(run, report=_accept_failures(run, claims))
        code = write_and_print_run_report(run)
        sys.stdout.write(_next_steps(path, claims, run.report))
        return code


def _starter_recipe_text(path: Path, driver: Driver, claims: Collection[str]) -> str:
    gateway = driver.gateway
    if gateway is None:
        return recipe_text(path, driver.target, claims)
    return recipe_text(path, driver.target, claims, driver.info.routes, gateway.upstream_port)


def _require_an_answer(target: str, upstream_port: int) -> None:
    """Play what smoke plays. An adapter that is not wired, or that crashes or hangs on a plain text in every direction,
    has nothing to gate, and a run of everything may take hours. Raises BadTarget."""
    if not (scenarios_root() / f"{PLAIN_SCENARIO}.json").is_file():
        return
    result = play_in_child_process(target, lambda activity: None, upstream_port)
    if not any(trial.is_answered for trial in result.trials_of("plain")):
        print_result(result)
        what = "the adapter answers a plain text in no direction yet: there is nothing to gate"
        next_step = f"bridgecheck smoke {quote(target)}, until a direction works; then init again"
        raise BadTarget(what, target, "a direction in which a plain text is answered, right or wrong", next_step)


@contextmanager
def _run_with_all_claims(path: Path, driver: Driver, is_recipe: bool, has_claims: bool) -> Iterator[FinishedRun]:
    """Run everything as if all were claimed, unless a recipe says what is. A recipe that was written for the run is
    removed again, so that a run that is cut off can be repeated."""
    if not is_recipe:
        write_text(path, _starter_recipe_text(path, driver, CAPABILITIES))
    with ExitStack() as stack:
        try:
            capabilities = None if has_claims else tuple(CAPABILITIES)
            run = stack.enter_context(play(RunOptions(adapter=str(path), capabilities=capabilities)))
        finally:
            if not is_recipe:
                path.unlink()
        yield run


def _refuse_another_folder_and_existing_files(path: Path, folder: Path | None, is_recipe: bool) -> None:
    if is_recipe and folder is not None and folder.resolve() != path.parent.resolve():
        raise BadRecipe("the files of a recipe stand beside it", str(folder), f"{path.parent}, or no folder")
    for name in (DEVIATIONS,) if is_recipe else (FILE, DEVIATIONS):
        if (path.parent / name).exists():
            next_step = f"bridgecheck run --adapter {path} --update-deviations"
            raise BadRecipe(f"{name} is there already", str(path.parent / name), "a folder without one", next_step)


def _accept_failures(run: FinishedRun, claims: frozenset[str]) -> Report:
    """Return the report on what is claimed, after writing all its failures to the deviations."""
    required = {scenario.id for scenario in scenarios(scenarios_root()) if claims.issuperset(scenario.requires)}
    judged = [case for case in run.report.cases if case.key.path == "native" or case.key.scenario in required]
    report = Report.from_results(replace(run.report.info, planned=len(judged)), judged, run.report.deviations)
    return accept_failures_and_remove_stale(report, run.gate, run.deviations, "bridgecheck init")[0]


def _next_steps(path: Path, claims: frozenset[str], report: Report) -> str:
    unclaimed = sorted(set(CAPABILITIES) - claims)
    deviations = path.parent / DEVIATIONS
    accepted = plural(len(report.accepted_findings), "accepted finding")
    entries = plural(len(report.deviations), "entry", "entries")
    lines = [
        "",
        f"Written: {path} ({len(claims)} of {len(CAPABILITIES)} capabilities claimed)",
        f"         {deviations} ({accepted} in {entries}, one for each fingerprint)",
        *([f"Not claimed: {', '.join(unclaimed)}"] if unclaimed else []),
        "Next:",
        f"  read {deviations} and give every entry its reason, or fix it and remove the entry",
        f"  in CI: bridgecheck run --adapter {path} --stale fail",
    ]
    return "\n".join(lines) + "\n"
