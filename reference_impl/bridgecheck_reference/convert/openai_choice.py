"""One choice of an OpenAI answer on its way to a Gemini candidate.

Text, reasoning and media are passed on at once. Calls arrive in fragments and are given out whole, in index order,
when the choice ends: Gemini has no fragments, and a call cut short must not be run.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.gemini_details import sign, signatures_in
from bridgecheck_reference.convert.logprobs import logprobs_to_gemini
from bridgecheck_reference.convert.media import decoded, sound_part
from bridgecheck_reference.convert.message_to_parts import assistant_parts, call_part
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.openai_calls import CallBuffers
from bridgecheck_reference.convert.read import google, obj, objs, text
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
