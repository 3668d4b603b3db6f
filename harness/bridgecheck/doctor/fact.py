"""One line of what doctor found."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.errors import BridgecheckError

Severity: TypeAlias = Literal["ok", "note", "stop"]
"""``note``: a run goes on, but may not do everything. ``stop``: it would not start."""

REFUSED: Final = 2
BROKEN: Final = 3


@dataclass(frozen=True, slots=True)
class Fact:
    """``section`` and ``name``: where it is shown. ``next_step``: what to do about it, "" where there is nothing to do.
    ``exit_code``: of a run that it stops, 0 for none."""

    section: str
    name: str
    value: str
    level: Severity = "ok"
    next_step: str = ""
    exit_code: int = 0


def refusal_fact(section: str, name: str, error: BridgecheckError) -> Fact:
    """Return the fact for an error with which a run would refuse to start."""
    where = f" ({error.where})" if error.where else ""
    expected = f"; expected {error.expected}" if error.expected else ""
    log = f"; its last lines:\n{error.log}" if error.log else ""
    return Fact(section, name, f"{error.what}{where}{expected}{log}", "stop", error.next_step, REFUSED)


def refused_or_broken_exit_code(facts: Iterable[Fact]) -> int:
    """Return 2 before 3, as everywhere; 0 where nothing stops a run."""
    codes = {fact.exit_code for fact in facts}
    return next((code for code in (REFUSED, BROKEN) if code in codes), 0)
