"""The chunks of one whole Anthropic answer as one chat completion, with the order of its blocks if that is wanted."""

from dataclasses import dataclass, field
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert import order
from bridgecheck_reference.convert.read import anthropic, obj, objs, text


@dataclass(slots=True)
class _Message:
    """A message as it comes in, and the order of what it says (``types/ir``)."""

    content: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    details: list[JsonObject] = field(default_factory=list)
    calls: list[tuple[JsonObject, list[str]]] = field(default_factory=list)
    annotations: list[JsonObject] = field(default_factory=list)
    order: list[JsonObject] = field(default_factory=list)

    def add(self, delta: JsonObject) -> None:
        mark = anthropic(delta)
        if "start" in mark:
            self._begin(obj(mark["start"]))
        if words := text(delta.get("content")):
            self.content.append(words)
            self._text(len(words))
        if thought := text(delta.get("reasoning_content")):
            self.reasoning.append(thought)
        for detail in objs(delta.get("reasoning_details")):
            self.details.append(detail)
            self._next("reasoning")
        for call in objs(delta.get("tool_calls")):
            self._call(call)
        self.annotations += objs(delta.get("annotations"))

    def _begin(self, block: JsonObject) -> None:
        """A block of a carried document: its place, and its further leaves."""
        kind = _KINDS.get(text(block.get("type")))
        rest = {key: value for key, value in block.items() if key != "type"}
        entry: JsonObject = {"block": block} if kind is None else {kind: 0 if kind == "text" else False}
        self.order.append({**entry, "rest": rest} if kind and rest else entry)

    def _text(self, length: int) -> None:
        last = self.order[-1] if self.order else {}
        if "text" in last:
            last["text"] = int(str(last["text"])) + length
        else:
            self.order.append({"text": length})

    def _next(self, kind: str) -> None:
        """Marks the place of one, unless its block already did."""
        if self.order and self.order[-1].get(kind) is False:
            self.order[-1][kind] = True
        else:
            self.order.append({kind: True})

    def _call(self, call: JsonObject) -> None:
        """A call is begun by the fragment with its id; the others go on with the last one."""
        function = obj(call.get("function"))
        if "id" in call:
            made = {key: value for key, value in call.items() if key != "index"}
            self.calls.append((made, []))
            self._next("call")
        self.calls[-1][1].append(text(function.get("arguments")))

    def built(self, *, ordered: bool) -> JsonObject:
        content = "".join(self.content)
        message: JsonObject = {"role": "assistant", "content": None if self.calls and not content else content}
        if self.reasoning:
            message["reasoning_content"] = "".join(self.reasoning)
        if self.details:
            message["reasoning_details"] = self.details
        if self.calls:
            message["tool_calls"] = [_whole(call, pieces) for call, pieces in self.calls]
        if self.annotations:
            message["annotations"] = self.annotations
        if ordered and not order.usual(self.order):
            message["extra_content"] = {"order": self.order}
        return message


_KINDS: Final[dict[str, str]] = {
    "text": "text",
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "tool_use": "call",
}
"""Kind of block -> what its place is called."""


def fold(chunks: list[JsonObject], *, ordered: bool) -> JsonObject:
    """The chunks as one document. ``ordered``: say the order of the blocks where it is not the usual one."""
    document: JsonObject = {**chunks[0], "object": "chat.completion"}
    message = _Message()
    last: JsonObject = {}
    for chunk in chunks:
        for choice in objs(chunk["choices"]):
            message.add(obj(choice["delta"]))
            last = choice
        for key in ("usage", "extra_content"):
            if key in chunk:
                document[key] = chunk[key]
    rest = {key: value for key, value in last.items() if key != "delta"}
    document["choices"] = [{**rest, "message": message.built(ordered=ordered)}]
    return document


def _whole(call: JsonObject, pieces: list[str]) -> JsonObject:
    return {**call, "function": {"name": obj(call["function"])["name"], "arguments": "".join(pieces)}}
