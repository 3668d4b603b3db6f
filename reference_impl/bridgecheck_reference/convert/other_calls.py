"""Calls that are no function calls. ``type: custom`` is a call of free text, which no other dialect has: the text
becomes the one argument ``input``. Calls of any other type are left out, with a loss, and what answers them with them.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.openai_words import CALL_TYPES
from bridgecheck_reference.convert.read import dumps, obj, objs, text
from bridgecheck_reference.loss import Losses

CUSTOM: Final = "custom"
INPUT: Final = "input"
TOLD: Final = f"the free text of a custom call, told as its argument {INPUT}"


def as_function(call: JsonObject, path: str, losses: Losses) -> JsonObject:
    """A custom call as a function call; any other as it is."""
    if call.get("type") != CUSTOM:
        return call
    custom = obj(call.get("custom"))
    losses.add(f"{path}.tool_calls[].type", TOLD)
    function = {"name": text(custom.get("name")), "arguments": dumps({INPUT: text(custom.get("input"))})}
    return {**{key: value for key, value in call.items() if key != CUSTOM}, "type": "function", "function": function}


def answers_left_out(messages: object, id: str) -> bool:
    """Whether this id is that of a call in these messages that is of no type known here."""
    calls = (call for message in objs(messages) for call in objs(message.get("tool_calls")))
    known = (*CALL_TYPES, CUSTOM)
    return bool(id) and any(call.get("id") == id and call.get("type") not in known for call in calls)
