"""The message of an OpenAI response -> Anthropic's content blocks, delta by delta."""

from collections import deque
from collections.abc import Iterator
from typing import Final, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.anthropic.block_events import BlockWriter, CallQueue
from bridgecheck_reference.convert.anthropic.media import TEXTS
from bridgecheck_reference.convert.chat_messages import order_of_message, plain_reasoning, restore_order, words_of
from bridgecheck_reference.convert.json_values import NOTHING, anthropic, arr, dumps, google, obj, objs, text, without
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.signatures import of_gemini
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile

Piece: TypeAlias = tuple[str, JsonObject]
"""(kind, what it says): ``text`` and ``thought`` {"text"}, ``reasoning`` an entry of reasoning_details."""

_PATH: Final = "choices[].delta"


def pieces_of(message: JsonObject, losses: Losses) -> Iterator[Piece]:
    """Reasoning, then text. Reasoning said twice (``reasoning_content`` and ``reasoning_details``) counts once."""
    details = [*objs(message.get("reasoning_details"))]
    thought = plain_reasoning(message)
    words = "".join(map(words_of, details))
    apart = bool(thought) and not (details and "".join(thought.split()) == "".join(words.split()))
    if apart:
        yield "thought", {"text": thought}
    for detail in details:
        yield "reasoning", _signed(detail) if apart else detail
    yield from _content(message.get("content"), losses)
    if refusal := text(message.get("refusal")):
        losses.add(f"{_PATH}.refusal", "a refusal is said as text", "info")
        yield "text", {"text": refusal}


def ordered(message: JsonObject) -> list[tuple[str, JsonObject, JsonObject]] | None:
    """(kind, what it says, further leaves) in the order that the message carries; None where it carries none that
    fits. Kind is ``text``, ``reasoning``, ``call``, ``image`` or ``block``."""
    kept = order_of_message(message)
    if kept is None:
        return None
    things = {
        "reasoning": [*objs(message.get("reasoning_details"))],
        "call": [*objs(message.get("tool_calls"))],
        "image": [*objs(message.get("images"))],
    }
    return restore_order(kept, text(message.get("content")), things)


def _signed(detail: JsonObject) -> JsonObject:
    """A detail whose words stand beside it already."""
    return {key: value for key, value in detail.items() if key not in ("text", "summary")}


def _content(content: object, losses: Losses) -> Iterator[Piece]:
    if isinstance(content, str):
        if content:
            yield "text", {"text": content}
    elif isinstance(content, list):
        for part in objs(content):
            yield from _part(part, losses)
    elif isinstance(content, dict):
        losses.add(f"{_PATH}.content", "an object in place of text, told as its JSON text")
        yield "text", {"text": dumps(content)}


def _part(part: JsonObject, losses: Losses) -> Iterator[Piece]:
    """One part of a content list; thoughts stand there in Mistral's answers."""
    kind = part.get("type")
    words = text(part.get("refusal")) if kind == "refusal" else text(part.get("text"))
    if kind in TEXTS or kind == "refusal":
        if words:
            yield "text", {"text": words}
    elif kind == "thinking":
        thought = "".join(text(obj(item).get("text")) for item in arr(part.get("thinking")))
        if thought:
            yield "thought", {"text": thought}
    else:
        losses.add(f"{_PATH}.content[].{text(kind) or 'type'}", "Anthropic's models answer in text only")


_TEXT_ONLY: Final = frozenset({"role", "content"})
_SAID: Final = frozenset({
    "role", "content", "reasoning_content", "reasoning", "reasoning_details", "tool_calls", "function_call", "refusal",
    "extra_content", "name", "index",
})  # fmt: skip
_EMPTY: Final[dict[str, JsonObject]] = {
    "text": {"type": "text", "text": ""},
    "thinking": {"type": "thinking", "thinking": "", "signature": ""},
}
"""What a block of text or thinking says before its first delta."""

_PART_OF: Final[dict[str, str]] = {"reasoning": "thought", "tail": "tail"}
"""What ``thought_signature_part`` names -> the kind of part as convert/signatures calls it."""


class AnswerWriter:
    """``say`` each delta, then ``close``; ``take`` gives the events since the last time."""

    __slots__ = ("_boundaries", "_losses", "_profile", "_queue", "_waiting", "_writer")

    def __init__(self, profile: Profile, losses: Losses, named: Rename) -> None:
        self._profile = profile
        self._losses = losses
        self._boundaries = profile.carries_anthropic
        self._writer = BlockWriter()
        self._queue = CallQueue(self._writer, profile, losses, named)
        self._waiting: deque[Piece] = deque()

    def salt(self, key: str) -> None:
        self._queue.salt(key)

    def take(self) -> list[JsonObject]:
        return self._writer.take()

    @property
    def calls(self) -> int:
        """How many calls were told."""
        return self._queue.said

    @property
    def broken(self) -> list[str]:
        """The arguments of the calls that cannot be read."""
        return self._queue.broken

    def say(self, delta: JsonObject, *, whole: bool = False) -> None:
        """One delta; ``whole``: a message."""
        words = delta.get("content")
        if isinstance(words, str) and _TEXT_ONLY.issuperset(delta):
            if words:
                self._piece("text", {"text": words})
            return
        if not _SAID.issuperset(delta):
            for key in without(delta, _SAID):
                self._losses.add(f"{_PATH}.{key}", "Anthropic has no place for it")
        if self._in_order(delta):
            return
        self._mark_start(anthropic(delta))
        signature = self._signature(delta)
        for kind, said in pieces_of(delta, self._losses):
            if signature and kind == "text":
                self._piece("reasoning", signature)
                signature = None
            if whole and kind == "reasoning" and "text" in said:
                self._writer.end()
            self._piece(kind, said)
        if signature:
            self._piece("reasoning", signature)
        if "tool_calls" in delta or "function_call" in delta:
            self._queue.feed(delta)
        self._mark_end(anthropic(delta))

    def close(self) -> None:
        """Calls that waited, then what was said in between."""
        self._queue.close()
        while self._waiting:
            self._write(*self._waiting.popleft())
        self._writer.end()

    def _in_order(self, delta: JsonObject) -> bool:
        """Says a delta in the order that it carries, if it does."""
        found = ordered(delta)
        for kind, said, rest in found or ():
            if self._boundaries:
                self._writer.end()
            if kind == "reasoning" and words_of(said) and not said.get("signature"):
                kind, said = "thought", {"text": words_of(said)}  # told once here, so equal words are no twin
            self._piece(kind, said, rest)
        return found is not None

    def _signature(self, delta: JsonObject) -> JsonObject | None:
        """Gemini's signature of a message, as reasoning that is signed; None without one."""
        carried = google(delta)
        signature = text(carried.get("thought_signature"))
        if not signature:
            return None
        if self._profile.signatures == "drop":
            self._losses.add(f"{_PATH}.extra_content.google.thought_signature", "not carried", "info")
            return None
        part = _PART_OF.get(text(carried.get("thought_signature_part")), "text")
        return {"signature": of_gemini(signature, part)}

    def _piece(self, kind: str, said: JsonObject, rest: JsonObject = NOTHING) -> None:
        """One piece, now or, in the middle of a call, behind it."""
        if kind == "call":
            self._queue.leaves = rest
            self._queue.feed({"tool_calls": [said]})
            self._queue.close()
        elif self._queue.give_way():
            self._write(kind, said, rest)
        else:
            self._waiting.append((kind, said))

    def _write(self, kind: str, said: JsonObject, rest: JsonObject = NOTHING) -> None:
        if kind == "text":
            if rest or (self._boundaries and self._writer.kind != "text"):
                self._writer.begin({"type": "text", "text": "", **rest})
            if said["text"]:
                self._writer.text(text(said["text"]))
        elif kind == "thought":
            self._writer.think(text(said["text"]))
        elif kind == "reasoning":
            self._detail(said)
        elif kind == "block":
            self._writer.begin(said)
        else:
            self._losses.add(f"{_PATH}.{kind}", "Anthropic's models answer in text only")

    def _detail(self, detail: JsonObject) -> None:
        """An entry of reasoning_details: a whole block, a piece of one, or the signature of the block that is open."""
        if detail.get("data"):
            self._writer.redacted(detail["data"])
            return
        words = words_of(detail)
        if words != self._writer.thought and (words or self._boundaries):
            self._writer.think(words)
        if signature := text(detail.get("signature")):
            self._writer.sign(signature)

    def _mark_start(self, mark: JsonObject) -> None:
        """The beginning of a block that was carried, or more of one that OpenAI cannot say."""
        block = obj(mark.get("start"))
        kind = text(block.get("type"))
        if kind == "tool_use":
            self._queue.leaves = {key: value for key, value in block.items() if key != "type"}
        elif block and kind != "redacted_thinking":
            self._writer.begin({**_EMPTY.get(kind, NOTHING), **block})
        if "delta" in mark:
            self._writer.delta(obj(mark["delta"]))

    def _mark_end(self, mark: JsonObject) -> None:
        if mark.get("stop"):
            self._queue.close()
            self._writer.end()
