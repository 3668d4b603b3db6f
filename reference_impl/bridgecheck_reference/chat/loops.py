"""Whether an answer goes in circles: the same calls, or the same text, again and again. Pure.

A cycle of one to five calls that came five times is a loop, and so are fifty characters that came ten times in a short
space, unless what stands between them differs, or it is code, a table, a list, a heading or a quotation.
Source: services/loopDetectionService.js of @google/gemini-cli-core 0.61.0 (2026-11-24); its third check, which asks a
model after thirty turns, is not built."""

import re
from itertools import pairwise
from typing import Final

from bridgecheck_reference.chat.events import Content, Event, ToolCallRequest
from bridgecheck_reference.chat.tokens import as_json

REPEATED_CALLS: Final = 5
LONGEST_CYCLE: Final = 5
REPEATED_TEXT: Final = 10
WINDOW: Final = 50
"""Characters that are compared."""
_LONGEST_TEXT: Final = 5000
_FARTHEST: Final = WINDOW * 5
_OTHER_KIND: Final = re.compile(
    r"```|(^|\n)\s*(\|.*\||[|+-]{3,})|(^|\n)\s*[*\-+]\s|(^|\n)\s*\d+\.\s|(^|\n)#+\s|(^|\n)>\s"
)
_DIVIDER: Final = re.compile(r"[+-_=*\u2500-\u257f]+")


class LoopDetector:
    """Fed the events of one prompt. ``count``: how many loops were found in it; ``detail``: what repeats."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Another prompt begins."""
        self.count = 0
        self.detail = ""
        self._found = False
        self._calls: list[str] = []
        self._in_code = False
        self._forget_text()

    def resume(self) -> None:
        """The model was told: look on, and remember that it was."""
        self._found = False

    def feed(self, event: Event) -> int:
        """Return 0, or how many loops were found with this one."""
        if self._found:
            return self.count
        match event:
            case ToolCallRequest():
                self._forget_text()
                self._found = self._is_repeated_call(f"{event.name}:{as_json(event.args)}")
                self.detail = f"repeated call: {event.name} with arguments {as_json(event.args)}"
            case Content():
                self._found = self._is_repeated_text(event.text)
            case _:
                return 0
        self.count += self._found
        return self.count if self._found else 0

    def _forget_text(self) -> None:
        self._text = ""
        self._next = 0
        self._places: dict[str, list[int]] = {}

    def _is_repeated_call(self, key: str) -> bool:
        self._calls = [*self._calls, key][-REPEATED_CALLS * LONGEST_CYCLE :]
        return any(
            len(self._calls) >= length * REPEATED_CALLS
            and self._calls[-length * REPEATED_CALLS :] == self._calls[-length:] * REPEATED_CALLS
            for length in range(1, LONGEST_CYCLE + 1)
        )

    def _is_repeated_text(self, text: str) -> bool:
        fences = text.count("```")
        divider = _DIVIDER.fullmatch(text) is not None
        if divider or _OTHER_KIND.search(text):
            self._forget_text()
        was_in_code = self._in_code
        self._in_code ^= fences % 2 == 1
        if was_in_code or self._in_code or divider:
            return False
        self._append(text)
        while self._next + WINDOW <= len(self._text):
            window = self._text[self._next : self._next + WINDOW]
            places = self._places.setdefault(window, [])
            places.append(self._next)
            if len(places) >= REPEATED_TEXT and self._is_dense(places[-REPEATED_TEXT:]):
                self.detail = f"repeated text: {window.strip()!r}"
                return True
            self._next += 1
        return False

    def _append(self, text: str) -> None:
        self._text += text
        surplus = len(self._text) - _LONGEST_TEXT
        if surplus > 0:
            self._text = self._text[surplus:]
            self._next = max(0, self._next - surplus)
            moved = {
                window: [place - surplus for place in places if place >= surplus]
                for window, places in self._places.items()
            }
            self._places = {window: places for window, places in moved.items() if places}

    def _is_dense(self, places: list[int]) -> bool:
        if (places[-1] - places[0]) / (REPEATED_TEXT - 1) > _FARTHEST:
            return False
        between = {self._text[first:second] for first, second in pairwise(places)}
        return len(between) <= REPEATED_TEXT // 2
