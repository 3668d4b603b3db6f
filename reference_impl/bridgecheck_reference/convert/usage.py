"""Token counts of an OpenAI ``usage`` object, wherever hosts put them. Absent is not zero; nothing is summed over the
chunks of a stream.
"""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import integer, obj


def requests_usage(request: JsonObject) -> bool:
    """Return whether a streaming OpenAI request wants the usage chunk."""
    return bool(obj(request.get("stream_options")).get("include_usage"))


def merge_usage(held: JsonObject, new: JsonObject) -> JsonObject:
    """Return the counts of a later chunk over those of an earlier one: per field the last that is not null."""
    if held.keys() <= new.keys() and None not in new.values():
        return new
    return {**held, **{key: value for key, value in new.items() if value is not None}}


def reasoning_tokens(usage: JsonObject) -> int | None:
    """Return the reasoning tokens: in the details, or beside the counts as some hosts have it."""
    nested = integer(obj(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    return integer(usage.get("reasoning_tokens")) if nested is None else nested


def cached_tokens(usage: JsonObject) -> int | None:
    """Return the cached prompt tokens, where OpenAI, DeepSeek, Moonshot or Mistral have them."""
    counts = (
        obj(usage.get("prompt_tokens_details")).get("cached_tokens"),
        usage.get("prompt_cache_hit_tokens"),
        usage.get("cached_tokens"),
        usage.get("num_cached_tokens"),
    )
    return next((count for count in map(integer, counts) if count is not None), None)


def is_reasoning_outside_completion(prompt: int | None, completion: int, reasoning: int, total: int | None) -> bool:
    """Return whether reasoning is counted beside completion, not inside it, by the total or, without one, by its
    size."""
    if total is None or prompt is None:
        return reasoning > completion
    return total == prompt + completion + reasoning
