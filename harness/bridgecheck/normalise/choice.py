"""One candidate, put together from its parts in the order in which they came.

Rule ``text.segments``: adjacent parts of one channel join with nothing; a part of any other kind between them opens a
new segment; empty parts are left out and separate nothing."""

from dataclasses import dataclass, field, replace

from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.outcome import Channel, Choice, Finish, Media, ToolCall


@dataclass
class ChoiceBuilder:
    index: int = 0
    _segments: dict[Channel, list[list[str]]] = field(default_factory=lambda: {"text": [], "reasoning": []})
    _calls: list[ToolCall] = field(default_factory=list)
    _media: list[Media] = field(default_factory=list)
    _code: list[tuple[str, str]] = field(default_factory=list)
    _citations: dict[str, None] = field(default_factory=dict)
    _refusal: str = ""
    _signatures: list[tuple[str, str]] = field(default_factory=list)
    _tail: list[str] = field(default_factory=list)
    _order: list[tuple[Channel, int]] = field(default_factory=list)
    _open: Channel | None = None
    _redacted: int = 0

    def add_text(self, piece: str, signature: str = "") -> None:
        """Add visible text. A signature on an empty part is the tail's, unless something follows."""
        if piece:
            self._add_piece("text", piece)
            self._add_signature("text", len(self._segments["text"]) - 1, signature)
        elif signature:
            self._tail.append(signature)

    def add_reasoning(self, piece: str, signature: str = "") -> None:
        """Add reasoning text; a signature on an empty part belongs to the segment before it."""
        if piece:
            self._add_piece("reasoning", piece)
        self._add_signature("reasoning", max(len(self._segments["reasoning"]) - 1, 0), signature)

    def add_redacted(self, data: str) -> None:
        """Add reasoning that came as opaque data only; it is carried back like a signature."""
        if data:
            self.end_segment()
            self._add_signature("redacted", self._redacted, data)
            self._redacted += 1

    def add_call(self, call: ToolCall) -> None:
        self._add_item("call", len(self._calls))
        self._calls.append(call)

    def add_media(self, media: Media, signature: str = "") -> None:
        self._add_item("media", len(self._media))
        self._add_signature("media", len(self._media), signature)
        self._media.append(media)

    def add_code(self, kind: str, text: str, signature: str = "") -> None:
        """Add code the provider ran itself, or its result."""
        self._add_item("code", len(self._code))
        self._add_signature("code", len(self._code), signature)
        self._code.append((kind, text))

    def add_refusal(self, text: str) -> None:
        if text:
            if not self._refusal:
                self._add_item("refusal", 0)
            self._refusal += text

    def add_citation(self, citation: object) -> None:
        """Add a citation; a repeated one counts once: streams repeat the whole list."""
        self._citations[canonical(citation)] = None

    def end_segment(self) -> None:
        """End the segment: a part of a kind that has no channel stood here, and what follows is a new segment."""
        self._move_tail_signatures_to_last_text()
        self._open = None

    def sign_last_text_or_tail(self, signature: str) -> None:
        """Add a signature of the whole message: to the last text, or to the tail where there is none."""
        if not signature:
            return
        texts = self._segments["text"]
        if texts:
            self._add_signature("text", len(texts) - 1, signature)
        else:
            self._tail.append(signature)

    def build(self, finish: Finish) -> Choice:
        return Choice(
            index=self.index, text=tuple("".join(pieces) for pieces in self._segments["text"]),
            reasoning=tuple("".join(pieces) for pieces in self._segments["reasoning"]), tool_calls=tuple(self._calls),
            media=tuple(self._media), code=tuple(self._code), citations=tuple(self._citations), refusal=self._refusal,
            finish=finish, signatures=(*self._signatures, *(("tail", value) for value in self._tail)),
            order=tuple(self._order),
        )  # fmt: skip

    def _add_piece(self, channel: Channel, piece: str) -> None:
        self._move_tail_signatures_to_last_text()
        segments = self._segments[channel]
        if self._open != channel:
            self._order.append((channel, len(segments)))
            segments.append([])
            self._open = channel
        segments[-1].append(piece)

    def _add_item(self, channel: Channel, position: int) -> None:
        self.end_segment()
        self._order.append((channel, position))

    def _add_signature(self, channel: str, position: int, signature: str) -> None:
        if signature:
            self._signatures.append((f"{channel}:{position}", signature))

    def _move_tail_signatures_to_last_text(self) -> None:
        """Sign the last text with the tail's signatures: something follows the empty signed part, so it was no tail."""
        for value in self._tail:
            self._add_signature("text", max(len(self._segments["text"]) - 1, 0), value)
        self._tail.clear()


def with_signature(call: ToolCall, signature: str) -> ToolCall:
    return replace(call, signature=signature) if signature else call
