"""Writers of the content block events of an Anthropic stream: one block open at a time, numbered without gaps.

OpenAI's calls, whose fragments may come interleaved, become tool_use blocks, which come one after another. The first
call is passed on as it comes. The next one waits until its arguments are complete, which is tested once, when something
else comes: hosts that send their calls one after another wait for nothing, and fragments by the million cost time
linear in their size.

Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming (stored copy read 2026-11-21).
"""

from dataclasses import dataclass

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.arguments import parse_arguments
from bridgecheck_reference.convert.chat_calls import CUSTOM, INPUT, TOLD, CallBuffer, CallBuffers
from bridgecheck_reference.convert.chat_messages import TERMINATOR
from bridgecheck_reference.convert.json_values import NOTHING, dumps, text
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.signatures import of_gemini
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile


class BlockWriter:
    """Say things in order, then ``take`` the events they come to. ``count``: blocks begun so far."""

    __slots__ = ("_events", "_kind", "_sealed", "_thought", "count")

    def __init__(self) -> None:
        self.count = 0
        self._kind = ""
        self._sealed = False
        self._thought: list[str] = []
        self._events: list[JsonObject] = []

    def take(self) -> list[JsonObject]:
        """The events since the last time."""
        events, self._events = self._events, []
        return events

    @property
    def kind(self) -> str:
        """Type of the open block, "" if none is."""
        return self._kind

    @property
    def thought(self) -> str | None:
        """The words of the open thinking block, None if none is open or it has its signature."""
        return "".join(self._thought) if self._kind == "thinking" and not self._sealed else None

    def text(self, words: str) -> None:
        if self._kind != "text":
            self.begin({"type": "text", "text": ""})
        self.delta({"type": "text_delta", "text": words})

    def think(self, words: str) -> None:
        """More thinking, in a block of its own if the open one has its signature."""
        if self._kind != "thinking" or self._sealed:
            self.begin({"type": "thinking", "thinking": "", "signature": ""})
        self._thought.append(words)
        self.delta({"type": "thinking_delta", "thinking": words})

    def sign(self, signature: str) -> None:
        """Ends the open thinking block with its signature; an empty one is made if none is open."""
        if self._kind != "thinking" or self._sealed:
            self.begin({"type": "thinking", "thinking": "", "signature": ""})
        self.delta({"type": "signature_delta", "signature": signature})
        self._sealed = True

    def redacted(self, data: object) -> None:
        self.begin({"type": "redacted_thinking", "data": data})
        self.end()

    def begin(self, block: JsonObject) -> None:
        """A new block; the open one ends."""
        self.end()
        self._kind = str(block.get("type"))
        self._events.append({"type": "content_block_start", "index": self.count, "content_block": block})
        self.count += 1

    def delta(self, delta: JsonObject) -> None:
        """More of the open block."""
        self._events.append({"type": "content_block_delta", "index": self.count - 1, "delta": delta})

    def end(self) -> None:
        """The open block ends, if one is open."""
        if self._kind:
            self._events.append({"type": "content_block_stop", "index": self.count - 1})
        self._kind, self._sealed, self._thought = "", False, []


_PATH = "choices[].delta.tool_calls[]"


@dataclass(slots=True)
class _Current:
    """The call that is passed on. ``sent``: pieces of it passed on or, before its block is open (``begun``), seen to be
    blank; ``looked``: whether it was found incomplete when something else came."""

    slot: int
    buffer: CallBuffer
    sent: int = 0
    begun: bool = False
    looked: bool = False


class CallQueue:
    """The calls of one answer. ``named``: function name upstream -> function name here. ``said``: calls told so far;
    ``broken``: the arguments of those that cannot be read; ``leaves``: what the block of the next call says further, in
    carried documents."""

    __slots__ = (
        "_buffers",
        "_current",
        "_done",
        "_losses",
        "_named",
        "_profile",
        "_salt",
        "_writer",
        "broken",
        "leaves",
        "said",
    )

    def __init__(self, writer: BlockWriter, profile: Profile, losses: Losses, named: Rename) -> None:
        self.said = 0
        self.broken: list[str] = []
        self.leaves: JsonObject = NOTHING
        self._writer = writer
        self._profile = profile
        self._losses = losses
        self._named = named
        self._buffers = CallBuffers()
        self._current: _Current | None = None
        self._done: set[int] = set()
        self._salt = ""

    def salt(self, key: str) -> None:
        """What makes the ids of this answer differ from those of others."""
        self._salt = key

    def feed(self, delta: JsonObject) -> None:
        """The fragments of one delta."""
        for slot in self._buffers.gather(delta):
            if slot in self._done:
                self._late(slot)
                continue
            if self._current is not None and slot != self._current.slot:
                self.give_way()
            if self._current is None:
                self._current = _Current(slot, self._buffers.at(slot))
            if slot == self._current.slot:
                self._send(self._current)

    def give_way(self) -> bool:
        """Ends the call that is passed on if its arguments are complete. Whether something else can be said now."""
        current = self._current
        if current is None:
            return True
        if current.looked:
            return False
        arguments = "".join(current.buffer.pieces)
        current.looked = not arguments.strip() or parse_arguments(arguments) is None
        if not current.looked:
            self._finish(current)
        return not current.looked

    def close(self) -> None:
        """No further fragments will come: the current call ends, and those that waited follow it."""
        if self._current is not None:
            self._finish(self._current)
        for slot, buffer in self._buffers.in_order():
            if slot not in self._done:
                self._finish(_Current(slot, buffer))

    def _send(self, current: _Current) -> None:
        """Passes on what came, once it is known to be an object."""
        buffer = current.buffer
        if buffer.kind == CUSTOM:
            return
        if not current.begun:
            while current.sent < len(buffer.pieces) and not buffer.pieces[current.sent].strip():
                current.sent += 1
            if not buffer.name or not "".join(buffer.pieces[current.sent :]).lstrip().startswith("{"):
                return
            self._begin(current)
        fragment = "".join(buffer.pieces[current.sent :])
        current.sent = len(buffer.pieces)
        if fragment:
            self._writer.delta({"type": "input_json_delta", "partial_json": fragment})

    def _begin(self, current: _Current) -> None:
        buffer = current.buffer
        signature = text(buffer.extra.get("thought_signature"))
        if signature and self._profile.signatures == "carry":
            self._writer.sign(of_gemini(signature, "call"))
        self.said += 1
        name = self._named(buffer.name) if self._named else buffer.name
        id = buffer.id or f"toolu_{self._salt[:16]}_{self.said}"
        self._writer.begin({"type": "tool_use", "id": id, "name": name, "input": {}, **self.leaves})
        self.leaves = NOTHING
        current.begun = True

    def _finish(self, current: _Current) -> None:
        """The end of a call: what was held of it, and whether its arguments can be read."""
        self._done.add(current.slot)
        self._current = None
        buffer = current.buffer
        whole = "".join(buffer.pieces)
        custom = buffer.kind == CUSTOM
        arguments = {INPUT: whole} if custom else parse_arguments(whole or buffer.extra.get("arguments"))
        if not self._is_call(buffer, whole):
            return
        if arguments is None:
            self.broken.append(whole)
            if not current.begun:
                return
        if not current.begun:
            self._begin(current)
            if arguments:
                self._writer.delta({"type": "input_json_delta", "partial_json": dumps(arguments)})
        self._writer.end()

    def _is_call(self, buffer: CallBuffer, whole: str) -> bool:
        """Whether this is a function call; records a loss if not."""
        if buffer.kind == CUSTOM:
            self._losses.add(f"{_PATH}.type", TOLD)
            return True
        if buffer.kind not in ("", "function"):
            self._losses.add(f"{_PATH}.type", "Anthropic knows calls with arguments in JSON only")
        elif not buffer.name:
            self._losses.add(f"{_PATH}.function.name", "a call without a name")
        elif whole.strip() == TERMINATOR:
            self._losses.add(f"{_PATH}.function.arguments", "a terminator in place of arguments")
        else:
            return True
        return False

    def _late(self, slot: int) -> None:
        """More of a call that was complete."""
        if self._buffers.at(slot).pieces[-1:] not in ([], [""]):
            self._losses.add(f"{_PATH}.function.arguments", "arguments behind the end of their object")
