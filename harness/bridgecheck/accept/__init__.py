"""Would this provider take this request? Only refusals that are documented or recorded.

Bodies may mix camelCase and snake_case, as Google's own SDKs send them, and hold a single message for a list."""

from typing import Final

from bridgecheck.accept import anthropic, gemini, openai_chat
from bridgecheck.accept.rule import Refusal, Rule
from bridgecheck.codec.camel_case import wrap_single_messages
from bridgecheck.wire import Dialect, JsonObject

__all__ = ["Refusal", "refusals"]

_RULES: Final[dict[Dialect, tuple[Rule, ...]]] = {
    "gemini": gemini.RULES, "openai-chat": openai_chat.RULES, "anthropic": anthropic.RULES,
}  # fmt: skip


def refusals(dialect: Dialect, body: JsonObject) -> list[Refusal]:
    """Return everything for which the provider is known to answer this request body with 400, rule by rule."""
    rules = _RULES[dialect]
    body = wrap_single_messages(body) if dialect == "gemini" else body
    return [Refusal(rule.name, path, rule.why, rule.basis, rule.level) for rule in rules for path in rule.find(body)]
