"""One candidate of a Gemini answer on its way to an OpenAI choice: what has been said so far, and how it ended."""

from collections.abc import Callable
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert import finish
from bridgecheck_reference.convert.casing import camel
from bridgecheck_reference.convert.letter.thoughts import InlineReader
from bridgecheck_reference.convert.logprobs import logprobs_to_openai
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.parts_to_message import PartReader
from bridgecheck_reference.convert.read import NOTHING, text, without
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile

_PLAIN: Final = frozenset({"content", "finishReason", "index"})
_SAID: Final = _PLAIN | {"logprobsResult"}


class Candidate:
    """State of one choice. Bounded: text is passed on at once, only the call in progress is kept."""

    __slots__ = ("_begun", "_profile", "_whole", "index", "losses", "message", "native", "reader")

    def __init__(
        self,
        index: int,
        profile: Profile,
        losses: Losses,
        call_id: Callable[[str, str], str],
        named: Rename,
        whole: bool,
    ) -> None:
        self.index = index
        self.losses = losses
        self.native = ""
        self.message = ""
        self._whole = whole
        self._begun = False
        self._profile = profile
        reader = InlineReader if profile.thoughts == "inline" else PartReader
        self.reader = reader(profile, losses, "candidates[].content.parts[]", call_id, indexed=True, named=named)

    def feed(self, candidate: JsonObject) -> JsonObject | None:
        """The choice this event comes to; None if it says nothing that a client should see."""
        plain = _PLAIN.issuperset(candidate)
        if not plain:
            candidate = camel(candidate)
        content = candidate.get("content")
        parts = content.get("parts") if type(content) is dict else None
        delta = self.reader.read(parts, last=self._whole) if type(parts) is list else NOTHING
        reason = candidate.get("finishReason")
        if reason is not None:
            self.native = finish.later(self.native, finish.native_word(reason))
        if not plain:
            return self._with_leaves(candidate, delta)
        if not delta:
            return None
        if self._begun:
            return {"index": self.index, "delta": delta, "finish_reason": None}
        return self._choice(delta, None)

    @property
    def kind(self) -> str:
        """OpenAI's finish reason, ``error`` for a broken call, "" where the answer never ended."""
        if not self.native or (self.reader.unfinished and self.native == "STOP"):
            return ""
        return finish.to_openai(self.native, self.reader.call_count > 0)

    def close(self) -> list[JsonObject]:
        """The last choices: a call that was held, then the finish reason (null where there was none)."""
        rest = self.reader.flush()
        choices = [self._choice(rest, None)] if rest else []
        last = self._choice({}, self.kind or None)
        if self.native and self.native not in finish.FROM_GEMINI:
            self.losses.add("candidates[].finishReason", f"unknown reason {self.native!r}, told as stop")
        if self.native and (self.native not in finish.PLAIN or self._profile.carries_gemini):
            last["extra_content"] = {"google": {"finish_reason": self.native}}
        return [*choices, last]

    def _choice(self, delta: JsonObject, reason: str | None) -> JsonObject:
        if not self._begun:
            self._begun = True
            delta = {"role": "assistant", **delta}
        return {"index": self.index, "delta": delta, "finish_reason": reason}

    def _with_leaves(self, candidate: JsonObject, delta: JsonObject) -> JsonObject | None:
        """A candidate with more than content: log probabilities, and what OpenAI cannot say."""
        self.message = text(candidate.get("finishMessage")) or self.message
        logprobs = camel(candidate.get("logprobsResult"))
        rest = without(candidate, _SAID)
        if not self._profile.carries_gemini:
            for key in rest:
                self.losses.add(f"candidates[].{key}", "Chat Completions has no place for it", "info")
            rest = {}
        if not (delta or logprobs or rest):
            return None
        choice = self._choice(delta, None)
        if logprobs:
            choice["logprobs"] = logprobs_to_openai(logprobs)
        if rest:
            choice["extra_content"] = {"google": {"candidate": rest}}
        return choice
