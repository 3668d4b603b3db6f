"""What an adapter may put into a request although the client did not.

A provider cannot do without what is *needed*; what is *neutral* changes nothing about the answer. All else changes
what the model does, or what is kept of it, and the client did not ask for that.
"""

from dataclasses import dataclass
from typing import Final, Literal

from bridgecheck.wire import Dialect


@dataclass(frozen=True, slots=True)
class Addition:
    """``path``: in the Prompt, ``settings.NAME`` or ``other:PATH``; one that ends with a dot holds for all below it.
    ``source``: where it is documented or recorded."""

    dialect: Dialect
    path: str
    kind: Literal["needed", "neutral"]
    reason: str
    source: str


_CHAT: Final = "https://platform.openai.com/docs/api-reference/chat/create"
_MESSAGES: Final = "https://docs.anthropic.com/en/api/messages"

_OPENROUTER: Final = "https://openrouter.ai/docs/use-cases/reasoning-tokens"
_HOSTS: Final = "recorded: maruel-genai/0274, maruel-genai/0017"
_SECOND: Final = "hosts of Chat have words of their own for one setting; one that is given twice is left over here"

ADDITIONS: Final[tuple[Addition, ...]] = (
    Addition("anthropic", "settings.max_tokens", "needed", "Anthropic requires a limit", _MESSAGES),
    Addition("openai-chat", "settings.include_usage", "neutral", "without it a stream has no token counts", _CHAT),
    Addition(
        "openai-chat", "other:stream_options.include_usage", "neutral", "without it a stream has no counts", _CHAT
    ),
    Addition("openai-chat", "other:max_tokens", "neutral", _SECOND, _CHAT),
    Addition("openai-chat", "other:reasoning.", "neutral", _SECOND, _OPENROUTER),
    Addition("openai-chat", "other:thinking.type", "neutral", _SECOND, _HOSTS),
    Addition("openai-chat", "other:enable_thinking", "neutral", _SECOND, _HOSTS),
    Addition(
        "openai-chat",
        "other:messages[].extra_content.google.",
        "neutral",
        "where Google's models are reached by Chat, this carries what they gave and want back",
        "https://ai.google.dev/gemini-api/docs/thought-signatures",
    ),
)
"""Placeholders for signatures and results are told apart where turns are compared (``compare/turns``)."""


def allowed(dialect: Dialect, path: str) -> Addition | None:
    """The row that allows this addition, None if there is none."""
    return next((row for row in ADDITIONS if row.dialect == dialect and _covers(row.path, path)), None)


def _covers(named: str, path: str) -> bool:
    return path.startswith(named) if named.endswith(".") else path == named
