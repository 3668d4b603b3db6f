"""The faults that are planted on every change: few and cheap, and every check that faults are to trip trips on one."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

from all_mutants import ALL_MUTANTS
from mutants import Mutant

from bridgecheck.files import scenario_ids


def covering(mutants: Sequence[Mutant], costs: Sequence[int]) -> tuple[Mutant, ...]:
    """Return mutants of these that expect every check that any of these does, in their order.

    Greedy: always the one that adds most checks for its cost, until none adds any. ``costs``: of each mutant, above 0.
    """
    missing = {check for mutant in mutants for check in mutant.expected}
    chosen = set[int]()
    while missing:
        best = max(range(len(mutants)), key=lambda at: len(mutants[at].expected & missing) / costs[at])
        chosen.add(best)
        missing -= mutants[best].expected
    return tuple(mutants[at] for at in sorted(chosen))


def cost(mutant: Mutant, ids: Sequence[str]) -> int:
    """Return how many of these scenarios it plays, each about 30 ms, and ten for copying the packages and starting."""
    globs = [glob.partition("::")[0].partition("@")[0] for glob in mutant.scenarios]
    return 10 + sum(any(fnmatchcase(id, glob) for glob in globs) for id in ids)


_IDS: Final = scenario_ids()
COVER: Final = covering(ALL_MUTANTS, [cost(mutant, _IDS) for mutant in ALL_MUTANTS])
