"""What providers send only to those who ask for it, where the adapter did not ask: no provider would have sent these
bytes to it, so what it makes of them is a matter of robustness and no MUST. That it did not ask although its client did
is judged with the request.

Sources (the SDKs' types, read 2026-11-23): google-genai, ``stream_function_call_arguments`` ("Partial parameter
results will be returned in the FunctionCall.partial_args field. This field is not supported in Gemini API"),
candidate_count, response_logprobs; openai, functions, custom tools, n, logprobs and audio; anthropic, ``fallbacks``,
tools of a type that the server runs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from bridgecheck.checks.check import Check
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.jsonvalue import arr, integer, obj, text
from bridgecheck.model.verdict import Verdict
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
    if check.side == "request" or all(verdict.status != "FAIL" for verdict in verdicts):
        return verdicts
    if not any(_find_unrequested(evidence)):
        return verdicts
    return [_lower(verdict) for verdict in verdicts]


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
