"""Signatures by the part they are attached to: the same bytes on another part are a refused request.

Gemini validates the signature of the first call of each step. Source:
https://ai.google.dev/gemini-api/docs/thought-signatures (stored copy read 2026-11-21). Recorded: 109 responses
sign text parts, 44 end with an empty text part that carries nothing but the signature."""

from collections.abc import Sequence
from typing import TypeAlias

from bridgecheck.model.outcome import Choice
from bridgecheck.model.prompt import CallPart, Part, Prompt, ReasoningPart, TextPart

Signatures: TypeAlias = dict[str, str]
"""position (``call 0``, ``text 1``, ``reasoning 0``, ``tail``) -> signature; in a request ``step N, `` stands before
it, N counting the model's turns from 0."""


def response_signatures(choice: Choice) -> Signatures:
    signatures = {f"call {at}": call.signature for at, call in enumerate(choice.tool_calls) if call.signature}
    for where, value in choice.signatures:
        kind, _, number = where.partition(":")
        signatures[f"{kind} {number}" if number else kind] = value
    return signatures


def request_signatures(prompt: Prompt) -> Signatures:
    """Return the signatures of the replayed responses in a request."""
    return {
        f"step {at}, {position}": value
        for at, parts in enumerate(model_steps(prompt))
        for position, value in _signatures_of_parts(parts).items()
    }


def model_steps(prompt: Prompt) -> list[tuple[Part, ...]]:
    """Return the parts of each of the model's turns; neighbours (of clients that keep every chunk) are merged."""
    steps: list[tuple[Part, ...]] = []
    last = ""
    for turn in prompt.turns:
        if turn.role == "assistant" and last == "assistant":
            steps[-1] += turn.parts
        elif turn.role == "assistant":
            steps.append(turn.parts)
        last = turn.role
    return steps


def _signatures_of_parts(parts: Sequence[Part]) -> Signatures:
    """Return the signatures of one step. Texts and reasoning count by segment: neighbours of one kind are one."""
    signatures: Signatures = {}
    counts = {"call": 0, "text": 0, "reasoning": 0}
    last = ""
    for part in parts:
        if isinstance(part, TextPart) and not part.text:
            if part.signature:
                signatures["tail"] = part.signature
            continue
        kind = _part_kind(part)
        if kind and not (kind == last and kind != "call"):
            counts[kind] += 1
        signature = part_signature(part)
        if kind and signature:
            signatures[f"{kind} {counts[kind] - 1}"] = signature
        last = kind
    return signatures


def _part_kind(part: object) -> str:
    if isinstance(part, CallPart):
        return "call"
    if isinstance(part, TextPart):
        return "text"
    return "reasoning" if isinstance(part, ReasoningPart) else ""


def part_signature(part: Part) -> str:
    """Return the signature of a part, "" if it has none."""
    if isinstance(part, CallPart):
        return part.call.signature
    return part.signature if isinstance(part, TextPart | ReasoningPart) else ""
