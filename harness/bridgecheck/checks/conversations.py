"""chat.events, chat.history and chat.native_equals_bridged: whole conversations of a chat that keeps its own history.

The answer of a turn is what its events showed; the request of a turn is what a client sends that keeps all of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.checks.bases import BREAKS, PLAYED
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.choices import compare_finishes
from bridgecheck.checks.errors import check_error
from bridgecheck.checks.request_and_response_pairs import error_free_response_pairs, replayed_parts, response_pairs
from bridgecheck.checks.text import check_text
from bridgecheck.checks.tool_calls import check_tool_calls
from bridgecheck.checks.tools import check_tools
from bridgecheck.checks.turns import check_system, check_turns
from bridgecheck.compare.diff import differences, shorten
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.outcome import Choice, Outcome
from bridgecheck.model.prompt import CallPart, OtherPart, Part, Prompt, ReasoningPart
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference

_CORE: Final = Basis(
    "client-breaks", "@google/gemini-cli-core 0.61.0, GeminiClient and GeminiChat: conversations played to it",
    "2026-11-24",
)  # fmt: skip

_EVENT_CHECKS: Final[tuple[Callable[[Evidence], Iterable[Result]], ...]] = (
    check_text, check_tool_calls, compare_finishes, check_error,
)  # fmt: skip
_REQUEST_CHECKS: Final[tuple[Callable[[Evidence], Iterable[Result]], ...]] = (check_system, check_turns, check_tools)


def check_events(evidence: Evidence) -> Iterator[Result]:
    """Each turn's events show the answer that the provider gave."""
    if evidence.key.layer != "chat":
        return
    yield from _join_by_turn(evidence, _EVENT_CHECKS, _thought_rows(evidence))


EVENTS: Final = Check(
    "chat.events", "chat", "MUST", _CORE, "The events of a chat show the answers.", check_events, "response", PLAYED,
    rules=(
        Rule("chat.shown", "MUST", "Text, thoughts, calls and the end of an answer are shown once, whole and in order.",
            _CORE),
    ),
)  # fmt: skip


def check_history(evidence: Evidence) -> Iterator[Result]:
    """Each request holds the conversation so far: nothing is lost, added or reordered, and no call's signature."""
    if evidence.key.layer != "chat":
        return
    yield from _join_by_turn(_without_unshown_parts(evidence), _REQUEST_CHECKS, _signature_rows(evidence))


HISTORY: Final = Check(
    "chat.history", "chat", "MUST", _CORE, "The next request of a chat holds the conversation.", check_history,
    "request",
    rules=(
        Rule("chat.kept", "MUST", "Every message and every answer, without its thoughts, is in the next request, in "
            "order, and nothing else.", _CORE),
        Rule("chat.signed", "MUST", "The signature of each call of an answer is in the next request.", _CORE),
    ),
)  # fmt: skip


def check_native_equals_bridged(evidence: Evidence) -> Iterator[Result]:
    """With the flag on a conversation is what it is with the flag off, over the same answers."""
    off = evidence.flag_off
    if off is None or off.transcript.unanswered or off.transcript.crash:
        return
    turns = max(len(off.client_outcomes), len(evidence.client_outcomes))
    requests = _join_by_turn(_with_requests_of(evidence, off), _REQUEST_CHECKS, {})
    found = {result.turn: list(result.differences) for result in requests}
    omittable = {pair.turn for pair in response_pairs(evidence) if pair.lets_reasoning_be_omitted}
    for turn in range(turns):
        expected, actual = (
            _list_shown(side.client_outcomes[turn]) if turn < len(side.client_outcomes) else {}
            for side in (off, evidence)
        )
        if turn in omittable and not actual.get("thoughts"):
            expected = {**expected, "thoughts": ""}
        yield Result([*differences(expected, actual, "events"), *found.get(turn, [])], turn=turn)
    counts = [len(side.transcript.upstream) for side in (off, evidence)]
    if counts[0] != counts[1]:
        yield Result([Difference("requests", *map(str, counts))], turn=turns - 1)


NATIVE_EQUALS_BRIDGED: Final = Check(
    "chat.native_equals_bridged", "chat", "MUST", BREAKS, "With the flag on a conversation is what it is with the flag "
    "off.", check_native_equals_bridged, "sdk", (*PLAYED, "chat.events", "chat.history"),
    rules=(
        Rule("flag.same_conversation", "MUST", "With the flag on the same events are shown and the same requests sent "
            "as with the flag off.", BREAKS),
    ),
)  # fmt: skip

CHAT_CHECKS: Final = (EVENTS, HISTORY, NATIVE_EQUALS_BRIDGED)


def _join_by_turn(
    evidence: Evidence, checks: Sequence[Callable[[Evidence], Iterable[Result]]], further: dict[int, list[Difference]]
) -> Iterator[Result]:
    """Yield a result a turn: what any of these checks holds against it as a failure, and what is found further."""
    rows: dict[int, list[Difference]] = {turn: [] for turn in range(len(evidence.client_outcomes))}
    for check in checks:
        for result in check(evidence):
            if result.status_at("MUST") == "FAIL":
                rows.setdefault(result.turn, []).extend(result.differences)
    for turn, found in further.items():
        rows.setdefault(turn, []).extend(found)
    for turn, found in rows.items():
        yield Result(found, turn=turn)


def _thought_rows(evidence: Evidence) -> dict[int, list[Difference]]:
    """Return by turn what differs between the thoughts that were sent and those that were shown."""
    rows: dict[int, list[Difference]] = {}
    for pair in error_free_response_pairs(evidence):
        expected, actual = (_letters(choice.reasoning) for choice in (pair.expected.first, pair.actual.first))
        if expected != actual and (actual or not pair.lets_reasoning_be_omitted):
            rows[pair.turn] = [Difference("thoughts", shorten(expected), shorten(actual))]
    return rows


def _letters(thoughts: Sequence[str]) -> str:
    """Return thoughts without spaces and marks of bold, which a chat may set anew."""
    return "".join("".join(thoughts).replace("*", "").split())


def _signature_rows(evidence: Evidence) -> dict[int, list[Difference]]:
    """Return by turn the signatures of calls in earlier answers that its request lacks."""
    rows: dict[int, list[Difference]] = {}
    for turn in range(1, len(evidence.client_outcomes)):
        call = evidence.answering_call_index(turn)
        prompt = evidence.upstream_prompts[call] if 0 <= call < len(evidence.upstream_prompts) else None
        if prompt is None:
            continue
        sent = {part.call.signature for part in _parts(prompt) if isinstance(part, CallPart)}
        earlier = (evidence.answering_call_index(number) for number in range(turn))
        answers = [evidence.upstream_outcomes[number].first for number in earlier if number >= 0]
        rows[turn] = [
            Difference(f"calls.{item.name}.signature", shorten(item.signature), "(absent)")
            for answer in answers
            for item in answer.tool_calls
            if item.signature and item.signature not in sent
        ]
    return rows


def _parts(prompt: Prompt) -> Iterator[Part]:
    return (part for turn in prompt.turns for part in turn.parts)


def _without_unshown_parts(evidence: Evidence) -> Evidence:
    """Return the evidence with requests that hold no thoughts, which a chat does not send, and none of the provider's
    own parts, such as a search that it ran: no event shows them, and they may come back."""
    own = [part for call in evidence.transcript.upstream for part in replayed_parts(call.response)]

    def is_shown(part: Part) -> bool:
        return not isinstance(part, ReasoningPart) and not (isinstance(part, OtherPart) and part in own)

    def leave_out(prompt: Prompt | None) -> Prompt | None:
        if prompt is None:
            return None
        turns = (replace(turn, parts=tuple(filter(is_shown, turn.parts))) for turn in prompt.turns)
        return replace(prompt, turns=tuple(turns))

    return replace(
        evidence,
        client_prompts=tuple(map(leave_out, evidence.client_prompts)),
        upstream_prompts=tuple(map(leave_out, evidence.upstream_prompts)),
    )


def _with_requests_of(evidence: Evidence, off: Evidence) -> Evidence:
    """Return the evidence as if the client had sent what the flag off sent to Gemini."""
    calls = [off.answering_call_index(turn) for turn in range(len(off.client_outcomes))]
    known = min(calls, default=-1) >= 0
    prompts = tuple(off.upstream_prompts[call] for call in calls) if known else ()
    client = tuple(
        replace(interaction, request=off.transcript.upstream[call].request)
        for interaction, call in zip(evidence.transcript.client, calls if known else (), strict=False)
    )
    transcript = replace(evidence.transcript, client=client)
    return _without_unshown_parts(replace(evidence, transcript=transcript, client_prompts=prompts))


def _list_shown(outcome: Outcome) -> dict[str, object]:
    """Return what a person sees of an answer."""
    choice: Choice = outcome.first
    return {
        "text": choice.joined_text, "thoughts": _letters(choice.reasoning), "finish": choice.finish.kind,
        "calls": [[call.name, call.args] for call in choice.tool_calls],
        "error": outcome.error.kind if outcome.error is not None else "",
    }  # fmt: skip
