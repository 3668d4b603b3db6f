"""An Anthropic stream folded into the message that holds the same.

Blocks by index. ``message_delta`` usage is cumulative, so per field the last value counts. Several messages in one
stream (hand-joined recordings) become one: the blocks of a later one follow those before it.
Source: https://docs.anthropic.com/en/api/messages-streaming; anthropic 2.11.0 says the same of usage."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.model.jsonvalue import obj, parse_json, text
from bridgecheck.normalise.tree import Fields, deep_copy, merge_fields
from bridgecheck.wire import JsonObject


@dataclass
class _BlockPieces:
    """``pieces``: text that comes in deltas, by the field it goes to. ``partial``: the pieces of ``input``."""

    fields: JsonObject = field(default_factory=dict)
    pieces: dict[str, list[str]] = field(default_factory=dict)
    partial: list[str] = field(default_factory=list)
    citations: list[object] = field(default_factory=list)

    def build(self) -> JsonObject:
        document = dict(self.fields)
        for name, pieces in self.pieces.items():
            document[name] = text(document.get(name)) + "".join(pieces)
        if self.citations:
            before = document.get("citations")
            document["citations"] = [*(before if isinstance(before, list) else []), *self.citations]
        if raw := "".join(self.partial):
            try:
                document["input"] = parse_json(raw)
            except ValueError:  # the text itself stands there then
                document["input"] = raw
        return document


@dataclass
class _MessagePieces:
    top: JsonObject = field(default_factory=dict)
    blocks: dict[int, _BlockPieces] = field(default_factory=dict)
    base: int = 0
    unread: list[object] = field(default_factory=list)

    def block(self, event: Fields) -> _BlockPieces:
        return self.blocks.setdefault(self.base + (event.take_integer("index") or 0), _BlockPieces())


def fold(events: Sequence[object]) -> JsonObject:
    """Return the message. ``unread``: events of a type we do not know, and what was no object."""
    message = _MessagePieces()
    for event in events:
        reader = EVENT_READERS.get(text(obj(event).get("type")))
        if reader is None:
            message.unread.append(event)
        else:
            fields = Fields(event)
            fields.take("type")
            reader(message, fields)
    document = dict(message.top)
    if message.blocks or "content" in document:
        document["content"] = [block.build() for _, block in sorted(message.blocks.items())]
    if message.unread:
        document["unread"] = message.unread
    return document


def _start_message(message: _MessagePieces, event: Fields) -> None:
    start = event.take_child("message")
    content = start.take_list("content")
    message.base = max(message.blocks, default=-1) + 1
    for block in content:
        message.blocks[message.base] = _BlockPieces(obj(deep_copy(block)))
        message.base += 1
    start.rest.setdefault("content", [])
    merge_fields(message.top, start.rest)
    merge_fields(message.top, event.rest)


def _start_block(message: _MessagePieces, event: Fields) -> None:
    block = message.block(event)
    merge_fields(block.fields, event.take_child("content_block").rest)
    merge_fields(block.fields, event.rest)


def _add_block_delta(message: _MessagePieces, event: Fields) -> None:
    block = message.block(event)
    delta = event.take_child("delta")
    kind = delta.take_text("type")
    if kind == "citations_delta" and delta.has("citation"):
        block.citations.append(delta.take("citation"))
    elif kind == "input_json_delta":
        block.fields.setdefault("type", "tool_use")
        block.partial.append(delta.take_text("partial_json"))
    elif name := TEXT_DELTAS.get(kind):
        block.fields.setdefault("type", "thinking" if name in ("thinking", "signature") else "text")
        block.pieces.setdefault(name, []).append(delta.take_text(name))
    merge_fields(block.fields, delta.rest)
    merge_fields(block.fields, event.rest)


def _add_fields_to_message(message: _MessagePieces, event: Fields) -> None:
    """Add what belongs to the message; the stops have nothing beside their type, by the documentation."""
    event.take_integer("index")
    merge_fields(message.top, event.take_child("delta").rest)
    merge_fields(message.top, event.rest)


TEXT_DELTAS: Final[dict[str, str]] = {
    "text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature", "compaction_delta": "content",
}  # fmt: skip
"""Type of a delta -> the field of the block that its text goes to."""

EVENT_READERS: Final[dict[str, Callable[[_MessagePieces, Fields], None]]] = {
    "message_start": _start_message, "content_block_start": _start_block, "content_block_delta": _add_block_delta,
    "content_block_stop": _add_fields_to_message, "message_delta": _add_fields_to_message,
    "message_stop": _add_fields_to_message, "error": _add_fields_to_message, "ping": lambda message, event: None,
}  # fmt: skip
