"""What a check is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bridgecheck.model.evidence import Evidence
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Level, Verdict

Side: TypeAlias = Literal["response", "request", "stream", "case", "expectation", "sdk", "law", "relation"]


@dataclass(frozen=True, slots=True)
class Check:
    """``id`` is stable and the same for pass and fail. ``level``: of its worst finding; an expectation takes its
    scenario's. ``run`` gives one verdict or more per turn, none where the check has nothing to
    say; a law or a relation needs a second way round, which is played elsewhere, and gives none
    here.

    ``blocked_by``: checks whose failure in the same case explains this one's, so that one defect is one finding; the
    relation is transitive and has no cycles. ``version``: raised when the check begins to fail what it passed before;
    requirement sets name it."""

    id: str
    topic: str
    level: Level
    basis: Basis
    rule: str
    run: Callable[[Evidence], list[Verdict]]
    side: Side
    blocked_by: tuple[str, ...] = ()
    version: int = 1
