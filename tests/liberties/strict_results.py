"""What playing liberties before judges that are too strict gave, as stored in strict_results.json."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).parent / "strict_results.json"


@dataclass(frozen=True, slots=True)
class StrictResult:
    """``key``: of the entry as it was played. ``accused``: check -> verdicts of the strict judge against the liberty.
    ``reference``: the same against the reference in the same cases: what is {} there no test of the reference shows.
    ``today``: what the judge as it is holds against the liberty, {} where it is right."""

    key: str
    accused: dict[str, int]
    reference: dict[str, int]
    today: dict[str, int]


def load_strict_results(file: Path = FILE) -> dict[str, StrictResult]:
    """Return name of the judge -> result; {} before the first run."""
    if not file.is_file():
        return {}
    return {name: StrictResult(**entry) for name, entry in json.loads(file.read_text(encoding="utf-8")).items()}


def save_strict_results(results: Mapping[str, StrictResult], file: Path = FILE) -> None:
    """Write the results, a line each."""
    lines = [f" {json.dumps(name)}: {json.dumps(asdict(result))}" for name, result in sorted(results.items())]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
