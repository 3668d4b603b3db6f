"""Requirement sets in ``scenarios/requirements/<id>.json``: frozen, read, and compared with the corpus as it is."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from bridgecheck.errors import BadRequirements, BridgecheckError
from bridgecheck.files.corpus import REQUIREMENTS, SCHEMA_FILE, scenario_files, scenarios_root
from bridgecheck.files.jsonfile import check_schema, read_json, write_json
from bridgecheck.model.case_json import read_known_fields
from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.model.selection import RequirementSet, Withdrawn
from bridgecheck.wire import JsonObject

DEMANDS: Final = ("level", "modes", "requires", "may_refuse", "client", "upstream", "leaves_after", "turns",
           "client_models", "expect")  # fmt: skip
"""The keys of a scenario that decide what it demands. Its texts, sources and tags may be improved at any time."""

NEXT: Final = "take the edit back; only withdrawn may grow"

EVERY: Final = "*"
"""In an erratum: a scenario with all its checks, or a check in all scenarios. Nothing less excuses a change."""


def requirement_files(root: Path) -> list[Path]:
    """Return all sets under a ``scenarios/`` folder."""
    return sorted(path for path in (root / REQUIREMENTS).glob("*.json") if path.name != SCHEMA_FILE)


def requirement_path(root: Path, set_id: str) -> Path:
    return root / REQUIREMENTS / f"{set_id}.json"


def requirement_set(set_id: str, root: Path | None = None) -> RequirementSet:
    """Return the set of that id. Raises BadRequirements: there is none, or it does not hold what was frozen."""
    folder = root or scenarios_root()
    path = requirement_path(folder, set_id)
    known = [found.stem for found in requirement_files(folder)]
    if set_id not in known:
        expected = f"one of {', '.join(known)}" if known else "none is frozen yet; without it everything gates"
        raise BadRequirements(f"no requirement set {set_id!r}", str(path), expected)
    return load_requirements(path)


def load_requirements(path: Path) -> RequirementSet:
    """Read one set. Raises BadRequirements with file, line and column: no JSON, not the schema, the id not that of the
    file, or a digest that does not belong to the content."""
    from bridgecheck.files.schemas import RequirementFile

    document, source = read_json(path, BadRequirements)
    data = check_schema(RequirementFile, document, path, source, BadRequirements)
    found = read_known_fields(RequirementSet, data, "requirement set")
    if found.id != path.stem:
        raise BadRequirements("the id is not the file's name", f"{path}: id", path.stem)
    if text(data["digest"]) != digest(found):
        raise BadRequirements("a frozen set was edited: its digest does not fit", str(path), digest(found), NEXT)
    return found


def write_requirements(root: Path, frozen: RequirementSet) -> Path:
    """Write a new set. Raises BadRequirements where it is there already: it is frozen."""
    path = requirement_path(root, frozen.id)
    if path.exists():
        raise BadRequirements(f"the set {frozen.id} is frozen already", str(path), "an id that is still free")
    write_json(path, _document_without_errata(frozen) | {"digest": digest(frozen), "withdrawn": []})
    return path


def freeze_requirements(set_id: str, day: str, root: Path) -> RequirementSet:
    """Return all of the corpus under ``root`` (a ``scenarios/`` folder) with every check there is. ``day``: ISO."""
    return RequirementSet(set_id, day, _check_versions(), _hash_demands(root))


def digest(frozen: RequirementSet) -> str:
    """Return the hash of all but the errata."""
    return _hash(_document_without_errata(frozen))


def hash_scenario_demands(document: Mapping[str, object]) -> str:
    return _hash({key: document[key] for key in DEMANDS if key in document})


def require_corpus_as_frozen(frozen: RequirementSet) -> None:
    """Raise BadRequirements for the first thing in the corpus that is no longer as it was frozen."""
    root = scenarios_root()
    for problem in find_edits_and_void_errata(frozen, requirement_path(root, frozen.id), _hash_demands(root)):
        raise problem


def lint_requirements(root: Path) -> Iterator[BridgecheckError]:
    """Yield what is wrong with any set in the corpus."""
    files = requirement_files(root)
    hashes = _hash_demands(root) if files else {}
    for path in files:
        try:
            frozen = load_requirements(path)
        except BridgecheckError as error:
            yield error
        else:
            yield from find_edits_and_void_errata(frozen, path, hashes)


def find_edits_and_void_errata(frozen: RequirementSet, path: Path, hashes: dict[str, str]) -> Iterator[BadRequirements]:
    """Yield the scenarios and checks of the set that are missing or changed and were not withdrawn, and errata that
    name nothing. ``hashes``: of the scenarios as they are."""
    for name, mark in frozen.scenarios.items():
        excused = any(erratum.check == EVERY and erratum.covers(name, EVERY) for erratum in frozen.withdrawn)
        if hashes.get(name) != mark and not excused:
            yield _describe_change(path, f"scenarios.{name}", "the scenario", exists=name in hashes)
    versions = _check_versions()
    for name, version in frozen.checks.items():
        excused = any(erratum.scenario == EVERY and erratum.covers(EVERY, name) for erratum in frozen.withdrawn)
        if versions.get(name) != version and not excused:
            yield _describe_change(path, f"checks.{name}", "the check", exists=name in versions)
    for number, erratum in enumerate(frozen.withdrawn):
        if not _matches_scenario_and_check(frozen, erratum):
            what = f"an erratum that names nothing in the set: {erratum.scenario}:{erratum.check}"
            yield BadRequirements(what, f"{path}: withdrawn[{number}]", "a scenario and a check of the set")


def _describe_change(path: Path, key: str, what: str, *, exists: bool) -> BadRequirements:
    problem = f"{what} is no longer what was frozen" if exists else f"{what} is not there"
    return BadRequirements(problem, f"{path}: {key}", "what was frozen, or an erratum that withdraws it", NEXT)


def _matches_scenario_and_check(frozen: RequirementSet, erratum: Withdrawn) -> bool:
    return any(erratum.covers(name, erratum.check) for name in frozen.scenarios) and any(
        erratum.covers(erratum.scenario, check) for check in frozen.checks
    )


def _check_versions() -> dict[str, int]:
    from bridgecheck.checks import CHECKS  # takes long to import, and most readers of files need none

    return {check.id: check.version for check in CHECKS}


def _hash_demands(root: Path) -> dict[str, str]:
    return {
        f"{path.parent.name}/{path.stem}": hash_scenario_demands(obj(read_json(path, BadRequirements)[0]))
        for path in scenario_files(root)
    }


def _hash(value: object) -> str:
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _document_without_errata(frozen: RequirementSet) -> JsonObject:
    checks, scenarios = dict(sorted(frozen.checks.items())), dict(sorted(frozen.scenarios.items()))
    return {"id": frozen.id, "frozen": frozen.frozen, "checks": checks, "scenarios": scenarios}
