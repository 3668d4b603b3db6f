"""Writes the content blocks of an Anthropic stream: one open at a time, numbered without gaps.

Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming (stored copy read 2026-11-21).
"""

from bridgecheck.wire import JsonObject


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
