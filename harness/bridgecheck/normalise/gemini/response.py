"""Gemini answers -> Outcome: unary, SSE or JSON array, whole or broken, AI Studio or Vertex AI.

Source: https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse (stored copy read 2026-11-21).
"""

import json

from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import integer, obj, text
from bridgecheck.model.outcome import Choice, ErrorInfo, Finish, Outcome, Usage
from bridgecheck.model.prompt import CallPart, MediaPart, Part, ReasoningPart, ResultPart, TextPart
from bridgecheck.normalise import errors, finish
from bridgecheck.normalise.choice import ChoiceBuilder
from bridgecheck.normalise.gemini import parts as gemini_parts
from bridgecheck.normalise.gemini.events import Candidate, Gathered, gather
from bridgecheck.normalise.tree import Fields, other_leaves, without_empty
from bridgecheck.wire import JsonObject


def outcome(response: Response) -> Outcome:
    """Never raises: what cannot be read stands in ``other`` or in ``error``."""
    found = gather(response.documents)
    top = Fields(found.top)
    error = _error(response, top, found)
    usage = _usage(top)
    choices, rests = _choices(found)
    if not choices:
        choices = _blocked(top)
    top.put_back("candidates", without_empty(rests))
    top.put_back("unread", [*top.take_items("unread"), *found.strange])
    return Outcome(
        dialect="gemini",
        choices=choices,
        usage=usage,
        error=error,
        model=top.take_text("modelVersion"),
        response_id=top.take_text("responseId"),
        other=other_leaves(top.rest),
        notes=_notes(found, choices),
    )


def _choices(found: Gathered) -> tuple[tuple[Choice, ...], list[JsonObject]]:
    read = [_choice(index, candidate) for index, candidate in sorted(found.candidates.items())]
    return tuple(choice for choice, _ in read), [rest for _, rest in read]


def _choice(index: int, candidate: Candidate) -> tuple[Choice, JsonObject]:
    builder = ChoiceBuilder(index)
    fields = Fields(candidate.rest)
    rests = [_part(builder, part) for part in candidate.parts]
    content = fields.take_child("content")
    content.drop_expected("role", "model", "")
    content.put_back("parts", without_empty(rests))
    fields.put_back("content", content.rest)
    _cite(builder, fields)
    ended = finish.gemini_finish(fields.take("finishReason"))
    return builder.build(ended), fields.rest


def _part(builder: ChoiceBuilder, raw: object) -> JsonObject:
    """Add one part to the candidate and say what of it found no place."""
    part, signature, rest = gemini_parts.read(raw)
    if isinstance(part, ResultPart):  # an answer holds none; seen in hand-written fixtures
        builder.end_segment()
        return dict(obj(raw))
    if part is not None:
        _add(builder, part, signature)
        return rest | _hints(part)
    fields = Fields(rest)
    if not _code(builder, fields, signature) and rest:
        builder.end_segment()
        fields.put_back("thoughtSignature", signature)
    return fields.rest if isinstance(raw, dict) else {"unread": raw}


def _hints(part: Part) -> JsonObject:
    """What is said of shown media beside it, which has no place in an Outcome."""
    hints = Fields(json.loads(part.detail)) if isinstance(part, MediaPart) and part.detail else Fields(None)
    name = hints.take_text("filename")
    hints.put_back("inlineData", {"displayName": name} if name else {})
    return hints.rest


def _add(builder: ChoiceBuilder, part: Part, signature: str) -> None:
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


def _code(builder: ChoiceBuilder, fields: Fields, signature: str) -> bool:
    """Code the provider wrote and ran; its language, outcome and id are left to be seen."""
    for key, kind, said in (("executableCode", "executable", "code"), ("codeExecutionResult", "result", "output")):
        if fields.has(key):
            value = fields.take_child(key)
            builder.add_code(kind, value.take_text(said), signature)
            fields.put_back(key, value.rest)
            return True
    return False


def _cite(builder: ChoiceBuilder, fields: Fields) -> None:
    for holder, lists in (("citationMetadata", ("citationSources", "citations")), ("groundingMetadata", _CHUNKS)):
        value = fields.take_child(holder)
        for name in lists:
            for citation in value.take_items(name):
                builder.add_citation(citation)
        fields.put_back(holder, value.rest)


_CHUNKS = ("groundingChunks",)


def _blocked(top: Fields) -> tuple[Choice, ...]:
    """A prompt that was blocked before any candidate: one choice that says why."""
    feedback = top.take_child("promptFeedback")
    reason = feedback.take_text("blockReason")
    top.put_back("promptFeedback", feedback.rest)
    return (Choice(finish=Finish(reason, "content_filter")),) if reason else ()


def _usage(top: Fields) -> Usage | None:
    usage = top.take_child("usageMetadata")
    if not usage.rest:
        return None
    said, thoughts = usage.take_integer("candidatesTokenCount"), usage.take_integer("thoughtsTokenCount")
    counted = Usage(
        prompt=usage.take_integer("promptTokenCount"),
        completion=None if said is None and thoughts is None else (said or 0) + (thoughts or 0),
        total=usage.take_integer("totalTokenCount"),
        cached=usage.take_integer("cachedContentTokenCount"),
        reasoning=thoughts,
        tool_prompt=usage.take_integer("toolUsePromptTokenCount"),
    )
    top.put_back("usageMetadata", usage.rest)
    return counted if counted != Usage() else None


def _error(response: Response, top: Fields, found: Gathered) -> ErrorInfo | None:
    if response.status < 400 and not top.has("error"):
        if not found.candidates and (found.strange or found.top) and found.top.keys() <= {"unread"}:
            return errors.error_info(response, (), "nothing of the answer could be read", None, "")
        return errors.error_without_document(response)
    error = top.take_child("error")
    native = error.take_text("status")
    reasons = [text(obj(detail).get("reason")) for detail in _details(error)]
    delay = errors.retry_info_seconds(error.rest.get("details"))
    message = error.take_text("message") or top.take_text("error") or response.text[:500]
    info = errors.error_info(response, [*reasons, native], message, error.rest.get("code"), native)
    if integer(error.rest.get("code")) == info.status:
        error.take("code")
    top.put_back("error", error.rest)
    if info.retry_after is None and delay is not None:
        return ErrorInfo(info.kind, info.message, info.status, info.native, delay)
    return info


def _details(error: Fields) -> list[object]:
    details = error.rest.get("details")
    return details if isinstance(details, list) else []


def _notes(found: Gathered, choices: tuple[Choice, ...]) -> tuple[str, ...]:
    merged = any(len(candidate.parts) > 1 for candidate in found.candidates.values())
    fired = {
        "text.segments": merged and any(choice.text or choice.reasoning for choice in choices),
        "usage.last_non_null": found.usages > 1,
        "no_args": any(not call.args and call.bad_args is None for choice in choices for call in choice.tool_calls),
        "finish.blocked_prompt": bool(choices) and not found.candidates,
    }
    return tuple(name for name, used in fired.items() if used)
