"""Requirement sets in ``scenarios/requirements/<id>.json``: read, written once, and the hashes that freeze them."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bridgecheck.errors import BadRequirements
from bridgecheck.files.closed import closed
from bridgecheck.files.corpus import REQUIREMENTS, SCHEMA_FILE, scenarios_root
from bridgecheck.files.jsonfile import read_json, write_json
from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.model.requirements import RequirementSet, Withdrawn
from bridgecheck.wire import JsonObject

DEMANDS: Final = ("level", "modes", "requires", "may_refuse", "client", "upstream", "leaves_after", "turns", "expect")
"""The keys of a scenario that decide what it demands. Its words, sources and tags may be bettered at any time."""

NEXT: Final = "take the edit back; only withdrawn may grow"


def requirement_files(root: Path) -> list[Path]:
    """All sets under a ``scenarios/`` folder."""
    return sorted(path for path in (root / REQUIREMENTS).glob("*.json") if path.name != SCHEMA_FILE)


def requirement_path(root: Path, set_id: str) -> Path:
    return root / REQUIREMENTS / f"{set_id}.json"


def requirement_set(set_id: str, root: Path | None = None) -> RequirementSet:
    """The set of that id. Raises BadRequirements: there is none, or it does not hold what was frozen."""
    folder = root or scenarios_root()
    path = requirement_path(folder, set_id)
    known = [found.stem for found in requirement_files(folder)]
    if set_id not in known:
        expected = f"one of {', '.join(known)}" if known else "none is frozen yet; without it everything gates"
        raise BadRequirements(f"no requirement set {set_id!r}", str(path), expected)
    return load_requirements(path)


def load_requirements(path: Path) -> RequirementSet:
    """Raises BadRequirements with file, line and column: no JSON, not the schema, the id not that of the file, or a
    digest that is not of what stands there."""
    from bridgecheck.files.requirement_shape import RequirementFile

    document, source = read_json(path, BadRequirements)
    data = closed(RequirementFile, document, path, source, BadRequirements)
    found = _set(data)
    if found.id != path.stem:
        raise BadRequirements("the id is not the file's name", f"{path}: id", path.stem)
    if text(data["digest"]) != digest(found):
        raise BadRequirements("a frozen set was edited: its digest does not fit", str(path), digest(found), NEXT)
    return found


def write_requirements(root: Path, frozen: RequirementSet) -> Path:
    """Raises BadRequirements where the set is there already: it is frozen."""
    path = requirement_path(root, frozen.id)
    if path.exists():
        raise BadRequirements(f"the set {frozen.id} is frozen already", str(path), "an id that is still free")
    write_json(path, _document(frozen) | {"digest": digest(frozen), "withdrawn": []})
    return path


def digest(frozen: RequirementSet) -> str:
    """Of all but the errata."""
    return _hash(_document(frozen))


def scenario_hash(document: Mapping[str, object]) -> str:
    """Of what a scenario file's document demands."""
    return _hash({key: document[key] for key in DEMANDS if key in document})


def _hash(value: object) -> str:
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _document(frozen: RequirementSet) -> JsonObject:
    return {
        "id": frozen.id,
        "frozen": frozen.frozen,
        "checks": dict(sorted(frozen.checks.items())),
        "scenarios": dict(sorted(frozen.scenarios.items())),
    }


def _set(data: JsonObject) -> RequirementSet:
    return RequirementSet(
        id=text(data["id"]),
        frozen=text(data["frozen"]),
        checks={check: version for check, version in obj(data["checks"]).items() if isinstance(version, int)},
        scenarios={name: text(mark) for name, mark in obj(data["scenarios"]).items()},
        withdrawn=tuple(_withdrawn(item) for item in objs(data.get("withdrawn"))),
    )


def _withdrawn(data: JsonObject) -> Withdrawn:
    return Withdrawn(*(text(data[key]) for key in ("scenario", "check", "reason", "link", "date")))
