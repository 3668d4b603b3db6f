"""One line of what doctor found."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.errors import BridgecheckError

Level: TypeAlias = Literal["ok", "note", "stop"]
"""``note``: a run goes on, but may not do all. ``stop``: it would not."""

REFUSED: Final = 2
BROKEN: Final = 3


@dataclass(frozen=True, slots=True)
class Fact:
    """``section`` and ``name``: where it stands. ``next_step``: what to do about it, "" where there is nothing to do.
    ``exit_code``: of a run that it stops, 0 for none."""

    section: str
    name: str
    value: str
    level: Level = "ok"
    next_step: str = ""
    exit_code: int = 0


def stops(section: str, name: str, error: BridgecheckError) -> Fact:
    """What a run would refuse to start for."""
    where = f" ({error.where})" if error.where else ""
    expected = f"; expected {error.expected}" if error.expected else ""
    return Fact(section, name, f"{error.what}{where}{expected}", "stop", error.next_step, REFUSED)


def exit_code(facts: Iterable[Fact]) -> int:
    """2 before 3, as everywhere; 0 where nothing stops a run."""
    found = {fact.exit_code for fact in facts}
    return next((code for code in (REFUSED, BROKEN) if code in found), 0)
