"""Token counts of the Chat dialect, whichever of its places a host uses.

Rule ``usage.xai_reasoning_outside``: where total = prompt + completion + reasoning, reasoning stands outside completion
(api.x.ai, recorded); the normal form has it inside, as OpenAI documents it.
Source: https://platform.openai.com/docs/api-reference/chat/object (stored copy read 2026-11-21).
"""

from bridgecheck.model.jsonvalue import integer
from bridgecheck.model.outcome import Usage
from bridgecheck.normalise.tree import Fields

CACHED = ("cached_tokens", "prompt_cache_hit_tokens", "num_cached_tokens", "cache_read_input_tokens")
"""Where Moonshot, DeepSeek, Z.ai and Anthropic-backed hosts say what ``prompt_tokens_details.cached_tokens`` says."""


def usage(fields: Fields, notes: set[str]) -> Usage | None:
    """The counts, or None if there are none; what is counted nowhere else stays in ``fields.rest``."""
    prompt_details, completion_details = (
        fields.take_child("prompt_tokens_details"),
        fields.take_child("completion_tokens_details"),
    )
    prompt, completion = fields.take_integer("prompt_tokens"), fields.take_integer("completion_tokens")
    total = fields.take_integer("total_tokens")
    reasoning = _first((completion_details, "reasoning_tokens"), (fields, "reasoning_tokens"))
    if prompt is not None and completion is not None and reasoning and total == prompt + completion + reasoning:
        completion += reasoning
        notes.add("usage.xai_reasoning_outside")
    counted = Usage(
        prompt=prompt,
        completion=completion,
        total=total,
        cached=_first((prompt_details, "cached_tokens"), *((fields, name) for name in CACHED)),
        cache_write=_first((prompt_details, "cache_write_tokens"), (fields, "cache_creation_input_tokens")),
        reasoning=reasoning,
    )
    fields.put_back("prompt_tokens_details", prompt_details.rest)
    fields.put_back("completion_tokens_details", completion_details.rest)
    return counted if counted != Usage() else None


def _first(*places: tuple[Fields, str]) -> int | None:
    """The first count given; other places that say the same say nothing more, and one that differs stays."""
    found: int | None = None
    for fields, name in places:
        if found is None:
            found = fields.take_integer(name)
        elif integer(fields.rest.get(name)) == found:
            fields.take(name)
    return found
