"""relay.signatures, relay.thinking, relay.ids: what has to come back to the provider in later turns.

Anthropic refuses a request whose running chain of calls lacks its thinking or holds a modified block; of responses
before that it only recommends to send them back, so losing those is SHOULD. Where a block stands between texts is not
judged; what goes through Chat has no positions to compare at all."""

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from bridgecheck.checks.bases import CHAT, MESSAGES, READ
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.request_and_response_pairs import RequestPair, replayed_parts, request_pairs
from bridgecheck.compare.diff import differences
from bridgecheck.compare.signature_positions import Signatures, model_steps, request_signatures, response_signatures
from bridgecheck.compare.turns import ONE_FIELD_PER_KIND
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.express import response_can_express
from bridgecheck.model.outcome import ToolCall
from bridgecheck.model.prompt import CallPart, OtherPart, Part, Prompt, ReasoningPart, ResultPart, Turn
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import Dialect

PLACEHOLDERS: Final = frozenset({"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"})
"""Texts that Google documents for calls whose signature is not known. Signatures are bytes, so that their base64 means
the same: https://protobuf.dev/programming-guides/json (2026-11-22)."""
_REQUIRES_SIGNATURES: Final = re.compile(r"gemini-(?:[3-9]|\d{2})")
"""Models that refuse a call of the running turn without a signature."""
_USED_TWICE: Final = "an id used twice"
_USED_AGAIN: Final = "an id used again, when its call was answered"
_SIGNED: Final = Basis("documented", "https://ai.google.dev/gemini-api/docs/thought-signatures", READ)


def check_signatures(evidence: Evidence) -> list[Result]:
    """A signature that the provider issued comes back to it with the next turn, on the very part that carried it.
    Gemini refuses calls without theirs; for a text it is recommended."""
    results: list[Result] = []
    for pair in request_pairs(evidence):
        expected = _expected_signatures(evidence, pair) if pair.ends.target == "gemini" else {}
        if not expected:
            continue
        actual = request_signatures(pair.actual)
        missing = {part: value for part, value in expected.items() if not _is_same_base64(actual.get(part, ""), value)}
        lost = {
            part
            for part in missing
            if _is_signature_lost_by_client(evidence, pair, part, actual.get(part, ""))
            or (_is_placeholder(actual.get(part, "")) and _has_model_changed(evidence, pair))
        }
        rows = {
            part: Difference(f"signature of {part}", value[:60], (actual.get(part) or "(absent)")[:60])
            for part, value in missing.items()
            if part not in lost
        }
        of_calls, rest = (
            [row for part, row in rows.items() if ("call" in part) == is_call] for is_call in (True, False)
        )
        results.append(Result(of_calls, rules=["signature.lost_by_client"] if lost else [], turn=pair.turn))
        results += [Result(rest, level="SHOULD", turn=pair.turn)] if rest else []
    return results


SIGNATURES: Final = Check(
    "relay.signatures", "signatures", "MUST", _SIGNED, "Signatures come back on the part that carried them.",
    check_signatures, "request", ("request.turns",),
    rules=(
        Rule("signatures.back", "MUST", "The signature of a call comes back unchanged.", _SIGNED),
        Rule("signatures.place", "MUST", "It stands on the very part that carried it.", _SIGNED),
        Rule("signatures.text", "SHOULD", "So does that of a text: Gemini recommends it.", _SIGNED),
    ),
)  # fmt: skip


def _is_signature_lost_by_client(evidence: Evidence, pair: RequestPair, part: str, actual: str) -> bool:
    """Return whether the client received this signature, or has no place for one, and does not send it back, and the
    adapter did what is left: nothing where Gemini accepts that, as it does before the running turn, else the documented
    placeholder on the call. Other dialects have no place for the signature of a text."""
    has_no_place = "call" not in part and pair.ends.origin in ("openai-chat", "anthropic")
    inexpressible = has_no_place or bool(evidence.inexpressible & {"signatures", "turns.signatures"})
    if part in request_signatures(pair.expected) or (
        part not in _parts_signed_for_client(evidence, pair) and not inexpressible
    ):
        return False
    first_running = len(model_steps(pair.actual)) - _count_running_steps(pair.actual.turns)
    is_running = int(part.removeprefix("step ").partition(",")[0]) >= first_running
    required = "call" in part and is_running and _REQUIRES_SIGNATURES.search(pair.actual.model) is not None
    return _is_placeholder(actual) or not (actual or required)


def _has_model_changed(evidence: Evidence, pair: RequestPair) -> bool:
    """Return whether an earlier turn was another model's: its signatures may be replaced by the placeholder."""
    earlier = evidence.client_prompts[: pair.turn]
    return any(prompt is not None and prompt.model != pair.expected.model for prompt in earlier)


def _is_placeholder(signature: str) -> bool:
    return any(
        signature == text or _is_same_base64(signature, b64encode(text.encode()).decode()) for text in PLACEHOLDERS
    )


def _parts_signed_for_client(evidence: Evidence, pair: RequestPair) -> set[str]:
    """Return the parts that were signed in the responses of earlier turns, as the client received them."""
    steps = len(model_steps(pair.expected)) - pair.answered_turns
    return {
        f"step {steps + turn}, {part}"
        for turn in range(pair.answered_turns)
        for part in response_signatures(evidence.client_outcomes[turn].first)
    }


def _is_same_base64(first: str, second: str) -> bool:
    """Return whether two signatures hold the same bytes: google-genai writes them URL-safe, padding means nothing."""
    values = [signature.replace("-", "+").replace("_", "/").rstrip("=") for signature in (first, second)]
    return values[0] == values[1]


def _expected_signatures(evidence: Evidence, pair: RequestPair) -> Signatures:
    """Return the signatures that have to be sent: those in the client's request, those issued in earlier turns."""
    expected = _signatures_of_client(pair)
    outcomes, turns = evidence.upstream_outcomes, range(pair.answered_turns)
    calls = [call for turn in turns if 0 <= (call := evidence.answering_call_index(turn)) < len(outcomes)]
    issued = [response_signatures(outcomes[call].first) for call in calls]
    start = len(model_steps(pair.expected)) - len(issued)
    for offset, signatures in enumerate(issued):
        if start + offset >= 0 and pair.answered_turns:
            expected |= {f"step {start + offset}, {part}": value for part, value in signatures.items()}
    return {part: value for part, value in expected.items() if not _is_placeholder(value)}


def _signatures_of_client(pair: RequestPair) -> Signatures:
    """Return the signatures in the client's own request. What a client of another dialect replays in a later turn is
    judged by what was issued; its signatures of reasoning are another provider's."""
    if pair.ends.origin == "gemini":
        return dict(request_signatures(pair.expected))
    signatures = {} if pair.answered_turns else request_signatures(pair.expected)
    return {part: value for part, value in signatures.items() if "reasoning" not in part}


def check_ids(evidence: Evidence) -> list[Result]:
    """Call ids are unique in the history, results carry the id of their call, and the provider's ids come back."""
    results: list[Result] = []
    for pair in request_pairs(evidence):
        changed = list(_find_changed_provider_ids(evidence, pair))
        made_anew = [row for row in changed if row.actual != "(absent)"]
        faults = list(_find_unpaired_and_reused_ids(evidence, pair))
        if _are_names_of_own_types(evidence, pair):
            made_anew += [row for row in faults if row.actual == _USED_TWICE]
        again = [row for row in faults if row.actual == _USED_AGAIN]
        rows = [row for row in (*faults, *changed) if row not in (*made_anew, *again)]
        calls = any(isinstance(part, CallPart | ResultPart) for turn in pair.expected.turns for part in turn.parts)
        if rows and pair.ends.unconverted:
            results.append(Result(rows, "INHERITED", turn=pair.turn))
        elif rows or calls:
            results.append(Result(rows, turn=pair.turn))
        if made_anew:
            results.append(Result(made_anew, level="SHOULD", rules=["ids.made_anew"], turn=pair.turn))
        if again:
            results.append(Result(again, level="SHOULD", rules=["ids.again"], turn=pair.turn))
    return results


IDS: Final = Check(
    "relay.ids", "correlation", "MUST", CHAT, "Ids are unique, paired and returned.",
    check_ids, "request", ("request.turns",),
    rules=(
        Rule("ids.unique", "MUST", "Ids of calls are unique in the whole history; for Chat, among those that are not "
            "answered.", CHAT),
        Rule("ids.again", "SHOULD", "An id is not used again for Chat when its call is answered: the reference says "
            "that a tool message responds to the calls before it, and nothing of other turns.", CHAT),
        Rule("ids.paired", "MUST", "A result carries the id of its call.", CHAT),
        Rule("ids.back", "MUST", "A call to which the provider gave an id comes back to it with one.", MESSAGES),
        Rule("ids.made_anew", "SHOULD", "It is the id that the provider gave; ids that a library makes up for its own "
            "caller differ between answers too.", MESSAGES),
    ),
)  # fmt: skip


def _are_names_of_own_types(evidence: Evidence, pair: RequestPair) -> bool:
    """Return whether ids are what a library with types of its own made up, as the provider gave none, and differ within
    each answer: the provider pairs calls and results by name and order, and sees none of them."""
    if evidence.key.client != "outcome":
        return False
    turns = range(pair.answered_turns)
    answers = [evidence.client_outcomes[turn].first.tool_calls for turn in turns]
    are_unique = all(len({call.id for call in calls}) == len(calls) for calls in answers)
    return are_unique and not any(call.id for turn in turns for call in _provider_calls_in_turn(evidence, turn))


def _find_unpaired_and_reused_ids(evidence: Evidence, pair: RequestPair) -> Iterator[Difference]:
    """Yield results without a call, and ids used twice, where the client's own history had neither. In a later turn
    that history is the one before the adapter's first response: ids that its responses share are its fault."""
    actual = _reused_id_and_unknown_call_faults(pair.actual, pair.ends.target)
    if not pair.answered_turns:
        expected = _reused_id_and_unknown_call_faults(pair.expected)
    else:
        first = evidence.client_prompts[0]
        expected = _repeated_id_fault_of_provider(evidence, pair.answered_turns)
        expected |= _reused_id_and_unknown_call_faults(first) if first is not None else set()
        actual |= _reused_id_and_unknown_call_faults(pair.expected)
    actual -= {_USED_AGAIN} if _USED_TWICE in actual | expected else set()
    for fault in sorted(actual - expected):
        unknown = _first_id_of_unknown_call(pair.actual) if fault == _UNKNOWN_CALL else ""
        yield Difference("ids", "paired and unique", fault, f'of the id "{unknown}"' if unknown else "")


_UNKNOWN_CALL: Final = "a result for an unknown call"


def _first_id_of_unknown_call(prompt: Prompt) -> str:
    """Return the first id of a result that stands behind no call of that id."""
    ids: set[str] = set()
    for part in (part for turn in prompt.turns for part in turn.parts):
        if isinstance(part, CallPart):
            ids.add(part.call.id)
        elif isinstance(part, ResultPart) and part.id and part.id not in ids:
            return part.id
    return ""


def _repeated_id_fault_of_provider(evidence: Evidence, before_turn: int) -> set[str]:
    """Return the fault that the provider itself made by issuing an id twice before this turn, if it did."""
    ids = [call.id for turn in range(before_turn) for call in _provider_calls_in_turn(evidence, turn) if call.id]
    return {_USED_TWICE} if len(set(ids)) < len(ids) else set()


def _reused_id_and_unknown_call_faults(prompt: Prompt, provider: Dialect | None = None) -> set[str]:
    """Return the kinds of faults in a history, which is sent to this provider. Chat pairs a result with the message
    before it, so that an id whose call is answered may stand for another one."""
    ids: set[str] = set()
    answered: set[str] = set()
    faults: set[str] = set()
    for turn in prompt.turns:
        for part in turn.parts:
            if isinstance(part, CallPart) and part.call.id in ids:
                is_free = provider == "openai-chat" and part.call.id in answered
                faults.add(_USED_AGAIN if is_free else _USED_TWICE)
                answered.discard(part.call.id)
            elif isinstance(part, CallPart) and part.call.id:
                ids.add(part.call.id)
            elif isinstance(part, ResultPart) and part.id:
                faults |= set() if part.id in ids else {_UNKNOWN_CALL}
                answered.add(part.id)
    return faults


def _find_changed_provider_ids(evidence: Evidence, pair: RequestPair) -> Iterator[Difference]:
    """Yield ids that the provider issued in earlier turns and that came back changed on the replayed calls. Of an id
    that it issued twice, either call may have another."""
    if not pair.answered_turns or not response_can_express("tool_calls.id", [pair.ends.target]):
        return
    if evidence.scenario is not None and evidence.scenario.client_model:
        yield from _find_changed_ids_in_rewritten_history(evidence, pair)
        return
    replayed = [[part.call for part in parts if isinstance(part, CallPart)] for parts in model_steps(pair.actual)]
    issued = [_provider_calls_in_turn(evidence, earlier) for earlier in range(pair.answered_turns)]
    times = Counter(call.id for calls in issued for call in calls)
    for at, calls in enumerate(zip(issued, replayed[-len(issued) :], strict=False)):
        for index, (expected, actual) in enumerate(zip(*calls, strict=False)):
            if expected.id and expected.id != actual.id and (times[expected.id] == 1 or not actual.id):
                yield Difference(f"id of call {index} of answer {at}", expected.id, actual.id or "(absent)")


def _find_changed_ids_in_rewritten_history(evidence: Evidence, pair: RequestPair) -> Iterator[Difference]:
    """Yield the same where the client forgets answers, or sends their calls in messages of their own: by the ids that
    the client got and sends again."""
    sent, arrived = (
        [part.call.id for step in model_steps(prompt) for part in step if isinstance(part, CallPart)]
        for prompt in (pair.expected, pair.actual)
    )
    if len(sent) != len(arrived):
        return  # request.turns tells
    ids_by_received_id = dict(zip(sent, arrived, strict=True))
    issued = [_provider_calls_in_turn(evidence, earlier) for earlier in range(pair.answered_turns)]
    times = Counter(call.id for calls in issued for call in calls)
    for at, outcome in enumerate(evidence.client_outcomes[: pair.answered_turns]):
        for index, (expected, received) in enumerate(zip(issued[at], outcome.first.tool_calls, strict=False)):
            actual = ids_by_received_id.get(received.id, expected.id) if received.id else expected.id
            if expected.id and expected.id != actual and (times[expected.id] == 1 or not actual):
                yield Difference(f"id of call {index} of answer {at}", expected.id, actual or "(absent)")


def _provider_calls_in_turn(evidence: Evidence, turn: int) -> tuple[ToolCall, ...]:
    call = evidence.answering_call_index(turn)
    return evidence.upstream_outcomes[call].first.tool_calls if 0 <= call < len(evidence.upstream_outcomes) else ()


Blocks: TypeAlias = list[dict[str, object]]
"""Per block its text, signature or opaque data, and how many calls stand before it."""

_PRESERVED: Final = Basis(
    "documented", "https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks",
    READ,
)  # fmt: skip


def check_thinking_blocks(evidence: Evidence) -> Iterator[Result]:
    """The blocks that the provider issued, and those in the client's own request, come back to it unmodified."""
    for pair in request_pairs(evidence):
        if pair.ends.target == "anthropic" and not pair.ends.unconverted:
            yield from _judge_thinking_of_all_steps(evidence, pair)


THINKING_BLOCKS: Final = Check(
    "relay.thinking", "signatures", "MUST", _PRESERVED, "Thinking blocks come back to Anthropic unmodified.",
    check_thinking_blocks, "request", ("request.turns",),
    rules=(
        Rule("thinking.back", "MUST", "Thinking that led to calls comes back whole, in order.", _PRESERVED),
        Rule("thinking.before", "SHOULD", "Thinking of responses before that comes back too.", _PRESERVED),
    ),
)  # fmt: skip


def _judge_thinking_of_all_steps(evidence: Evidence, pair: RequestPair) -> Iterator[Result]:
    """Compare the blocks of every step of the model: MUST in the running chain of calls, SHOULD before it."""
    with_positions = not any(dialect in ONE_FIELD_PER_KIND for dialect in pair.ends.dialects)
    expected = _expected_blocks_by_step(evidence, pair, with_positions)
    actual = [_thinking_blocks(step, with_positions) for step in model_steps(pair.actual)]
    running: list[Difference] = []
    earlier: list[Difference] = []
    first_running = len(actual) - _count_running_steps(pair.actual.turns)
    for at, blocks in expected.items():
        received = actual[at] if 0 <= at < len(actual) else []
        if received or not _is_thinking_lost_by_client(evidence, pair, at, len(actual)):
            rows = running if at >= first_running else earlier
            rows += differences(blocks, received, f"step {at}, thinking")
    if any(expected.values()) or running or earlier:
        yield Result(running, turn=pair.turn)
    if earlier:
        yield Result(earlier, level="SHOULD", turn=pair.turn)


def _is_thinking_lost_by_client(evidence: Evidence, pair: RequestPair, at: int, steps: int) -> bool:
    """Return whether the client received the thinking of this step, or has no place for it, and does not send it back,
    or sends the text of what it received signed; or whether the provider ran tools between the blocks, for which the
    client has no place: then none is better than half, and ``request.acceptable`` judges whether the provider accepts
    the rest."""
    turn = at - (steps - pair.answered_turns)
    if not 0 <= turn < min(pair.answered_turns, len(evidence.client_outcomes)):
        return False
    if pair.ends.origin != "anthropic" and _thinks_behind_a_server_tool(evidence, turn):
        return True
    replayed = model_steps(pair.expected)
    parts = replayed[at] if at < len(replayed) else ()
    choice = evidence.client_outcomes[turn].first
    was_signed = any("reasoning" in position for position, _ in choice.signatures)
    sent = [part for part in parts if isinstance(part, ReasoningPart)]
    if sent:
        return was_signed and not any(part.signature or part.redacted for part in sent)
    features = {"signatures", "turns.signatures", "reasoning", "turns.reasoning"}
    return bool(choice.reasoning or was_signed or evidence.inexpressible & features)


def _thinks_behind_a_server_tool(evidence: Evidence, turn: int) -> bool:
    """Return whether the provider's answer of this turn has thinking behind a block that only its dialect has."""
    parts = _parts_issued_in_turn(evidence, turn)
    first = next((at for at, part in enumerate(parts) if isinstance(part, OtherPart)), len(parts))
    return any(isinstance(part, ReasoningPart) for part in parts[first:])


def _expected_blocks_by_step(evidence: Evidence, pair: RequestPair, with_positions: bool) -> dict[int, Blocks]:
    """Return step of the model -> the blocks that stood in it."""
    expected: dict[int, Blocks] = {}
    if pair.ends.origin == "anthropic":
        steps = model_steps(pair.expected)
        expected = {at: _thinking_blocks(step, with_positions) for at, step in enumerate(steps)}
    issued = [
        _thinking_blocks(_parts_issued_in_turn(evidence, earlier), with_positions)
        for earlier in range(pair.answered_turns)
    ]
    start = len(model_steps(pair.actual)) - len(issued)
    return expected | {start + at: blocks for at, blocks in enumerate(issued) if start + at >= 0}


def _parts_issued_in_turn(evidence: Evidence, turn: int) -> tuple[Part, ...]:
    """Return the parts of the provider's answer of this turn; () where it was not asked."""
    call, upstream = evidence.answering_call_index(turn), evidence.transcript.upstream
    return replayed_parts(upstream[call].response) if 0 <= call < len(upstream) else ()


def _thinking_blocks(parts: Sequence[Part], with_positions: bool) -> Blocks:
    blocks: Blocks = []
    calls = 0
    for part in parts:
        calls += isinstance(part, CallPart)
        if isinstance(part, ReasoningPart):
            block: dict[str, object] = {"thinking": part.text, "signature": part.signature, "data": part.redacted}
            position: dict[str, object] = {"calls": calls} if with_positions else {}
            blocks.append({key: value for key, value in block.items() if value} | position)
    return blocks


def _count_running_steps(turns: Sequence[Turn]) -> int:
    """Return how many of the model's last turns belong to a chain of calls that has not ended."""
    steps = 0
    if not turns or not _has_results(turns[-1]):
        return 0
    last_role = ""
    for turn in reversed(turns):
        if turn.role == "user" and not _has_results(turn):
            break
        steps += turn.role == "assistant" and last_role != "assistant"
        last_role = turn.role
    return steps


def _has_results(turn: Turn) -> bool:
    return any(isinstance(part, ResultPart) for part in turn.parts)
