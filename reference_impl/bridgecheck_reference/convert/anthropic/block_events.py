"""Writers of the content block events of an Anthropic stream: one block open at a time, numbered without gaps.

OpenAI's calls, whose fragments may come interleaved, become tool_use blocks, which come one after another. The first
call is passed on as it comes. The next one waits until its arguments are complete, which is tested once, when something
else comes: hosts that send their calls one after another wait for nothing, and fragments by the million cost time
linear in their size.

Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming (stored copy read 2026-11-21).
"""

from collections.abc import Container
from dataclasses import dataclass

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.arguments import parse_arguments
from bridgecheck_reference.convert.chat_calls import CUSTOM, CUSTOM_CALL_REASON, INPUT, CallBuffer, CallBuffers
from bridgecheck_reference.convert.chat_messages import TERMINATOR
from bridgecheck_reference.convert.json_values import NOTHING, dumps, text
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.signatures import embed_signature_in_id, prefix_gemini_signature
from bridgecheck_reference.loss import Losses


class AnthropicBlockEventWriter:
    """Writes blocks one after another; ``take_events`` gives the resulting events. ``count``: blocks begun so far;
    ``has_only_thinking``: whether all of them are of thinking."""

    __slots__ = ("_events", "_kind", "_sealed", "_thought", "count", "has_only_thinking")

    def __init__(self) -> None:
        self.count = 0
        self.has_only_thinking = True
        self._kind = ""
        self._sealed = False
        self._thought: list[str] = []
        self._events: list[JsonObject] = []

    def take_events(self) -> list[JsonObject]:
        """Return the events since the last time."""
        events, self._events = self._events, []
        return events

    @property
    def open_block_type(self) -> str:
        """The type of the open block, "" if none is open."""
        return self._kind

    @property
    def open_unsigned_thinking_text(self) -> str | None:
        """The text of the open thinking block, None if none is open or it has its signature."""
        return "".join(self._thought) if self._kind == "thinking" and not self._sealed else None

    def write_text(self, content: str) -> None:
        if self._kind != "text":
            self.begin_block({"type": "text", "text": ""})
        self.write_delta({"type": "text_delta", "text": content})

    def write_thinking(self, content: str) -> None:
        """Write more thinking, in a new block if the open one has its signature."""
        if self._kind != "thinking" or self._sealed:
            self.begin_block({"type": "thinking", "thinking": "", "signature": ""})
        self._thought.append(content)
        self.write_delta({"type": "thinking_delta", "thinking": content})

    def write_signature(self, signature: str) -> None:
        """End the open thinking block with its signature; make an empty one if none is open."""
        if self._kind != "thinking" or self._sealed:
            self.begin_block({"type": "thinking", "thinking": "", "signature": ""})
        self.write_delta({"type": "signature_delta", "signature": signature})
        self._sealed = True

    def write_redacted(self, data: object) -> None:
        self.begin_block({"type": "redacted_thinking", "data": data})
        self.end_block()

    def begin_block(self, block: JsonObject) -> None:
        """Begin a new block; the open one ends."""
        self.end_block()
        self._kind = str(block.get("type"))
        self.has_only_thinking = self.has_only_thinking and self._kind in ("thinking", "redacted_thinking")
        self._events.append({"type": "content_block_start", "index": self.count, "content_block": block})
        self.count += 1

    def write_delta(self, delta: JsonObject) -> None:
        """Write more of the open block."""
        self._events.append({"type": "content_block_delta", "index": self.count - 1, "delta": delta})

    def end_block(self) -> None:
        """End the open block, if one is open."""
        if self._kind:
            self._events.append({"type": "content_block_stop", "index": self.count - 1})
        self._kind, self._sealed, self._thought = "", False, []


_PATH = "choices[].delta.tool_calls[]"


@dataclass(slots=True)
class _CurrentCall:
    """The call that is being passed on.

    ``sent``: pieces of it passed on or, before its block is open (``begun``), found to be blank; ``was_incomplete``:
    whether it was incomplete when something else came.
    """

    slot: int
    buffer: CallBuffer
    sent: int = 0
    begun: bool = False
    was_incomplete: bool = False


class CallQueue:
    """The calls of one response, in the order in which they may be written.

    ``named``: function name upstream -> function name here. ``used_ids``: those of calls in the client's history, which
    no further call may have. ``call_count``: calls written so far;
    ``unreadable_argument_texts``: those that are no JSON object; ``leaves``: further members of the next call's block,
    in carried documents; ``call_signature``: Gemini's, of the next call. ``signs_in_ids``: signatures travel in the ids
    of their calls, not in blocks of thinking before them.
    """

    __slots__ = (
        "_buffers", "_current", "_finished_slots", "_losses", "_named", "_profile", "_salt", "_signs_in_ids",
        "_used_ids", "_writer", "call_count", "call_signature", "leaves", "unreadable_argument_texts",
    )  # fmt: skip

    def __init__(
        self,
        writer: AnthropicBlockEventWriter,
        profile: Profile,
        losses: Losses,
        named: Rename,
        used_ids: Container[str] = (),
        *,
        signs_in_ids: bool,
    ) -> None:
        self.call_count = 0
        self.call_signature = ""
        self._signs_in_ids = signs_in_ids
        self.unreadable_argument_texts: list[str] = []
        self.leaves: JsonObject = NOTHING
        self._writer = writer
        self._profile = profile
        self._losses = losses
        self._named = named
        self._used_ids = used_ids
        self._buffers = CallBuffers()
        self._current: _CurrentCall | None = None
        self._finished_slots: set[int] = set()
        self._salt = ""

    def set_salt(self, key: str) -> None:
        """Set what makes the ids of this response differ from those of others."""
        self._salt = key

    def pass_on_arguments(self, calls: object) -> bool:
        """Pass on one more piece of the arguments of the call that is being passed on; False for anything else, with
        nothing changed."""
        current = self._current
        if current is None or not current.begun or not self._buffers.append_arguments(calls, current.slot):
            return False
        current.sent += 1
        if piece := current.buffer.pieces[-1]:
            self._writer.write_delta({"type": "input_json_delta", "partial_json": piece})
        return True

    def feed(self, delta: JsonObject) -> None:
        """Take in the fragments of one delta."""
        for slot in self._buffers.add_fragments(delta):
            if slot in self._finished_slots:
                self._record_late_fragment(slot)
                continue
            if self._current is not None and slot != self._current.slot:
                self.end_call_if_complete()
            if self._current is None:
                self._current = _CurrentCall(slot, self._buffers.buffer_at(slot))
            if slot == self._current.slot:
                self._send_fragments(self._current)

    @property
    def has_no_current_call(self) -> bool:
        """Whether no call is being passed on, so that something else can be written now."""
        return self._current is None

    def end_call_if_complete(self) -> None:
        """End the current call if its arguments are complete."""
        current = self._current
        if current is None or current.was_incomplete:
            return
        arguments = "".join(current.buffer.pieces)
        current.was_incomplete = not arguments.strip() or parse_arguments(arguments) is None
        if not current.was_incomplete:
            self._finish_call(current)

    def close(self) -> None:
        """End the current call and write those that waited: no further fragments will come."""
        if self._current is not None:
            self._finish_call(self._current)
        for slot, buffer in self._buffers.items_in_order():
            if slot not in self._finished_slots:
                self._finish_call(_CurrentCall(slot, buffer))

    def _send_fragments(self, current: _CurrentCall) -> None:
        """Pass on what came, once it is known to be an object."""
        buffer = current.buffer
        if buffer.kind == CUSTOM:
            return
        if not current.begun:
            while current.sent < len(buffer.pieces) and not buffer.pieces[current.sent].strip():
                current.sent += 1
            begins_object = current.sent < len(buffer.pieces) and buffer.pieces[current.sent].lstrip().startswith("{")
            if not buffer.name or not begins_object:
                return
            self._begin_call(current)
        fragment = "".join(buffer.pieces[current.sent :])
        current.sent = len(buffer.pieces)
        if fragment:
            self._writer.write_delta({"type": "input_json_delta", "partial_json": fragment})

    def _begin_call(self, current: _CurrentCall) -> None:
        buffer = current.buffer
        signature = text(buffer.extra.get("thought_signature")) or self.call_signature
        self.call_signature = ""
        self.call_count += 1
        name = self._named(buffer.name) if self._named else buffer.name
        id = buffer.id if buffer.id not in self._used_ids else ""
        id = id or f"toolu_{self._salt[:16]}_{self.call_count}"
        if signature and self._profile.signatures == "carry":
            id = self._sign_call(id, signature)
        self._writer.begin_block({"type": "tool_use", "id": id, "name": name, "input": {}, **self.leaves})
        self.leaves = NOTHING
        current.begun = True

    def _sign_call(self, id: str, signature: str) -> str:
        """Return the id of a call, with its Gemini signature inside or in a block of thinking before the call."""
        if not self._signs_in_ids:
            self._writer.write_signature(prefix_gemini_signature(signature, "call"))
            return id
        signed = embed_signature_in_id(id, signature)
        if signed is None:
            self._losses.add(f"{_PATH}.extra_content.google.thought_signature", "longer than an id may be")
        return signed or id

    def _finish_call(self, current: _CurrentCall) -> None:
        """End a call: write what was held of it, or record that its arguments cannot be read."""
        self._finished_slots.add(current.slot)
        self._current = None
        buffer = current.buffer
        whole = "".join(buffer.pieces)
        custom = buffer.kind == CUSTOM
        arguments = {INPUT: whole} if custom else parse_arguments(whole or buffer.extra.get("arguments"))
        if not self._is_expressible_call(buffer, whole):
            return
        if arguments is None:
            self.unreadable_argument_texts.append(whole)
            if not current.begun:
                return
        if not current.begun:
            self._begin_call(current)
            if arguments:
                self._writer.write_delta({"type": "input_json_delta", "partial_json": dumps(arguments)})
        self._writer.end_block()

    def _is_expressible_call(self, buffer: CallBuffer, arguments: str) -> bool:
        """Return whether a ``tool_use`` block can express this call, custom ones included; record a loss if not."""
        if buffer.kind == CUSTOM:
            self._losses.add(f"{_PATH}.type", CUSTOM_CALL_REASON)
            return True
        if buffer.kind not in ("", "function"):
            self._losses.add(f"{_PATH}.type", "Anthropic knows calls with arguments in JSON only")
        elif not buffer.name:
            self._losses.add(f"{_PATH}.function.name", "a call without a name")
        elif arguments.strip() == TERMINATOR:
            self._losses.add(f"{_PATH}.function.arguments", "a terminator in place of arguments")
        else:
            return True
        return False

    def _record_late_fragment(self, slot: int) -> None:
        """Record a loss for more of a call that was complete."""
        if self._buffers.buffer_at(slot).pieces[-1:] not in ([], [""]):
            self._losses.add(f"{_PATH}.function.arguments", "arguments behind the end of their object")
