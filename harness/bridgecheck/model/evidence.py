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

    Per client turn: ``client_prompts`` (the client's request, None if the traffic was recorded without one),
    ``client_outcomes`` (what the client received), ``answered_by`` (index of the upstream call that answered the turn,
    -1 none) and ``native_outcomes`` (what the upstream's own SDK gave; None on the wire layer). Per upstream call, in
    order of arrival: ``upstream_prompts`` (the adapter's request, None if there was none) and ``upstream_outcomes``
    (the provider's answer).

    ``inexpressible``: features that the client's own types have no place for, where it speaks ``outcome``.
    ``through_sdk``: what the client received is what the official SDK of its dialect showed it.
    ``pivot``: the dialect that a same-dialect route goes through, None if it goes straight. ``scenario`` is None for
    recorded traffic, which has no expectation.
    """

    key: CaseKey
    transcript: Transcript
    scenario: Scenario | None
    client_prompts: tuple[Prompt | None, ...]
    upstream_prompts: tuple[Prompt | None, ...]
    upstream_outcomes: tuple[Outcome, ...]
    client_outcomes: tuple[Outcome, ...]
    pivot: Dialect | None = None
    native_outcomes: tuple[Outcome, ...] | None = None
    answered_by: tuple[int, ...] = ()
    inexpressible: frozenset[str] = frozenset()
    through_sdk: bool = False

    def upstream_call(self, turn: int) -> int:
        """Index of the upstream call that answered this turn, -1 if none did. Without ``answered_by``: the same
        index."""
        if turn < len(self.answered_by):
            return self.answered_by[turn]
        return turn if turn < len(self.upstream_outcomes) else -1
