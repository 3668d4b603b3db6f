"""Calls that are no function calls (``type: custom``, of free text). No other dialect has them: they are left out, with
a loss, and what answers them with them."""

from bridgecheck_reference.convert.openai_words import CALL_TYPES
from bridgecheck_reference.convert.read import objs


def answers_left_out(messages: object, id: str) -> bool:
    """Whether this id is that of a call in these messages that is no function call."""
    calls = (call for message in objs(messages) for call in objs(message.get("tool_calls")))
    return bool(id) and any(call.get("id") == id and call.get("type") not in CALL_TYPES for call in calls)
