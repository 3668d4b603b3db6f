"""Every liberty, in the order of its family."""

from typing import Final

from error_liberties import ERROR_LIBERTIES
from liberty import Liberty
from more_request_liberties import MORE_REQUEST_LIBERTIES
from more_response_liberties import MORE_RESPONSE_LIBERTIES
from profile_liberties import PROFILE_LIBERTIES
from request_liberties import REQUEST_LIBERTIES
from response_liberties import RESPONSE_LIBERTIES
from schema_liberties import SCHEMA_LIBERTIES
from stream_liberties import STREAM_LIBERTIES

ALL_LIBERTIES: Final[tuple[Liberty, ...]] = (
    *REQUEST_LIBERTIES,
    *MORE_REQUEST_LIBERTIES,
    *PROFILE_LIBERTIES,
    *SCHEMA_LIBERTIES,
    *RESPONSE_LIBERTIES,
    *MORE_RESPONSE_LIBERTIES,
    *STREAM_LIBERTIES,
    *ERROR_LIBERTIES,
)

COMPOSITIONS: Final[dict[str, tuple[str, ...]]] = {
    "requests-to-gemini": (
        "result-under-result", "gemini-system-in-parts", "gemini-tools-apart", "gemini-auto-stated",
        "gemini-candidate-count", "gemini-nulls",
    ),
    "requests-to-chat": (
        "chat-user-in-parts", "chat-tool-in-parts", "chat-system-in-parts", "chat-arguments-escaped",
        "chat-sampling-defaults", "chat-nulls",
    ),
    "requests-to-anthropic": (
        "anthropic-system-blocks", "anthropic-content-blocks", "anthropic-result-blocks", "anthropic-auto-stated",
        "anthropic-nulls",
    ),
    "answers-in-chat": (
        "chat-answer-nulls", "chat-arguments-spaced", "chat-split-text", "chat-role-in-every-delta",
        "chat-trailing-chunk", "error-reworded",
    ),
    "answers-in-gemini": (
        "gemini-no-index", "gemini-made-id", "gemini-text-in-parts", "gemini-part-by-part", "gemini-finish-apart",
        "error-no-details",
    ),
    "answers-in-anthropic": (
        "anthropic-no-nulls", "anthropic-text-in-blocks", "anthropic-pings", "anthropic-split-arguments",
        "anthropic-split-thinking", "error-overloaded-529",
    ),
}  # fmt: skip
"""Name -> liberties that are played together, over all recordings."""
