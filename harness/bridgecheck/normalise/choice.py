"""One candidate, put together from its parts in the order in which they came.

Rule ``text.segments``: adjacent parts of one channel join with nothing; a part of any other kind between them opens a
new segment; empty parts say nothing and separate nothing.
"""

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

    def say(self, piece: str, signature: str = "") -> None:
        """Visible text. A signature on an empty part is the tail's, unless something follows."""
        if piece:
            self._append("text", piece)
            self._sign("text", len(self._segments["text"]) - 1, signature)
        elif signature:
            self._tail.append(signature)

    def think(self, piece: str, signature: str = "") -> None:
        """Reasoning text; a signature on an empty part belongs to the segment before it."""
        if piece:
            self._append("reasoning", piece)
        self._sign("reasoning", max(len(self._segments["reasoning"]) - 1, 0), signature)

    def redacted(self, data: str) -> None:
        """Reasoning that came as opaque data only; it is carried back like a signature."""
        if data:
            self.separate()
            self._sign("redacted", self._redacted, data)
            self._redacted += 1

    def call(self, call: ToolCall) -> None:
        self._item("call", len(self._calls))
        self._calls.append(call)

    def show(self, media: Media, signature: str = "") -> None:
        self._item("media", len(self._media))
        self._sign("media", len(self._media), signature)
        self._media.append(media)

    def run(self, kind: str, text: str, signature: str = "") -> None:
        """Code the provider ran itself, or its result."""
        self._item("code", len(self._code))
        self._sign("code", len(self._code), signature)
        self._code.append((kind, text))

    def refuse(self, text: str) -> None:
        if text:
            if not self._refusal:
                self._item("refusal", 0)
            self._refusal += text

    def cite(self, citation: object) -> None:
        """The same citation said twice counts once: streams repeat the whole list."""
        self._citations[canonical(citation)] = None

    def separate(self) -> None:
        """A part of a kind that has no channel stood here: what follows is a new segment."""
        self._settle_tail()
        self._open = None

    def sign_all(self, signature: str) -> None:
        """A signature given for the whole message: that of the last text, or the tail's where there is none."""
        if not signature:
            return
        texts = self._segments["text"]
        if texts:
            self._sign("text", len(texts) - 1, signature)
        else:
            self._tail.append(signature)

    def build(self, finish: Finish) -> Choice:
        return Choice(
            index=self.index,
            text=tuple("".join(pieces) for pieces in self._segments["text"]),
            reasoning=tuple("".join(pieces) for pieces in self._segments["reasoning"]),
            tool_calls=tuple(self._calls),
            media=tuple(self._media),
            code=tuple(self._code),
            citations=tuple(self._citations),
            refusal=self._refusal,
            finish=finish,
            signatures=(*self._signatures, *(("tail", value) for value in self._tail)),
            order=tuple(self._order),
        )

    def _append(self, channel: Channel, piece: str) -> None:
        self._settle_tail()
        segments = self._segments[channel]
        if self._open != channel:
            self._order.append((channel, len(segments)))
            segments.append([])
            self._open = channel
        segments[-1].append(piece)

    def _item(self, channel: Channel, position: int) -> None:
        self.separate()
        self._order.append((channel, position))

    def _sign(self, channel: str, position: int, signature: str) -> None:
        if signature:
            self._signatures.append((f"{channel}:{position}", signature))

    def _settle_tail(self) -> None:
        """Something follows the empty signed part, so it was no tail: its signature is that of the text before it."""
        for value in self._tail:
            self._sign("text", max(len(self._segments["text"]) - 1, 0), value)
        self._tail.clear()


def signed(call: ToolCall, signature: str) -> ToolCall:
    return replace(call, signature=signature) if signature else call
