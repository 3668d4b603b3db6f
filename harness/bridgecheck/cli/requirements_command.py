"""``bridgecheck requirements``: freeze what counts, list what was frozen."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from bridgecheck.errors import RefusedAtStart
from bridgecheck.files import cassettes_root, scenarios_root
from bridgecheck.files.requirements import (
    check_requirements,
    freeze_requirements,
    load_requirements,
    requirement_files,
    write_requirements,
)
from bridgecheck.lint import lint_corpus


def freeze(set_id: str) -> Path:
    """Writes the set of all there is. Raises RefusedAtStart where the corpus has a problem or the set is there."""
    root = scenarios_root()
    _, found = lint_corpus(root, cassettes_root())
    if found:
        raise RefusedAtStart(f"the corpus has {len(found)} problems", str(root), "none", "bridgecheck lint")
    today = datetime.now(UTC).date().isoformat()
    frozen = freeze_requirements(set_id, today, root)
    path = write_requirements(root, frozen)
    check_requirements(load_requirements(path))
    sys.stdout.write(f"{path}: {len(frozen.scenarios)} scenarios with {len(frozen.checks)} checks\n")
    return path


def print_sets() -> None:
    """One line a set; one that says so where there is none."""
    paths = requirement_files(scenarios_root())
    if not paths:
        sys.stdout.write("no set is frozen yet: everything gates\n")
    for path in paths:
        frozen = load_requirements(path)
        counts = f"{len(frozen.scenarios)} scenarios with {len(frozen.checks)} checks"
        sys.stdout.write(f"{frozen.id}  {frozen.frozen}  {counts}, {len(frozen.withdrawn)} errata\n")
