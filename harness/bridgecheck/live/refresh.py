"""``bridgecheck refresh``: records live cassettes anew, beside the old ones, and replaces them once that is accepted.

FOLDER/TOPIC/SLUG/DIALECT.MODE.yaml        what was recorded; stays until --accept
FOLDER.new/TOPIC/SLUG/DIALECT.MODE.yaml    what is recorded now, with its ledger"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.store import load_cassette
from bridgecheck.drift.command import run_drift
from bridgecheck.errors import MissingPath, RefusedAtStart
from bridgecheck.files.corpus import matches_glob, scenarios, scenarios_root
from bridgecheck.live.attempt import Clock
from bridgecheck.live.command import SystemClock, play_plan, require_prices
from bridgecheck.live.ledger_file import NAME
from bridgecheck.live.options import LiveOptions, check_live, parse_models, parse_prices
from bridgecheck.live.plan import LiveCase, NotPlayable, Plan, make_plan
from bridgecheck.live.player import RECORDER
from bridgecheck.live.summary import exit_code, plan_lines, result_lines
from bridgecheck.model.jsonvalue import text
from bridgecheck.wire import Dialect


class ElicitedCassette(NamedTuple):
    """A cassette of ``record --live``. ``name``: TOPIC/SLUG/DIALECT.MODE.yaml, below its folder."""

    name: str
    scenario: str
    dialect: str
    mode: str
    model: str
    cassette: Cassette


def new_folder(folder: Path) -> Path:
    """Return where the cassettes that are recorded anew stand."""
    return folder.with_name(f"{folder.name}.new")


def refresh(options: LiveOptions, *, accept: bool, clock: Clock | None = None) -> int:
    """Record anew, compare, and replace where that is accepted; return the exit code. ``options.scenario``: globs of
    ids. Raises RefusedAtStart."""
    if accept and not options.live:
        return compare_with_old(options.out, accept=True)
    plan = plan_refresh(options)
    _print(plan_lines(plan, is_long=options.dry_run))
    if options.dry_run:
        return 0
    require_prices(plan, options)
    folder = new_folder(options.out)
    played, spending = play_plan(plan, options, clock or SystemClock(), folder)
    _print(result_lines(plan, played, spending, options, folder))
    if played.is_interrupted or not any(load_elicited(folder)):
        return exit_code(plan, played)
    return compare_with_old(options.out, accept=accept) or exit_code(plan, played)


def compare_with_old(folder: Path, *, accept: bool) -> int:
    """Print what providers changed between the old cassettes and the new; with ``accept`` put the new in the place of
    the old. Return 1 for a change that was not accepted, else 0. Raises MissingPath where nothing was recorded, and
    what ``run_drift`` raises; then no file has changed."""
    source = new_folder(folder)
    found = list(load_elicited(source))
    if not found:
        next_step = "bridgecheck refresh --live DIALECT=URL --out FOLDER first"
        raise MissingPath("nothing was recorded anew", str(source), "cassettes", next_step)
    code = run_drift(folder, source, as_json=False, accept=accept)
    if not accept:
        _print([f"replace the old ones: bridgecheck refresh --out {folder} --accept"])
        return code
    for elicited in found:
        (source / elicited.name).unlink()
        _remove_empty_folders((source / elicited.name).parent, source)
    ledger = source / NAME
    if ledger.is_file():
        ledger.replace(folder / NAME)
    return code


def plan_refresh(options: LiveOptions) -> Plan:
    """Return the plan that records what stands in the folder anew, with the models that it was recorded of. Raises
    RefusedAtStart where nothing is selected."""
    served, models, prices = check_live(options), parse_models(options), parse_prices(options)
    by_id = {scenario.id: scenario for scenario in scenarios(scenarios_root())}
    cases: list[LiveCase] = []
    refused: list[NotPlayable] = []
    for old in load_elicited(options.out):
        if old.dialect not in served or not _is_selected(old.scenario, options.scenario):
            continue
        dialect: Dialect = next(name for name in served if name == old.dialect)
        if old.scenario not in by_id:
            refused.append(NotPlayable(old.scenario, dialect, "there is no such scenario any more"))
            continue
        of_scenario = make_plan([by_id[old.scenario]], [dialect], {dialect: models.get(dialect, old.model)}, prices)
        refused += of_scenario.not_playable
        cases += [case for case in of_scenario.cases if case.mode == old.mode]
    if not cases:
        what = f"no cassette of record --live is selected at {', '.join(served)}"
        next_step = "bridgecheck record --scenario GLOB --live DIALECT=URL records some"
        raise RefusedAtStart(what, str(options.out), "a folder that record --live has written", next_step)
    return Plan(tuple(cases), tuple(dict.fromkeys(refused)), options.tries, prices)


def _is_selected(scenario: str, globs: Sequence[str]) -> bool:
    return not globs or any(matches_glob(scenario, glob) for glob in globs)


def load_elicited(folder: Path) -> Iterator[ElicitedCassette]:
    """Yield the cassettes of ``record --live`` below a folder, by name. Raises BadCassette."""
    for path in sorted(folder.glob("*/*/*.yaml")):
        cassette = load_cassette(path)
        if cassette.metadata.get("recorder") == RECORDER:
            scenario, dialect, mode, model = (
                text(cassette.metadata.get(key)) for key in ("scenario", "dialect", "mode", "model")
            )
            yield ElicitedCassette(str(path.relative_to(folder)), scenario, dialect, mode, model, cassette)


def _remove_empty_folders(folder: Path, root: Path) -> None:
    while folder != root and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
