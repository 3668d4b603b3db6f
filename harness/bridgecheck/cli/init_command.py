"""``bridgecheck init``: recipe, claims and deviations of an adapter, so that its first run in CI is green."""

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from shlex import join, quote
from tempfile import TemporaryDirectory
from typing import Final

from bridgecheck.checks.table import APPLIES
from bridgecheck.cli.options import RunOptions
from bridgecheck.cli.run_command import FinishedRun, play, write_and_print_run_report
from bridgecheck.drivers import Driver, resolve
from bridgecheck.drivers.recipe import FILE, SUFFIX, add_claims, read_recipe, recipe_text
from bridgecheck.errors import BadRecipe, BadTarget
from bridgecheck.files import scenarios, scenarios_root, write_text
from bridgecheck.files.writable import create_writable_folder
from bridgecheck.model.adapter import CAPABILITIES, describe_unclaimed
from bridgecheck.model.counts import plural
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.report import Report
from bridgecheck.report.deviations_file import DEVIATIONS_FILE as DEVIATIONS
from bridgecheck.report.deviations_file import accept_failures_and_remove_stale, default_deviations_path
from bridgecheck.report.side_by_side import clip, escape_invisible
from bridgecheck.run.plan import find_refusals, find_working_capabilities, find_wrong_capabilities
from bridgecheck.smoke.command import play_in_child_process
from bridgecheck.smoke.terminal_report import print_result
from bridgecheck.smoke.trials import PLAIN_SCENARIO

WRONG: Final = "answered wrongly"
"""What is said of a capability that is not refused and does not work."""
MAX_FAULT: Final = 80
"""Characters that are shown of why a capability does not work."""


def init_adapter(
    target: str, folder: Path | None, upstream_port: int = 0, folders: tuple[tuple[str, str], ...] = ()
) -> int:
    """Run everything once and write the files into ``folder``, None for the default one; return the exit code of the
    run that CI will do. The files of a recipe stand beside it. ``folders``: as of RunOptions. Raises RefusedAtStart."""
    driver = resolve(target, upstream_port)
    driver.close()
    is_recipe = target.endswith(SUFFIX)
    path = Path(target) if is_recipe else (folder or default_deviations_path(driver.info.name).parent) / FILE
    _refuse_another_folder_and_existing_files(path, folder, is_recipe)
    _require_an_answer(target, upstream_port)
    create_writable_folder(path.parent)
    has_claims = is_recipe and "claims" in read_recipe(target)
    with _run_with_all_claims(path, driver, is_recipe, has_claims, folders) as run:
        if run.report.info.partial:
            return write_and_print_run_report(run)
        claims, faults, cases = driver.info.claims, dict[str, str](), run.report.cases
        seconds = run.report.info.seconds
        if not has_claims:
            corpus = scenarios(scenarios_root())
            claims |= find_working_capabilities(cases)
            faults = dict.fromkeys(CAPABILITIES, "not played")
            faults |= {name: f"refused: {text}" for name, text in find_refusals(cases).items()}
            faults |= dict.fromkeys(find_wrong_capabilities(cases, corpus), WRONG)
            faults = {name: fault for name, fault in faults.items() if name not in claims}
            if driver.judged_on_all:  # else it says itself what it claims
                claims |= {name for name, fault in faults.items() if fault == WRONG}
            text = path.read_text(encoding="utf-8") if is_recipe else ""
            write_text(path, add_claims(text, claims) if is_recipe else _starter_recipe_text(path, driver, claims))
            cases = tuple(_leave_out_unclaimed(cases, corpus, driver, claims))
            again = _play_faulty_again(path, cases) if claims != CAPABILITIES.keys() else None
            if again is not None and again.info.partial:
                write_text(path, text) if is_recipe else path.unlink()
                return write_and_print_run_report(replace(run, report=again))
            if again is not None:
                cases = _replace_cases(cases, again.cases)
                seconds += again.info.seconds
        run = replace(run, report=_accept_failures(run, cases, seconds))
        code = write_and_print_run_report(run)
        sys.stdout.write(_next_steps(path, claims, faults, run.report))
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
def _run_with_all_claims(
    path: Path, driver: Driver, is_recipe: bool, has_claims: bool, folders: tuple[tuple[str, str], ...]
) -> Iterator[FinishedRun]:
    """Run everything as if all were claimed, unless a recipe says what is. A recipe that was written for the run is
    removed again, so that a run that is cut off can be repeated."""
    if not is_recipe:
        write_text(path, _starter_recipe_text(path, driver, CAPABILITIES))
    with ExitStack() as stack:
        try:
            capabilities = None if has_claims else tuple(CAPABILITIES)
            run = stack.enter_context(play(RunOptions(adapter=str(path), capabilities=capabilities, folders=folders)))
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


def _play_faulty_again(path: Path, cases: Sequence[CaseResult]) -> Report | None:
    """Play the scenarios in which something was found with the claims that the recipe has now, and return the report;
    None if nothing was found. What may be refused, for one, depends on the claims."""
    faulty = dict.fromkeys(case.key.scenario for case in cases if case.key.path == "bridged" and _is_faulty(case))
    if not faulty:
        return None
    count = plural(len(faulty), "scenario")
    sys.stderr.write(f"again, with the claims of {path}: {count} in which something was found\n")
    with TemporaryDirectory(prefix="bridgecheck-init-") as folder:
        options = RunOptions(adapter=str(path), scenarios=tuple(faulty), path="bridged", folder=Path(folder))
        with play(options) as run:
            return run.report


def _is_faulty(case: CaseResult) -> bool:
    return case.status not in ("PASS", "NOTE", "NOT_APPLICABLE")


def _replace_cases(cases: Sequence[CaseResult], later: Sequence[CaseResult]) -> tuple[CaseResult, ...]:
    """Return the cases, those that were played again as they came out last. What is not judged stays so."""
    by_key = {case.key: case for case in later}
    return tuple(by_key.get(case.key, case) if _is_faulty(case) else case for case in cases)


def _leave_out_unclaimed(
    cases: Iterable[CaseResult], corpus: Iterable[Scenario], driver: Driver, claims: frozenset[str]
) -> Iterator[CaseResult]:
    """Yield the cases as a run with these claims has them: what needs another capability is not judged, and is one case
    on its first layer."""
    missing = {scenario.id: set(scenario.requires) - claims for scenario in corpus}
    left_out: set[CaseKey] = set()
    for case in cases:
        key, absent = case.key, missing[case.key.scenario]
        if key.path == "native" or not absent or (key.client, key.upstream) not in driver.info.routes:
            yield case
            continue
        direction = replace(key, layer="wire")
        if direction not in left_out:
            left_out.add(direction)
            why_not = Verdict(APPLIES, "NOT_APPLICABLE", describe_unclaimed(driver.info.name, absent))
            yield replace(case, verdicts=(why_not,), seconds=0.0, crash="", views={})


def _accept_failures(run: FinishedRun, cases: Sequence[CaseResult], seconds: float) -> Report:
    """Return the report on these cases, which took this long, after writing all their failures to the deviations."""
    info = replace(run.report.info, planned=len(cases), seconds=seconds)
    report = Report.from_results(info, cases, run.report.deviations)
    return accept_failures_and_remove_stale(report, run.gate, run.deviations, "bridgecheck init")[0]


def _next_steps(path: Path, claims: frozenset[str], faults: Mapping[str, str], report: Report) -> str:
    """``faults``: why capabilities do not work, ``refused: ...``, ``not played`` or ``WRONG``; of a recipe that had
    claims nothing."""
    unclaimed = [_name_unclaimed(name, faults) for name in sorted(set(CAPABILITIES) - claims)]
    wrong = sorted(claims.intersection(faults))
    deviations = path.parent / DEVIATIONS
    run = join(("bridgecheck", "run", *report.info.options_to_repeat, "--stale", "fail"))
    accepted = plural(len(report.accepted_findings), "accepted finding")
    entries = plural(len(report.deviations), "entry", "entries")
    lines = [
        "",
        f"Written: {path} ({len(claims)} of {len(CAPABILITIES)} capabilities claimed)",
        f"         {deviations} ({accepted} in {entries}, one for each fingerprint)",
        *([f"Not claimed: {', '.join(unclaimed)}; to claim more: claims in {path}"] if unclaimed else []),
        *([f"Claimed though {WRONG}, its failures accepted: {', '.join(wrong)}"] if wrong else []),
        "Next:",
        f"  read {deviations} and give every entry its reason, or fix it and remove the entry",
        f"  in CI: {run}",
    ]
    return "\n".join(lines) + "\n"


def _name_unclaimed(capability: str, faults: Mapping[str, str]) -> str:
    fault = " ".join(faults.get(capability, "").split())
    return f"{capability} ({clip(escape_invisible(fault), MAX_FAULT)})" if fault else capability
