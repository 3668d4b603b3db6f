"""What a client that keeps only documented fields says again of an assistant message: one table a dialect.

Typed clients do so: what their types do not name is gone when the history is sent back. Sources: the request types of
openai 3.52.0 (``ChatCompletionAssistantMessageParam``), anthropic 2.11.0 (``MessageParam``, its blocks), google-genai
3.4.0 (``Content``, ``Part``); and gemini-cli 0.61.0, which sends no thought parts back (measured).
"""

from collections.abc import Mapping
from typing import Final, TypeAlias

from bridgecheck.model.jsonvalue import arr, obj
from bridgecheck.wire import Dialect, JsonObject

Fields: TypeAlias = Mapping[str, "Fields | None"]
"""Key -> the keys below it that are kept, None: all. A list keeps its members, each with these keys."""

_FUNCTION: Final[Fields] = {"name": None, "arguments": None}
_BLOCK: Final = (
    "type", "text", "citations", "cache_control", "thinking", "signature", "data", "id", "name", "input",
    "tool_use_id", "content", "is_error", "source",
)  # fmt: skip
_PART: Final = (
    "text", "thought", "thoughtSignature", "inlineData", "fileData", "functionResponse", "executableCode",
    "codeExecutionResult", "videoMetadata", "mediaResolution", "toolCall", "toolResponse",
)  # fmt: skip

KNOWN: Final[Mapping[Dialect, Fields]] = {
    "openai-chat": {
        "role": None,
        "content": None,
        "refusal": None,
        "name": None,
        "audio": {"id": None},
        "function_call": _FUNCTION,
        "tool_calls": {"id": None, "type": None, "function": _FUNCTION, "custom": {"name": None, "input": None}},
    },
    "anthropic": {"role": None, "content": dict.fromkeys(_BLOCK)},
    "gemini": {
        "role": None,
        "parts": {**dict.fromkeys(_PART), "functionCall": {"id": None, "name": None, "args": None}},
    },
}


def known(dialect: Dialect, message: JsonObject) -> JsonObject:
    """The message with its documented fields only; a Gemini content without its thoughts."""
    kept = obj(_kept(message, KNOWN[dialect]))
    if dialect == "gemini":
        return kept | {"parts": [part for part in arr(kept.get("parts")) if obj(part).get("thought") is not True]}
    return kept


def _kept(value: object, fields: Fields | None) -> object:
    if fields is None:
        return value
    if isinstance(value, list):
        return [_kept(item, fields) for item in value]
    if isinstance(value, dict):
        return {key: _kept(item, fields[key]) for key, item in value.items() if key in fields}
    return value
