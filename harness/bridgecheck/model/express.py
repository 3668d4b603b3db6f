"""What each dialect can express: one table of features for responses, one for requests.

A comparison is made on what both ends (and the pivot, if the adapter goes through one) can express; what one end sent
and the other cannot express must stand in ``compare/losses``. A feature that a dialect has only by a widespread
extension (reasoning_content, images of Chat) counts as expressible; the check of that feature says how it is judged.

The tables are of wire formats. ``outcome`` has a word for everything in them but ``NOT_IN_OUTCOME``; what the types of
one library have no place for, its adapter says (``cannot_say``).

Sources: https://ai.google.dev/api/generate-content,
https://platform.openai.com/docs/api-reference/chat, https://docs.anthropic.com/en/api/messages."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from bridgecheck.wire import Dialect, Mode

_ALL: Final = frozenset[Dialect]({"gemini", "openai-chat", "anthropic"})
_GEMINI: Final = frozenset[Dialect]({"gemini"})
_CHAT: Final = frozenset[Dialect]({"openai-chat"})
_ANTHROPIC: Final = frozenset[Dialect]({"anthropic"})
_NOT_CHAT: Final = _GEMINI | _ANTHROPIC
_NOT_GEMINI: Final = _CHAT | _ANTHROPIC
_NOT_ANTHROPIC: Final = _GEMINI | _CHAT

RESPONSE_FEATURES: Final[dict[str, frozenset[Dialect]]] = {
    "text": _ALL, "text.segments": _NOT_CHAT, "reasoning": _ALL, "tool_calls": _ALL, "tool_calls.id": _ALL,
    "tool_calls.id.required": _NOT_GEMINI, "media": _NOT_ANTHROPIC, "code": _GEMINI, "citations": _ALL,
    "refusal": _CHAT, "finish.tool_calls": _NOT_GEMINI, "order": _NOT_CHAT, "choices": _NOT_ANTHROPIC,
    "usage.prompt": _ALL, "usage.completion": _ALL, "usage.total": _NOT_ANTHROPIC, "usage.cached": _ALL,
    "usage.cache_write": _NOT_GEMINI, "usage.reasoning": _ALL, "usage.tool_prompt": _GEMINI, "error": _ALL,
    "error.retry_after": _ALL, "signatures": _NOT_CHAT,
}  # fmt: skip
"""feature of an Outcome -> the dialects that can express it."""

REQUEST_FEATURES: Final[dict[str, frozenset[Dialect]]] = {
    "system": _ALL, "turns.system": _NOT_GEMINI, "turns.name": _CHAT, "turns.text": _ALL, "turns.media": _ALL,
    "turns.media.detail": _NOT_ANTHROPIC, "turns.calls": _ALL, "turns.results": _ALL, "turns.results.media": _NOT_CHAT,
    "turns.results.is_error": _NOT_CHAT, "turns.reasoning": _ALL, "turns.signatures": _NOT_CHAT, "tools": _ALL,
    "tools.strict": _NOT_GEMINI, "tools.builtin": frozenset(), "tool_choice": _ALL,
    "tool_choice.allowed": _NOT_ANTHROPIC, "tool_choice.validated": _GEMINI, "tool_choice.parallel": _NOT_GEMINI,
    "thinking": _ALL, "thinking.include": _NOT_CHAT, "response_format": _ALL, "response_format.name": _CHAT,
    "response_format.strict": _CHAT, "features": frozenset(), "settings.temperature": _ALL, "settings.top_p": _ALL,
    "settings.top_k": _NOT_CHAT, "settings.max_tokens": _ALL, "settings.stop": _ALL, "settings.seed": _NOT_ANTHROPIC,
    "settings.n": _NOT_ANTHROPIC, "settings.presence_penalty": _NOT_ANTHROPIC,
    "settings.frequency_penalty": _NOT_ANTHROPIC, "settings.logprobs": _NOT_ANTHROPIC,
    "settings.top_logprobs": _NOT_ANTHROPIC, "settings.user": _NOT_GEMINI,
}  # fmt: skip
"""feature of a Prompt -> the dialects that can express it. ``frozenset()``: each dialect has its own, none is common. A
setting that is not listed here can be expressed by its own dialect only."""

NOT_IN_OUTCOME: Final = frozenset({"tool_calls.id.required", "settings.logprobs", "settings.top_logprobs"})
"""Features that ``outcome`` does not have: a library may pair calls by other means than ids."""


def response_can_express(feature: str, dialects: Iterable[Dialect]) -> bool:
    """Return whether all these dialects can express a feature in a response. An unknown feature: no.

    No feature differs by mode: every dialect's stream can carry what its unary answer can."""
    return _is_listed_for_all(RESPONSE_FEATURES, feature, set(dialects))


def request_can_express(feature: str, dialects: Iterable[Dialect]) -> bool:
    """Return whether all these dialects can express a feature in a request. Unknown features: only if all are one."""
    named = set(dialects)
    return len(named) == 1 or _is_listed_for_all(REQUEST_FEATURES, feature, named)


def _is_listed_for_all(table: Mapping[str, frozenset[Dialect]], feature: str, named: set[Dialect]) -> bool:
    if feature not in table or ("outcome" in named and feature in NOT_IN_OUTCOME):
        return False
    return named - {"outcome"} <= table[feature]


FEATURES_OF_CAPABILITY: Final[Mapping[str, tuple[str, ...]]] = {
    "thinking": ("reasoning", "usage.reasoning", "turns.reasoning", "thinking"),
    "signatures": ("signatures", "turns.signatures"), "media_input": ("turns.media", "turns.results.media"),
    "media_output": ("media",), "json_schema": ("response_format",), "multiple_choices": ("choices", "settings.n"),
}  # fmt: skip
"""capability -> the features that cannot be expressed where it is not claimed."""

FINISH: Final = "finish"
"""A word for why an answer ended, be it whole or in pieces."""

STREAM_FINISH: Final = "stream.finish"
"""The same, in the pieces of a stream alone."""

OPTIONAL_FEATURES: Final = frozenset({
    FINISH, STREAM_FINISH,
    "text.segments", "order", "code", "citations", "refusal", "error.retry_after", "usage.total", "usage.cached",
    "usage.cache_write", "usage.reasoning", "usage.tool_prompt", "turns.name", "turns.media.detail", "turns.media.uri",
    "turns.results.is_error", "tools.strict", "tool_choice.validated", "tool_choice.parallel", "thinking.include",
    "response_format.name", "response_format.strict", "settings.temperature", "settings.top_p", "settings.top_k",
    "settings.max_tokens", "settings.stop", "settings.seed", "settings.presence_penalty", "settings.frequency_penalty",
    "settings.user", "settings.modalities",
})  # fmt: skip
"""What ``cannot_say`` may name."""


def finish_without_place(mode: Mode, inexpressible: Collection[str]) -> str:
    """Return the feature by which the types of an answer in this mode have no place for why it ended, "" if they do."""
    features = (FINISH, STREAM_FINISH) if mode == "stream" else (FINISH,)
    return next((feature for feature in features if feature in inexpressible), "")


def feature_of_path(path: str, features: Collection[str]) -> str:
    """Return the narrowest of these features that a path of a loss lies in (``turns.media.image.png``), "" for none."""
    matches = (feature for feature in features if path == feature or path.startswith(f"{feature}."))
    return max(matches, key=len, default="")
