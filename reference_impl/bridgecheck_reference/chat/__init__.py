"""A conversation kept as Gemini contents, over a content generator or straight over a provider."""

from bridgecheck_reference.chat.chat import Chat, ChatStream

__all__ = ["Chat", "ChatStream"]
