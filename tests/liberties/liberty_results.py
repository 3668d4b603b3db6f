"""What playing the liberties gave, as stored in liberty_results.json."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).parent / "liberty_results.json"


@dataclass(frozen=True, slots=True)
class LibertyResult:
    """``key``: of what it did, as it was played. ``commit``: of the judge that it was played before. ``cases``,
    ``changed``: of the corpus, how many were played, and in how many a parsed document differs from what the reference
    makes. ``recorded``: cases of recorded traffic. ``accused``: check -> verdicts against it, {} where nothing is held
    against it. ``accused_before``: the same of the judge before there were liberties; None if not known."""

    key: str
    commit: str
    cases: int
    changed: int
    recorded: int
    accused: dict[str, int]
    accused_before: dict[str, int] | None


def load_results(file: Path = FILE) -> dict[str, LibertyResult]:
    """Return liberty name -> result; {} before the first run."""
    if not file.is_file():
        return {}
    return {name: LibertyResult(**entry) for name, entry in json.loads(file.read_text(encoding="utf-8")).items()}


def save_results(results: Mapping[str, LibertyResult], file: Path = FILE) -> None:
    """Write the results, a line each."""
    lines = [f" {json.dumps(name)}: {json.dumps(asdict(result))}" for name, result in results.items()]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
