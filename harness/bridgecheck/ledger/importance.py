"""How much it matters that a leaf arrives, by where it stands: a lost label does not weigh as much as a lost word."""

from typing import Final, Literal, TypeAlias

Importance: TypeAlias = Literal["content", "control", "accounts", "details"]
IMPORTANCE: Final[dict[Importance, str]] = {
    "content": "what was said, called, answered and shown, why it ended, and what went wrong",
    "control": "how the model is to answer: settings, tools, thinking, form",
    "accounts": "token counts",
    "details": "names, times, ratings and figures about an answer",
}

_STARTS: Final[tuple[tuple[str, Importance], ...]] = (
    ("usage", "accounts"),
    ("message.usage", "accounts"),
    ("error.message", "content"),
    ("error.type", "content"),
    ("error.code", "content"),
    ("error.status", "content"),
    ("error", "details"),
    ("candidates[].content", "content"),
    ("candidates[].finishReason", "content"),
    ("candidates[].index", "content"),
    ("candidates", "details"),
    ("promptFeedback.blockReason", "content"),
    ("promptFeedback", "details"),
    ("choices[].logprobs", "details"),
    ("choices[].message.annotations", "details"),
    ("choices[].message.audio.id", "details"),
    ("choices[].message.audio.expires_at", "details"),
    ("choices", "content"),
    ("content", "content"),
    ("contents", "content"),
    ("content_block", "content"),
    ("messages", "content"),
    ("system", "content"),
    ("systemInstruction", "content"),
    ("stop_reason", "content"),
    ("delta.stop_sequence", "details"),
    ("delta", "content"),
    *(
        (key, "details")
        for key in ("labels", "metadata", "user", "id", "created", "createTime", "model", "modelVersion")
    ),
    *((key, "details") for key in ("modelStatus", "responseId", "request_id", "service_tier", "stop_sequence")),
    *((key, "details") for key in ("system_fingerprint", "message")),
)
"""Beginnings of paths, the first that fits counts; what is not here is control."""


def importance(path: str) -> Importance:
    """The class of a leaf; of a base document ("") content."""
    if not path:
        return "content"
    bare = path[path.index("].") + 2 :] if path.startswith("[") else path
    return next((found for start, found in _STARTS if _under(bare, start)), "control")


def _under(path: str, start: str) -> bool:
    """``usage`` covers usageMetadata too: the figures of all dialects begin so."""
    if start == "usage":
        return path.startswith(start)
    return path == start or (path.startswith(start) and path[len(start)] in ".[(")
