"""Freezing a requirement set, and whether the corpus still is what a set froze."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bridgecheck.checks import CHECKS
from bridgecheck.errors import BadRequirements, BridgecheckError
from bridgecheck.files.corpus import scenario_files, scenarios_root
from bridgecheck.files.jsonfile import read_json
from bridgecheck.files.requirement_file import (
    NEXT,
    load_requirements,
    requirement_files,
    requirement_path,
    scenario_hash,
)
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.requirements import RequirementSet, Withdrawn

EVERY: Final = "*"
"""In an erratum: a scenario with all its checks, or a check in all scenarios. Nothing less excuses a change."""


def frozen_now(set_id: str, day: str, root: Path) -> RequirementSet:
    """All of the corpus under ``root`` (a ``scenarios/`` folder) with every check there is. ``day``: ISO."""
    return RequirementSet(set_id, day, {check.id: check.version for check in CHECKS}, _hashes(root))


def check_requirements(frozen: RequirementSet) -> None:
    """Raises BadRequirements for the first thing in the corpus that is no longer as it was frozen."""
    root = scenarios_root()
    for problem in problems(frozen, requirement_path(root, frozen.id), _hashes(root)):
        raise problem


def lint_requirements(root: Path) -> Iterator[BridgecheckError]:
    """What is wrong with any set in the corpus."""
    files = requirement_files(root)
    hashes = _hashes(root) if files else {}
    for path in files:
        try:
            frozen = load_requirements(path)
        except BridgecheckError as error:
            yield error
        else:
            yield from problems(frozen, path, hashes)


def problems(frozen: RequirementSet, path: Path, hashes: dict[str, str]) -> Iterator[BadRequirements]:
    """Scenarios and checks of the set that are gone or changed and were not withdrawn; errata that name nothing.
    ``hashes``: of the scenarios as they are."""
    for name, mark in frozen.scenarios.items():
        if hashes.get(name) != mark and not _scenario_withdrawn(frozen, name):
            yield _changed(path, f"scenarios.{name}", "the scenario", name in hashes)
    versions = {check.id: check.version for check in CHECKS}
    for name, version in frozen.checks.items():
        if versions.get(name) != version and not _check_withdrawn(frozen, name):
            yield _changed(path, f"checks.{name}", "the check", name in versions)
    for number, erratum in enumerate(frozen.withdrawn):
        if not _names_any(frozen, erratum):
            what = f"an erratum that names nothing in the set: {erratum.scenario}:{erratum.check}"
            yield BadRequirements(what, f"{path}: withdrawn[{number}]", "a scenario and a check of the set")


def _scenario_withdrawn(frozen: RequirementSet, name: str) -> bool:
    return any(erratum.check == EVERY and erratum.names(name, EVERY) for erratum in frozen.withdrawn)


def _check_withdrawn(frozen: RequirementSet, name: str) -> bool:
    return any(erratum.scenario == EVERY and erratum.names(EVERY, name) for erratum in frozen.withdrawn)


def _changed(path: Path, place: str, what: str, there: bool) -> BadRequirements:
    said = f"{what} is no longer what was frozen" if there else f"{what} is not there"
    return BadRequirements(said, f"{path}: {place}", "what was frozen, or an erratum that withdraws it", NEXT)


def _names_any(frozen: RequirementSet, erratum: Withdrawn) -> bool:
    return any(erratum.names(scenario, erratum.check) for scenario in frozen.scenarios) and any(
        erratum.names(erratum.scenario, check) for check in frozen.checks
    )


def _hashes(root: Path) -> dict[str, str]:
    return {
        f"{path.parent.name}/{path.stem}": scenario_hash(obj(read_json(path, BadRequirements)[0]))
        for path in scenario_files(root)
    }
