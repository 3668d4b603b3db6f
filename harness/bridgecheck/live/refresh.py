"""``bridgecheck refresh``: records live cassettes anew, beside the old ones, and replaces them once that is accepted.

FOLDER/TOPIC/SLUG/DIALECT.MODE.yaml        what was recorded; stays until --accept
FOLDER.new/TOPIC/SLUG/DIALECT.MODE.yaml    what is recorded now, with its ledger"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.store import load_cassette
from bridgecheck.cassette.write_files import write_files
from bridgecheck.drift.command import compare_with_touches, print_drift
from bridgecheck.drift.finding import Finding
from bridgecheck.drift.folders import Comparison, accept_new
from bridgecheck.errors import MissingPath, RefusedAtStart
from bridgecheck.files import write_text
from bridgecheck.files.corpus import matches_glob, scenarios, scenarios_root
from bridgecheck.files.writable import require_writable_file
from bridgecheck.live.attempt import Clock
from bridgecheck.live.change import LiveChange, change_text, change_title
from bridgecheck.live.command import SystemClock, play_plan, print_lines, require_prices
from bridgecheck.live.ledger_file import FINAL_STATES, NAME, begin_ledger
from bridgecheck.live.options import LiveOptions, check_live, parse_models, parse_prices
from bridgecheck.live.plan import LiveCase, NotPlayable, Plan, Price, make_plan
from bridgecheck.live.player import RECORDER
from bridgecheck.live.summary import exit_code, plan_lines, result_lines
from bridgecheck.live.verdicts import judge_before_and_after
from bridgecheck.model.counts import plural
from bridgecheck.model.jsonvalue import text
from bridgecheck.secrets import mask_text
from bridgecheck.wire import Dialect

_LISTED: Final = 8


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
    if options.change is not None:
        require_writable_file(options.change, "--change")
    if accept and not options.live:
        return compare_with_old(options, accept=True)
    plan = plan_refresh(options)
    print_lines(plan_lines(plan, is_long=options.dry_run))
    if options.dry_run:
        return 0
    require_prices(plan, options)
    folder = new_folder(options.out)
    played, spending = play_plan(plan, options, clock or SystemClock(), folder)
    print_lines(result_lines(plan, played, spending, options, folder))
    if played.is_interrupted or not any(load_elicited(folder)):
        return exit_code(plan, played)
    left = [case.id for case in plan.cases if played.state_of(case) not in FINAL_STATES]
    return compare_with_old(options, accept=accept, left=left) or exit_code(plan, played)


def compare_with_old(options: LiveOptions, *, accept: bool, left: Sequence[str] = ()) -> int:
    """Print what providers changed between the old cassettes and the new; with ``accept`` put the new in the place of
    the old, and with ``options.change`` write what a reviewer needs. ``left``: cases that are not done. Return 1 for a
    change that was not accepted, else 0. Raises MissingPath where nothing was recorded, and what ``compare_paths``,
    ``accept_new`` and ``judge_before_and_after`` raise; then no cassette has changed."""
    folder, source = options.out, new_folder(options.out)
    names = [elicited.name for elicited in load_elicited(source)]
    if not names:
        next_step = "bridgecheck refresh --live DIALECT=URL --out FOLDER first"
        raise MissingPath("nothing was recorded anew", str(source), "cassettes", next_step)
    added = [name for name in names if not (folder / name).is_file()]
    comparison, drift = _compare(folder, source) if len(added) < len(names) else (Comparison((), (), (), ()), ())
    change = _change_for_review(options, names, added, drift, left) if accept and options.change is not None else None
    replaced = accept_new(comparison) if accept else None
    if comparison.pairs:
        print_drift(folder, source, comparison, drift, replaced)
    print_lines(_added_lines(added))
    if not accept:
        print_lines([f"replace the old ones: bridgecheck refresh --out {folder} --accept"])
        return int(any(finding.is_drift for finding in drift))
    write_files({folder / name: (source / name).read_bytes() for name in added}, force=True)
    for name in names:
        (source / name).unlink()
        _remove_empty_folders((source / name).parent, source)
    ledger = source / NAME
    if ledger.is_file():
        ledger.replace(folder / NAME)
    if options.change is not None and change is not None:
        write_text(options.change, mask_text(change_text(change)))
        print_lines([f"for review: {options.change} ({change_title(change)})"])
    return 0


def _compare(folder: Path, source: Path) -> tuple[Comparison, tuple[Finding, ...]]:
    comparison, drift = compare_with_touches(folder, source)
    # What is not recorded live stays as it is, and is nothing that a reader of a refresh has to know.
    return replace(comparison, only_old=(), only_new=()), drift


def _change_for_review(
    options: LiveOptions, names: Sequence[str], added: Sequence[str], drift: Sequence[Finding], left: Sequence[str]
) -> LiveChange:
    source = new_folder(options.out)
    keys = [option.rpartition("=")[2] for option in options.key_env]
    verdicts = judge_before_and_after(names, options.out, source, options.adapter, keys)
    rows = begin_ledger(source, resume=True) if (source / NAME).is_file() else []
    date = max((row.at for row in rows), default="")[:10]
    return LiveChange(date, drift, len(names) - len(added), added, rows, left, verdicts, str(options.out))


def _added_lines(added: Sequence[str]) -> Iterator[str]:
    if added:
        more = f" and {len(added) - _LISTED} more" if len(added) > _LISTED else ""
        yield f"{plural(len(added), 'recording')} without an older one: {', '.join(added[:_LISTED])}{more}"


def plan_refresh(options: LiveOptions) -> Plan:
    """Return the plan that records what stands in the folder anew, with the models that it was recorded of; with
    ``options.missing`` what is not there, too. Raises RefusedAtStart where nothing is selected."""
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
    if options.missing:
        missing = _plan_missing(options, served, models, prices, {case.id for case in cases})
        cases += missing.cases
        refused += missing.not_playable
    if not cases:
        what = f"no cassette of record --live is selected at {', '.join(served)}"
        next_step = "the same command with --missing records what is not there yet"
        raise RefusedAtStart(what, str(options.out), "a folder that record --live has written", next_step)
    return Plan(tuple(cases), tuple(dict.fromkeys(refused)), options.tries, prices)


def _plan_missing(
    options: LiveOptions, served: Mapping[Dialect, str], models: Mapping[Dialect, str], prices: Mapping[str, Price],
    present: set[str],
) -> Plan:  # fmt: skip
    files = [item for item in scenarios(scenarios_root(), options.scenario) if not item.client_model]
    whole = make_plan(files, list(served), models, prices)
    return replace(whole, cases=tuple(case for case in whole.cases if case.id not in present))


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
