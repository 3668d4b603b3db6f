"""Tool calls of Chat Completions: their types, and the fragments that a stream delivers them in.

``type: custom`` is a call of free text, which no other dialect has: the text becomes the one argument ``input``. Calls
of any other type are dropped with a loss, and so are the results that answer them.
"""

from dataclasses import dataclass, field
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.chat_messages import CALL_TYPES
from bridgecheck_reference.convert.json_values import dumps, google_extra, integer, obj, objs, text
from bridgecheck_reference.loss import Losses

CUSTOM: Final = "custom"
INPUT: Final = "input"
CUSTOM_CALL_REASON: Final = f"the free text of a custom call, sent as its argument {INPUT}"


def custom_call_to_function(call: JsonObject, path: str, losses: Losses) -> JsonObject:
    """Return a custom call as a function call; any other as it is."""
    if call.get("type") != CUSTOM:
        return call
    custom = obj(call.get("custom"))
    losses.add(f"{path}.tool_calls[].type", CUSTOM_CALL_REASON)
    function = {"name": text(custom.get("name")), "arguments": dumps({INPUT: text(custom.get("input"))})}
    return {**{key: value for key, value in call.items() if key != CUSTOM}, "type": "function", "function": function}


def answers_dropped_call(messages: object, id: str) -> bool:
    """Return whether this id is that of a call in these messages whose type is not known here."""
    calls = (call for message in objs(messages) for call in objs(message.get("tool_calls")))
    known = (*CALL_TYPES, CUSTOM)
    return bool(id) and any(call.get("id") == id and call.get("type") not in known for call in calls)


REPEATED_RESULT: Final = "a result that came before"


def find_repeated_results(messages: object) -> set[int]:
    """Return the identity (``id``) of each tool message that says again what one before it said of the same call."""
    known: set[tuple[str, str]] = set()
    repeated: set[int] = set()
    for message in objs(messages):
        if message.get("tool_calls") or message.get("function_call"):
            known.clear()
        elif message.get("role") in ("tool", "function"):
            result = (text(message.get("tool_call_id")) or text(message.get("name")), dumps(message.get("content")))
            if result in known:
                repeated.add(id(message))
            known.add(result)
    return repeated


@dataclass(slots=True)
class CallBuffer:
    """One call while its fragments come in; those of the arguments are joined once, at the end."""

    id: str = ""
    name: str = ""
    kind: str = ""
    pieces: list[str] = field(default_factory=list)
    extra: JsonObject = field(default_factory=dict)

    def feed(self, call: JsonObject) -> None:
        """Take in one fragment. Names and ids that come back empty or null erase nothing."""
        function = obj(call.get("function"))
        self.id = text(call.get("id")) or self.id
        self.name = text(function.get("name")) or self.name
        self.kind = text(call.get("type")) or self.kind
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            self.pieces.append(arguments)
        elif isinstance(arguments, dict):
            self.extra["arguments"] = arguments
        if "custom" in call:
            self._add_free_text(obj(call["custom"]))  # some hosts write an empty one beside every function
        self.extra.update(google_extra(call))

    def _add_free_text(self, custom: JsonObject) -> None:
        """Take in a fragment of a custom call, whose pieces are of text and not of JSON."""
        if self.kind != CUSTOM and not custom.get("name"):
            return
        self.kind = CUSTOM
        self.name = text(custom.get("name")) or self.name
        self.pieces.append(text(custom.get("input")))

    def build_call(self) -> JsonObject:
        """Return the call as one document."""
        arguments: object = "".join(self.pieces) or self.extra.pop("arguments", "")
        call: JsonObject = {"id": self.id, "type": self.kind or "function"}
        if self.kind == CUSTOM:
            call[CUSTOM] = {"name": self.name, INPUT: arguments}
        else:
            call["function"] = {"name": self.name, "arguments": arguments}
        if self.extra:
            call["extra_content"] = {"google": self.extra}
        return call


class CallBuffers:
    """The calls of one choice, each in its slot."""

    __slots__ = ("_buffers", "_last", "_slots")

    def __init__(self) -> None:
        self._buffers: dict[int, CallBuffer] = {}
        self._last = 0
        self._slots: dict[int, int] = {}  # index -> the slot of the last call there

    def append_arguments(self, calls: object, only: int | None = None) -> bool:
        """Take in one more piece of the arguments of one known call, or only of that in the slot ``only``; False for
        anything else, with nothing changed."""
        call = calls[0] if type(calls) is list and len(calls) == 1 else None
        if type(call) is not dict or len(call) != 2:
            return False
        function, index = call.get("function"), call.get("index")
        if type(function) is not dict or len(function) != 1 or type(index) is not int:
            return False
        slot = self._slots.get(index, index)
        piece, held = function.get("arguments"), self._buffers.get(slot)
        if type(piece) is not str or held is None or (only is not None and only != slot):
            return False
        held.pieces.append(piece)
        self._last = slot
        return True

    def add_fragments(self, delta: JsonObject) -> list[int]:
        """Take in the fragments of a delta, the legacy call in slot 0; return the slots they went to."""
        slots = []
        for call in objs(delta.get("tool_calls")):
            slot = self._slot_of_fragment(call)
            self.buffer_at(slot).feed(call)
            slots.append(slot)
        legacy = delta.get("function_call")
        if isinstance(legacy, dict) and any(legacy.values()):
            self.buffer_at(0).feed({"function": legacy})
            slots.append(0)
        return slots

    def buffer_at(self, slot: int) -> CallBuffer:
        held = self._buffers.get(slot)
        if held is None:
            held = self._buffers[slot] = CallBuffer()
        return held

    def items_in_order(self) -> list[tuple[int, CallBuffer]]:
        """Return (slot, call), by slot."""
        return sorted(self._buffers.items())

    def _slot_of_fragment(self, call: JsonObject) -> int:
        """Return which call a fragment belongs to.

        The last one of its index, unless that has another id; without an index, the call of the same id, a new one
        where a new id or name comes, else the last.
        """
        index = integer(call.get("index"))
        id = text(call.get("id"))
        name = text(obj(call.get("function")).get("name"))
        slot = self._last if index is None else self._slots.get(index, index)
        held = self._buffers.get(slot)
        if held is not None and id and held.id and held.id != id:
            slot = self._slot_of_id(id, slot, new=bool(name))
        elif index is None and held is not None and not id and name and held.name:
            slot = max(self._buffers) + 1
        self._last = slot
        if index is not None:
            self._slots[index] = slot
        return slot

    def _slot_of_id(self, id: str, slot: int, *, new: bool) -> int:
        """Return the call of that id; if there is none, a ``new`` one, or that of ``slot``: some hosts change a call's
        id."""
        same = [number for number, buffer in self._buffers.items() if buffer.id == id]
        return same[0] if same else max(self._buffers) + 1 if new else slot
