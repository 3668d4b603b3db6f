"""Rationales: what a scenario demands, why, and on what evidence, as a report shows it beside its findings.

A report is read where the corpus is not, or is another one by then, so it carries the grounds of every scenario in
which something was found.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Final, get_args

from bridgecheck.errors import BadScenario
from bridgecheck.files import load_scenario, scenario_ids, scenarios_root
from bridgecheck.model.case_json import all_named_fields_to_json, read_known_fields
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.scenario import Basis, BasisKind, Scenario, Source, file_id
from bridgecheck.model.verdict import Level
from bridgecheck.wire import JsonObject

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
KINDS: Final[tuple[BasisKind, ...]] = get_args(BasisKind)


@dataclass(frozen=True, slots=True)
class ScenarioRationale:
    """What one scenario demands and why. ``evidence``: ids of recorded traffic that shows the behaviour."""

    id: str
    title: str
    description: str
    why: str
    level: Level
    basis: Basis
    sources: tuple[Source, ...] = ()
    evidence: tuple[str, ...] = ()


def scenario_rationale(scenario: Scenario) -> ScenarioRationale:
    return ScenarioRationale(**{field.name: getattr(scenario, field.name) for field in fields(ScenarioRationale)})


def scenario_rationales_to_dict(grounds: tuple[ScenarioRationale, ...]) -> JsonObject:
    """Return scenario id -> its rationale."""
    names = [field.name for field in fields(ScenarioRationale) if field.name != "id"]
    return {ground.id: all_named_fields_to_json(ground, names) for ground in grounds}


def scenario_rationales_from_dict(value: object) -> tuple[ScenarioRationale, ...]:
    """Return the inverse of ``scenario_rationales_to_dict``; () for a report without. Raises ValueError."""
    return tuple(read_known_fields(ScenarioRationale, {"id": key, **obj(row)}, key) for key, row in obj(value).items())


def load_scenario_rationales(names: Iterable[str]) -> dict[str, ScenarioRationale]:
    """Load the rationales of these scenarios from the corpus, by id; scenarios it does not have are omitted."""
    known = frozenset(scenario_ids())
    found: dict[str, ScenarioRationale] = {}
    for name in names:
        if file_id(name) in known:
            try:
                scenario = load_scenario(scenarios_root() / f"{file_id(name)}.json")
                found[name] = replace(scenario_rationale(scenario), id=name)
            except BadScenario:
                continue  # edited since the run: the report stands without it
    return found
