"""An Anthropic stream folded into the message that says the same.

Blocks by index. ``message_delta`` usage is cumulative, so per field the last value counts. Several messages in one
stream (hand-joined recordings) become one: the blocks of a later one follow those before it.
Source: https://docs.anthropic.com/en/api/messages-streaming; anthropic 2.11.0 says the same of usage.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.normalise.tree import Fields, deep_copy, merge_fields
from bridgecheck.wire import JsonObject


@dataclass
class _Block:
    """``pieces``: text that comes in deltas, by the field it goes to. ``partial``: the pieces of ``input``."""

    fields: JsonObject = field(default_factory=dict)
    pieces: dict[str, list[str]] = field(default_factory=dict)
    partial: list[str] = field(default_factory=list)
    citations: list[object] = field(default_factory=list)

    def built(self) -> JsonObject:
        made = dict(self.fields)
        for name, pieces in self.pieces.items():
            made[name] = text(made.get(name)) + "".join(pieces)
        if self.citations:
            before = made.get("citations")
            made["citations"] = [*(before if isinstance(before, list) else []), *self.citations]
        if raw := "".join(self.partial):
            made["input"] = _input(raw)
        return made


def _input(raw: str) -> object:
    """The decoded input, or the text itself where it is no JSON."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw


@dataclass
class _Message:
    top: JsonObject = field(default_factory=dict)
    blocks: dict[int, _Block] = field(default_factory=dict)
    base: int = 0
    unread: list[object] = field(default_factory=list)

    def block(self, event: Fields) -> _Block:
        return self.blocks.setdefault(self.base + (event.take_integer("index") or 0), _Block())


def fold(events: Sequence[object]) -> JsonObject:
    """The message. ``unread``: events of a type we do not know, and what was no object."""
    message = _Message()
    for event in events:
        reader = EVENTS.get(text(obj(event).get("type")))
        if reader is None:
            message.unread.append(event)
        else:
            fields = Fields(event)
            fields.take("type")
            reader(message, fields)
    made = dict(message.top)
    if message.blocks or "content" in made:
        made["content"] = [block.built() for _, block in sorted(message.blocks.items())]
    if message.unread:
        made["unread"] = message.unread
    return made


def _start(message: _Message, event: Fields) -> None:
    start = event.take_child("message")
    content = start.take_items("content")
    message.base = max(message.blocks, default=-1) + 1
    for block in content:
        message.blocks[message.base] = _Block(obj(deep_copy(block)))
        message.base += 1
    start.rest.setdefault("content", [])
    merge_fields(message.top, start.rest)
    merge_fields(message.top, event.rest)


def _block_start(message: _Message, event: Fields) -> None:
    block = message.block(event)
    merge_fields(block.fields, event.take_child("content_block").rest)
    merge_fields(block.fields, event.rest)


def _block_delta(message: _Message, event: Fields) -> None:
    block = message.block(event)
    delta = event.take_child("delta")
    kind = delta.take_text("type")
    if kind == "citations_delta" and delta.has("citation"):
        block.citations.append(delta.take("citation"))
    elif kind == "input_json_delta":
        block.fields.setdefault("type", "tool_use")
        block.partial.append(delta.take_text("partial_json"))
    elif name := DELTAS.get(kind):
        block.fields.setdefault("type", "thinking" if name in ("thinking", "signature") else "text")
        block.pieces.setdefault(name, []).append(delta.take_text(name))
    merge_fields(block.fields, delta.rest)
    merge_fields(block.fields, event.rest)


def _message_delta(message: _Message, event: Fields) -> None:
    delta = event.take_child("delta")
    merge_fields(message.top, delta.rest)
    merge_fields(message.top, event.rest)


def _rest(message: _Message, event: Fields) -> None:
    """``message_stop``, ``content_block_stop``: what they say beside their type (nothing, by the documentation)."""
    event.take_integer("index")
    merge_fields(message.top, event.rest)


def _nothing(message: _Message, event: Fields) -> None:
    """``ping``"""


DELTAS: Final[dict[str, str]] = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "compaction_delta": "content",
}
"""Type of a delta -> the field of the block that its text goes to."""

EVENTS: Final[dict[str, Callable[[_Message, Fields], None]]] = {
    "message_start": _start,
    "content_block_start": _block_start,
    "content_block_delta": _block_delta,
    "content_block_stop": _rest,
    "message_delta": _message_delta,
    "message_stop": _rest,
    "error": _rest,
    "ping": _nothing,
}
