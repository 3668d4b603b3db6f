"""Finish reasons, one table for each direction; nothing unknown becomes a silent "stop" (mapping row R-09).

Calls beside STOP are ``tool_calls``; truncation and filters beat calls. A reason for a broken call is an error that the
client can see. Sources: https://ai.google.dev/api/generate-content#FinishReason and
https://platform.openai.com/docs/api-reference/chat/object, stored copies read 2026-11-21. That LANGUAGE,
NO_IMAGE and IMAGE_OTHER count as filtered follows public reports, none of which calls them a clean stop (genkit#5736,
litellm#40864).
"""

from typing import Final, Literal, TypeAlias

ChatFinish: TypeAlias = Literal["stop", "length", "content_filter", "error"]

_BY_CLASS: Final[dict[ChatFinish, tuple[str, ...]]] = {
    "stop": ("STOP", "OTHER", "FINISH_REASON_UNSPECIFIED", "MODEL_REQUESTED_TOOL"),
    "length": ("MAX_TOKENS", "CONTINUATION"),
    "content_filter": (
        "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION", "ESCALATION", "PUP_LIMITED_DISABLED", "MODEL_ARMOR", "LANGUAGE", "NO_IMAGE", "IMAGE_OTHER",
    ),
    "error": (
        "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE",
        "MALFORMED_RESPONSE",
    ),
}  # fmt: skip

FROM_GEMINI: Final[dict[str, ChatFinish]] = {native: kind for kind, natives in _BY_CLASS.items() for native in natives}
"""Gemini's finish reason -> OpenAI's, ``error`` where there is none that would not mislead."""

FROM_OPENAI: Final[dict[str, str]] = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "function_call": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
    "eos": "STOP",
    "model_length": "MAX_TOKENS",
    "sensitive": "SAFETY",
}
"""OpenAI's finish reason, or a word of hosts that speak its dialect (the last three), -> Gemini's."""

PLAIN: Final[frozenset[str]] = frozenset({"STOP", "MAX_TOKENS"})
"""Gemini's finish reasons that OpenAI's cover in full: every other one is kept beside."""

NUMBERED: Final[dict[int, str]] = dict(enumerate((
    "FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "BLOCKLIST",
    "PROHIBITED_CONTENT", "SPII", "MALFORMED_FUNCTION_CALL", "MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION", "IMAGE_OTHER", "UNEXPECTED_TOOL_CALL", "NO_IMAGE",
)))  # fmt: skip
"""Number -> finish reason, as the Vertex SDK writes them; from 6 on Vertex and the Gemini API number differently.

Source: google/cloud/aiplatform/v1/content.proto and google/ai/generativelanguage/v1beta/generative_service.proto,
https://github.com/googleapis/googleapis (the latter read 2026-11-21)."""

MALFORMED: Final = "MALFORMED_FUNCTION_CALL"
UNKNOWN: Final = "OTHER"
UNSPECIFIED: Final = "FINISH_REASON_UNSPECIFIED"


def normalise_finish_reason(value: object) -> str:
    """Return Gemini's finish reason in upper case, "" if there is none; "FinishReason.STOP" is an SDK's "STOP"."""
    if isinstance(value, str):
        return value.upper().removeprefix("FINISHREASON.")
    if isinstance(value, int) and not isinstance(value, bool):
        return NUMBERED.get(value, str(value))
    return ""


def later_or_more_precise_finish_reason(held: str, new: str) -> str:
    """Return the later of two reasons for one candidate, but STOP and "unspecified" replace no more precise one."""
    return held if held not in ("", UNSPECIFIED) and new in ("STOP", UNSPECIFIED) else new


def to_openai(native: str, has_calls: bool) -> ChatFinish | Literal["tool_calls"]:
    """Return OpenAI's finish reason; an unknown one is ``stop``, and the caller records that."""
    kind = FROM_GEMINI.get(native, "stop")
    return "tool_calls" if kind == "stop" and has_calls else kind
