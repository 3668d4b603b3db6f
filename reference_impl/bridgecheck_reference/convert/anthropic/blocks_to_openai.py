"""Content blocks of an Anthropic stream -> OpenAI deltas, each as soon as it can be sent.

Arguments are passed on as the fragments they came in; calls are numbered among themselves, whatever block they stand
in. A thinking block is sent as ``reasoning_content`` at once and, when it ends, as one entry of ``reasoning_details``,
which is why the text of the open one is kept; the entry holds the block's position (``thinking_blocks``), and an empty
signature behind a block that is left out: it cannot go back to where it stood. Citations wait for the end of the text
they back. They become OpenAI's annotations as far as these go: a page that was found, and the text it backs. Sources:
https://docs.anthropic.com/en/docs/build-with-claude/citations (stored copy read 2026-11-21); openai 3.52.0
``types.chat.chat_completion_message.Annotation``.
"""

from dataclasses import dataclass, field
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.anthropic.thinking_blocks import add_position
from bridgecheck_reference.convert.json_values import dumps, obj, objs, text, unknown_nonempty_members
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.loss import Losses


def citation_to_annotation(citation: JsonObject, start: int, end: int) -> JsonObject | None:
    """Return a ``url_citation`` of content[start:end]; None for a citation of a document, which has no URL."""
    url = text(citation.get("url"))
    if not url:
        return None
    cited: JsonObject = {"start_index": start, "end_index": end, "title": text(citation.get("title")), "url": url}
    return {"type": "url_citation", "url_citation": cited}


_PATH: Final = "content[]"

_CONVERTED_BLOCK_KEYS: Final[dict[str, frozenset[str]]] = {
    "text": frozenset({"type", "text"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
    "tool_use": frozenset({"type", "id", "name", "input"}),
}
"""Kind of block -> members that a delta can express. A block of any other kind (server tools, compaction) is
Anthropic's."""

_KIND_OF_DELTA: Final[dict[str, str]] = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "thinking",
    "citations_delta": "text",
}
"""Delta -> the kind of a block that was never begun."""


@dataclass(slots=True)
class _OpenBlock:
    """A block that was begun.

    ``call``: its number among the calls; ``input``: what it began with, sent at its end if no fragment came; ``start``:
    where its text begins in the content; ``calls``: how many calls began before it.
    """

    kind: str
    call: int = 0
    input: object = None
    fragments: bool = False
    thinking: list[str] = field(default_factory=list)
    signature: str = ""
    start: int = 0
    calls: int = 0
    citations: list[JsonObject] = field(default_factory=list)


class StreamBlockReader:
    """Reads the blocks of one response. ``named``: function name upstream -> function name here."""

    __slots__ = (
        "_carries",
        "_detail_count",
        "_keeps_unsigned",
        "_left_out",
        "_length",
        "_losses",
        "_named",
        "_open",
        "_profile",
        "call_count",
    )

    def __init__(self, profile: Profile, losses: Losses, named: Rename) -> None:
        self.call_count = 0
        self._profile = profile
        self._carries = profile.carries_anthropic
        self._keeps_unsigned = profile.carries_anthropic or profile.extended
        self._losses = losses
        self._named = named
        self._open: dict[int, _OpenBlock] = {}
        self._length = 0
        self._detail_count = 0
        self._left_out = False

    def start(self, index: int, block: JsonObject) -> JsonObject:
        """Return the delta for the beginning of a block, {} for none."""
        kind = text(block.get("type"))
        opened = self._open[index] = self._create_open_block_at_position(kind)
        if kind not in _CONVERTED_BLOCK_KEYS:
            return self._carry_or_record_foreign_block(block, kind)
        delta = self._convert_block_start(opened, block)
        if self._carries:
            rest = {key: value for key, value in block.items() if key not in _CONVERTED_BLOCK_KEYS[kind]}
            return _carry_mark(delta, {"start": {"type": kind, **rest}})
        opened.citations += objs(block.get("citations"))
        for key in unknown_nonempty_members(block, _CONVERTED_BLOCK_KEYS[kind] | {"citations"}):
            self._losses.add(f"{_PATH}.{key}", "Chat Completions has no place for it", "info")
        return delta

    def plain_piece(self, event: JsonObject) -> JsonObject | None:
        """Return the delta for one more piece of a text or of arguments whose block was begun; None for anything else,
        with nothing changed."""
        if len(event) != 3:
            return None
        delta, index = event.get("delta"), event.get("index")
        block = self._open.get(index) if type(index) is int else None
        if block is None or type(delta) is not dict or len(delta) != 2:
            return None
        if block.kind == "text":
            piece = delta.get("text")
            if type(piece) is not str or not piece or delta.get("type") != "text_delta":
                return None
            return self._text_delta(piece)
        piece = delta.get("partial_json")
        if type(piece) is not str or not piece or block.kind != "tool_use" or delta.get("type") != "input_json_delta":
            return None
        return self._arguments_delta(block, piece)

    def delta(self, index: int, delta: JsonObject) -> JsonObject:
        """Return the delta for more of a block."""
        kind = text(delta.get("type"))
        block = self._open.get(index)
        if block is None:
            block = self._open[index] = self._create_open_block_at_position(_KIND_OF_DELTA.get(kind, ""))
        if kind == "text_delta":
            return self._text_delta(text(delta.get("text")))
        if kind == "input_json_delta" and block.kind == "tool_use":
            return self._arguments_delta(block, text(delta.get("partial_json")))
        if kind == "thinking_delta":
            return self._collect_thinking_and_get_delta(block, text(delta.get("thinking")))
        if kind == "signature_delta":
            block.signature += text(delta.get("signature"))
            return {}
        if self._carries:
            return _carry_mark({}, {"delta": delta})
        if kind == "citations_delta":
            block.citations.append(obj(delta.get("citation")))
        elif block.kind in _CONVERTED_BLOCK_KEYS:
            self._losses.add(
                f"{_PATH}.delta.{kind or 'type'}", "a kind of delta that Chat Completions has no place for"
            )
        return {}

    def stop(self, index: int) -> JsonObject:
        """Return the delta for the end of a block."""
        block = self._open.pop(index, None)
        delta = self._held_input_thinking_or_citations_delta(block) if block else {}
        return _carry_mark(delta, {"stop": True}) if self._carries else delta

    def forget_open_blocks(self) -> None:
        """Forget them: another message in the same stream numbers its blocks anew."""
        self._open.clear()

    def _create_open_block_at_position(self, kind: str) -> _OpenBlock:
        return _OpenBlock(kind, start=self._length, calls=self.call_count)

    def _convert_block_start(self, opened: _OpenBlock, block: JsonObject) -> JsonObject:
        """Return the delta for what a block holds when it begins."""
        if opened.kind == "tool_use":
            return self._tool_call_delta_without_arguments(opened, block)
        if opened.kind == "thinking":
            opened.signature = text(block.get("signature"))
            return self._collect_thinking_and_get_delta(opened, text(block.get("thinking")))
        if opened.kind == "redacted_thinking":
            data = "" if self._left_out else text(block.get("data"))
            return self._reasoning_detail_delta({"type": "reasoning.encrypted", "data": data}, opened)
        return self._text_delta(text(block.get("text")))

    def _held_input_thinking_or_citations_delta(self, block: _OpenBlock) -> JsonObject:
        if block.kind == "tool_use" and not block.fragments:
            arguments = {} if block.input is None else block.input
            return self._arguments_delta(block, arguments if isinstance(arguments, str) else dumps(arguments))
        if block.kind == "thinking" and (block.signature or self._keeps_unsigned):
            detail: JsonObject = {"type": "reasoning.text", "text": "".join(block.thinking)}
            if block.signature:
                detail["signature"] = "" if self._left_out else block.signature
            return self._reasoning_detail_delta(detail, block)
        return self._citations_delta(block) if block.citations else {}

    def _text_delta(self, content: str) -> JsonObject:
        self._length += len(content)
        return {"content": content} if content else {}

    def _collect_thinking_and_get_delta(self, block: _OpenBlock, content: str) -> JsonObject:
        if not content:
            return {}
        block.thinking.append(content)
        return {"reasoning_content": content}

    def _reasoning_detail_delta(self, detail: JsonObject, block: _OpenBlock) -> JsonObject:
        """Return the delta of an entry of reasoning_details.

        A document between Gemini and Anthropic, or one to be converted back, carries the order by itself.
        """
        if self._profile.signatures == "carry":
            if self._keeps_unsigned:
                return {"reasoning_details": [detail]}
            # The stream helpers of openai (Python) raise for the second entry where they have no index.
            indexed = {**detail, "index": self._detail_count}
            self._detail_count += 1
            return {"reasoning_details": [add_position(indexed, block.start, block.calls)]}
        self._losses.add(f"{_PATH}.signature", "not carried", "info")
        return {}

    def _tool_call_delta_without_arguments(self, opened: _OpenBlock, block: JsonObject) -> JsonObject:
        opened.call, self.call_count = self.call_count, self.call_count + 1
        opened.input = block.get("input")
        name = text(block.get("name"))
        tool_call: JsonObject = {"index": opened.call, "id": text(block.get("id")), "type": "function"}
        tool_call["function"] = {"name": self._named(name) if self._named else name, "arguments": ""}
        return {"tool_calls": [tool_call]}

    def _arguments_delta(self, block: _OpenBlock, fragment: str) -> JsonObject:
        if not fragment:
            return {}
        block.fragments = True
        return {"tool_calls": [{"index": block.call, "function": {"arguments": fragment}}]}

    def _citations_delta(self, block: _OpenBlock) -> JsonObject:
        """Return the citations of a text that has ended."""
        made = [citation_to_annotation(citation, block.start, self._length) for citation in block.citations]
        if None in made:
            self._losses.add(f"{_PATH}.citations", "a citation of a document has no URL")
        annotations = [annotation for annotation in made if annotation]
        return {"annotations": annotations} if annotations else {}

    def _carry_or_record_foreign_block(self, block: JsonObject, kind: str) -> JsonObject:
        if self._carries:
            return _carry_mark({}, {"start": block})
        self._losses.add(f"{_PATH}.{kind or 'type'}", "a block that only Anthropic has")
        # Thinking behind it could only go back to another place than it was signed in.
        self._left_out = True
        return {}


def _carry_mark(delta: JsonObject, mark: JsonObject) -> JsonObject:
    """Return a delta with what is carried about its block: ``start``, ``delta`` or ``stop``."""
    return {**delta, "extra_content": {"anthropic": mark}}
