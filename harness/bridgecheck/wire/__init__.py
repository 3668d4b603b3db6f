"""The wire formats the judge knows, and the facts of each: types only, no behaviour.

A *dialect* is a wire format, not a company: ``openai-chat`` is spoken by many hosts.
"""

from typing import Final, Literal, TypeAlias

Dialect: TypeAlias = Literal["gemini", "openai-chat", "anthropic"]
Mode: TypeAlias = Literal["unary", "stream"]

DIALECTS: Final[tuple[Dialect, ...]] = ("gemini", "openai-chat", "anthropic")
MODES: Final[tuple[Mode, ...]] = ("unary", "stream")

JsonObject: TypeAlias = dict[str, object]
"""One decoded JSON object. Values are JSON values; absent, null, empty and unknown all survive."""

__all__ = ["DIALECTS", "MODES", "Dialect", "JsonObject", "Mode"]
