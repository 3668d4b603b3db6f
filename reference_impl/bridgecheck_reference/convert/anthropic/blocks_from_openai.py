"""The message of an OpenAI response -> Anthropic's content blocks, delta by delta."""

from collections import deque
from collections.abc import Container, Iterator
from typing import Final, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.anthropic.block_events import AnthropicBlockEventWriter, CallQueue
from bridgecheck_reference.convert.anthropic.media import TEXTS
from bridgecheck_reference.convert.chat_messages import (
    order_of_message,
    plain_reasoning_text,
    reasoning_detail_text,
    restore_order,
)
from bridgecheck_reference.convert.json_values import (
    NOTHING,
    anthropic_extra,
    arr,
    dumps,
    google_extra,
    obj,
    objs,
    text,
    unknown_nonempty_members,
)
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.signatures import (
    UnwrappedSignature,
    prefix_gemini_signature,
    split_gemini_signature_prefix,
)
from bridgecheck_reference.loss import Losses

Piece: TypeAlias = tuple[str, JsonObject]
"""(kind, content): ``text`` and ``thought`` {"text"}, ``reasoning`` an entry of reasoning_details."""

_PATH: Final = "choices[].delta"


def read_reasoning_and_text(message: JsonObject, losses: Losses) -> Iterator[Piece]:
    """Return reasoning, then text. Reasoning that stands twice (``reasoning_content`` and ``reasoning_details``) counts
    once."""
    details = [*objs(message.get("reasoning_details"))]
    thought = plain_reasoning_text(message)
    detail_text = "".join(map(reasoning_detail_text, details))
    has_separate_thought = bool(thought) and not (details and "".join(thought.split()) == "".join(detail_text.split()))
    if has_separate_thought:
        yield "thought", {"text": thought}
    for detail in details:
        yield "reasoning", _without_text(detail) if has_separate_thought else detail
    yield from _read_text_and_thought_content(message.get("content"), losses)
    if refusal := text(message.get("refusal")):
        losses.add(f"{_PATH}.refusal", "a refusal becomes text", "info")
        yield "text", {"text": refusal}


def read_ordered_pieces(message: JsonObject) -> list[tuple[str, JsonObject, JsonObject]] | None:
    """Return (kind, content, further leaves) in the order that the message carries; None where it carries none that
    fits.

    Kind is ``text``, ``reasoning``, ``call``, ``image`` or ``block``.
    """
    order = order_of_message(message)
    if order is None:
        return None
    things = {
        "reasoning": [*objs(message.get("reasoning_details"))],
        "call": [*objs(message.get("tool_calls"))],
        "image": [*objs(message.get("images"))],
    }
    return restore_order(order, text(message.get("content")), things)


def _without_text(detail: JsonObject) -> JsonObject:
    """Return a detail without its text, which stands beside it already."""
    return {key: value for key, value in detail.items() if key not in ("text", "summary")}


def _read_text_and_thought_content(content: object, losses: Losses) -> Iterator[Piece]:
    if isinstance(content, str):
        if content:
            yield "text", {"text": content}
    elif isinstance(content, list):
        for part in objs(content):
            yield from _read_text_or_thought_part(part, losses)
    elif isinstance(content, dict):
        losses.add(f"{_PATH}.content", "an object in place of text becomes its JSON text")
        yield "text", {"text": dumps(content)}


def _read_text_or_thought_part(part: JsonObject, losses: Losses) -> Iterator[Piece]:
    """Read one part of a content list; thoughts stand there in Mistral's responses."""
    kind = part.get("type")
    part_text = text(part.get("refusal")) if kind == "refusal" else text(part.get("text"))
    if kind in TEXTS or kind == "refusal":
        if part_text:
            yield "text", {"text": part_text}
    elif kind == "thinking":
        thought = "".join(text(obj(item).get("text")) for item in arr(part.get("thinking")))
        if thought:
            yield "thought", {"text": thought}
    else:
        losses.add(f"{_PATH}.content[].{text(kind) or 'type'}", "Anthropic's models answer in text only")


_TEXT_KEYS: Final = frozenset({"role", "content"})
_CONVERTED_DELTA_KEYS: Final = frozenset({
    "role", "content", "reasoning_content", "reasoning", "reasoning_details", "tool_calls", "function_call", "refusal",
    "extra_content", "name", "index",
})  # fmt: skip
_EMPTY_BLOCKS: Final[dict[str, JsonObject]] = {
    "text": {"type": "text", "text": ""},
    "thinking": {"type": "thinking", "thinking": "", "signature": ""},
}
"""A block of text or thinking before its first delta."""

_PART_OF: Final[dict[str, str]] = {"reasoning": "thought", "tail": "tail"}
"""What ``thought_signature_part`` names -> the kind of part as convert/signatures calls it."""


class MessageBlockWriter:
    """Writes a message as blocks: ``write_delta`` each delta, then ``close``; ``take_events`` gives the events since
    the last time.

    ``thinks``: the client asked for thinking. One that did not finds no block of thinking in front of a text or a call
    for the sake of a Gemini signature (mapping row R-46).
    """

    __slots__ = ("_boundaries", "_losses", "_profile", "_queue", "_thinks", "_waiting", "_writer")

    def __init__(
        self, profile: Profile, losses: Losses, named: Rename, used_ids: Container[str] = (), *, thinks: bool
    ) -> None:
        self._profile = profile
        self._losses = losses
        self._boundaries = profile.carries_anthropic
        self._thinks = thinks
        self._writer = AnthropicBlockEventWriter()
        self._queue = CallQueue(self._writer, profile, losses, named, used_ids, signs_in_ids=not thinks)
        self._waiting: deque[Piece] = deque()

    def set_salt(self, key: str) -> None:
        self._queue.set_salt(key)

    def take_events(self) -> list[JsonObject]:
        return self._writer.take_events()

    @property
    def call_count(self) -> int:
        """How many calls were written."""
        return self._queue.call_count

    @property
    def unreadable_argument_texts(self) -> list[str]:
        """The arguments, as text, of the calls whose arguments are no JSON object."""
        return self._queue.unreadable_argument_texts

    def write_plain_delta(self, delta: JsonObject) -> bool:
        """Write a delta whose only member is more of the open text or of the call that is being passed on; return
        False for any other, with nothing changed."""
        content = delta.get("content")
        if type(content) is not str:
            return self._queue.pass_on_arguments(delta.get("tool_calls"))
        if self._writer.open_block_type != "text":
            return False
        if content:
            self._writer.write_delta({"type": "text_delta", "text": content})
        return True

    def write_delta(self, delta: JsonObject, *, whole: bool = False) -> None:
        """Write one delta; ``whole``: a message."""
        content = delta.get("content")
        if isinstance(content, str) and _TEXT_KEYS.issuperset(delta):
            if content:
                self._write_or_hold_piece("text", {"text": content})
            return
        if not _CONVERTED_DELTA_KEYS.issuperset(delta):
            for key in unknown_nonempty_members(delta, _CONVERTED_DELTA_KEYS):
                self._losses.add(f"{_PATH}.{key}", "Anthropic has no place for it")
        if self._write_in_order(delta):
            return
        self._begin_or_continue_carried_block(anthropic_extra(delta))
        signature = self._gemini_signature_detail(delta)
        for kind, piece in read_reasoning_and_text(delta, self._losses):
            if signature and kind == "text":
                self._write_or_hold_piece("reasoning", signature)
                signature = None
            if whole and kind == "reasoning" and "text" in piece:
                self._writer.end_block()
            self._write_or_hold_piece(kind, piece)
        if signature:
            self._write_or_hold_piece("reasoning", signature)
        if "tool_calls" in delta or "function_call" in delta:
            self._queue.feed(delta)
        self._end_block_if_mark_stops(anthropic_extra(delta))

    def close(self) -> None:
        """Write the calls that waited, then what came in between."""
        self._queue.close()
        while self._waiting:
            self._write_piece_unless_call_or_image(*self._waiting.popleft())
        self._writer.end_block()

    def _write_in_order(self, delta: JsonObject) -> bool:
        """Write a delta in the order that it carries; return whether it carries one."""
        found = read_ordered_pieces(delta)
        for kind, piece, rest in found or ():
            if self._boundaries:
                self._writer.end_block()
            if kind == "reasoning" and reasoning_detail_text(piece) and not piece.get("signature"):
                kind, piece = (
                    "thought",
                    {"text": reasoning_detail_text(piece)},
                )
            self._write_or_hold_piece(kind, piece, rest)
        return found is not None

    def _gemini_signature_detail(self, delta: JsonObject) -> JsonObject | None:
        """Return Gemini's signature of a message as signed reasoning; None without one."""
        carried = google_extra(delta)
        signature = text(carried.get("thought_signature"))
        if not signature:
            return None
        if self._profile.signatures == "drop":
            self._losses.add(f"{_PATH}.extra_content.google.thought_signature", "not carried", "info")
            return None
        part = _PART_OF.get(text(carried.get("thought_signature_part")), "text")
        return {"signature": prefix_gemini_signature(signature, part)}

    def _write_or_hold_piece(self, kind: str, piece: JsonObject, rest: JsonObject = NOTHING) -> None:
        """Write one piece now or, in the middle of a call, behind it."""
        if kind == "call":
            self._queue.leaves = rest
            self._queue.feed({"tool_calls": [piece]})
            self._queue.close()
            return
        self._queue.end_call_if_complete()
        if self._queue.has_no_current_call:
            self._write_piece_unless_call_or_image(kind, piece, rest)
        else:
            self._waiting.append((kind, piece))

    def _write_piece_unless_call_or_image(self, kind: str, piece: JsonObject, rest: JsonObject = NOTHING) -> None:
        if kind == "text":
            if rest or (self._boundaries and self._writer.open_block_type != "text"):
                self._writer.begin_block({"type": "text", "text": "", **rest})
            if piece["text"]:
                self._writer.write_text(text(piece["text"]))
        elif kind == "thought":
            self._writer.write_thinking(text(piece["text"]))
        elif kind == "reasoning":
            self._write_reasoning_detail(piece)
        elif kind == "block":
            self._writer.begin_block(piece)
        else:
            self._losses.add(f"{_PATH}.{kind}", "Anthropic's models answer in text only")

    def _write_reasoning_detail(self, detail: JsonObject) -> None:
        """Write an entry of reasoning_details: a whole block, a piece of one, or the signature of the block that is
        open."""
        if detail.get("data"):
            self._writer.write_redacted(detail["data"])
            return
        detail_text = reasoning_detail_text(detail)
        if detail_text != self._writer.open_unsigned_thinking_text and (detail_text or self._boundaries):
            self._writer.write_thinking(detail_text)
        signature = text(detail.get("signature"))
        gemini = split_gemini_signature_prefix(signature) if signature and not self._boundaries else None
        if gemini is not None:
            self._write_gemini_signature(gemini, signature)
        elif signature:
            self._writer.write_signature(signature)

    def _write_gemini_signature(self, gemini: UnwrappedSignature, prefixed: str) -> None:
        """Write a signature where ordinary clients survive it: with a call, on the thinking that is open, or on an
        empty block in front of all else for a client that asked for thinking. Elsewhere such a block would part the
        text or follow it, and clients take the first text, or the last."""
        if gemini.part_kind == "call":
            self._queue.call_signature = gemini.signature
        elif self._writer.open_unsigned_thinking_text is not None or (self._thinks and self._writer.has_only_thinking):
            self._writer.write_signature(prefixed)
        else:
            self._losses.add(f"{_PATH}.reasoning_details", "no place for the signature of a text", "info")

    def _begin_or_continue_carried_block(self, mark: JsonObject) -> None:
        """Begin a block that was carried, or write more of one that OpenAI cannot express."""
        block = obj(mark.get("start"))
        kind = text(block.get("type"))
        if kind == "tool_use":
            self._queue.leaves = {key: value for key, value in block.items() if key != "type"}
        elif block and kind != "redacted_thinking":
            self._writer.begin_block({**_EMPTY_BLOCKS.get(kind, NOTHING), **block})
        if "delta" in mark:
            self._writer.write_delta(obj(mark["delta"]))

    def _end_block_if_mark_stops(self, mark: JsonObject) -> None:
        if mark.get("stop"):
            self._queue.close()
            self._writer.end_block()
