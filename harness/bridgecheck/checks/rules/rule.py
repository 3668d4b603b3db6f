"""What a rule is."""

from dataclasses import dataclass

from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Level


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that an adapter has to do, in a sentence. ``id`` is stable; ``check``: the id of the check that
    enforces it; ``basis``: what it rests on, and where that stands."""

    id: str
    check: str
    level: Level
    text: str
    basis: Basis
