"""Token counts between Gemini's usageMetadata and OpenAI's usage (mapping row R-12).

OpenAI's prompt_tokens include cached input and completion_tokens include reasoning; Gemini counts thoughts and tool-use
prompts beside them. Hosts that count reasoning outside completion (xAI) are recognised by their own sum. Source:
https://ai.google.dev/api/generate-content#UsageMetadata (stored copy read 2026-11-21).
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import NOTHING, arr, integer, obj, objs, text, unknown_nonempty_members
from bridgecheck_reference.convert.usage import (
    cached_tokens,
    is_reasoning_outside_completion,
    merge_usage,
    reasoning_tokens,
)

_CONVERTED_GEMINI_KEYS: Final[frozenset[str]] = frozenset({
    "promptTokenCount", "candidatesTokenCount", "totalTokenCount", "thoughtsTokenCount", "cachedContentTokenCount",
    "toolUsePromptTokenCount", "extraContent",
})  # fmt: skip

_CONVERTED_OPENAI_KEYS: Final[frozenset[str]] = frozenset({"prompt_tokens", "completion_tokens", "total_tokens"})


def merge_gemini_usage(held: JsonObject, new: JsonObject) -> JsonObject:
    """Return the counts of a later event over those of an earlier one.

    A later total that the earlier count of candidates contradicts replaces that count, if the event gives none.
    """
    merged = merge_usage(held, new)
    candidates, total = integer(held.get("candidatesTokenCount")), integer(new.get("totalTokenCount"))
    prompt = integer(merged.get("promptTokenCount"))
    if candidates is None or total is None or prompt is None or new.get("candidatesTokenCount") is not None:
        return merged
    separate = sum(integer(merged.get(key)) or 0 for key in ("toolUsePromptTokenCount", "thoughtsTokenCount"))
    if total in (prompt + candidates, prompt + candidates + separate):
        return merged
    return {**merged, "candidatesTokenCount": max(total - prompt - separate, 0)}


def usage_to_openai(usage: JsonObject, *, carry: bool = False) -> JsonObject:
    """Convert usageMetadata to usage. OpenAI requires its three counts: one that does not follow from the rest is 0."""
    prompt = integer(usage.get("promptTokenCount"))
    candidates = integer(usage.get("candidatesTokenCount"))
    thoughts = integer(usage.get("thoughtsTokenCount"))
    total = integer(usage.get("totalTokenCount"))
    tool_prompt = integer(usage.get("toolUsePromptTokenCount"))
    prompt_total = (prompt or 0) + (tool_prompt or 0)
    if candidates is None and thoughts is None and total is not None and prompt is not None:
        candidates = max(total - prompt_total, 0)
    completion_total = (candidates or 0) + (thoughts or 0)
    result: JsonObject = {
        "prompt_tokens": prompt_total,
        "completion_tokens": completion_total,
        "total_tokens": prompt_total + completion_total if total is None else total,
    }
    _gemini_prompt_details_to_openai(usage, result)
    if thoughts is not None:
        result["completion_tokens_details"] = {"reasoning_tokens": thoughts}
    rest = _unconverted_gemini_counts(usage, tool_prompt) if carry else NOTHING
    if rest:
        result["extra_content"] = {"google": rest}
    result.update(obj(obj(usage.get("extraContent")).get("openai")))
    return result


def usage_to_gemini(usage: JsonObject, *, carry_openai_members: bool = False) -> JsonObject:
    """Convert usage to usageMetadata. A missing count is omitted; none is ever negative."""
    prompt = integer(usage.get("prompt_tokens"))
    completion = integer(usage.get("completion_tokens"))
    total = integer(usage.get("total_tokens"))
    reasoning = reasoning_tokens(usage)
    cached = cached_tokens(usage)
    if (
        completion is not None
        and reasoning
        and not is_reasoning_outside_completion(prompt, completion, reasoning, total)
    ):
        reasoning = min(reasoning, completion)
        completion -= reasoning
    extra = obj(usage.get("extra_content"))
    native = obj(extra.get("google"))
    tool_prompt = integer(native.get("toolUsePromptTokenCount"))
    if prompt is not None and tool_prompt is not None and prompt >= tool_prompt:
        prompt -= tool_prompt
    counts: JsonObject = {
        "promptTokenCount": prompt,
        "cachedContentTokenCount": cached,
        "candidatesTokenCount": completion,
        "thoughtsTokenCount": reasoning,
        "totalTokenCount": total,
    }
    result = {key: value for key, value in counts.items() if value is not None}
    result.update((key, value) for key, value in native.items() if key != "absent")
    for key in arr(native.get("absent")):
        result.pop(text(key), None)
    rest = unknown_nonempty_members(usage, _CONVERTED_OPENAI_KEYS) if carry_openai_members else NOTHING
    if rest:
        result["extra_content"] = {"openai": rest}
    return result


def gemini_counts_without_openai_field(usage: JsonObject) -> list[str]:
    """Return the members of usageMetadata that a full usage object has no field for."""
    return sorted(unknown_nonempty_members(usage, _CONVERTED_GEMINI_KEYS | {"promptTokensDetails"}))


def _gemini_prompt_details_to_openai(gemini_usage: JsonObject, openai_usage: JsonObject) -> None:
    cached = integer(gemini_usage.get("cachedContentTokenCount"))
    audio = next(
        (
            integer(item.get("tokenCount"))
            for item in objs(gemini_usage.get("promptTokensDetails"))
            if item.get("modality") == "AUDIO"
        ),
        None,
    )
    details = {key: value for key, value in (("cached_tokens", cached), ("audio_tokens", audio)) if value is not None}
    if details:
        openai_usage["prompt_tokens_details"] = details


def _unconverted_gemini_counts(usage: JsonObject, tool_prompt: int | None) -> JsonObject:
    """Return leaves that OpenAI's usage cannot express, and which of its required counts Gemini did not give."""
    rest = dict(unknown_nonempty_members(usage, _CONVERTED_GEMINI_KEYS))
    if tool_prompt is not None:
        rest["toolUsePromptTokenCount"] = tool_prompt
    absent = [key for key in ("promptTokenCount", "candidatesTokenCount", "totalTokenCount") if key not in usage]
    if absent:
        rest["absent"] = absent
    return rest
