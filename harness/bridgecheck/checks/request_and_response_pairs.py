"""What checks look at: one turn of a case that was answered, from the side of the response or of the request."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from bridgecheck import normalise
from bridgecheck.compare.loss_row import Side
from bridgecheck.compare.losses import Ends
from bridgecheck.compare.names import find_renamed_functions, restore_names_in_outcome, restore_names_in_prompt
from bridgecheck.compare.rewrites import canonical_with_rules
from bridgecheck.model.evidence import UNMODELLED, Evidence
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.express import finish_without_place
from bridgecheck.model.jsonvalue import arr, obj, objs
from bridgecheck.model.outcome import Choice, ErrorInfo, FinishClass, Outcome
from bridgecheck.model.prompt import Part, Prompt
from bridgecheck.normalise.errors import retry_after_seconds
from bridgecheck.wire import JsonObject

MAY_END_IN_ERROR: Final[frozenset[FinishClass]] = frozenset({"incomplete", "malformed_call", "error", "other"})
"""Finish classes that an adapter may report to its client as an error."""


@dataclass(frozen=True, slots=True)
class ResponsePair:
    """The response of one turn: ``expected`` as the provider sent it, ``actual`` as the client received it.
    ``upstream_model``: the model that the adapter requested, "" if its request is not known. ``is_of_library``: whether
    the client called a library, whose failures are exceptions, and which no official SDK stands between."""

    turn: int
    expected: Outcome
    actual: Outcome
    ends: Ends
    client_prompt: Prompt | None
    upstream_response: Response
    client_response: Response
    upstream_model: str = ""
    is_of_library: bool = False

    @property
    def either_has_error(self) -> bool:
        """Whether either end has an error: then the rest is compared by what was delivered before it."""
        return self.expected.error is not None or self.actual.error is not None

    @property
    def allows_error(self) -> bool:
        """Whether the client may receive an error: the provider sent one, sent nothing, or ended in a way that no
        client should take for success."""
        if self.expected.error is not None or not self.expected.choices:
            return True
        return any(
            choice.finish.kind in MAY_END_IN_ERROR or any(call.bad_args is not None for call in choice.tool_calls)
            for choice in self.expected.choices
        )

    @property
    def raises_named_stop(self) -> bool:
        """Whether a library raises for an answer that the provider's filter stopped, or that reached a limit with
        nothing in it, and its error says so: its caller can tell what happened."""
        error = self.actual.error
        if not self.is_of_library or error is None or self.allows_error:
            return False
        return all(_is_stop_named(choice, error) for choice in self.expected.choices)

    @property
    def has_retry_hint_of_client(self) -> bool:
        """Whether the provider's hint when to try again needs no conversion: it is in a header, which HTTP defines for
        all, or nothing is converted between the dialects."""
        return self.ends.origin == self.ends.target or retry_after_seconds(self.upstream_response.headers) is not None

    @property
    def counts_thoughts_beside_completion(self) -> bool:
        """Whether a library keeps Gemini's own meaning of completion, the candidates without the thoughts, and gives
        the thoughts' count beside it: its caller can add them."""
        expected, actual = self.expected.usage, self.actual.usage
        if (self.ends.origin, self.ends.target) != ("gemini", "outcome") or expected is None or actual is None:
            return False
        if expected.completion is None or not expected.reasoning:
            return False
        separate = (expected.completion - expected.reasoning, expected.reasoning)
        return (actual.completion or 0, actual.reasoning) == separate

    @property
    def lets_reasoning_be_omitted(self) -> bool:
        """Whether the text of reasoning is nothing that the client has to receive: it did not ask for any, and the
        provider speaks another dialect. Gemini gives thoughts only with includeThoughts, Anthropic thinking only with
        ``thinking``, Chat no reasoning at all.

        Sources: https://ai.google.dev/gemini-api/docs/thinking, https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking
        (2026-11-22)."""
        if self.ends.origin == self.ends.target or self.client_prompt is None:
            return False
        thinking = self.client_prompt.thinking
        return thinking is None or (self.ends.target == "gemini" and not thinking.include)

    def class_by_native_word(self, expected: Choice, actual: Choice) -> FinishClass:
        """Return the class of the finish that the client received: by the provider's own word, in either case, where a
        library passes that on and has no class of its own for it."""
        word = actual.finish.native.casefold()
        is_native = bool(word) and word == expected.finish.native.casefold() and self.ends.target == "outcome"
        return (
            expected.finish.kind if is_native and actual.finish.kind in ("incomplete", "other") else actual.finish.kind
        )

    def has_no_place_for_finish(self, choice: Choice) -> bool:
        """Return whether what the client received tells no reason for the end of a choice, as the library's own types,
        or those of its pieces of a stream, have no place for one."""
        is_silent = choice.finish.kind == "incomplete" and not choice.finish.native
        is_declared = bool(finish_without_place(self.client_response.mode, self.ends.inexpressible))
        says_broken_off = any(obj(document).get("finish") for document in self.client_response.documents)
        return is_silent and is_declared and not says_broken_off and self.actual.error is None

    @property
    def choice_pairs(self) -> Iterator[tuple[Choice, Choice]]:
        """(expected, actual) choices of one index; an empty choice where one end has none."""
        expected = {choice.index: choice for choice in self.expected.choices}
        actual = {choice.index: choice for choice in self.actual.choices}
        for index in sorted({*expected, *actual}):
            if index == 0 or (index in expected and index in actual):
                yield expected.get(index) or Choice(index), actual.get(index) or Choice(index)

    def path_in_choice(self, choice: Choice, channel: str) -> str:
        """Return the path of a channel, with the index of the choice where the provider sent several."""
        return channel if len(self.expected.choices) <= 1 else f"choices[{choice.index}].{channel}"


_POLICY: Final = re.compile(r"\b(safety|polic(y|ies)|blocked|prohibited|content[ _-]?filter(ed)?)\b")
"""What the text of an error says of an answer that was stopped by policy."""


def _is_stop_named(choice: Choice, error: ErrorInfo) -> bool:
    """Return whether an error names the reason why an answer was stopped that a library may raise."""
    message = f"{error.native} {error.message}".lower()
    has_native = bool(choice.finish.native) and choice.finish.native.lower() in message
    if choice.finish.kind == "content_filter":
        return has_native or error.kind == "content" or _POLICY.search(message) is not None
    is_empty = not (choice.joined_text or choice.tool_calls or choice.media or choice.code or choice.refusal)
    return has_native and is_empty and choice.finish.kind == "length"


@dataclass(frozen=True)
class RequestPair:
    """The request of one turn: ``expected`` as the client made it, ``actual`` as the adapter sent it; both also in
    canonical form. ``answered_turns``: how many turns before it the adapter has answered, so that its history holds
    what the adapter made of the provider's answers; 0 where they stand in it as they were recorded."""

    turn: int
    expected: Prompt
    actual: Prompt
    ends: Ends
    client_request: Request
    upstream_request: Request
    answered_turns: int

    @cached_property
    def expected_canonical(self) -> tuple[Prompt, tuple[str, ...]]:
        """The canonical form of ``expected`` and the rewrites that led there, cached for several checks."""
        return canonical_with_rules(self.expected)

    @cached_property
    def actual_canonical(self) -> tuple[Prompt, tuple[str, ...]]:
        """The same of ``actual``."""
        return canonical_with_rules(self.actual)


@lru_cache(maxsize=2)
def response_pairs(evidence: Evidence) -> tuple[ResponsePair, ...]:
    """Return the answered turns whose client stayed to the end, once per case. None where the adapter called what the
    cassette does not hold: there the client's response does not depend on the provider's."""
    return tuple(_find_response_pairs(evidence))


def _find_response_pairs(evidence: Evidence) -> Iterator[ResponsePair]:
    if evidence.transcript.misses:
        return
    client, upstream = evidence.transcript.client, evidence.transcript.upstream
    is_of_library = evidence.key.client == "outcome" or (evidence.key.layer == "sdk" and not evidence.through_sdk)
    for turn, (outcome, interaction) in enumerate(zip(evidence.client_outcomes, client, strict=False)):
        call = evidence.answering_call_index(turn)
        if not 0 <= call < min(len(evidence.upstream_outcomes), len(upstream)):
            continue
        if interaction.response.end == "client_closed" or turn in evidence.transcript.unanswered:
            continue
        client_prompt = evidence.client_prompts[turn] if turn < len(evidence.client_prompts) else None
        upstream_prompt = evidence.upstream_prompts[call] if call < len(evidence.upstream_prompts) else None
        names = find_renamed_functions(client_prompt, upstream_prompt) if client_prompt and upstream_prompt else {}
        yield ResponsePair(
            turn, restore_names_in_outcome(evidence.upstream_outcomes[call], names), outcome,
            case_ends(evidence, "response"), client_prompt, upstream[call].response, interaction.response,
            upstream_prompt.model if upstream_prompt is not None else "", is_of_library,
        )  # fmt: skip


def case_ends(evidence: Evidence, side: Side) -> Ends:
    """Return origin and target of the responses or of the requests of a case."""
    client, upstream = evidence.key.client, evidence.key.upstream
    origin, target = (client, upstream) if side == "request" else (upstream, client)
    return Ends(side, origin, target, evidence.pivot, evidence.inexpressible)


def error_free_response_pairs(evidence: Evidence) -> Iterator[ResponsePair]:
    """Return the answered turns without an error on either end."""
    return (pair for pair in response_pairs(evidence) if not pair.either_has_error)


@lru_cache(maxsize=2)
def request_pairs(evidence: Evidence) -> tuple[RequestPair, ...]:
    """Return the turns whose request is known on both ends, whatever became of their answers, once per case."""
    return tuple(_find_request_pairs(evidence))


def _find_request_pairs(evidence: Evidence) -> Iterator[RequestPair]:
    client, upstream = evidence.transcript.client, evidence.transcript.upstream
    for turn, (expected, interaction) in enumerate(zip(evidence.client_prompts, client, strict=False)):
        call = evidence.answering_call_index(turn)
        if expected is None or not 0 <= call < min(len(evidence.upstream_prompts), len(upstream)):
            continue
        actual, client_request, upstream_request = (
            evidence.upstream_prompts[call], interaction.request, upstream[call].request
        )  # fmt: skip
        if actual is not None and client_request is not None and upstream_request is not None:
            actual = restore_names_in_prompt(actual, find_renamed_functions(expected, actual))
            ends = case_ends(evidence, "request")
            answered = turn if is_made_of_received_answers(evidence, turn) else 0
            yield RequestPair(turn, expected, actual, ends, client_request, upstream_request, answered)


def has_only_unmodelled_misses(evidence: Evidence) -> bool:
    """Return whether every call that the cassette lacks went to an endpoint that bridgecheck does not model: then
    nothing is known of the adapter."""
    misses = evidence.transcript.misses
    return bool(misses) and all(miss.startswith(UNMODELLED) for miss in misses)


def is_made_of_received_answers(evidence: Evidence, turn: int) -> bool:
    """Return whether the client had every answer of the adapter's that a history up to this turn can hold."""
    transcript = evidence.transcript
    return turn not in transcript.recorded_history and min(transcript.unanswered, default=turn) >= turn


def last_turn(evidence: Evidence) -> int:
    """Return the number of the scenario's last turn, which a conversation that stopped has not reached."""
    stated = len(evidence.scenario.turns) if evidence.scenario is not None else 0
    return max(stated, len(evidence.client_outcomes)) - 1


def is_turn_answered(evidence: Evidence, turn: int) -> bool:
    """Return whether the response of a turn is the adapter's, made from a recorded answer."""
    transcript = evidence.transcript
    return not transcript.misses and turn < len(transcript.client) and turn not in transcript.unanswered


def replayed_parts(response: Response) -> tuple[Part, ...]:
    """Return a provider's response as the part of a history that it becomes: part by part, nothing joined."""
    dialect = response.dialect
    if response.mode == "stream":
        document = normalise.fold(dialect, response.documents)
    else:
        document = obj(response.documents[0]) if response.documents else {}
    body: JsonObject = {"messages": [{"role": "assistant", "content": arr(document.get("content"))}]}
    if dialect == "gemini":
        body = {"contents": [obj(next(objs(document.get("candidates")), {}).get("content"))]}
    elif dialect == "openai-chat":
        body = {"messages": [obj(next(objs(document.get("choices")), {}).get("message"))]}
    turns = normalise.request(Request(dialect, "unary", body, "")).turns
    return turns[0].parts if turns else ()
