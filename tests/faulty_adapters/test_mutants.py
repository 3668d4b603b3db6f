"""Every planted fault makes ``bridgecheck run`` fail through the expected check; without it the same run passes."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from all_mutants import ALL_MUTANTS
from kill_cover import COVER, covering
from mutants import Mutant
from planting import Runner, plant, run_named


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


MUTANTS = [
    pytest.param(mutant, id=mutant.name, marks=() if mutant in COVER else pytest.mark.slow) for mutant in ALL_MUTANTS
]


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_fault_is_caught(runner: Runner, mutant: Mutant, tmp_path: Path) -> None:
    caught = run_named(runner, plant(mutant, tmp_path), mutant)
    assert caught.exit_code in (1, 3), caught.output
    missing = mutant.expected - caught.tripped.keys()
    assert not missing, f"tripped: {sorted(caught.tripped)}\n{caught.output[-3000:]}"


CONTROLS = {
    (name, relations, layer): [mutant for mutant in mutants if (mutant.relations, mutant.layer) == (relations, layer)]
    for name, mutants in (("cover", COVER), ("all", ALL_MUTANTS))
    for relations, layer in sorted({(mutant.relations, mutant.layer) for mutant in mutants})
}
"""By which mutants, relations and layer: the mutants whose scenarios and recordings pass without a fault."""


@pytest.mark.parametrize(
    "key", [pytest.param(key, id="-".join(key), marks=pytest.mark.slow if key[0] == "all" else ()) for key in CONTROLS]
)
def test_without_a_fault_the_same_scenarios_pass(runner: Runner, key: tuple[str, str, str], tmp_path: Path) -> None:
    """Both the reference and the identity on the native path pass."""
    scenarios = dict.fromkeys(glob for mutant in CONTROLS[key] for glob in mutant.scenarios)
    traffic = dict.fromkeys(path for mutant in CONTROLS[key] for path in mutant.traffic)
    whole = Mutant("none", (), frozenset(), tuple(scenarios), "", traffic=tuple(traffic), relations=key[1])
    caught = run_named(runner, plant(whole, tmp_path), whole)
    assert caught.tripped == {}
    assert caught.exit_code == 0, caught.output


def test_the_quick_faults_trip_every_check_that_any_fault_does() -> None:
    assert {check for mutant in COVER for check in mutant.expected} == {
        check for mutant in ALL_MUTANTS for check in mutant.expected
    }
    assert len(COVER) < len(ALL_MUTANTS) / 2


def test_a_cover_takes_the_cheaper_of_two_and_leaves_no_check_out() -> None:
    wide, narrow, alone = (
        Mutant(name, (), frozenset(expected), (), "")
        for name, expected in (("wide", "ab"), ("narrow", "a"), ("alone", "c"))
    )
    assert covering([narrow, wide, alone], [1, 1, 90]) == (wide, alone)
    assert covering([narrow, wide, alone], [1, 9, 1]) == (narrow, wide, alone)


def test_an_edit_that_does_not_fit_is_an_error(tmp_path: Path) -> None:
    stale = Mutant("stale", (("bridgecheck/errors.py", "no such line", ""),), frozenset(), (), "")
    with pytest.raises(AssertionError, match="stands 0 times"):
        plant(stale, tmp_path)


def test_an_edit_that_begins_inside_a_name_is_an_error(tmp_path: Path) -> None:
    """A renamed variable would leave a fault of another kind, a NameError."""
    stale = Mutant("stale", (("bridgecheck/errors.py", "ridgecheckError(Exception)", "pass"),), frozenset(), (), "")
    with pytest.raises(AssertionError, match="begins inside a name"):
        plant(stale, tmp_path)
