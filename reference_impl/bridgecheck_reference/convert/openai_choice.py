"""One choice of an OpenAI answer on its way to a Gemini candidate.

Text, reasoning and media are passed on at once. Calls arrive in fragments and are given out whole, in index order,
when the choice ends: Gemini has no fragments, and a call cut short must not be run.
"""

from dataclasses import dataclass, field
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.logprobs import logprobs_to_gemini
from bridgecheck_reference.convert.media import decoded, sound_part
from bridgecheck_reference.convert.message_to_parts import assistant_parts, call_part, is_call
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.read import google, integer, obj, objs, text
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile

_PATH: Final = "choices[].delta"
_TEXT_ONLY: Final = frozenset({"role", "content"})
_CALLS_ONLY: Final = _TEXT_ONLY | {"tool_calls"}


@dataclass(slots=True)
class CallBuffer:
    """One call as it comes in; fragments of the arguments are joined once, at the end."""

    id: str = ""
    name: str = ""
    kind: str = ""
    pieces: list[str] = field(default_factory=list)
    extra: JsonObject = field(default_factory=dict)

    def feed(self, call: JsonObject) -> None:
        """One fragment. Names and ids that come back empty or null erase nothing."""
        function = obj(call.get("function"))
        self.id = text(call.get("id")) or self.id
        self.name = text(function.get("name")) or self.name
        self.kind = text(call.get("type")) or self.kind
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            self.pieces.append(arguments)
        elif isinstance(arguments, dict):
            self.extra["arguments"] = arguments
        self.extra.update(google(call))

    def whole(self) -> JsonObject:
        """The call as one document."""
        arguments: object = "".join(self.pieces) or self.extra.pop("arguments", "")
        call: JsonObject = {"id": self.id, "type": self.kind or "function"}
        call["function"] = {"name": self.name, "arguments": arguments}
        if self.extra:
            call["extra_content"] = {"google": self.extra}
        return call


class Choice:
    """State of one candidate. ``finish``: OpenAI's word, "" until it came; ``native``: Gemini's, where carried."""

    __slots__ = (
        "_buffers",
        "_last",
        "_logprobs",
        "_losses",
        "_named",
        "_profile",
        "_sound",
        "blocked",
        "finish",
        "index",
        "leaves",
        "native",
    )

    def __init__(self, index: int, profile: Profile, losses: Losses, named: Rename) -> None:
        self.index = index
        self.finish = ""
        self.native = ""
        self.blocked = False
        self.leaves: JsonObject = {}
        self._profile = profile
        self._losses = losses
        self._named = named
        self._buffers: dict[int, CallBuffer] = {}
        self._last = 0
        self._logprobs: list[object] = []
        self._sound: list[bytes] = []

    def feed(self, choice: JsonObject, delta: JsonObject) -> list[JsonObject]:
        """The parts to pass on now."""
        reason = choice.get("finish_reason")
        if reason:
            self.finish = self.finish or str(reason)
        if choice.get("logprobs") or choice.get("extra_content"):
            self._beside(choice)
        words = delta.get("content")
        if isinstance(words, str) and _TEXT_ONLY.issuperset(delta):
            return [{"text": words}] if words else []
        if "parts" in google(delta):
            return assistant_parts(delta, self._calls_now(delta), _PATH, self._profile, self._losses)
        if "tool_calls" in delta or "function_call" in delta:
            self._gather(delta)
        if "audio" in delta:
            self._hear(obj(delta["audio"]))
        if words in (None, "") and _CALLS_ONLY.issuperset(delta):
            return []
        return assistant_parts(delta, [], _PATH, self._profile, self._losses)

    def close(self) -> tuple[list[JsonObject], list[str]]:
        """Sound and calls, as parts, and the raw arguments of the calls that cannot be read."""
        parts: list[JsonObject] = [sound_part(b"".join(self._sound))] if self._sound else []
        broken: list[str] = []
        for _, buffer in sorted(self._buffers.items()):
            call = buffer.whole()
            if not is_call(call, _PATH, self._losses):
                continue
            part, readable = call_part(call, self._profile, self._named)
            if readable:
                parts.append(part)
            else:
                broken.append("".join(buffer.pieces))
        return parts, broken

    @property
    def logprobs(self) -> JsonObject | None:
        return logprobs_to_gemini({"content": self._logprobs})

    def _calls_now(self, delta: JsonObject) -> list[JsonObject]:
        """Calls of a delta with a carried layout, which come whole."""
        calls = (call for call in objs(delta.get("tool_calls")) if is_call(call, _PATH, self._losses))
        return [call_part(call, self._profile, self._named)[0] for call in calls]

    def _gather(self, delta: JsonObject) -> None:
        for call in objs(delta.get("tool_calls")):
            self._buffer(self._slot(call)).feed(call)
        legacy = delta.get("function_call")
        if isinstance(legacy, dict) and any(legacy.values()):
            self._buffer(0).feed({"function": legacy})

    def _buffer(self, slot: int) -> CallBuffer:
        held = self._buffers.get(slot)
        if held is None:
            held = self._buffers[slot] = CallBuffer()
        return held

    def _hear(self, audio: JsonObject) -> None:
        """Spoken output comes in pieces of one file."""
        if google(audio).get("carried"):
            return
        if audio.get("data"):
            self._sound.append(decoded(text(audio["data"])))
        if audio.get("transcript"):
            self._losses.add(f"{_PATH}.audio.transcript", "a Gemini answer has no transcript of its sound", "info")

    def _slot(self, call: JsonObject) -> int:
        """Which call a fragment belongs to: its index, unless that index is taken by a call with another id; without an
        index, the call of the same id, a new one where a new id or name comes, else the last."""
        given = integer(call.get("index"))
        id = text(call.get("id"))
        name = text(obj(call.get("function")).get("name"))
        slot = self._last if given is None else given
        held = self._buffers.get(slot)
        if held is not None and id and held.id and held.id != id and name:
            same = [number for number, buffer in self._buffers.items() if buffer.id == id]
            slot = same[0] if same else max(self._buffers) + 1
        elif given is None and held is not None and not id and name and held.name:
            slot = max(self._buffers) + 1
        self._last = slot
        return slot

    def _beside(self, choice: JsonObject) -> None:
        """Log probabilities and carried leaves."""
        logprobs = obj(choice.get("logprobs"))
        self._logprobs += objs(logprobs.get("content"))
        carried = google(choice)
        self.native = text(carried.get("finish_reason")) or self.native
        self.blocked = self.blocked or carried.get("blocked") is True
        self.leaves.update(obj(carried.get("candidate")))
