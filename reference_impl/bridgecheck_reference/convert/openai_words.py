"""What hosts of Chat Completions write that its reference does not say, and what a message of theirs can hold."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import unknown

CALL_TYPES: Final = ("function", None, "")
"""What is written as the type of a function call; None also for nothing."""

TERMINATOR: Final = "[DONE]"
"""Some hosts end a stream with it inside the arguments of a call; such a call is no call."""

PADDING: Final = frozenset({"obfuscation", "p"})
"""Members of a chunk against traffic analysis: they mean nothing."""

IN_MESSAGE: Final = frozenset({
    "role", "content", "tool_calls", "tool_call_id", "function_call", "reasoning_content", "reasoning",
    "reasoning_details", "refusal", "images", "extra_content",
})  # fmt: skip
"""Members of a message that converters read."""


def unsaid_in(message: JsonObject) -> list[str]:
    """Further members of a message that say something; the name of who gives a result does not."""
    result = message.get("role") in ("tool", "function")
    return [
        key
        for key in unknown(message, IN_MESSAGE)
        if message[key] not in (None, False, []) and not (key == "name" and result)
    ]
