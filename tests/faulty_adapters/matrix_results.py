"""The results of the mutants, stored in kill_matrix.json, so that only a mutant whose entry changed runs again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from mutants import Mutant
from planting import SAMPLE, Caught

from bridgecheck.checks import CHECKS
from bridgecheck.files import scenarios, scenarios_root

FILE: Final = Path(__file__).parent / "kill_matrix.json"


@dataclass(frozen=True, slots=True)
class Result:
    """``key``: of the mutant's entry as it ran. ``killed``: whether what it names failed as expected. ``tripped``: check ->
    in how many scenarios it did not pass; ``scenarios``: in how many any did not. ``failed``: check -> a scenario in which
    it was a FAIL, more than a warning; empty where that was not yet recorded."""

    key: str
    killed: bool
    tripped: dict[str, int]
    scenarios: int
    failed: dict[str, str] = field(default_factory=dict)


def key_of(mutant: Mutant) -> str:
    """Return a key of the entry that does not depend on its ``source``."""
    entry = (mutant.edits, sorted(mutant.expected), mutant.scenarios, mutant.traffic, mutant.relations, SAMPLE)
    return sha256(repr(entry).encode()).hexdigest()[:16]


def result_of(mutant: Mutant, caught: Caught) -> Result:
    everywhere = frozenset[str]().union(*caught.tripped.values())
    tripped = {check: len(scenarios) for check, scenarios in sorted(caught.tripped.items())}
    return Result(key_of(mutant), caught.kills(mutant), tripped, len(everywhere), dict(sorted(caught.failed.items())))


def load(file: Path = FILE) -> dict[str, Result]:
    """Return mutant name -> result; {} before the first run."""
    if not file.is_file():
        return {}
    return {name: Result(**entry) for name, entry in json.loads(file.read_text(encoding="utf-8")).items()}


def save(results: dict[str, Result], file: Path = FILE) -> None:
    """Write the results, one line for each mutant."""
    lines = [
        f" {json.dumps(name)}: "
        + json.dumps(
            {"key": result.key, "killed": result.killed, "tripped": result.tripped, "scenarios": result.scenarios}
            | ({"failed": result.failed} if result.failed else {})
        )
        for name, result in sorted(results.items())
    ]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def checks_without_failure(results: Mapping[str, Result]) -> list[str]:
    """Return the ids of the MUST checks that fail for no mutant. A scenario that lost the level MUST since then shows no
    failure any more; recorded traffic has no level."""
    levels = {scenario.id: scenario.level for scenario in scenarios(scenarios_root(), ["*"])}
    failing = {
        check
        for result in results.values()
        for check, scenario in result.failed.items()
        if levels.get(scenario, "MUST") == "MUST"
    }
    return [check.id for check in CHECKS if check.level == "MUST" and check.id not in failing]
