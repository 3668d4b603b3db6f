"""Evidence: one case as the checks see it, everything decoded and normalised. Built by ``run``, read by ``checks``."""

from dataclasses import dataclass

from bridgecheck.model.outcome import Outcome
from bridgecheck.model.prompt import Prompt
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.transcript import Transcript
from bridgecheck.model.verdict import CaseKey
from bridgecheck.wire import Dialect


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """All a check may look at; checks do nothing but read it. Two are equal only if they are one.

    Per client turn: ``asked`` (the client's request, None if the traffic was recorded without one), ``received``
    (what the client got), ``answered_by`` (index of the upstream call that answered the turn, -1 none) and ``native``
    (what the upstream's own SDK gave; None on the wire layer). Per upstream call, in order of arrival: ``sent`` (the
    adapter's request, None if there was none) and ``said`` (the provider's answer).

    ``unsaid``: features that the client's own types have no place for, where it speaks ``outcome``.
    ``through_sdk``: what the client received is what the official SDK of its dialect showed it.
    ``pivot``: the dialect that a same-dialect route goes through, None if it goes straight. ``scenario`` is None for
    recorded traffic, which has no expectation.
    """

    key: CaseKey
    transcript: Transcript
    scenario: Scenario | None
    asked: tuple[Prompt | None, ...]
    sent: tuple[Prompt | None, ...]
    said: tuple[Outcome, ...]
    received: tuple[Outcome, ...]
    pivot: Dialect | None = None
    native: tuple[Outcome, ...] | None = None
    answered_by: tuple[int, ...] = ()
    unsaid: frozenset[str] = frozenset()
    through_sdk: bool = False

    def answer(self, turn: int) -> int:
        """Index of the upstream call that answered this turn, -1 if none did. Without ``answered_by``: the same
        index."""
        if turn < len(self.answered_by):
            return self.answered_by[turn]
        return turn if turn < len(self.said) else -1
