"""relay.*: what spans turns: the calls and turns that were expected, the signatures and ids that have to come back."""

import re
from collections.abc import Iterator

from bridgecheck.checks.verdicts import result, verdict
from bridgecheck.checks.view import RequestView, called_only_unmodelled_endpoints, is_blocked, request_views
from bridgecheck.compare.attach import Attached, answer_signatures, model_steps, request_signatures
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.express import response_can_express
from bridgecheck.model.outcome import ToolCall
from bridgecheck.model.prompt import CallPart, Prompt, ResultPart
from bridgecheck.model.verdict import Difference, Verdict

PLACEHOLDERS = frozenset({"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"})
"""Values that Google documents for calls whose signature is not known."""


INSISTS = re.compile(r"gemini-(?:[3-9]|\d{2})")
"""Models that refuse a call of the running turn without a signature."""

TWICE = "an id used twice"

AHEAD = 2
"""Chunks that may be on their way when the client goes."""


def expected_calls(evidence: Evidence) -> list[Verdict]:
    """The adapter asks the provider for what the cassette holds, all of it, and nothing else. INCONCLUSIVE where it
    asked an endpoint that is not modelled: it may well be right to."""
    seen = evidence.transcript
    if called_only_unmodelled_endpoints(evidence):
        return [verdict("relay.expected_calls", "INCONCLUSIVE", message=seen.misses[0])]
    rows = [Difference("upstream", "a recorded call", miss, "not in the cassette") for miss in seen.misses]
    if seen.unplayed and not seen.crash and not seen.refused:
        rows.append(Difference("upstream", f"{seen.unplayed} more calls", "(absent)", "recorded, never asked for"))
    if not rows and (not seen.upstream or seen.crash or seen.refused):
        return []
    return [result("relay.expected_calls", rows)]


def one_call(evidence: Evidence) -> list[Verdict]:
    """Once the client has had a part of an answer, the provider is not asked again for it: the client would get its
    beginning twice, and be billed for both. A client may be told that an answer begins before anything was asked."""
    verdicts: list[Verdict] = []
    for turn, arrivals in enumerate(evidence.transcript.arrivals):
        before, heard, after = arrivals.partition("c")
        again = after.count("r") - (0 if "r" in before else 1)
        if again > 0:
            row = Difference("upstream", "no request after the client's first event", f"{again} more")
            verdicts.append(result("relay.one_call", [row], turn=turn))
        elif heard and "r" in arrivals:
            verdicts.append(result("relay.one_call", turn=turn))
    return verdicts


def cancel(evidence: Evidence) -> list[Verdict]:
    """Where the client goes away, the adapter lets go of the provider's answer: what nobody reads is billed too."""
    return [
        result("relay.cancel", _read_on(arrivals), level="SHOULD", turn=turn)
        for turn, arrivals in enumerate(evidence.transcript.arrivals)
        if "x" in arrivals
    ]


def _read_on(arrivals: str) -> list[Difference]:
    before, _, after = arrivals.partition("x")
    if "q" in before:
        return [Difference("upstream", "a stream that is read as the client reads", "read to its end before that")]
    if "q" not in after:
        return [Difference("upstream", "the connection let go", "still open after the client went away")]
    more = after.count("u")
    return [Difference("upstream", "nothing more read", f"{more} more chunks")] if more > AHEAD else []


def next_turn(evidence: Evidence) -> list[Verdict]:
    """A conversation of several turns can go on: every answer holds what the client's next request sends back."""
    seen, check = evidence.transcript, "relay.next_turn"
    if seen.stopped:
        return [verdict(check, "FAIL", message=seen.stopped, turn=len(seen.client))]
    return [result(check, turn=len(seen.client) - 1)] if len(seen.client) > 1 and not is_blocked(evidence) else []


def signatures(evidence: Evidence) -> list[Verdict]:
    """A signature that the provider issued comes back to it with the next turn, on the very part that carried it."""
    verdicts: list[Verdict] = []
    for view in request_views(evidence):
        if view.ends.target != "gemini":
            continue
        wanted = _wanted(evidence, view)
        if not wanted:
            continue
        got = request_signatures(view.actual)
        missing = {place: value for place, value in wanted.items() if _octets(got.get(place, "")) != _octets(value)}
        lost = {place for place in missing if _excused(evidence, view, place, got.get(place, ""))}
        rows = [
            Difference(f"signature of {place}", value[:60], (got.get(place) or "(absent)")[:60])
            for place, value in missing.items()
            if place not in lost
        ]
        rules = ["signature.lost_by_client"] if lost else []
        verdicts.append(result("relay.signatures", rows, rules=rules, turn=view.turn))
    return verdicts


def _excused(evidence: Evidence, view: RequestView, place: str, sent: str) -> bool:
    """Whether the client had this signature, or its types have no place for one, and does not send it back, and the
    adapter did what is left to do: nothing where Gemini does without, the documented placeholder on the call that it
    insists on."""
    never = bool(evidence.inexpressible & {"signatures", "turns.signatures"})
    if place in request_signatures(view.expected) or (place not in _received(evidence, view) and not never):
        return False
    insisted = "call" in place and INSISTS.search(view.actual.model) is not None
    return sent in PLACEHOLDERS if insisted else sent in {"", *PLACEHOLDERS}


def _received(evidence: Evidence, view: RequestView) -> set[str]:
    """The places that were signed in what the client got in earlier turns."""
    steps = len(model_steps(view.expected)) - view.turn
    return {
        f"step {steps + turn}, {place}"
        for turn in range(view.turn)
        for place in answer_signatures(evidence.client_outcomes[turn].first)
    }


def _octets(signature: str) -> str:
    """A signature is bytes: google-genai sends it back in the URL-safe alphabet, and padding says nothing."""
    return signature.replace("-", "+").replace("_", "/").rstrip("=")


def ids(evidence: Evidence) -> list[Verdict]:
    """Call ids are unique in the history, results carry the id of their call, and what the provider issued comes
    back."""
    verdicts: list[Verdict] = []
    for view in request_views(evidence):
        rows = [*_pairing(evidence, view), *_returned(evidence, view)]
        calls = any(isinstance(part, CallPart | ResultPart) for turn in view.expected.turns for part in turn.parts)
        if rows and view.ends.same_dialect:
            verdicts.append(verdict("relay.ids", "INHERITED", rows, turn=view.turn))
        elif rows or calls:
            verdicts.append(result("relay.ids", rows, turn=view.turn))
    return verdicts


def _wanted(evidence: Evidence, view: RequestView) -> Attached:
    """Signatures that the provider has to see: those in the client's own request, and those it issued in earlier
    turns."""
    wanted = _own(view)
    replayed = model_steps(view.expected)
    issued = _issued(evidence, view.turn)
    start = len(replayed) - len(issued)
    for offset, found in enumerate(issued):
        if start + offset >= 0 and view.turn:
            wanted |= {f"step {start + offset}, {place}": value for place, value in found.items()}
    return {place: value for place, value in wanted.items() if value not in PLACEHOLDERS}


def _own(view: RequestView) -> Attached:
    """Signatures in the client's own request. What a client of another dialect replays in a later turn is judged by
    what was issued; its signatures of reasoning are another provider's."""
    if view.ends.origin == "gemini":
        return dict(request_signatures(view.expected))
    found = {} if view.turn else request_signatures(view.expected)
    return {place: value for place, value in found.items() if "reasoning" not in place}


def _issued(evidence: Evidence, turn: int) -> list[Attached]:
    """Per earlier turn, what the provider's answer signed."""
    calls = [evidence.upstream_call(earlier) for earlier in range(turn)]
    return [
        answer_signatures(evidence.upstream_outcomes[call].first)
        for call in calls
        if 0 <= call < len(evidence.upstream_outcomes)
    ]


def _pairing(evidence: Evidence, view: RequestView) -> Iterator[Difference]:
    """Results without a call, and ids used twice, where the client's own history had neither. In a later turn that
    history is the one before the adapter's first answer: ids that its answers share are its fault."""
    theirs = _graph(view.actual)
    if not view.turn:
        ours = _graph(view.expected)
    else:
        first = evidence.client_prompts[0]
        ours = (_graph(first) if first is not None else set()) | _issued_twice(evidence, view.turn)
        theirs |= _graph(view.expected)
    for place in sorted(theirs - ours):
        yield Difference("ids", "paired and unique", place)


def _issued_twice(evidence: Evidence, turn: int) -> set[str]:
    """The fault that the provider itself made, if it did."""
    given = [call.id for earlier in range(turn) for call in _calls(evidence, earlier) if call.id]
    return {TWICE} if len(set(given)) < len(given) else set()


def _graph(prompt: Prompt) -> set[str]:
    """Faults of the ids in a history."""
    seen: set[str] = set()
    faults: set[str] = set()
    for turn in prompt.turns:
        for part in turn.parts:
            if isinstance(part, CallPart) and part.call.id:
                faults |= {TWICE} if part.call.id in seen else set()
                seen.add(part.call.id)
            elif isinstance(part, ResultPart) and part.id and part.id not in seen:
                faults.add("a result for an unknown call")
    return faults


def _returned(evidence: Evidence, view: RequestView) -> Iterator[Difference]:
    """Ids that the provider issued in earlier turns, on the calls of the replayed answers."""
    if not view.turn or not response_can_express("tool_calls.id", [view.ends.target]):
        return
    replayed = [[part.call for part in parts if isinstance(part, CallPart)] for parts in model_steps(view.actual)]
    issued = [_calls(evidence, earlier) for earlier in range(view.turn)]
    for at, (said, sent) in enumerate(zip(issued, replayed[-len(issued) :], strict=False)):
        for index, (one, other) in enumerate(zip(said, sent, strict=False)):
            if one.id and one.id != other.id:
                yield Difference(f"id of call {index} of answer {at}", one.id, other.id or "(absent)")


def _calls(evidence: Evidence, turn: int) -> tuple[ToolCall, ...]:
    call = evidence.upstream_call(turn)
    return evidence.upstream_outcomes[call].first.tool_calls if 0 <= call < len(evidence.upstream_outcomes) else ()
