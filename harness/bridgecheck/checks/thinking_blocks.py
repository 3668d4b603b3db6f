"""relay.thinking: Anthropic's thinking blocks come back as they were: complete, in order, before the same calls.

Anthropic refuses a request whose running chain of calls lacks its thinking or holds a modified block; of responses
before that it only recommends to send them back, so losing those is SHOULD. Where a block stands between texts is not
judged; what goes through Chat has no positions to compare at all.
"""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from bridgecheck import normalise
from bridgecheck.checks.bases import READ
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.view import RequestView, request_views
from bridgecheck.compare.diff import differences
from bridgecheck.compare.signatures import model_steps
from bridgecheck.compare.turns import ONE_FIELD_PER_KIND
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.jsonvalue import arr, obj
from bridgecheck.model.prompt import CallPart, Part, ReasoningPart, ResultPart, Turn
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import JsonObject

Blocks: TypeAlias = list[dict[str, object]]
"""Per block its text, signature or opaque data, and how many calls stand before it."""

_PRESERVED: Final = Basis(
    "documented",
    "https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks",
    READ,
)


def check_thinking_blocks(evidence: Evidence) -> Iterator[Result]:
    """The blocks that the provider issued, and those in the client's own request, come back to it unmodified."""
    for view in request_views(evidence):
        if view.ends.target == "anthropic" and not view.ends.same_dialect:
            yield from _judge_steps(evidence, view)


THINKING_BLOCKS: Final = Check(
    "relay.thinking", "signatures", "MUST", _PRESERVED, "Thinking blocks come back to Anthropic unmodified.",
    check_thinking_blocks, "request", ("request.turns",),
    rules=(
        Rule("thinking.back", "MUST", "Thinking that led to calls comes back whole, in order.", _PRESERVED),
        Rule("thinking.before", "SHOULD", "Thinking of responses before that comes back too.", _PRESERVED),
    ),
)  # fmt: skip


def _judge_steps(evidence: Evidence, view: RequestView) -> Iterator[Result]:
    """Compare the blocks of every step of the model: MUST in the running chain of calls, SHOULD before it."""
    with_positions = not any(dialect in ONE_FIELD_PER_KIND for dialect in view.ends.dialects)
    expected = _expected_blocks(evidence, view, with_positions)
    actual = [_thinking_blocks(step, with_positions) for step in model_steps(view.actual)]
    running: list[Difference] = []
    earlier: list[Difference] = []
    first_running = len(actual) - _count_running_steps(view.actual.turns)
    for at, blocks in expected.items():
        received = actual[at] if 0 <= at < len(actual) else []
        if received or not _is_lost_by_client(evidence, view, at, len(actual)):
            rows = running if at >= first_running else earlier
            rows += differences(blocks, received, f"step {at}, thinking")
    if any(expected.values()) or running or earlier:
        yield Result(running, turn=view.turn)
    if earlier:
        yield Result(earlier, level="SHOULD", turn=view.turn)


def _is_lost_by_client(evidence: Evidence, view: RequestView, at: int, steps: int) -> bool:
    """Return whether the client received the thinking of this step, or its types have no place for it, and does not
    send it back: then none of it is better than half of it, and whether the provider accepts the rest is judged by
    ``request.acceptable``."""
    turn = at - (steps - view.turn)
    if not 0 <= turn < min(view.turn, len(evidence.client_outcomes)):
        return False
    replayed = model_steps(view.expected)
    parts = replayed[at] if at < len(replayed) else ()
    choice = evidence.client_outcomes[turn].first
    received = choice.reasoning or any("reasoning" in position for position, _ in choice.signatures)
    features = {"signatures", "turns.signatures", "reasoning", "turns.reasoning"}
    lost = bool(received or evidence.inexpressible & features)
    return lost and not any(isinstance(part, ReasoningPart) for part in parts)


def _expected_blocks(evidence: Evidence, view: RequestView, with_positions: bool) -> dict[int, Blocks]:
    """Return step of the model -> the blocks that stood in it."""
    expected: dict[int, Blocks] = {}
    if view.ends.origin == "anthropic":
        steps = model_steps(view.expected)
        expected = {at: _thinking_blocks(step, with_positions) for at, step in enumerate(steps)}
    issued = [_issued_blocks(evidence, earlier, with_positions) for earlier in range(view.turn)]
    start = len(model_steps(view.actual)) - len(issued)
    return expected | {start + at: blocks for at, blocks in enumerate(issued) if start + at >= 0}


def _issued_blocks(evidence: Evidence, turn: int, with_positions: bool) -> Blocks:
    call, upstream = evidence.upstream_call(turn), evidence.transcript.upstream
    return (
        _thinking_blocks(_replayed_parts(upstream[call].response), with_positions) if 0 <= call < len(upstream) else []
    )


def _replayed_parts(response: Response) -> tuple[Part, ...]:
    """Return the response as the part of a history that it becomes: block by block, nothing joined."""
    if response.mode == "stream":
        message = normalise.fold("anthropic", response.documents)
    else:
        message = obj(response.documents[0]) if response.documents else {}
    replayed: JsonObject = {"role": "assistant", "content": arr(message.get("content"))}
    turns = normalise.request(Request("anthropic", "unary", {"messages": [replayed]}, "")).turns
    return turns[0].parts if turns else ()


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
