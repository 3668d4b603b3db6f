"""relay.signatures and relay.ids: signatures and ids that have to come back to the provider in later turns."""

import re
from collections.abc import Iterator
from typing import Final

from bridgecheck.checks.bases import CHAT, MESSAGES, READ
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.view import RequestView, request_views
from bridgecheck.compare.signatures import Signatures, model_steps, request_signatures, response_signatures
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.express import response_can_express
from bridgecheck.model.outcome import ToolCall
from bridgecheck.model.prompt import CallPart, Prompt, ResultPart
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference

PLACEHOLDERS: Final = frozenset({"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"})
"""Values that Google documents for calls whose signature is not known."""
_REQUIRES_SIGNATURES: Final = re.compile(r"gemini-(?:[3-9]|\d{2})")
"""Models that refuse a call of the running turn without a signature."""
_USED_TWICE: Final = "an id used twice"
_SIGNED: Final = Basis("documented", "https://ai.google.dev/gemini-api/docs/thought-signatures", READ)


def check_signatures(evidence: Evidence) -> list[Result]:
    """A signature that the provider issued comes back to it with the next turn, on the very part that carried it."""
    results: list[Result] = []
    for view in request_views(evidence):
        expected = _expected_signatures(evidence, view) if view.ends.target == "gemini" else {}
        if not expected:
            continue
        actual = request_signatures(view.actual)
        missing = {
            part: value for part, value in expected.items() if _raw_bytes(actual.get(part, "")) != _raw_bytes(value)
        }
        lost = {part for part in missing if _is_lost_by_client(evidence, view, part, actual.get(part, ""))}
        rows = [
            Difference(f"signature of {part}", value[:60], (actual.get(part) or "(absent)")[:60])
            for part, value in missing.items()
            if part not in lost
        ]
        results.append(Result(rows, rules=["signature.lost_by_client"] if lost else [], turn=view.turn))
    return results


SIGNATURES: Final = Check(
    "relay.signatures", "signatures", "MUST", _SIGNED, "Signatures come back on the part that carried them.",
    check_signatures, "request", ("request.turns",),
    rules=(
        Rule("signatures.back", "MUST", "A signature comes back unchanged.", _SIGNED),
        Rule("signatures.place", "MUST", "It stands on the very part that carried it.", _SIGNED),
    ),
)  # fmt: skip


def _is_lost_by_client(evidence: Evidence, view: RequestView, part: str, actual: str) -> bool:
    """Return whether the client received this signature, or its types have no place for one, and does not send it
    back, and the adapter did what is left to do: nothing where Gemini accepts that, the documented placeholder on the
    call that it insists on."""
    inexpressible = bool(evidence.inexpressible & {"signatures", "turns.signatures"})
    if part in request_signatures(view.expected) or (
        part not in _parts_signed_for_client(evidence, view) and not inexpressible
    ):
        return False
    required = "call" in part and _REQUIRES_SIGNATURES.search(view.actual.model) is not None
    return actual in PLACEHOLDERS if required else actual in {"", *PLACEHOLDERS}


def _parts_signed_for_client(evidence: Evidence, view: RequestView) -> set[str]:
    """Return the parts that were signed in the responses of earlier turns, as the client received them."""
    steps = len(model_steps(view.expected)) - view.turn
    return {
        f"step {steps + turn}, {part}"
        for turn in range(view.turn)
        for part in response_signatures(evidence.client_outcomes[turn].first)
    }


def _raw_bytes(signature: str) -> str:
    """Return a form of a signature that is equal for equal bytes: google-genai sends it back in the URL-safe alphabet,
    and padding has no meaning."""
    return signature.replace("-", "+").replace("_", "/").rstrip("=")


def _expected_signatures(evidence: Evidence, view: RequestView) -> Signatures:
    """Return the signatures that the provider has to receive: those in the client's own request, and those it issued
    in earlier turns."""
    expected = _signatures_of_client(view)
    calls = [evidence.upstream_call(turn) for turn in range(view.turn)]
    issued = [
        response_signatures(evidence.upstream_outcomes[call].first)
        for call in calls
        if 0 <= call < len(evidence.upstream_outcomes)
    ]
    start = len(model_steps(view.expected)) - len(issued)
    for offset, signatures in enumerate(issued):
        if start + offset >= 0 and view.turn:
            expected |= {f"step {start + offset}, {part}": value for part, value in signatures.items()}
    return {part: value for part, value in expected.items() if value not in PLACEHOLDERS}


def _signatures_of_client(view: RequestView) -> Signatures:
    """Return the signatures in the client's own request. What a client of another dialect replays in a later turn is
    judged by what was issued; its signatures of reasoning are another provider's."""
    if view.ends.origin == "gemini":
        return dict(request_signatures(view.expected))
    signatures = {} if view.turn else request_signatures(view.expected)
    return {part: value for part, value in signatures.items() if "reasoning" not in part}


def check_ids(evidence: Evidence) -> list[Result]:
    """Call ids are unique in the history, results carry the id of their call, and the ids that the provider issued come
    back."""
    results: list[Result] = []
    for view in request_views(evidence):
        rows = [*_find_pairing_faults(evidence, view), *_find_changed_ids(evidence, view)]
        calls = any(isinstance(part, CallPart | ResultPart) for turn in view.expected.turns for part in turn.parts)
        if rows and view.ends.same_dialect:
            results.append(Result(rows, "INHERITED", turn=view.turn))
        elif rows or calls:
            results.append(Result(rows, turn=view.turn))
    return results


IDS: Final = Check(
    "relay.ids", "correlation", "MUST", CHAT, "Ids are unique, paired and returned.",
    check_ids, "request", ("request.turns",),
    rules=(
        Rule("ids.unique", "MUST", "Ids of calls are unique in the whole history.", CHAT),
        Rule("ids.paired", "MUST", "A result carries the id of its call.", CHAT),
        Rule("ids.back", "MUST", "An id that the provider issued comes back to it.", MESSAGES),
    ),
)  # fmt: skip


def _find_pairing_faults(evidence: Evidence, view: RequestView) -> Iterator[Difference]:
    """Yield results without a call, and ids used twice, where the client's own history had neither. In a later turn
    that history is the one before the adapter's first response: ids that its responses share are its fault."""
    actual = _id_faults(view.actual)
    if not view.turn:
        expected = _id_faults(view.expected)
    else:
        first = evidence.client_prompts[0]
        expected = (_id_faults(first) if first is not None else set()) | _id_faults_of_provider(evidence, view.turn)
        actual |= _id_faults(view.expected)
    for fault in sorted(actual - expected):
        yield Difference("ids", "paired and unique", fault)


def _id_faults_of_provider(evidence: Evidence, turn: int) -> set[str]:
    """Return the fault that the provider itself made by issuing an id twice before this turn, if it did."""
    ids = [call.id for earlier in range(turn) for call in _issued_calls(evidence, earlier) if call.id]
    return {_USED_TWICE} if len(set(ids)) < len(ids) else set()


def _id_faults(prompt: Prompt) -> set[str]:
    """Return the faults of the ids in a history."""
    ids: set[str] = set()
    faults: set[str] = set()
    for turn in prompt.turns:
        for part in turn.parts:
            if isinstance(part, CallPart) and part.call.id:
                faults |= {_USED_TWICE} if part.call.id in ids else set()
                ids.add(part.call.id)
            elif isinstance(part, ResultPart) and part.id and part.id not in ids:
                faults.add("a result for an unknown call")
    return faults


def _find_changed_ids(evidence: Evidence, view: RequestView) -> Iterator[Difference]:
    """Yield ids that the provider issued in earlier turns and that came back changed on the replayed calls."""
    if not view.turn or not response_can_express("tool_calls.id", [view.ends.target]):
        return
    replayed = [[part.call for part in parts if isinstance(part, CallPart)] for parts in model_steps(view.actual)]
    issued = [_issued_calls(evidence, earlier) for earlier in range(view.turn)]
    for at, calls in enumerate(zip(issued, replayed[-len(issued) :], strict=False)):
        for index, (expected, actual) in enumerate(zip(*calls, strict=False)):
            if expected.id and expected.id != actual.id:
                yield Difference(f"id of call {index} of answer {at}", expected.id, actual.id or "(absent)")


def _issued_calls(evidence: Evidence, turn: int) -> tuple[ToolCall, ...]:
    call = evidence.upstream_call(turn)
    return evidence.upstream_outcomes[call].first.tool_calls if 0 <= call < len(evidence.upstream_outcomes) else ()
