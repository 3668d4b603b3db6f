"""Every planted fault makes ``bridgecheck run`` fail, through the check one would expect; without it the same run passes."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from anthropic_mutants import ANTHROPIC
from more_mutants import MORE
from mutants import ADAPTERS, NORMALISERS, Mutant
from planting import plant, run

MUTANTS = (*ADAPTERS, *NORMALISERS, *MORE, *ANTHROPIC)


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_the_fault_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    caught = run(plant(mutant, tmp_path), mutant.scenarios)
    assert caught.exit_code in (1, 3), caught.output
    assert caught.failed & mutant.expected, f"failed: {sorted(caught.failed)}\n{caught.output[-3000:]}"


def test_without_a_fault_the_same_scenarios_pass(tmp_path: Path) -> None:
    globs = tuple(dict.fromkeys(glob for mutant in MUTANTS for glob in mutant.scenarios))
    whole = plant(Mutant("none", (), frozenset(), ()), tmp_path)
    caught = run(whole, globs)
    assert caught.failed == frozenset()
    assert caught.exit_code == 0, caught.output


def test_an_edit_that_does_not_fit_is_an_error(tmp_path: Path) -> None:
    stale = Mutant("stale", (("bridgecheck/errors.py", "no such line", ""),), frozenset(), ())
    with pytest.raises(AssertionError, match="stands 0 times"):
        plant(stale, tmp_path)
