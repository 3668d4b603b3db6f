"""One streamed answer: what of it enters the history, and whether it can be used. ``AnswerFold`` is fed each event and
closed at the end; it does no IO.

An answer with a call can be used. One without needs a finish reason and text that shows; behind the result of a tool it
may be empty. Source: core/geminiChat.js of @google/gemini-cli-core 0.61.0 (2026-11-24)."""

import re
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.chat.documents import calls, candidate, parts, text_of, tool_name
from bridgecheck_reference.chat.history import is_valid_content, prefixed_id
from bridgecheck_reference.errors import ReferenceFailure

Invalid: TypeAlias = Literal[
    "NO_FINISH_REASON", "NO_RESPONSE_TEXT", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MAX_TOKENS_EXCEEDED",
    "SAFETY_BLOCKED", "RECITATION_BLOCKED", "OTHER_BLOCKED", "THINKING_ONLY_RESPONSE",
]  # fmt: skip
"""Why an answer cannot be used."""

_AT_ONCE: Final[dict[str, Invalid]] = {
    "MALFORMED_FUNCTION_CALL": "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL": "UNEXPECTED_TOOL_CALL",
}
"""Finish reason -> why an answer without a call is invalid, whatever its text."""

_WITHOUT_TEXT: Final[dict[str, Invalid]] = {
    "MAX_TOKENS": "MAX_TOKENS_EXCEEDED",
    "SAFETY": "SAFETY_BLOCKED",
    "RECITATION": "RECITATION_BLOCKED",
    "OTHER": "OTHER_BLOCKED",
}
"""Finish reason -> why an answer without a call and without text is invalid."""

_INVISIBLE: Final = re.compile("[\u200b-\u200d\ufeff\u200e\u200f]")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_NO_TEXT_PART: Final = ("thought", "functionCall", "functionResponse", "inlineData", "fileData")


class InvalidStreamError(ReferenceFailure):
    """An answer ended, and cannot be used."""

    def __init__(self, reason: Invalid) -> None:
        super().__init__(f"the answer of the model cannot be used: {reason.lower().replace('_', ' ')}")
        self.reason: Invalid = reason


class AnswerFold:
    """``behind_result``: the message was the result of a tool. ``make_id``: by the name, of a call without id."""

    def __init__(self, *, behind_result: bool = False, make_id: Callable[[str], str]) -> None:
        self.usage: JsonObject | None = None
        """The last ``usageMetadata``, None before there is one."""
        self._behind_result = behind_result
        self._make_id = make_id
        self._parts: list[JsonObject] = []
        self._texts: list[list[str]] = []
        """The pieces of each part's text, joined once at the end; empty for a part that cannot be extended."""
        self._finish = ""
        self._has_call = False
        self._has_thought = False

    def feed(self, event: JsonObject) -> None:
        """Take an event. Its calls get their ids of the history, in place."""
        for call in calls(event):
            identifier = call.get("id")
            name = tool_name(call)
            call["id"] = prefixed_id(name, identifier if isinstance(identifier, str) else self._make_id(name))
        candidates = event.get("candidates")
        for item in candidates if isinstance(candidates, list) else []:
            if isinstance(item, dict) and item.get("finishReason"):
                self._finish = str(item["finishReason"])
                break
        usage = event.get("usageMetadata")
        self.usage = usage if isinstance(usage, dict) else self.usage
        content = candidate(event).get("content")
        if isinstance(content, dict) and is_valid_content(content):
            self._add(parts(content))

    def _add(self, found: list[JsonObject]) -> None:
        self._has_thought = self._has_thought or any(part.get("thought") for part in found)
        self._has_call = self._has_call or any(part.get("functionCall") for part in found)
        for part in found:
            if part.get("thought"):
                continue
            if self._texts and self._texts[-1] and _is_text(part):
                self._texts[-1].append(text_of(part))
            else:
                self._parts.append(dict(part))
                self._texts.append([text_of(part)] if _is_text(part) and part["text"] else [])

    def close(self) -> JsonObject:
        """Return the model's content. ``InvalidStreamError`` for an answer that cannot be used."""
        joined: list[JsonObject] = [
            {**part, "text": "".join(pieces)} if pieces else part
            for part, pieces in zip(self._parts, self._texts, strict=True)
        ]
        reason = None if self._has_call else self._why_invalid("".join(map(text_of, joined)))
        if reason is not None:
            raise InvalidStreamError(reason)
        return {"role": "model", "parts": joined}

    def _why_invalid(self, text: str) -> Invalid | None:
        if not self._finish and not self._behind_result:
            return "NO_FINISH_REASON"
        if self._finish in _AT_ONCE:
            return _AT_ONCE[self._finish]
        if has_visible_text(text):
            return None
        if self._finish in _WITHOUT_TEXT:
            return _WITHOUT_TEXT[self._finish]
        if self._has_thought:
            return "THINKING_ONLY_RESPONSE"
        return None if self._behind_result else "NO_RESPONSE_TEXT"


class IdMaker:
    """Ids for calls that came without: ``{name}_{milliseconds}_{number}``."""

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self._now_ms = now_ms
        self._number = 0

    def __call__(self, name: str) -> str:
        made = f"{name}_{int(self._now_ms())}_{self._number}"
        self._number += 1
        return made


def has_visible_text(text: str) -> bool:
    """Return whether anything is left without white space, invisible characters and comments of HTML."""
    text, found = _INVISIBLE.sub("", text), 1
    while found:
        text, found = _COMMENT.subn("", text)
    return bool(text.strip())


def _is_text(part: JsonObject) -> bool:
    return isinstance(part.get("text"), str) and not any(part.get(key) for key in _NO_TEXT_PART)
