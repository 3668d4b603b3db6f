"""Every finish reason of each dialect and its class. Total: an unknown word is ``other``, no word is ``incomplete``.

No promotion: STOP beside calls stays ``stop``. Sources:
https://ai.google.dev/api/generate-content#FinishReason, google-genai 3.4.0 ``types.FinishReason``,
https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerateContentResponse#FinishReason,
https://platform.openai.com/docs/api-reference/chat/object,
https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons."""

from typing import Final

from bridgecheck.model.outcome import Finish, FinishClass
from bridgecheck.wire.gemini_documents import FINISH_REASONS as GEMINI_FINISH_REASONS

GEMINI: Final[dict[str, FinishClass]] = {
    "STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter", "RECITATION": "content_filter",
    "LANGUAGE": "content_filter", "BLOCKLIST": "content_filter", "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter", "MODEL_ARMOR": "content_filter", "IMAGE_SAFETY": "content_filter",
    "IMAGE_PROHIBITED_CONTENT": "content_filter", "IMAGE_RECITATION": "content_filter",
    "MALFORMED_FUNCTION_CALL": "malformed_call", "UNEXPECTED_TOOL_CALL": "malformed_call",
    "TOO_MANY_TOOL_CALLS": "malformed_call", "MISSING_THOUGHT_SIGNATURE": "error", "MALFORMED_RESPONSE": "error",
    "CONTINUATION": "pause", "FINISH_REASON_UNSPECIFIED": "other", "OTHER": "other", "IMAGE_OTHER": "other",
    "NO_IMAGE": "other", "ESCALATION": "other", "PUP_LIMITED_DISABLED": "other",
}  # fmt: skip

OPENAI: Final[dict[str, FinishClass]] = {
    "stop": "stop", "end_turn": "stop", "eos": "stop", "stop_sequence": "stop", "tool_calls": "tool_calls",
    "function_call": "tool_calls", "length": "length", "max_tokens": "length", "model_length": "length",
    "content_filter": "content_filter", "sensitive": "content_filter", "error": "error", "network_error": "error",
    "insufficient_system_resource": "error",
}  # fmt: skip
"""The five words of OpenAI, and those that hosts of the same dialect add (Mistral, DeepSeek, Z.ai, OpenRouter)."""

ANTHROPIC: Final[dict[str, FinishClass]] = {
    "end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "max_tokens": "length",
    "model_context_window_exceeded": "length", "refusal": "content_filter", "pause_turn": "pause",
    "compaction": "pause",
}  # fmt: skip


def gemini_finish(value: object) -> Finish:
    """Read a word or, from Vertex AI, its number."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = GEMINI_FINISH_REASONS.get(value, value)
    return _classify_finish_or_incomplete(GEMINI, value)


def openai_finish(value: object) -> Finish:
    return _classify_finish_or_incomplete(OPENAI, value)


def anthropic_finish(value: object) -> Finish:
    return _classify_finish_or_incomplete(ANTHROPIC, value)


_ANY: Final = {word.lower(): kind for table in (ANTHROPIC, OPENAI, GEMINI) for word, kind in table.items()}


def any_finish(native: str) -> Finish:
    """Read a provider's word that a library hands on, which may write it in its own case."""
    return Finish(native, _ANY.get(native.lower().replace("-", "_"), "other") if native else "incomplete")


def _classify_finish_or_incomplete(table: dict[str, FinishClass], value: object) -> Finish:
    if value is None or value == "":
        return Finish("", "incomplete")
    native = value if isinstance(value, str) else str(value)
    return Finish(native, table.get(native, "other"))
