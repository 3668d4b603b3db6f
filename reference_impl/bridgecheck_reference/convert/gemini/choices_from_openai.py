"""One choice of an OpenAI response -> a Gemini candidate.

Text, reasoning and media are passed on at once. Calls arrive in fragments and are passed on whole, in index order,
when the choice ends: Gemini has no fragments, and a call cut short must not be run.

``OrderedChoice`` reads responses that only pass through OpenAI's format on their way to Gemini (mapping row R-46).
Everything comes in the order in which the other provider sent it: a call ends when something else follows, and is
passed on then. Gemini's clients drop thoughts, so signed reasoning travels in the signature of the text behind it, and
once more in that of the call behind that: some clients keep the signatures of calls alone. With neither it ends the
response in an empty part, as Gemini's own signatures do.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.chat_calls import CallBuffers
from bridgecheck_reference.convert.chat_messages import order_of_message, restore_order
from bridgecheck_reference.convert.gemini.logprobs import logprobs_to_gemini
from bridgecheck_reference.convert.gemini.media import sound_part
from bridgecheck_reference.convert.gemini.parts_from_openai import Said, assistant_parts, call_part, read_content
from bridgecheck_reference.convert.json_values import google, obj, objs, text
from bridgecheck_reference.convert.media import decoded
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.signatures import AHEAD, carrier, sign, signatures_in
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile

PATH: Final = "choices[].delta"
_TEXT_ONLY: Final = frozenset({"role", "content"})
_CALLS_ONLY: Final = _TEXT_ONLY | {"tool_calls"}


class Choice:
    """State of one candidate. ``finish``: OpenAI's word, "" until it came; ``native``: Gemini's, where carried;
    ``told_calls``: whether ``feed`` gave out any call."""

    __slots__ = (
        "_broken",
        "_calls",
        "_logprobs",
        "_losses",
        "_named",
        "_profile",
        "_signatures",
        "_sound",
        "_thinks",
        "_transcript",
        "blocked",
        "finish",
        "index",
        "leaves",
        "native",
        "told_calls",
    )

    def __init__(self, index: int, profile: Profile, losses: Losses, named: Rename) -> None:
        self.index = index
        self.finish = ""
        self.native = ""
        self.blocked = False
        self.told_calls = False
        self.leaves: JsonObject = {}
        self._profile = profile
        self._losses = losses
        self._named = named
        self._calls = CallBuffers()
        self._broken: list[str] = []
        self._logprobs: list[object] = []
        self._sound: list[bytes] = []
        self._transcript: list[str] = []
        self._signatures: list[tuple[str, str]] = []
        self._thinks = False

    def more(self, delta: JsonObject) -> list[JsonObject] | None:
        """The parts of a delta of one member that is text or one more piece of a call; None for any other, with
        nothing done."""
        words = delta.get("content")
        if type(words) is str:
            return [{"text": words}] if words else []
        return [] if self._calls.more(delta.get("tool_calls")) else None

    def feed(self, choice: JsonObject, delta: JsonObject) -> list[JsonObject]:
        """The parts to pass on now."""
        self.take(choice)
        words = delta.get("content")
        if isinstance(words, str) and _TEXT_ONLY.issuperset(delta):
            return [{"text": words}] if words else []
        if "parts" in google(delta):
            waiting = self._calls_before()
            return waiting + assistant_parts(delta, self._calls_now(delta), PATH, self._profile, self._losses)
        if "tool_calls" in delta or "function_call" in delta:
            self._calls.gather(delta)
        if "audio" in delta:
            self._hear(obj(delta["audio"]))
        if "reasoning_details" in delta:
            self._signatures += signatures_in(delta["reasoning_details"])
            delta = self._thought_once(delta)
        elif "reasoning_content" in delta or "reasoning" in delta:
            self._thinks = True
        if words in (None, "") and _CALLS_ONLY.issuperset(delta):
            return []
        return assistant_parts(delta, [], PATH, self._profile, self._losses)

    def _thought_once(self, delta: JsonObject) -> JsonObject:
        """Without the details of reasoning whose words came in pieces before."""
        if delta.get("reasoning_content") or delta.get("reasoning"):
            self._thinks = True
        elif self._thinks:
            return {key: value for key, value in delta.items() if key != "reasoning_details"}
        return delta

    def take(self, choice: JsonObject) -> None:
        """What stands beside the delta: the finish reason and further leaves."""
        reason = choice.get("finish_reason")
        if reason:
            self.finish = self.finish or str(reason)
        if choice.get("logprobs") or choice.get("extra_content"):
            self._beside(choice)

    def close(self) -> tuple[list[JsonObject], list[str]]:
        """Sound and calls, as parts, and the raw arguments of the calls that cannot be read."""
        parts = self._spoken()
        calls, ids, broken = self._held_calls()
        parts += calls
        if self._signatures and self._profile.signatures == "carry":
            sign(parts, ids, self._signatures)
        return parts, self._broken + broken

    def _held_calls(self) -> tuple[list[JsonObject], list[str], list[str]]:
        """The calls gathered so far: their parts, the ids of these, and the raw arguments of those that cannot be
        read."""
        parts: list[JsonObject] = []
        broken: list[str] = []
        ids: list[str] = []
        for _, buffer in self._calls.in_order():
            call = buffer.whole()
            made = call_part(call, PATH, self._profile, self._losses, self._named)
            if made is None:
                continue
            part, readable = made
            if readable or self._profile.bad_arguments == "empty":
                parts.append(part)
                ids.append(buffer.id)
                if not readable:
                    self._losses.add(f"{PATH}.tool_calls[].function.arguments", "no JSON object; dropped")
            else:
                broken.append("".join(buffer.pieces))
        return parts, ids, broken

    def _calls_before(self) -> list[JsonObject]:
        """The calls that came before a delta with a carried layout, which says what follows them. They came whole."""
        parts, _, broken = self._held_calls()
        self._calls = CallBuffers()
        self._broken += broken
        self.told_calls = self.told_calls or bool(parts)
        return parts

    @property
    def logprobs(self) -> JsonObject | None:
        return logprobs_to_gemini({"content": self._logprobs})

    def _calls_now(self, delta: JsonObject) -> list[JsonObject]:
        """Calls of a delta with a carried layout, which come whole."""
        calls = objs(delta.get("tool_calls"))
        made = (call_part(call, PATH, self._profile, self._losses, self._named) for call in calls)
        return [one[0] for one in made if one]

    def _hear(self, audio: JsonObject) -> None:
        """Spoken output comes in pieces of one file."""
        if google(audio).get("carried"):
            return
        if audio.get("data"):
            self._sound.append(decoded(text(audio["data"])))
        if audio.get("transcript"):
            self._transcript.append(text(audio["transcript"]))

    def _spoken(self) -> list[JsonObject]:
        """What was spoken as a part: the sound, or its words where a host gives these alone."""
        if self._sound and self._transcript:
            self._losses.add(f"{PATH}.audio.transcript", "a Gemini answer has no transcript of its sound", "info")
        if self._sound:
            return [sound_part(b"".join(self._sound))]
        words = "".join(self._transcript)
        if words:
            self._losses.add(f"{PATH}.audio.transcript", "spoken words without sound are said as text", "info")
        return [{"text": words}] if words else []

    def _beside(self, choice: JsonObject) -> None:
        """Log probabilities and carried leaves."""
        logprobs = obj(choice.get("logprobs"))
        self._logprobs += objs(logprobs.get("content"))
        carried = google(choice)
        self.native = text(carried.get("finish_reason")) or self.native
        self.blocked = self.blocked or carried.get("blocked") is True
        self.leaves.update(obj(carried.get("candidate")))


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
    kept = order_of_message(message)
    placed = None if kept is None else restore_order(kept, words, {"reasoning": details, "call": calls})
    if placed is not None:
        return [(kind, thing) for kind, thing, _ in placed]
    thoughts = details or ([{"text": said.reasoning}] if said.reasoning else [])
    things: list[Thing] = [("reasoning", thought) for thought in thoughts]
    things += [("text", {"text": words})] if words else []
    return [*things, *(("call", call) for call in calls)]
