"""Gemini answers -> Outcome: unary, SSE or JSON array, whole or broken, AI Studio or Vertex AI.

Source: https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse (stored copy read 2026-11-21)."""

import json

from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import arr, integer, obj, text
from bridgecheck.model.outcome import Choice, ErrorInfo, Finish, Outcome, Usage
from bridgecheck.model.prompt import CallPart, MediaPart, Part, ReasoningPart, ResultPart, TextPart
from bridgecheck.normalise import errors, finish
from bridgecheck.normalise.choice import ChoiceBuilder
from bridgecheck.normalise.gemini import parts as gemini_parts
from bridgecheck.normalise.gemini.stream import Candidate, CollectedResponse, collect_events
from bridgecheck.normalise.tree import Fields, non_empty_rests, other_leaves
from bridgecheck.wire import JsonObject


def read_response(response: Response) -> Outcome:
    """Return the response in normal form; never raises: what cannot be read stands in ``other`` or in ``error``."""
    collected = collect_events(response.documents)
    top = Fields(collected.top)
    error = _read_error(response, top, collected)
    usage = _read_usage(top)
    read = [_read_choice(index, candidate) for index, candidate in sorted(collected.candidates.items())]
    choices = tuple(choice for choice, _ in read) or _blocked_prompt_choice(top)
    top.put_back("candidates", non_empty_rests(rest for _, rest in read))
    top.put_back("unread", [*top.take_list("unread"), *collected.unread])
    return Outcome(
        dialect="gemini", choices=choices, usage=usage, error=error, model=top.take_text("modelVersion"),
        response_id=top.take_text("responseId"), other=other_leaves(top.rest),
        notes=_find_rules_that_changed_something(collected, choices),
    )  # fmt: skip


def _read_choice(index: int, candidate: Candidate) -> tuple[Choice, JsonObject]:
    builder = ChoiceBuilder(index)
    fields = Fields(candidate.rest)
    unread_parts = [_read_part(builder, part) for part in candidate.parts]
    content = fields.take_child("content")
    content.drop_expected("role", "model", "")
    content.put_back("parts", non_empty_rests(unread_parts))
    fields.put_back("content", content.rest)
    _read_citations(builder, fields)
    finish_reason = finish.gemini_finish(fields.take("finishReason"))
    return builder.build(finish_reason), fields.rest


def _read_part(builder: ChoiceBuilder, raw: object) -> JsonObject:
    """Add one part to the candidate and return its unread fields."""
    part, signature, rest = gemini_parts.read_part(raw)
    if isinstance(part, ResultPart):  # an answer holds none; seen in hand-written fixtures
        builder.end_segment()
        return dict(obj(raw))
    if part is not None:
        _add_part(builder, part, signature)
        return rest | _unread_hints(part)
    fields = Fields(rest)
    if not _read_code(builder, fields, signature) and rest:
        builder.end_segment()
        fields.put_back("thoughtSignature", signature)
    return fields.rest if isinstance(raw, dict) else {"unread": raw}


def _unread_hints(part: Part) -> JsonObject:
    """Return hints beside media (file name, detail), which have no field in an Outcome."""
    hints = Fields(json.loads(part.detail)) if isinstance(part, MediaPart) and part.detail else Fields(None)
    name = hints.take_text("filename")
    hints.put_back("inlineData", {"displayName": name} if name else {})
    return hints.rest


def _add_part(builder: ChoiceBuilder, part: Part, signature: str) -> None:
    if isinstance(part, ReasoningPart):
        builder.add_reasoning(part.text, signature)
    elif isinstance(part, TextPart):
        builder.add_text(part.text, signature)
    elif isinstance(part, CallPart):
        builder.add_call(part.call)
    elif isinstance(part, MediaPart):
        builder.add_media(part.media, signature)
    else:
        builder.end_segment()


def _read_code(builder: ChoiceBuilder, fields: Fields, signature: str) -> bool:
    """Add code that the provider wrote and ran, and return whether it is code; language, outcome and id are left."""
    kinds = (("executableCode", "executable", "code"), ("codeExecutionResult", "result", "output"))
    for key, kind, key_of_text in kinds:
        if fields.has(key):
            with fields.child(key) as value:
                builder.add_code(kind, value.take_text(key_of_text), signature)
            return True
    return False


def _read_citations(builder: ChoiceBuilder, fields: Fields) -> None:
    holders = (("citationMetadata", ("citationSources", "citations")), ("groundingMetadata", ("groundingChunks",)))
    for holder, lists in holders:
        with fields.child(holder) as value:
            for citation in (item for name in lists for item in value.take_list(name)):
                builder.add_citation(citation)


def _blocked_prompt_choice(top: Fields) -> tuple[Choice, ...]:
    """Return one choice with the reason for a prompt that was blocked before any candidate."""
    with top.child("promptFeedback") as feedback:
        reason = feedback.take_text("blockReason")
    return (Choice(finish=Finish(reason, "content_filter")),) if reason else ()


def _read_usage(top: Fields) -> Usage | None:
    usage = top.take_child("usageMetadata")
    if not usage.rest:
        return None
    candidates, thoughts = usage.take_integer("candidatesTokenCount"), usage.take_integer("thoughtsTokenCount")
    counted = Usage(
        prompt=usage.take_integer("promptTokenCount"),
        completion=None if candidates is None and thoughts is None else (candidates or 0) + (thoughts or 0),
        total=usage.take_integer("totalTokenCount"),
        cached=usage.take_integer("cachedContentTokenCount"),
        reasoning=thoughts,
        tool_prompt=usage.take_integer("toolUsePromptTokenCount"),
    )
    top.put_back("usageMetadata", usage.rest)
    return counted if counted != Usage() else None


def _read_error(response: Response, top: Fields, collected: CollectedResponse) -> ErrorInfo | None:
    if response.status < 400 and not top.has("error"):
        if not collected.candidates and (collected.unread or collected.top) and collected.top.keys() <= {"unread"}:
            return errors.error_info(response, (), "nothing of the answer could be read", None, "")
        return errors.error_without_document(response)
    error = top.take_child("error")
    native = error.take_text("status")
    reasons = [text(obj(detail).get("reason")) for detail in arr(error.rest.get("details"))]
    delay = errors.retry_info_seconds(error.rest.get("details"))
    message = error.take_text("message") or top.take_text("error") or response.text[:500]
    info = errors.error_info(response, [*reasons, native], message, error.rest.get("code"), native)
    if integer(error.rest.get("code")) == info.status:
        error.take("code")
    top.put_back("error", error.rest)
    if info.retry_after is None and delay is not None:
        return ErrorInfo(info.kind, info.message, info.status, info.native, delay)
    return info


def _find_rules_that_changed_something(collected: CollectedResponse, choices: tuple[Choice, ...]) -> tuple[str, ...]:
    merged = any(len(candidate.parts) > 1 for candidate in collected.candidates.values())
    applied = {
        "text.segments": merged and any(choice.text or choice.reasoning for choice in choices),
        "usage.last_non_null": collected.usage_count > 1,
        "no_args": any(not call.args and call.bad_args is None for choice in choices for call in choice.tool_calls),
        "finish.blocked_prompt": bool(choices) and not collected.candidates,
    }
    return tuple(name for name, used in applied.items() if used)
