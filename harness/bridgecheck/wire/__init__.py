"""The wire formats the judge knows, and the facts of each: types only, no behaviour.

A *dialect* is a wire format, not a company: ``openai-chat`` is spoken by many hosts. ``outcome`` is no provider's: it
stands for clients whose requests and answers are objects of a library's own (``wire.own_types_documents``)."""

from typing import Final, Literal, TypeAlias

WireDialect: TypeAlias = Literal["gemini", "openai-chat", "anthropic"]
"""What providers speak."""
Dialect: TypeAlias = Literal["gemini", "openai-chat", "anthropic", "outcome"]
Mode: TypeAlias = Literal["unary", "stream"]

DIALECTS: Final[tuple[Dialect, ...]] = ("gemini", "openai-chat", "anthropic")
"""What providers speak, and what scenarios, cassettes and recorded traffic are written in."""
CLIENT_DIALECTS: Final[tuple[Dialect, ...]] = (*DIALECTS, "outcome")
"""What a client may speak."""
MODES: Final[tuple[Mode, ...]] = ("unary", "stream")

JsonObject: TypeAlias = dict[str, object]
"""One decoded JSON object. Values are JSON values; absent, null, empty and unknown all survive."""

__all__ = ["CLIENT_DIALECTS", "DIALECTS", "MODES", "Dialect", "JsonObject", "Mode", "WireDialect"]
