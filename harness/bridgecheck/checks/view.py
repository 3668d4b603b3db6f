"""What a check looks at: one answered turn of a case, from the side of the answer or of the request."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from bridgecheck.compare.loss_row import Side
from bridgecheck.compare.names import asked_names, changed, said_names
from bridgecheck.compare.project import Ends
from bridgecheck.compare.rewrites import canonical_with_rules
from bridgecheck.model.evidence import UNMODELLED, Evidence
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.outcome import Choice, FinishClass, Outcome
from bridgecheck.model.prompt import Prompt

MAY_END_IN_ERROR: frozenset[FinishClass] = frozenset({"incomplete", "malformed_call", "error", "other"})
"""Finish classes that an adapter may report to its client as an error."""


@dataclass(frozen=True, slots=True)
class ResponseView:
    """What the provider ``expected`` and what the client ``actual`` in one turn. ``upstream_model``: the model that the
    adapter asked, "" if its request is not known."""

    turn: int
    expected: Outcome
    actual: Outcome
    ends: Ends
    client_prompt: Prompt | None
    upstream_response: Response
    client_response: Response
    upstream_model: str = ""

    @property
    def is_broken(self) -> bool:
        """An error on either end: what else the answer held is compared by what was delivered before it."""
        return self.expected.error is not None or self.actual.error is not None

    @property
    def allows_error(self) -> bool:
        """Whether the client may see an error: the provider said one, gave nothing, or ended in a way that no client
        should take for success."""
        if self.expected.error is not None or not self.expected.choices:
            return True
        return any(
            choice.finish.kind in MAY_END_IN_ERROR or any(call.bad_args is not None for call in choice.tool_calls)
            for choice in self.expected.choices
        )

    @property
    def choice_pairs(self) -> Iterator[tuple[Choice, Choice]]:
        """Choices of one index on both ends; an empty one where an end has none."""
        ours = {choice.index: choice for choice in self.expected.choices}
        theirs = {choice.index: choice for choice in self.actual.choices}
        for index in sorted({*ours, *theirs}):
            if index == 0 or (index in ours and index in theirs):
                yield ours.get(index, Choice(index)), theirs.get(index, Choice(index))


@dataclass(frozen=True)
class RequestView:
    """The request of one turn: ``expected`` as the client made it, ``actual`` as the adapter sent it; both also in
    canonical form."""

    turn: int
    expected: Prompt
    actual: Prompt
    ends: Ends
    client_request: Request
    upstream_request: Request

    @cached_property
    def expected_canonical(self) -> tuple[Prompt, tuple[str, ...]]:
        """The one encoding of what was asked, and the rewrites that led there. Several checks need it."""
        return canonical_with_rules(self.expected)

    @cached_property
    def actual_canonical(self) -> tuple[Prompt, tuple[str, ...]]:
        """The same of what was sent."""
        return canonical_with_rules(self.actual)


@lru_cache(maxsize=2)
def response_views(evidence: Evidence) -> tuple[ResponseView, ...]:
    """The answered turns whose client stayed to the end. None where the adapter crashed, refused or asked for what the
    cassette does not hold: there what the client got says nothing about the provider's answer. Read by most checks,
    made once a case."""
    return tuple(_find_response_views(evidence))


def _find_response_views(evidence: Evidence) -> Iterator[ResponseView]:
    if is_blocked(evidence):
        return
    seen = evidence.transcript
    for turn, received in enumerate(evidence.client_outcomes):
        call = evidence.upstream_call(turn)
        left = turn < len(seen.client) and seen.client[turn].response.end == "client_closed"
        if (
            0 <= call < len(evidence.upstream_outcomes)
            and turn < len(seen.client)
            and call < len(seen.upstream)
            and not left
        ):
            yield ResponseView(
                turn,
                said_names(evidence.upstream_outcomes[call], _renamed(evidence, turn, call)),
                received,
                case_ends(evidence, "response"),
                evidence.client_prompts[turn] if turn < len(evidence.client_prompts) else None,
                seen.upstream[call].response,
                seen.client[turn].response,
                _sent_model(evidence, call),
            )


def case_ends(evidence: Evidence, side: Side) -> Ends:
    """Who said it and who got it, of the answers or of the requests of a case."""
    client, upstream = evidence.key.client, evidence.key.upstream
    origin, target = (client, upstream) if side == "request" else (upstream, client)
    return Ends(side, origin, target, evidence.pivot, evidence.inexpressible)


def complete_response_views(evidence: Evidence) -> Iterator[ResponseView]:
    """The answered turns without an error on either end."""
    return (view for view in response_views(evidence) if not view.is_broken)


@lru_cache(maxsize=2)
def request_views(evidence: Evidence) -> tuple[RequestView, ...]:
    """The turns whose request is known on both ends. Read by most checks, made once a case."""
    return tuple(_find_request_views(evidence))


def _find_request_views(evidence: Evidence) -> Iterator[RequestView]:
    if is_blocked(evidence):
        return
    seen = evidence.transcript
    for turn, asked in enumerate(evidence.client_prompts):
        call = evidence.upstream_call(turn)
        sent = evidence.upstream_prompts[call] if 0 <= call < len(evidence.upstream_prompts) else None
        if asked is None or sent is None or turn >= len(seen.client) or call >= len(seen.upstream):
            continue
        mine, theirs = seen.client[turn].request, seen.upstream[call].request
        if mine is not None and theirs is not None:
            ends = case_ends(evidence, "request")
            yield RequestView(turn, asked, asked_names(sent, changed(asked, sent)), ends, mine, theirs)


def _renamed(evidence: Evidence, turn: int, call: int) -> dict[str, str]:
    """The function names that the adapter had to change for this call."""
    asked = evidence.client_prompts[turn] if turn < len(evidence.client_prompts) else None
    sent = evidence.upstream_prompts[call] if call < len(evidence.upstream_prompts) else None
    return changed(asked, sent) if asked is not None and sent is not None else {}


def _sent_model(evidence: Evidence, call: int) -> str:
    sent = evidence.upstream_prompts[call] if call < len(evidence.upstream_prompts) else None
    return sent.model if sent is not None else ""


def called_only_unmodelled_endpoints(evidence: Evidence) -> bool:
    """Whether the adapter asked for nothing that the cassette lacks, but for what bridgecheck knows nothing of: then
    nothing is known of the adapter either."""
    misses = evidence.transcript.misses
    return bool(misses) and all(miss.startswith(UNMODELLED) for miss in misses)


def is_blocked(evidence: Evidence) -> bool:
    """Whether one finding (a crash, a refusal, a call that was not recorded) explains all others."""
    seen = evidence.transcript
    return bool(seen.crash or seen.refused or seen.misses)
