"""What providers send only to those who ask for it, where the adapter did not ask: no provider would have sent these
bytes to it, so what it makes of them is a matter of robustness and no MUST. That it did not ask although its client did
is judged with the request.

Sources (the SDKs' types, read 2026-11-23): google-genai, ``stream_function_call_arguments`` ("Partial parameter
results will be returned in the FunctionCall.partial_args field. This field is not supported in Gemini API"),
candidate_count, response_logprobs; openai, functions, custom tools, n, logprobs and audio; anthropic, ``fallbacks``,
tools of a type that the server runs.

Thoughts are lowered apart: of an answer with them all but the thoughts is still owed. "includeThoughts: Indicates
whether to include thoughts in the response. If true, thoughts are returned only when available."
(https://ai.google.dev/api/generate-content#ThinkingConfig); "When enabled, responses include thinking content blocks"
(https://docs.anthropic.com/en/api/messages, thinking); 2026-11-23. Claude Sonnet 5 thinks without being asked, and
gives blocks with a signature and an empty text (recorded: pydantic-ai/0194): these are owed."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from bridgecheck.checks.adapter import COMPLETES
from bridgecheck.checks.check import Check
from bridgecheck.checks.expect_wire import EXPECT_WIRE
from bridgecheck.checks.signatures import THINKING_BLOCKS
from bridgecheck.checks.text import TEXT
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.jsonvalue import arr, integer, obj, text
from bridgecheck.model.outcome import Choice, Outcome
from bridgecheck.model.prompt import Prompt
from bridgecheck.model.verdict import Verdict
from bridgecheck.normalise.settings import OFF
from bridgecheck.wire import Dialect, JsonObject

RULE: Final = "unrequested"
_REQUEST_RULES: Final = "upstream_request"
"""How the rule of a literal expectation begins that is about a request."""


@dataclass(frozen=True, slots=True)
class OnRequest:
    """``sends``: whether a document of a response has it. ``asks``: whether a request asks for it."""

    sends: Callable[[JsonObject], bool]
    asks: Callable[[JsonObject], bool]


def lower_what_was_not_requested(check: Check, verdicts: list[Verdict], evidence: Evidence) -> list[Verdict]:
    """Return the verdicts on a response with WARN in place of FAIL where the provider sent what this adapter never
    asked for."""
    if all(verdict.status != "FAIL" for verdict in verdicts):
        return verdicts
    if _differs_by_unrequested_thoughts(check, evidence):
        return [_lower(verdict) if _is_about_text(verdict) else verdict for verdict in verdicts]
    if check.side != "request" and any(_find_unrequested(evidence)):
        return [_lower(verdict) for verdict in verdicts]
    return verdicts


def _differs_by_unrequested_thoughts(check: Check, evidence: Evidence) -> bool:
    """Return whether a check fails for nothing but thoughts that the adapter did not ask for: it crashed on them, lost
    them or put them into the text."""
    are_unrequested = [
        request is not None and _are_thoughts_unrequested(request, outcome)
        for request, outcome in zip(evidence.upstream_prompts, evidence.upstream_outcomes, strict=False)
    ]
    if not any(are_unrequested):
        return False
    if check is THINKING_BLOCKS:
        return all(
            is_unrequested or not any(choice.reasoning for choice in outcome.choices)
            for outcome, is_unrequested in zip(evidence.upstream_outcomes, are_unrequested, strict=False)
        )
    if check.side == "request":
        return False
    if check is COMPLETES:
        return bool(evidence.transcript.crash)
    without = _without_thoughts(evidence, are_unrequested)
    if check is EXPECT_WIRE:
        is_text_equal = [choice.joined_text for outcome in without.client_outcomes for choice in outcome.choices] == [
            choice.joined_text for outcome in evidence.client_outcomes for choice in outcome.choices
        ]
        return not is_text_equal and all(verdict.status != "FAIL" for verdict in TEXT.judge(without))
    return all(verdict.status != "FAIL" for verdict in check.judge(without))


_TEXT_PATH: Final = re.compile(r"\b(content|parts|text)\b")


def _is_about_text(verdict: Verdict) -> bool:
    """Return whether a literal expectation is about the text of an answer; what another check says is."""
    if verdict.check != EXPECT_WIRE.id:
        return True
    return all(_TEXT_PATH.search(row.path) for row in verdict.differences)


def _are_thoughts_unrequested(request: Prompt, outcome: Outcome) -> bool:
    has_text = any("".join(choice.reasoning) for choice in outcome.choices)
    if outcome.dialect not in ("gemini", "anthropic") or not has_text:
        return False
    if request.thinking is None or request.thinking == OFF:
        return True
    return outcome.dialect == "gemini" and not request.thinking.include


def _without_thoughts(evidence: Evidence, are_unrequested: list[bool]) -> Evidence:
    """Return the case with unrequested thoughts taken out of what the provider sent and of what the client received."""
    clients = list(evidence.client_outcomes)
    for turn, outcome in enumerate(clients):
        at = evidence.answering_call_index(turn)
        if 0 <= at < len(are_unrequested) and are_unrequested[at]:
            by_index = {choice.index: choice for choice in evidence.upstream_outcomes[at].choices}
            choices = (_take_out(choice, by_index.get(choice.index, Choice())) for choice in outcome.choices)
            clients[turn] = replace(outcome, choices=tuple(choices))
    upstream = (
        replace(outcome, choices=tuple(map(_drop_reasoning, outcome.choices))) if is_unrequested else outcome
        for outcome, is_unrequested in zip(evidence.upstream_outcomes, are_unrequested, strict=False)
    )
    return replace(evidence, client_outcomes=tuple(clients), upstream_outcomes=tuple(upstream))


def _drop_reasoning(choice: Choice) -> Choice:
    order = tuple(item for item in choice.order if item[0] != "reasoning")
    signatures = tuple(item for item in choice.signatures if not item[0].startswith("reasoning:"))
    return replace(choice, reasoning=(), order=order, signatures=signatures)


def _take_out(actual: Choice, expected: Choice) -> Choice:
    """Return what the client received without the thoughts of the expected choice: with its text where that is all
    that is left."""
    without, sent = _drop_reasoning(actual), _drop_reasoning(expected)
    left = actual.joined_text
    for thought in expected.reasoning:
        left = re.sub(_TAG + re.escape(thought.strip()) + _END_TAG, "", left, count=1)
    if actual.text == sent.text or left.strip() != sent.joined_text.strip():
        return without
    return replace(without, text=sent.text, order=sent.order)


_TAG: Final = r"(?:<think(?:ing)?>)?\s*"
_END_TAG: Final = r"\s*(?:</think(?:ing)?>)?"


def _lower(verdict: Verdict) -> Verdict:
    is_of_request = verdict.check == "expect.prompt" or (verdict.rules and verdict.rules[0].startswith(_REQUEST_RULES))
    if verdict.status != "FAIL" or is_of_request:
        return verdict
    return replace(verdict, status="WARN", rules=(*verdict.rules, RULE))


def _find_unrequested(evidence: Evidence) -> Iterator[bool]:
    for call in evidence.transcript.upstream:
        if call.request is not None:
            documents = [obj(document) for document in call.response.documents]
            for feature in _ON_REQUEST.get(call.response.dialect, ()):
                yield not feature.asks(call.request.body) and any(map(feature.sends, documents))


def _gemini_parts(document: JsonObject) -> Iterator[JsonObject]:
    for candidate in arr(document.get("candidates")):
        yield from map(obj, arr(obj(obj(candidate).get("content")).get("parts")))


def _gemini_calls(document: JsonObject) -> Iterator[JsonObject]:
    return (obj(part.get("functionCall")) for part in _gemini_parts(document))


def _asks_for_partial_arguments(body: JsonObject) -> bool:
    tool_config = obj(body.get("toolConfig") or body.get("tool_config"))
    calling = obj(tool_config.get("functionCallingConfig") or tool_config.get("function_calling_config"))
    return bool(calling.get("streamFunctionCallArguments") or calling.get("stream_function_call_arguments"))


def _asks_in_config(body: JsonObject, *names: str) -> bool:
    config = obj(body.get("generationConfig") or body.get("generation_config"))
    return any(config.get(name) for name in names)


def _chat_messages(document: JsonObject) -> Iterator[JsonObject]:
    for choice in arr(document.get("choices")):
        yield obj(obj(choice).get("message") or obj(choice).get("delta"))


def _counts_in_the_middle(document: JsonObject) -> bool:
    """Return whether a chunk before the finish has counts: hosts send them, OpenAI's are null there."""
    choices = [obj(choice) for choice in arr(document.get("choices"))]
    return bool(obj(document.get("usage"))) and any(
        "delta" in choice and choice.get("finish_reason") is None for choice in choices
    )


def _has_custom_call(document: JsonObject) -> bool:
    calls = (obj(call) for message in _chat_messages(document) for call in arr(message.get("tool_calls")))
    return any(text(call.get("type")) == "custom" for call in calls)


def _has_fallback(document: JsonObject) -> bool:
    blocks = [document.get("content_block"), *arr(document.get("content"))]
    return any(text(obj(block).get("type")) == "fallback" for block in blocks)


def _has_code(document: JsonObject) -> bool:
    return any("executableCode" in part or "codeExecutionResult" in part for part in _gemini_parts(document))


def _has_tool_of_server(document: JsonObject) -> bool:
    blocks = [document.get("content_block"), *arr(document.get("content"))]
    return any(text(obj(block).get("type")) == "server_tool_use" for block in blocks)


def _has_second_choice(document: JsonObject) -> bool:
    choices = [*arr(document.get("choices")), *arr(document.get("candidates"))]
    return any((integer(obj(choice).get("index")) or 0) > 0 for choice in choices)


_ON_REQUEST: Final[Mapping[Dialect, tuple[OnRequest, ...]]] = {
    "gemini": (
        OnRequest(
            lambda document: any("partialArgs" in call or "willContinue" in call for call in _gemini_calls(document)),
            _asks_for_partial_arguments,
        ),
        OnRequest(_has_second_choice, lambda body: _asks_in_config(body, "candidateCount", "candidate_count")),
        OnRequest(
            _has_code,
            lambda body: any({"codeExecution", "code_execution"} & obj(tool).keys() for tool in arr(body.get("tools"))),
        ),
        OnRequest(
            lambda document: any("logprobsResult" in obj(choice) for choice in arr(document.get("candidates"))),
            lambda body: _asks_in_config(body, "responseLogprobs", "response_logprobs"),
        ),
    ),
    "openai-chat": (
        OnRequest(
            _counts_in_the_middle,
            lambda body: bool(obj(body.get("stream_options")).get("continuous_usage_stats")),
        ),
        OnRequest(
            lambda document: any(message.get("function_call") for message in _chat_messages(document)),
            lambda body: bool(body.get("functions")),
        ),
        OnRequest(
            _has_custom_call,
            lambda body: any(text(obj(tool).get("type")) == "custom" for tool in arr(body.get("tools"))),
        ),
        OnRequest(_has_second_choice, lambda body: bool(body.get("n"))),
        OnRequest(
            lambda document: any(obj(choice).get("logprobs") for choice in arr(document.get("choices"))),
            lambda body: bool(body.get("logprobs")),
        ),
        OnRequest(
            lambda document: any(message.get("audio") for message in _chat_messages(document)),
            lambda body: bool(body.get("audio")),
        ),
    ),
    "anthropic": (
        OnRequest(_has_fallback, lambda body: bool(body.get("fallbacks"))),
        OnRequest(
            _has_tool_of_server,
            lambda body: any(text(obj(tool).get("type")) not in ("", "custom") for tool in arr(body.get("tools"))),
        ),
    ),
}
