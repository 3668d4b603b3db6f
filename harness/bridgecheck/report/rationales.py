"""Rationales: what a scenario demands, why, and on what evidence, as a report shows it beside its findings.

A report is read where the corpus is not, or is another one by then, so it carries the grounds of every scenario in
which something was found.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, get_args

from bridgecheck.errors import BadScenario
from bridgecheck.files import load_scenario, scenario_ids, scenarios_root
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.model.scenario import Basis, BasisKind, Scenario, Source
from bridgecheck.model.verdict import Level
from bridgecheck.wire import JsonObject

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
KINDS: Final[tuple[BasisKind, ...]] = get_args(BasisKind)


@dataclass(frozen=True, slots=True)
class Rationale:
    """What one scenario demands and why. ``evidence``: ids of recorded traffic that shows the behaviour."""

    id: str
    title: str
    description: str
    why: str
    level: Level
    basis: Basis
    sources: tuple[Source, ...] = ()
    evidence: tuple[str, ...] = ()


def scenario_rationale(scenario: Scenario) -> Rationale:
    return Rationale(
        scenario.id,
        scenario.title,
        scenario.description,
        scenario.why,
        scenario.level,
        scenario.basis,
        scenario.sources,
        scenario.evidence,
    )


def rationales_to_dict(grounds: tuple[Rationale, ...]) -> JsonObject:
    """Return scenario id -> its rationale."""
    return {ground.id: _rationale_to_dict(ground) for ground in grounds}


def rationales_from_dict(value: object) -> tuple[Rationale, ...]:
    """Return the inverse of ``rationales_to_dict``; () for a report without. Raises ValueError."""
    return tuple(_rationale_from_dict(name, obj(data)) for name, data in obj(value).items())


def load_rationales(names: Iterable[str]) -> dict[str, Rationale]:
    """Load the rationales of these scenarios from the corpus, by id; scenarios it does not have are omitted."""
    known = frozenset(scenario_ids())
    found: dict[str, Rationale] = {}
    for name in names:
        if name in known:
            try:
                found[name] = scenario_rationale(load_scenario(scenarios_root() / f"{name}.json"))
            except BadScenario:
                continue  # edited since the run: the report stands without it
    return found


def _rationale_to_dict(ground: Rationale) -> JsonObject:
    return {
        "title": ground.title,
        "description": ground.description,
        "why": ground.why,
        "level": ground.level,
        "basis": {"kind": ground.basis.kind, "ref": ground.basis.ref, "date": ground.basis.date},
        "sources": [{"ref": source.ref, "url": source.url, "note": source.note} for source in ground.sources],
        "evidence": list(ground.evidence),
    }


def _rationale_from_dict(name: str, data: JsonObject) -> Rationale:
    level, basis = text(data.get("level")), obj(data.get("basis"))
    kind = text(basis.get("kind"))
    if level not in LEVELS or kind not in KINDS:
        raise ValueError(f"scenarios: {name}: no level or basis of a scenario: {level!r}, {kind!r}")
    cited = [obj(source) for source in arr(data.get("sources"))]
    return Rationale(
        name,
        text(data.get("title")),
        text(data.get("description")),
        text(data.get("why")),
        level,
        Basis(kind, text(basis.get("ref")), text(basis.get("date"))),
        tuple(Source(text(source.get("ref")), text(source.get("url")), text(source.get("note"))) for source in cited),
        tuple(map(text, arr(data.get("evidence")))),
    )
