"""The results of the mutants, stored in kill_matrix.json, so that only a mutant whose entry changed runs again."""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from mutants import Mutant
from planting import SAMPLE, Caught

FILE: Final = Path(__file__).parent / "kill_matrix.json"


@dataclass(frozen=True, slots=True)
class Result:
    """``key``: of the mutant's entry as it ran. ``killed``: whether what it names failed as expected. ``tripped``: check ->
    in how many scenarios it did not pass; ``scenarios``: in how many any did not."""

    key: str
    killed: bool
    tripped: dict[str, int]
    scenarios: int


def key_of(mutant: Mutant) -> str:
    """Return a key of the entry that does not depend on its ``source``."""
    entry = (mutant.edits, sorted(mutant.expected), mutant.scenarios, mutant.traffic, mutant.relations, SAMPLE)
    return sha256(repr(entry).encode()).hexdigest()[:16]


def result_of(mutant: Mutant, caught: Caught) -> Result:
    everywhere = frozenset[str]().union(*caught.tripped.values())
    tripped = {check: len(scenarios) for check, scenarios in sorted(caught.tripped.items())}
    return Result(key_of(mutant), caught.kills(mutant), tripped, len(everywhere))


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
        )
        for name, result in sorted(results.items())
    ]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
