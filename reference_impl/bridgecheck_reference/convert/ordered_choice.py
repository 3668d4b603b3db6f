"""One choice of an answer that only passes through OpenAI's format, on its way to Gemini (mapping row R-46).

Everything comes in the order in which the other provider said it: a call ends when something else follows, and is
passed on then. Gemini's clients drop thoughts, so signed reasoning travels in the signature of the text behind it, and
once more in that of the call behind that: some clients keep the signatures of calls alone. With neither it ends the
answer in an empty part, as Gemini's own signatures do.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert import order
from bridgecheck_reference.convert.message_to_parts import call_part, read_content
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.openai_choice import PATH, Choice
from bridgecheck_reference.convert.read import objs, text
from bridgecheck_reference.convert.said import Said
from bridgecheck_reference.convert.signatures import AHEAD, carrier
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile

Thing: TypeAlias = tuple[str, JsonObject]
"""``reasoning`` (an entry of reasoning_details), ``text`` {"text"} or ``call`` (a tool call)."""

_CALLS: Final = ("tool_calls", "function_call")


class OrderedChoice(Choice):
    """``_waiting``: reasoning that no call carries yet, with the characters of text said since. ``_going``: slots of
    the calls that were not passed on yet."""

    __slots__ = ("_going", "_known", "_waiting", "_whole")

    def __init__(self, index: int, profile: Profile, losses: Losses, named: Rename, *, whole: bool) -> None:
        super().__init__(index, profile, losses, named)
        self._whole = whole
        self._waiting: list[tuple[JsonObject, int]] = []
        self._known: set[int] = set()
        self._going: list[int] = []

    def more(self, delta: JsonObject) -> list[JsonObject] | None:
        """Nothing goes the short way here: text and calls are kept in order with reasoning."""
        return None

    def feed(self, choice: JsonObject, delta: JsonObject) -> list[JsonObject]:
        """The parts to pass on now."""
        self.take(choice)
        said = read_content({**delta, "reasoning_details": None}, PATH, self._losses)
        if self._whole:
            return [part for kind, thing in _things(delta, said) for part in self._said(kind, thing)] + [*said.media]
        return self._delta(delta, said)

    def _delta(self, delta: JsonObject, said: Said) -> list[JsonObject]:
        """A piece of a stream, which says one thing."""
        details = [*objs(delta.get("reasoning_details"))]
        parts = [*self._end_calls()] if said.reasoning or details else []
        if said.reasoning:
            parts.append({"text": said.reasoning, "thought": True})
        for detail in details:
            self._remember(detail)
        for words in filter(None, (said.text, said.refusal)):
            parts += self._said("text", {"text": words})
        parts += said.media
        if any(key in delta for key in _CALLS):
            parts += self._end_calls(but=self._gather(delta))
        return parts

    def close(self) -> tuple[list[JsonObject], list[str]]:
        """The calls that have not been passed on, reasoning that nothing carried, and the raw arguments of all calls
        that cannot be read."""
        parts = [*self._end_calls()]
        untold = self._untold()
        if untold:
            parts.append({"text": "", "thoughtSignature": carrier(untold)})
        return parts, self._broken

    def _said(self, kind: str, thing: JsonObject) -> Iterator[JsonObject]:
        """One thing as parts, behind the calls before it."""
        if kind == "call":
            self._gather({"tool_calls": [thing]})
        yield from self._end_calls()
        if kind == "reasoning":
            if words := text(thing.get("text")):
                yield {"text": words, "thought": True}
            self._remember(thing)
        elif kind == "text":
            words = text(thing["text"])
            untold = self._untold()
            self._waiting = [(detail, ahead + len(words)) for detail, ahead in self._waiting]
            yield {"text": words, "thoughtSignature": carrier(untold)} if untold else {"text": words}

    def _gather(self, delta: JsonObject) -> int | None:
        """Takes in the calls of a delta; the slot of the last one."""
        slots = self._calls.gather(delta)
        self._going += [slot for slot in dict.fromkeys(slots) if slot not in self._known]
        self._known.update(slots)
        return slots[-1] if slots else None

    def _end_calls(self, but: int | None = None) -> Iterator[JsonObject]:
        """The calls that are whole now; ``but``: the slot of one that may go on."""
        ending, self._going = self._going, [slot for slot in self._going if slot == but]
        for slot in ending:
            if slot == but:
                continue
            buffer = self._calls.at(slot)
            made = call_part(buffer.whole(), PATH, self._profile, self._losses, self._named)
            if made is None:
                continue
            part, readable = made
            if not readable:
                self._broken.append("".join(buffer.pieces))
                continue
            self.told_calls = True
            yield {**part, "thoughtSignature": self._carried()} if self._waiting else part

    def _remember(self, detail: JsonObject) -> None:
        if self._profile.signatures == "carry" and (detail.get("signature") or detail.get("data")):
            self._waiting.append((detail, 0))

    def _untold(self) -> list[JsonObject]:
        """What waits and no text has carried: nothing was said since."""
        return [detail for detail, ahead in self._waiting if not ahead]

    def _carried(self) -> str:
        """What waits, for the call that carries it."""
        waiting, self._waiting = self._waiting, []
        return carrier([{**detail, AHEAD: ahead} if ahead else detail for detail, ahead in waiting])


def _things(message: JsonObject, said: Said) -> list[Thing]:
    """What a whole message says, in the order that it carries or the usual one."""
    details, calls = [*objs(message.get("reasoning_details"))], [*objs(message.get("tool_calls"))]
    words = said.text + said.refusal
    kept = order.of_message(message)
    placed = None if kept is None else order.restore(kept, words, {"reasoning": details, "call": calls})
    if placed is not None:
        return [(kind, thing) for kind, thing, _ in placed]
    thoughts = details or ([{"text": said.reasoning}] if said.reasoning else [])
    things: list[Thing] = [("reasoning", thought) for thought in thoughts]
    things += [("text", {"text": words})] if words else []
    return [*things, *(("call", call) for call in calls)]
