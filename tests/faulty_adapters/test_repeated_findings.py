"""The command that a report prints for a finding repeats that finding, and plays just one case."""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from all_mutants import ALL_MUTANTS
from mutants import Mutant
from planting import JUDGE, Runner, edited_packages, plant, run, run_named

from bridgecheck.model.case_json import case_from_dict
from bridgecheck.report.findings import Finding, group_findings

SEED: Final = 12
DRAWN: Final = 40

_ADAPTERS: Final = [mutant for mutant in ALL_MUTANTS if JUDGE not in edited_packages(mutant)]
_WITH_RELATIONS: Final = [mutant for mutant in _ADAPTERS if mutant.relations != "none"]
SAMPLE: Final = (*_WITH_RELATIONS[:8], *random.Random(SEED).sample(_ADAPTERS, DRAWN - 8))


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


@pytest.mark.slow
@pytest.mark.parametrize("mutant", SAMPLE, ids=lambda mutant: mutant.name)
def test_the_printed_command_repeats_the_finding(runner: Runner, mutant: Mutant, tmp_path: Path) -> None:
    finding, repeated = repeat_a_finding(runner, mutant, tmp_path)
    assert is_repeated(finding, repeated), f"{finding.command_line}\n{finding.one_line_summary}"


def is_repeated(finding: Finding, found: tuple[Finding, ...]) -> bool:
    """Return whether a run of one case has the finding: under the same check, with a fingerprint of its directions."""
    return any(item.check == finding.check and set(item.fingerprints) & set(finding.fingerprints) for item in found)


def repeat_a_finding(runner: Runner, mutant: Mutant, folder: Path) -> tuple[Finding, tuple[Finding, ...]]:
    """Return one finding of the mutant, and what its command finds."""
    planted = plant(mutant, folder)
    run_named(runner, planted, mutant)
    found = _read_findings(planted)
    finding = random.Random(mutant.name).choice(found)
    options = finding.command[finding.command.index("run") + 1 :]
    caught = run(runner, mutant, planted, *options)
    cases = json.loads((planted / "report" / "report.json").read_text(encoding="utf-8"))["cases"]
    assert len(cases) == 1, caught.output
    return finding, _read_findings(planted)


def _read_findings(planted: Path) -> tuple[Finding, ...]:
    report = json.loads((planted / "report" / "report.json").read_text(encoding="utf-8"))
    return group_findings([case_from_dict(case) for case in report["cases"]])


def main() -> None:
    """Print how many of the drawn findings are repeated by their command."""
    repeated = 0
    with Runner() as runner:
        for mutant in SAMPLE:
            with TemporaryDirectory() as folder:
                finding, again = repeat_a_finding(runner, mutant, Path(folder))
            is_there = is_repeated(finding, again)
            repeated += is_there
            if not is_there:
                print(f"{mutant.name}: {finding.command_line}: {finding.one_line_summary}", flush=True)
    print(f"{repeated} of {len(SAMPLE)} findings are repeated by their command")


if __name__ == "__main__":
    main()
