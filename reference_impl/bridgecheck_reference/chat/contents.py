"""Turns of a conversation: what a message is as a user's content, and what an answer was as the model's."""

from typing import TypeAlias

from bridgecheck.wire import JsonObject

Message: TypeAlias = "str | JsonObject | list[JsonObject]"
"""A text, a part, or parts (tool results among them)."""


def user_content(message: Message) -> JsonObject:
    """The message as a content."""
    parts = message if isinstance(message, list) else [{"text": message} if isinstance(message, str) else message]
    return {"role": "user", "parts": parts}


class ModelTurn:
    """Gathers the parts of an answer's first candidate, whole or event by event. Texts that follow each other are one,
    unless only one of them is a thought or either is signed: a signature stays with its part."""

    def __init__(self) -> None:
        self.finished = False
        """Whether a finish reason was seen."""
        self._parts: list[JsonObject] = []
        self._texts: list[list[str]] = []
        """The pieces of each part's text, joined once at the end; empty for a part that is no text."""

    def add(self, document: JsonObject) -> None:
        """An answer or one event of it."""
        candidate = _first(document)
        self.finished = self.finished or bool(candidate.get("finishReason"))
        for part in _parts_of(candidate):
            if self._continues(part):
                self._texts[-1].append(str(part["text"]))
            else:
                self._parts.append(dict(part))
                self._texts.append([str(part["text"])] if "text" in part else [])

    def content(self) -> JsonObject | None:
        """The model's content, None for an answer without parts."""
        if not self._parts:
            return None
        joined = [
            {**part, "text": "".join(pieces)} if pieces else part
            for part, pieces in zip(self._parts, self._texts, strict=True)
        ]
        return {"role": "model", "parts": joined}

    def _continues(self, part: JsonObject) -> bool:
        if not self._parts or not self._texts[-1] or "text" not in part:
            return False
        last = self._parts[-1]
        signed = "thoughtSignature" in last or "thoughtSignature" in part
        return not signed and bool(last.get("thought")) == bool(part.get("thought"))


def _first(document: JsonObject) -> JsonObject:
    candidates = document.get("candidates")
    found = candidates if isinstance(candidates, list) else []
    return next((item for item in found if isinstance(item, dict) and not item.get("index")), {})


def _parts_of(candidate: JsonObject) -> list[JsonObject]:
    content = candidate.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
