"""Checks the corpus: every scenario and its cassettes valid, nothing secret, no file without use, every rule with its
source."""

import os
import shlex
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Final

from bridgecheck.cassette import redact, store
from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.load_provenance import load_provenances
from bridgecheck.cassette.provenance import LIVE, describe
from bridgecheck.checks import CHECKS, RULES, find_contradictions
from bridgecheck.compare.losses import LOSSES
from bridgecheck.documented_leaves import is_documented
from bridgecheck.errors import BadCassette, BridgecheckError, DisputedExpectation, OldRecording, SecretFound
from bridgecheck.files import load_scenario
from bridgecheck.files.corpus import REQUIREMENTS, SCHEMA_FILE, expected_recordings, scenario_files, with_client_models
from bridgecheck.files.jsonfile import read_json
from bridgecheck.files.requirements import lint_requirements, requirement_files
from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.counts import plural
from bridgecheck.model.scenario import Scenario
from bridgecheck.report.rests_on import refresh_command
from bridgecheck.run.contradictions import find_contradicted_musts, name_answer
from bridgecheck.secrets import find_secret_kinds
from bridgecheck.wire import Dialect, JsonObject, Mode


def lint_corpus(scenarios: Path, cassettes: Path, recordings: Path | None = None) -> tuple[str, list[str]]:
    """Return what was checked, and every problem with its location, as text. ``recordings``: cassettes that are played
    in place of the corpus's."""
    found: list[Scenario] = []
    problems: list[str] = []
    for path in scenario_files(scenarios):
        try:
            found.append(load_scenario(path))
        except BridgecheckError as error:
            problems.append(str(error))
    recorded = {
        store.cassette_path(cassettes, scenario.id, dialect, mode): (scenario, dialect, mode)
        for scenario in found
        for dialect, mode in expected_recordings(scenario)
    }
    in_place = {
        path: address
        for address in recorded.values()
        if recordings and (path := store.cassette_path(recordings, address[0].id, *address[1:])).is_file()
    }
    for path, (scenario, dialect, mode) in (recorded | in_place).items():
        problems += _find_cassette_metadata_problems(path, scenario, dialect, mode)
    problems += _find_stray_files(scenarios, cassettes, recorded)
    problems += _find_flaws_in_tables_of_rules_losses_capabilities(found)
    problems += _find_outdated_schemas(scenarios)
    problems += map(str, lint_requirements(scenarios))
    tables = f"{plural(len(CHECKS), 'check')}, {plural(len(RULES), 'rule')}, {plural(len(LOSSES), 'loss', 'losses')}"
    played = sum(1 for scenario in found for _ in with_client_models(scenario))
    corpus = f"{plural(played, 'scenario')} in {plural(len(found), 'file')}, {plural(len(recorded), 'cassette')}"
    corpus += f", {plural(len(in_place), 'recording')} in place of them" if in_place else ""
    return f"{corpus}, {tables}", problems


def _find_cassette_metadata_problems(path: Path, scenario: Scenario, dialect: Dialect, mode: Mode) -> Iterator[str]:
    repair = f"bridgecheck regenerate {scenario.id}"
    try:
        cassette = store.load_cassette(path)
        redact.refuse_secrets(cassette, str(path))
    except BridgecheckError as error:
        yield str(error)
        return
    expected = sum(len(turn.upstream[dialect][mode]) for turn in scenario.turns)
    if len(cassette.interactions) != expected:
        what = plural(len(cassette.interactions), "recorded answer")
        yield str(BadCassette(what, str(path), f"{expected}, one for each scripted answer", repair))
    for key, value in (("scenario", scenario.id), ("dialect", dialect), ("mode", mode)):
        if cassette.metadata.get(key) != value:
            yield str(BadCassette(f"metadata.{key} is {cassette.metadata.get(key)!r}", str(path), repr(value), repair))
    if cassette.source == LIVE:
        yield from _find_contradicted_expectations(path, scenario, dialect, mode, cassette)
    # A scripted cassette is never evidence about a live provider, and must not look like any.
    if cassette.source == "scripted" and "recorded_at" in cassette.metadata:
        yield str(BadCassette("a scripted cassette with a date", str(path), "no metadata.recorded_at"))


def _find_contradicted_expectations(
    path: Path, scenario: Scenario, dialect: Dialect, mode: Mode, cassette: Cassette
) -> Iterator[str]:
    """Yield each MUST that a provider's own live answer does not meet."""
    for verdict in find_contradicted_musts(scenario, dialect, mode, cassette).verdicts:
        what = f"the live answer of {name_answer(cassette)} contradicts {verdict.check}, a MUST: {verdict.message}"
        again = refresh_command([scenario.id], [dialect], _folder_of(path))
        repair = f"correct scenarios/{scenario.file_id}.json, or, if the answer is a fluke, {again}"
        yield str(DisputedExpectation(what, str(path), "an answer and an expectation that agree", repair))


_WRITTEN_BY_HAND: Final = ("*.toml", "reports/*.toml", "reports/*/*.toml")
"""Below the folder that ``lint`` runs in: pyproject.toml, recipes, deviations, findings."""


def find_secrets_written_by_hand(scenarios: Path, folder: Path) -> Iterator[str]:
    """Yield an error for each kind of credential in a scenario, and in a recipe, a list of deviations or any other TOML
    file of this folder and its ``reports``. The error names the line, never the credential."""
    paths = [*scenario_files(scenarios), *(path for glob in _WRITTEN_BY_HAND for path in sorted(folder.glob(glob)))]
    for path in paths:
        data = path.read_bytes()
        for kind in find_secret_kinds(data):
            lines = (number for number, line in enumerate(data.splitlines(), 1) if kind in find_secret_kinds(line))
            where = f"{path}:{next(lines, 1)}"
            repair = "take it out, and make a new one if it was real; a recipe names variables: [env]"
            yield str(SecretFound(f"{kind} in a file", where, "no credential", repair))


OLD_AFTER: Final = 60
"""Days."""


def _folder_of(cassette: Path) -> str:
    """Return the folder of cassettes that a cassette stands in, as a command line takes it."""
    return shlex.quote(os.path.relpath(cassette.parents[2]))


def find_old_recordings(scenarios: Path, folders: Sequence[Path], today: date) -> list[str]:
    """Return a warning for each live cassette that is OLD_AFTER days old or older, or has no usable date."""
    warnings = []
    for path in scenario_files(scenarios):
        try:
            rows = load_provenances(folders, load_scenario(path))
        except BridgecheckError:  # lint_corpus tells
            continue
        for row in (row for row in rows if row.is_older(OLD_AFTER - 1, today)):
            where = store.find_cassette(folders, row.scenario, row.dialect, row.mode)
            repair = refresh_command([row.scenario], [row.dialect], _folder_of(where))
            expected = f"less than {OLD_AFTER} days"
            warnings.append(str(OldRecording(f"warning: {describe(row, today)}", str(where), expected, repair)))
    return warnings


def _find_stray_files(
    scenarios: Path, cassettes: Path, recorded: dict[Path, tuple[Scenario, Dialect, Mode]]
) -> Iterator[str]:
    """Report files that nothing will ever read."""
    for path in sorted(cassettes.rglob("*.yaml")):
        if path not in recorded:
            yield str(BadCassette("a cassette that no scenario has a script for", str(path), "", f"rm {path}"))
    schemas = [scenarios / name for name in _exported_schemas()]
    known = {*scenario_files(scenarios), *requirement_files(scenarios), *schemas}
    for path in sorted(scenarios.rglob("*.json")):
        if path not in known:
            yield str(BridgecheckError("no place for a scenario", str(path), "scenarios/<topic>/<slug>.json"))


def _find_flaws_in_tables_of_rules_losses_capabilities(scenarios: list[Scenario]) -> Iterator[str]:
    """Yield contradictory rules, losses without reason or source, and capabilities without their scenario."""
    yield from (f"[bad-rule] {wrong}" for wrong in find_contradictions())
    for row in LOSSES:
        if not (row.reason and row.source):
            yield f"[bad-rule] the loss {row.name} has no reason or no source"
        for path in (path.removeprefix("other:") for path in row.paths if path.startswith("other:")):
            if not is_documented(row.origin, row.side, path):
                yield f"[bad-rule] the loss {row.name} names {path}, which {row.origin} does not document: remove it"
    ids = {scenario.id for scenario in scenarios}
    for capability, scenario_id in CAPABILITIES.items():
        if scenario_id not in ids:
            yield f"[bad-capability] {capability} is detected by {scenario_id}, which is not there"


def _exported_schemas() -> dict[str, JsonObject]:
    """Return the schemas that lie next to the files they describe."""
    from bridgecheck.files.schemas import requirement_schema, scenario_schema  # imports pydantic

    return {SCHEMA_FILE: scenario_schema(), f"{REQUIREMENTS}/{SCHEMA_FILE}": requirement_schema()}


def _find_outdated_schemas(scenarios: Path) -> Iterator[str]:
    for name, schema in _exported_schemas().items():
        path = scenarios / name
        written = read_json(path, BridgecheckError)[0] if path.is_file() else None
        if written != schema and path.parent.is_dir():
            yield str(BridgecheckError("the exported schema is not that of the code", str(path), "", "make schema"))
