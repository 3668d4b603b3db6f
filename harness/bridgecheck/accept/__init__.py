"""Would this provider take this request? Only refusals that are documented or recorded.

``refusals(dialect, body)`` names everything in a request body that the provider is known to answer with 400. Bodies may
mix camelCase and snake_case, as Google's own SDKs send them.
"""

from collections.abc import Callable
from typing import Final

from bridgecheck.accept.anthropic import anthropic_refusals
from bridgecheck.accept.gemini import gemini_refusals
from bridgecheck.accept.openai_chat import chat_refusals
from bridgecheck.accept.rule import Refusal
from bridgecheck.wire import Dialect, JsonObject

__all__ = ["Refusal", "refusals"]


_REFUSALS: Final[dict[Dialect, Callable[[JsonObject], list[Refusal]]]] = {
    "gemini": gemini_refusals,
    "openai-chat": chat_refusals,
    "anthropic": anthropic_refusals,
}


def refusals(dialect: Dialect, body: JsonObject) -> list[Refusal]:
    """Everything the provider would refuse, in document order of the rules."""
    return _REFUSALS[dialect](body)
