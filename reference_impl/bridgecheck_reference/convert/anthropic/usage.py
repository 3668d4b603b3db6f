"""Token counts both ways (mapping row R-51). Anthropic counts cached input beside its input, OpenAI within its prompt.

Both count thinking within the output. Absent is not zero, nothing is negative, and nothing is summed over a
stream: Anthropic's counts are cumulative. Sources: https://docs.anthropic.com/en/api/messages (usage),
https://docs.anthropic.com/en/build-with-claude/prompt-caching, stored copies read 2026-11-21; anthropic
2.11.0 ``types.Usage``, openai 3.52.0 ``types.CompletionUsage`` (cache_write_tokens).
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import NOTHING, integer, obj
from bridgecheck_reference.convert.usage import cached_tokens, is_reasoning_outside_completion, reasoning_tokens

_CONVERTED_KEYS: Final = frozenset({"input_tokens", "output_tokens"})
_DETAIL_KEYS: Final = frozenset({"cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens_details"})


def usage_to_openai(usage: JsonObject, *, carry: bool = False) -> JsonObject:
    """Convert Anthropic's usage to OpenAI's. OpenAI requires its three counts: a missing one is 0.

    ``carry``: what OpenAI cannot express stands under ``extra_content.anthropic``.
    """
    read = _count_or_zero_if_negative(usage.get("cache_read_input_tokens"))
    written = _count_or_zero_if_negative(usage.get("cache_creation_input_tokens"))
    prompt = (_count_or_zero_if_negative(usage.get("input_tokens")) or 0) + (read or 0) + (written or 0)
    completion = _count_or_zero_if_negative(usage.get("output_tokens")) or 0
    result: JsonObject = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    _add_openai_details(usage, read, written, result)
    rest = {key: value for key, value in usage.items() if key not in _CONVERTED_KEYS} if carry else NOTHING
    if rest:
        result["extra_content"] = {"anthropic": rest}
    return result


def usage_to_anthropic(usage: JsonObject) -> JsonObject:
    """Convert OpenAI's usage to Anthropic's. Both its counts are required: a missing one is 0.

    Cached tokens that do not fit into the prompt were counted beside it (Grok on Azure, recorded).
    """
    prompt, completion = (
        _count_or_zero_if_negative(usage.get("prompt_tokens")) or 0,
        _count_or_zero_if_negative(usage.get("completion_tokens")) or 0,
    )
    reasoning = reasoning_tokens(usage)
    if reasoning and is_reasoning_outside_completion(prompt, completion, reasoning, integer(usage.get("total_tokens"))):
        completion += reasoning
    details = obj(obj(usage.get("extra_content")).get("anthropic")) or _openai_details_to_anthropic(usage, reasoning)
    cached = sum(
        _count_or_zero_if_negative(details.get(key)) or 0
        for key in ("cache_read_input_tokens", "cache_creation_input_tokens")
    )
    inside = cached if cached <= prompt else 0
    return {"input_tokens": prompt - inside, "output_tokens": completion, **details}


def anthropic_counts_without_openai_field(usage: JsonObject) -> list[str]:
    """Return the members of Anthropic's usage that are not empty and that OpenAI has no field for."""
    return sorted(
        key for key, value in usage.items() if key not in _CONVERTED_KEYS | _DETAIL_KEYS and value not in (None, {})
    )


def _add_openai_details(usage: JsonObject, read: int | None, written: int | None, result: JsonObject) -> None:
    counts = (("cached_tokens", read), ("cache_write_tokens", written))
    details = {key: value for key, value in counts if value is not None}
    if details:
        result["prompt_tokens_details"] = details
    thinking = _count_or_zero_if_negative(obj(usage.get("output_tokens_details")).get("thinking_tokens"))
    if thinking is not None:
        result["completion_tokens_details"] = {"reasoning_tokens": thinking}


def _openai_details_to_anthropic(openai_usage: JsonObject, reasoning: int | None) -> JsonObject:
    """Return the details that an OpenAI host gave, under Anthropic's keys."""
    details: JsonObject = {}
    read, written = _count_or_zero_if_negative(cached_tokens(openai_usage)), _cache_write_tokens(openai_usage)
    if read is not None:
        details["cache_read_input_tokens"] = read
    if written is not None:
        details["cache_creation_input_tokens"] = written
    if reasoning is not None:
        details["output_tokens_details"] = {"thinking_tokens": max(reasoning, 0)}
    return details


def _cache_write_tokens(usage: JsonObject) -> int | None:
    """Return the tokens written to the cache, where OpenAI or hosts of Anthropic's models have them."""
    found = _count_or_zero_if_negative(obj(usage.get("prompt_tokens_details")).get("cache_write_tokens"))
    return _count_or_zero_if_negative(usage.get("cache_creation_input_tokens")) if found is None else found


def _count_or_zero_if_negative(value: object) -> int | None:
    """Return the integer, 0 for a negative one; None if it is none."""
    number = integer(value)
    return None if number is None else max(number, 0)
