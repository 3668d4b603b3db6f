"""relay.thinking: Anthropic's thinking blocks come back as they were: complete, in order, before the same calls.

Anthropic refuses a request whose running chain of calls lacks its thinking or holds a modified block; of answers before
that it only recommends to send them back, so losing those is SHOULD. Where a block stands between texts is not judged;
what goes through Chat has no places to compare at all.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

from bridgecheck import normalise
from bridgecheck.checks.verdicts import result
from bridgecheck.checks.view import RequestView, request_views
from bridgecheck.compare.attach import model_steps
from bridgecheck.compare.diff import differences
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.jsonvalue import arr, obj
from bridgecheck.model.prompt import CallPart, Part, ReasoningPart, ResultPart, Turn
from bridgecheck.model.verdict import Difference, Level, Verdict
from bridgecheck.wire import JsonObject

CHECK: Final = "relay.thinking"

Blocks: TypeAlias = list[dict[str, object]]
"""Per block its words, signature or opaque data, and how many calls stand before it."""


def thinking(evidence: Evidence) -> list[Verdict]:
    """The blocks that the provider issued, and those in the client's own request, come back to it unmodified."""
    return [
        verdict
        for view in request_views(evidence)
        if view.ends.target == "anthropic" and not view.ends.same_dialect
        for verdict in _judged(evidence, view)
    ]


def _judged(evidence: Evidence, view: RequestView) -> list[Verdict]:
    placed = "openai-chat" not in view.ends.dialects
    wanted = _wanted(evidence, view, placed)
    sent = [_blocks(step, placed) for step in model_steps(view.actual)]
    rows: dict[Level, list[Difference]] = {"MUST": [], "SHOULD": []}
    running = _running(view.actual.turns)
    for at, blocks in wanted.items():
        got = sent[at] if 0 <= at < len(sent) else []
        if not got and _lost_by_client(evidence, view, at, len(sent)):
            continue
        level: Level = "MUST" if at >= len(sent) - running else "SHOULD"
        rows[level] += differences(blocks, got, f"step {at}, thinking")
    if not any(wanted.values()) and not rows["MUST"] and not rows["SHOULD"]:
        return []
    verdicts = [result(CHECK, rows["MUST"], turn=view.turn)]
    if rows["SHOULD"]:
        verdicts.append(result(CHECK, rows["SHOULD"], level="SHOULD", turn=view.turn))
    return verdicts


def _lost_by_client(evidence: Evidence, view: RequestView, at: int, steps: int) -> bool:
    """Whether the client got the thinking of this step, or its types have no place for it, and does not send it back:
    then nothing of it is better than half of it, and whether the provider takes the rest is ``request.acceptable``'s
    matter."""
    turn = at - (steps - view.turn)
    if not 0 <= turn < min(view.turn, len(evidence.client_outcomes)):
        return False
    replayed = model_steps(view.expected)
    kept = replayed[at] if at < len(replayed) else ()
    given = evidence.client_outcomes[turn].first
    signed = any("reasoning" in place for place, _ in given.signatures)
    never = bool(evidence.inexpressible & {"signatures", "turns.signatures", "reasoning", "turns.reasoning"})
    return bool(given.reasoning or signed or never) and not any(isinstance(part, ReasoningPart) for part in kept)


def _wanted(evidence: Evidence, view: RequestView, placed: bool) -> dict[int, Blocks]:
    """Step of the model -> the blocks that stood in it."""
    wanted: dict[int, Blocks] = {}
    if view.ends.origin == "anthropic":
        wanted = {at: _blocks(step, placed) for at, step in enumerate(model_steps(view.expected))}
    issued = [_issued(evidence, earlier, placed) for earlier in range(view.turn)]
    start = len(model_steps(view.actual)) - len(issued)
    return wanted | {start + at: blocks for at, blocks in enumerate(issued) if start + at >= 0}


def _issued(evidence: Evidence, turn: int, placed: bool) -> Blocks:
    call = evidence.upstream_call(turn)
    seen = evidence.transcript.upstream
    return _blocks(_parts(seen[call].response), placed) if 0 <= call < len(seen) else []


def _parts(answer: Response) -> tuple[Part, ...]:
    """The answer as the part of a history that it becomes: block by block, nothing joined."""
    whole = normalise.fold("anthropic", answer.documents) if answer.mode == "stream" else _first(answer)
    message: JsonObject = {"role": "assistant", "content": arr(whole.get("content"))}
    turns = normalise.request(Request("anthropic", "unary", {"messages": [message]}, "")).turns
    return turns[0].parts if turns else ()


def _first(answer: Response) -> JsonObject:
    return obj(answer.documents[0]) if answer.documents else {}


def _blocks(parts: Sequence[Part], placed: bool) -> Blocks:
    found: Blocks = []
    calls = 0
    for part in parts:
        calls += isinstance(part, CallPart)
        if isinstance(part, ReasoningPart):
            words: dict[str, object] = {"thinking": part.text, "signature": part.signature, "data": part.redacted}
            found.append({key: value for key, value in words.items() if value} | ({"calls": calls} if placed else {}))
    return found


def _running(turns: Sequence[Turn]) -> int:
    """How many of the model's last turns belong to a chain of calls that is under way."""
    steps = 0
    if not turns or not _answers(turns[-1]):
        return 0
    last = ""
    for turn in reversed(turns):
        if turn.role == "user" and not _answers(turn):
            break
        steps += turn.role == "assistant" and last != "assistant"
        last = turn.role
    return steps


def _answers(turn: Turn) -> bool:
    return any(isinstance(part, ResultPart) for part in turn.parts)
