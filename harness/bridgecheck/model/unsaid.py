"""What the types of a library (client dialect ``outcome``) have no place for, by the names of ``model/express``.

A library's types differ from another's as no wire format does, so the adapter says it itself: by what it does not claim
(``CAPABILITIES``), and for the rest by ``cannot_say``. What cannot be said is a declared loss and stands in the report.
Text, calls with their ids and arguments, the reason why an answer ended, errors, and how many tokens were read and
written can always be said: without them nobody can use an answer, and a library that loses them has a finding.
"""

from collections.abc import Collection, Mapping
from typing import Final

OF_CAPABILITY: Final[Mapping[str, tuple[str, ...]]] = {
    "thinking": ("reasoning", "usage.reasoning", "turns.reasoning", "thinking"),
    "signatures": ("signatures", "turns.signatures"),
    "media_input": ("turns.media", "turns.results.media"),
    "media_output": ("media",),
    "json_schema": ("response_format",),
    "multiple_choices": ("choices", "settings.n"),
}
"""capability -> the features that cannot be said where it is not claimed."""

OPTIONAL: Final = frozenset(
    {
        "text.segments", "order", "code", "citations", "refusal", "error.retry_after",
        "usage.total", "usage.cached", "usage.cache_write", "usage.tool_prompt",
        "turns.name", "turns.media.detail", "turns.media.uri", "turns.results.is_error",
        "tools.strict", "tool_choice.validated", "tool_choice.parallel",
        "thinking.include", "response_format.name", "response_format.strict",
        "settings.temperature", "settings.top_p", "settings.top_k", "settings.max_tokens", "settings.stop",
        "settings.seed", "settings.presence_penalty", "settings.frequency_penalty", "settings.user",
        "settings.modalities",
    }
)  # fmt: skip
"""What ``cannot_say`` may name."""


def unsaid(claims: Collection[str] | None, cannot_say: Collection[str]) -> frozenset[str]:
    """The features in question. ``claims`` None: the adapter says nothing of its capabilities, so all count as
    claimed."""
    unclaimed = () if claims is None else [name for name in OF_CAPABILITY if name not in claims]
    return frozenset({*cannot_say, *(feature for name in unclaimed for feature in OF_CAPABILITY[name])})


def feature_of(path: str, features: Collection[str]) -> str:
    """The feature that a path of a loss lies in (``usage.cached``, ``turns.media.image.png``), "" if it lies in none
    of these."""
    return next((one for one in sorted(features) if path == one or path.startswith(f"{one}.")), "")
