"""Every planted fault makes ``bridgecheck run`` fail through the expected check; without it the same run passes."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from all_mutants import ALL_MUTANTS
from mutants import Mutant
from planting import Runner, plant, run_named


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


@pytest.mark.parametrize("mutant", ALL_MUTANTS, ids=[mutant.name for mutant in ALL_MUTANTS])
def test_the_fault_is_caught(runner: Runner, mutant: Mutant, tmp_path: Path) -> None:
    caught = run_named(runner, plant(mutant, tmp_path), mutant)
    assert caught.exit_code in (1, 3), caught.output
    missing = mutant.expected - caught.tripped.keys()
    assert not missing, f"tripped: {sorted(caught.tripped)}\n{caught.output[-3000:]}"


@pytest.mark.parametrize(("relations", "layer"), sorted({(mutant.relations, mutant.layer) for mutant in ALL_MUTANTS}))
def test_without_a_fault_the_same_scenarios_pass(runner: Runner, relations: str, layer: str, tmp_path: Path) -> None:
    """Both the reference and the identity on the native path pass."""
    alike = [mutant for mutant in ALL_MUTANTS if (mutant.relations, mutant.layer) == (relations, layer)]
    scenarios = dict.fromkeys(glob for mutant in alike for glob in mutant.scenarios)
    traffic = dict.fromkeys(path for mutant in alike for path in mutant.traffic)
    whole = Mutant("none", (), frozenset(), tuple(scenarios), "", traffic=tuple(traffic), relations=relations)
    caught = run_named(runner, plant(whole, tmp_path), whole)
    assert caught.tripped == {}
    assert caught.exit_code == 0, caught.output


def test_an_edit_that_does_not_fit_is_an_error(tmp_path: Path) -> None:
    stale = Mutant("stale", (("bridgecheck/errors.py", "no such line", ""),), frozenset(), (), "")
    with pytest.raises(AssertionError, match="stands 0 times"):
        plant(stale, tmp_path)


def test_an_edit_that_begins_inside_a_name_is_an_error(tmp_path: Path) -> None:
    """A renamed variable would leave a fault of another kind, a NameError."""
    stale = Mutant("stale", (("bridgecheck/errors.py", "ridgecheckError(Exception)", "pass"),), frozenset(), (), "")
    with pytest.raises(AssertionError, match="begins inside a name"):
        plant(stale, tmp_path)
