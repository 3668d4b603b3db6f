"""OpenAI's calls, whose fragments may come interleaved, as Anthropic's tool_use blocks, which come one after another.

The first call is passed on as it comes. The next one waits until its arguments are complete, which is looked up once,
when something else comes: hosts that send their calls one after another wait for nothing, and fragments by the million
cost time linear in their size.
"""

from dataclasses import dataclass

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.anthropic.block_writer import BlockWriter
from bridgecheck_reference.convert.arguments import parse_arguments
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.openai_calls import CallBuffer, CallBuffers
from bridgecheck_reference.convert.openai_words import TERMINATOR
from bridgecheck_reference.convert.other_calls import CUSTOM, INPUT, TOLD
from bridgecheck_reference.convert.read import NOTHING, dumps, text
from bridgecheck_reference.convert.signatures import of_gemini
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile

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
