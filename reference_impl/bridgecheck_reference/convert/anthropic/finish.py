"""Anthropic's stop reasons and OpenAI's finish reasons, one table for each direction (mapping row R-50).

Every word has a counterpart: an unknown one becomes a plain end, with the word beside it and a loss. Sources:
https://docs.anthropic.com/en/api/handling-stop-reasons and
https://platform.openai.com/docs/api-reference/chat/object, stored copies read 2026-11-21; anthropic 2.11.0
``types.StopReason``. Words of hosts that speak OpenAI's dialect: as recorded, and OpenRouter's normalised ones.
"""

from typing import Final

TO_OPENAI: Final[dict[str, str]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
    "pause_turn": "stop",
    "compaction": "stop",
}

FROM_OPENAI: Final[dict[str, str]] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
    "eos": "end_turn",
    "model_length": "max_tokens",
    "sensitive": "refusal",
}

FAILED: Final[frozenset[str]] = frozenset({"error", "network_error", "insufficient_system_resource"})
"""Finish reasons of OpenAI-compatible hosts (OpenRouter and Mistral, Z.ai, DeepSeek) for a failed response."""

PLAIN: Final[frozenset[str]] = frozenset({"end_turn", "tool_use", "max_tokens"})
"""Anthropic's stop reasons that OpenAI's cover in full: every other one is kept beside."""


def to_openai(native: str, has_calls: bool) -> str:
    """Return OpenAI's finish reason.

    Calls beside a plain end are ``tool_calls``, and only calls are: a client would look for them.
    """
    reason = TO_OPENAI.get(native, "stop")
    if reason in ("stop", "tool_calls"):
        return "tool_calls" if has_calls else "stop"
    return reason


def to_anthropic(reason: str, has_calls: bool) -> str | None:
    """Return Anthropic's stop reason for OpenAI's, or for one that a host took from Anthropic; None for an unknown
    one."""
    native = FROM_OPENAI.get(reason) or (reason if reason in TO_OPENAI else None)
    if native in ("end_turn", "tool_use"):
        return "tool_use" if has_calls else "end_turn"
    return native
