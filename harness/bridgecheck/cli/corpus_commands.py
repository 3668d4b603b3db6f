"""``list``, ``show``, ``lint``, ``regenerate`` and ``requirements``: the commands about the corpus."""

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from bridgecheck.cassette.load_provenance import load_provenances
from bridgecheck.cassette.provenance import Provenance, describe, summarise
from bridgecheck.errors import RefusedAtStart
from bridgecheck.files import cassettes_root, scenarios, scenarios_root
from bridgecheck.files import requirements as requirement_sets
from bridgecheck.files.corpus import cassette_folders, expected_recordings, is_built_in_corpus, recordings_root
from bridgecheck.files.jsonfile import dump_json
from bridgecheck.model.case_json import to_json_value
from bridgecheck.model.counts import plural
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.script_expectations import script_expectations
from bridgecheck.model.selection import RequirementSet
from bridgecheck.wire import JsonObject

INVALID: Final = 2
NOT_RECORDED: Final = "not recorded"


def utc_today() -> date:
    return datetime.now(UTC).date()


def print_scenarios(as_json: bool, today: Callable[[], date] = utc_today) -> None:
    """Print a line for each scenario, with what it rests on, or a JSON array. Raises BadCassette."""
    found = scenarios(scenarios_root())
    day, folders = today(), cassette_folders()
    rests_on = {scenario.id: load_provenances(folders, scenario) for scenario in found}
    if as_json:
        listed = [_scenario_json(scenario, rests_on[scenario.id], day) for scenario in found]
        _print(dump_json(listed).rstrip())
        return
    width = max((len(scenario.id) for scenario in found), default=0)
    summaries = {name: summarise(rows, day) or NOT_RECORDED for name, rows in rests_on.items()}
    widest = max(map(len, summaries.values()), default=0)
    for scenario in found:
        _print(f"{scenario.id:{width}}  {scenario.level:6}  {summaries[scenario.id]:{widest}}  {scenario.title}")


def print_scenario(scenario_id: str, today: Callable[[], date] = utc_today) -> None:
    """Print all about one scenario. Raises UnknownScenario and BadCassette."""
    day, folders = today(), cassette_folders()
    for scenario in scenarios(scenarios_root(), [scenario_id]):
        _print("\n".join(_scenario_lines(scenario, load_provenances(folders, scenario), day)))


def _own_cassettes() -> tuple[Path, ...]:
    """Return the folders of cassettes that are the user's: not the corpus that comes with bridgecheck."""
    built_in = cassettes_root() if is_built_in_corpus() else None
    return tuple(folder for folder in cassette_folders() if folder != built_in)


def lint_corpus_and_reports(today: Callable[[], date] = utc_today) -> int:
    """Print what is wrong with the corpus, and with what ``reports/`` of this folder publishes; return 2 if anything
    is, else 0. Of a corpus of the user's own, old live cassettes are warned of."""
    from bridgecheck import lint
    from bridgecheck.report.deviation_reasons import lint_reasons
    from bridgecheck.report.publication import REPORTS_FOLDER, lint_published

    corpus, problems = lint.lint_corpus(scenarios_root(), cassettes_root(), recordings_root())
    reports, report_problems = lint_published()
    reasons, reason_problems = lint_reasons(REPORTS_FOLDER)
    secrets = lint.find_secrets_written_by_hand(scenarios_root(), Path.cwd())
    problems = [*problems, *report_problems, *reason_problems, *secrets]
    own = _own_cassettes()
    warnings = lint.find_old_recordings(scenarios_root(), own, today()) if own else []
    for problem in (*warnings, *problems):
        sys.stderr.write(f"{problem}\n")
    count = plural(len(problems), "problem") if problems else "no problem"
    _print(f"{', '.join(filter(None, (corpus, reports, reasons)))}: {count}")
    if warnings:
        _print(f"{plural(len(warnings), 'live cassette')} to record anew")
    return INVALID if problems else 0


def regenerate_cassettes(scenario_ids: tuple[str, ...]) -> None:
    """Write scripted cassettes anew, and print which have changed. Raises UnknownScenario; SecretFound before a byte is
    written."""
    from bridgecheck.regenerate import regenerate

    selected = scenarios(scenarios_root(), scenario_ids)
    selected = [scenario for scenario in selected if not scenario.client_model]
    changed = regenerate(selected, cassettes_root(), _print_path_if_changed)
    _print(f"{plural(len(selected), 'scenario')}, {plural(len(changed), 'cassette')} changed")


def freeze_requirements(set_id: str) -> Path:
    """Write the set of everything there is. Raises RefusedAtStart where the corpus has a problem or the set exists."""
    from bridgecheck import lint

    root = scenarios_root()
    _, problems = lint.lint_corpus(root, cassettes_root())
    if problems:
        what = f"the corpus has {plural(len(problems), 'problem')}"
        raise RefusedAtStart(what, str(root), "none", "bridgecheck lint")
    frozen = requirement_sets.freeze_requirements(set_id, utc_today().isoformat(), root)
    path = requirement_sets.write_requirements(root, frozen)
    requirement_sets.require_corpus_as_frozen(requirement_sets.load_requirements(path))
    _print(f"{path}: {_count_contents(frozen)}")
    return path


def print_requirement_sets() -> None:
    """Print a line for each set; if there is none, that everything gates."""
    paths = requirement_sets.requirement_files(scenarios_root())
    if not paths:
        _print("no set is frozen yet: everything gates")
    for path in paths:
        frozen = requirement_sets.load_requirements(path)
        errata = plural(len(frozen.withdrawn), "erratum", "errata")
        _print(f"{frozen.id}  {frozen.frozen}  {_count_contents(frozen)}, {errata}")


def _count_contents(frozen: RequirementSet) -> str:
    return f"{plural(len(frozen.scenarios), 'scenario')} with {plural(len(frozen.checks), 'check')}"


def _print_path_if_changed(path: Path, is_changed: bool) -> None:
    if is_changed:
        _print(f"written: {path}")


def _scenario_json(scenario: Scenario, rests_on: Sequence[Provenance], today: date) -> JsonObject:
    first = scenario.turns[0]
    return {
        "id": scenario.id, "title": scenario.title, "topic": scenario.topic, "level": scenario.level,
        "basis": {"kind": scenario.basis.kind, "ref": scenario.basis.ref}, "description": scenario.description,
        "modes": list(scenario.modes), "clients": list(first.client), "upstreams": list(first.upstream),
        "turns": len(scenario.turns), "client_model": scenario.client_model, "tags": list(scenario.tags),
        "requires": list(scenario.requires),
        "since": scenario.since, "rests_on": [provenance_to_dict(row, today) for row in rests_on],
    }  # fmt: skip


def provenance_to_dict(row: Provenance, today: date) -> JsonObject:
    """Return what one cassette says of itself. ``age_in_days``: null where it has no usable date."""
    head: JsonObject = {"dialect": row.dialect, "mode": row.mode, "source": row.source}
    if row.recording is None:
        return head
    return {**head, **obj(to_json_value(row.recording)), "age_in_days": row.age_in_days(today)}


def _live_lines(scenario: Scenario) -> list[str]:
    """Return how it is played live, and what of it is not judged then."""
    if not scenario.live or scenario.client_model:
        return []
    played = [
        f"{dialect} {'/'.join(row.modes)} ({row.family or 'its own model'})" for dialect, row in scenario.live.items()
    ]
    of_script = ", ".join(script_expectations(scenario)) or "none"
    return [f"Live: {', '.join(played)}", f"Expectations that rest on the script's words: {of_script}"]


def _scenario_lines(scenario: Scenario, rests_on: Sequence[Provenance], today: date) -> list[str]:
    sources = [f"  {source.ref}  {source.url}".rstrip() for source in scenario.sources]
    descriptions = {(row.dialect, row.mode): describe(row, today) for row in rests_on}
    cassettes = [
        f"  cassettes/{scenario.file_id}/{dialect}.{mode}.yaml  {descriptions.get((dialect, mode), NOT_RECORDED)}"
        for dialect, mode in expected_recordings(scenario)
    ]
    requires = ", ".join(sorted(scenario.requires))
    return [
        f"{scenario.id}  ({scenario.level})", f"  {scenario.title}", "", scenario.description, f"Why: {scenario.why}",
        f"Basis: {scenario.basis.kind}, {scenario.basis.ref}",
        *([f"Duty: {scenario.basis.duty}"] if scenario.basis.duty else []),
        *(["Sources:", *sources] if sources else []),
        f"Clients: {', '.join(scenario.turns[0].client)}; turns: {len(scenario.turns)}",
        f"Modes: {', '.join(scenario.modes)}; tags: {', '.join(scenario.tags) or '-'}",
        *([f"Judged where the adapter claims: {requires}"] if requires else []),
        *_live_lines(scenario), "Recordings:", *cassettes, f"Run it: bridgecheck run --scenario {scenario.id}", "",
    ]  # fmt: skip


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
