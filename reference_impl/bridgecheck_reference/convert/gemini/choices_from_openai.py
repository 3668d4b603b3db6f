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
from typing import Final, NamedTuple, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.chat_calls import CallBuffers
from bridgecheck_reference.convert.chat_messages import order_of_message, restore_order
from bridgecheck_reference.convert.gemini.logprobs import logprobs_to_gemini
from bridgecheck_reference.convert.gemini.media import sound_to_part_with_detected_mime
from bridgecheck_reference.convert.gemini.parts_from_openai import (
    MessageTextsAndMedia,
    convert_assistant_message,
    convert_tool_call,
    read_content,
)
from bridgecheck_reference.convert.json_values import google_extra, obj, objs, text
from bridgecheck_reference.convert.media import decode_base64_or_empty
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.signatures import (
    AHEAD,
    CallSignature,
    attach_signatures_to_calls_or_empty_tail,
    encode_reasoning_carrier,
    gemini_signatures_in_details,
)
from bridgecheck_reference.loss import Losses

PATH: Final = "choices[].delta"
_TEXT_ONLY: Final = frozenset({"role", "content"})
_CALLS_ONLY: Final = _TEXT_ONLY | {"tool_calls"}


class CallPartsAndUnreadableArguments(NamedTuple):
    """Calls as parts and the ids of these in the OpenAI document; the raw arguments of calls that cannot be read."""

    parts: list[JsonObject]
    ids: list[str]
    unreadable_argument_texts: list[str]


class LastPartsAndUnreadableArguments(NamedTuple):
    """The parts at the end of a candidate, and the raw arguments of all its calls that cannot be read."""

    parts: list[JsonObject]
    unreadable_argument_texts: list[str]


class ChoiceReader:
    """State of one candidate.

    ``finish``: OpenAI's finish reason, "" until it came; ``native_reason``: Gemini's, where carried;
    """

    __slots__ = (
        "_calls", "_logprobs", "_losses", "_named", "_profile", "_signatures", "_sound", "_sound_members", "_thinks",
        "_transcript", "_unreadable", "blocked", "finish", "index", "leaves", "native_reason",
    )  # fmt: skip

    def __init__(self, index: int, profile: Profile, losses: Losses, named: Rename) -> None:
        self.index = index
        self.finish = ""
        self.native_reason = ""
        self.blocked = False
        self.leaves: JsonObject = {}
        self._profile = profile
        self._losses = losses
        self._named = named
        self._calls = CallBuffers()
        self._unreadable: list[str] = []
        self._logprobs: list[object] = []
        self._sound: list[bytes] = []
        self._sound_members: JsonObject = {}
        self._transcript: list[str] = []
        self._signatures: list[CallSignature] = []
        self._thinks = False

    def try_text_or_argument_fast_path(self, delta: JsonObject) -> list[JsonObject] | None:
        """Return the parts of a delta whose only member is text or one more piece of a call.

        None for any other, with nothing changed.
        """
        visible_text = delta.get("content")
        if type(visible_text) is str:
            return [{"text": visible_text}] if visible_text else []
        return [] if self._calls.append_arguments(delta.get("tool_calls")) else None

    def feed(self, choice: JsonObject, delta: JsonObject) -> list[JsonObject]:
        """Return the parts to pass on now."""
        self.read_finish_and_carried_members(choice)
        visible_text = delta.get("content")
        if isinstance(visible_text, str) and _TEXT_ONLY.issuperset(delta):
            return [{"text": visible_text}] if visible_text else []
        if "parts" in google_extra(delta):
            waiting = self._release_calls_before_layout()
            return waiting + convert_assistant_message(
                delta, self._convert_whole_calls(delta), PATH, self._profile, self._losses
            )
        if "tool_calls" in delta or "function_call" in delta:
            self._calls.add_fragments(delta)
        if "audio" in delta:
            self._add_audio(obj(delta["audio"]))
        if "reasoning_details" in delta:
            self._signatures += gemini_signatures_in_details(delta["reasoning_details"])
            delta = self._drop_details_repeating_plain_reasoning(delta)
        elif "reasoning_content" in delta or "reasoning" in delta:
            self._thinks = True
        if visible_text in (None, "") and _CALLS_ONLY.issuperset(delta):
            return []
        return convert_assistant_message(delta, [], PATH, self._profile, self._losses)

    def _drop_details_repeating_plain_reasoning(self, delta: JsonObject) -> JsonObject:
        """Drop the details of reasoning whose plain text came before."""
        if delta.get("reasoning_content") or delta.get("reasoning"):
            self._thinks = True
        elif self._thinks:
            return {key: value for key, value in delta.items() if key != "reasoning_details"}
        return delta

    def read_finish_and_carried_members(self, choice: JsonObject) -> None:
        """Read the members beside the delta: finish reason, log probabilities, carried leaves."""
        reason = choice.get("finish_reason")
        if reason:
            self.finish = self.finish or str(reason)
        if choice.get("logprobs") or choice.get("extra_content"):
            self._read_logprobs_and_carried_members(choice)

    def close(self) -> LastPartsAndUnreadableArguments:
        """Return sound and calls, as parts, and the raw arguments of the calls that cannot be read."""
        parts = self._convert_audio_or_else_transcript()
        calls = self._convert_held_calls()
        parts += calls.parts
        if self._signatures and self._profile.signatures == "carry":
            attach_signatures_to_calls_or_empty_tail(parts, calls.ids, self._signatures)
        return LastPartsAndUnreadableArguments(parts, self._unreadable + calls.unreadable_argument_texts)

    def _convert_held_calls(self) -> CallPartsAndUnreadableArguments:
        """Convert the calls gathered so far."""
        converted = CallPartsAndUnreadableArguments([], [], [])
        for _, buffer in self._calls.items_in_order():
            call = buffer.build_call()
            made = convert_tool_call(call, PATH, self._profile, self._losses, self._named)
            if made is None:
                continue
            part, readable = made
            if readable or self._profile.bad_arguments == "empty":
                converted.parts.append(part)
                converted.ids.append(buffer.id)
                if not readable:
                    self._losses.add(f"{PATH}.tool_calls[].function.arguments", "no JSON object; dropped")
            else:
                converted.unreadable_argument_texts.append("".join(buffer.pieces))
        return converted

    def _release_calls_before_layout(self) -> list[JsonObject]:
        """Return the calls before a delta with a carried layout, which holds only what follows them. They came
        whole."""
        parts, _, unreadable = self._convert_held_calls()
        self._calls = CallBuffers()
        self._unreadable += unreadable
        return parts

    @property
    def logprobs(self) -> JsonObject | None:
        return logprobs_to_gemini({"content": self._logprobs})

    def _convert_whole_calls(self, delta: JsonObject) -> list[JsonObject]:
        """Return the calls of a delta with a carried layout, which come whole."""
        calls = objs(delta.get("tool_calls"))
        made = (convert_tool_call(call, PATH, self._profile, self._losses, self._named) for call in calls)
        return [converted[0] for converted in made if converted]

    def _add_audio(self, audio: JsonObject) -> None:
        """Take in a piece of spoken output; all pieces are of one file."""
        if google_extra(audio).get("carried"):
            return
        if audio.get("data"):
            self._sound.append(decode_base64_or_empty(text(audio["data"])))
        if audio.get("transcript"):
            self._transcript.append(text(audio["transcript"]))
        self._sound_members.update((key, audio[key]) for key in ("id", "expires_at") if audio.get(key))

    def _convert_audio_or_else_transcript(self) -> list[JsonObject]:
        """Return spoken output as a part: the sound, or its transcript where a host gives this alone."""
        if self._sound and self._transcript and not self._profile.carries_openai:
            self._losses.add(f"{PATH}.audio.transcript", "a Gemini answer has no transcript of its sound", "info")
        if self._sound and self._profile.carries_openai:
            members = {**self._sound_members, "transcript": "".join(self._transcript)}
            sound = sound_to_part_with_detected_mime(b"".join(self._sound))
            return [{**sound, "extraContent": {"openai": {"audio": members}}}]
        if self._sound:
            return [sound_to_part_with_detected_mime(b"".join(self._sound))]
        visible_text = "".join(self._transcript)
        if visible_text:
            self._losses.add(f"{PATH}.audio.transcript", "a transcript without sound becomes text", "info")
        return [{"text": visible_text}] if visible_text else []

    def _read_logprobs_and_carried_members(self, choice: JsonObject) -> None:
        logprobs = obj(choice.get("logprobs"))
        self._logprobs += objs(logprobs.get("content"))
        carried = google_extra(choice)
        self.native_reason = text(carried.get("finish_reason")) or self.native_reason
        self.blocked = self.blocked or carried.get("blocked") is True
        self.leaves.update(obj(carried.get("candidate")))


OrderedItem: TypeAlias = tuple[str, JsonObject]
"""``reasoning`` (an entry of reasoning_details), ``text`` {"text"} or ``call`` (a tool call)."""

_CALL_KEYS: Final = ("tool_calls", "function_call")


class OrderedChoiceReader(ChoiceReader):
    """Reads a choice whose order is kept.

    ``_waiting``: reasoning that no call carries yet, with the characters of text since. ``_going``: slots of the calls
    that were not passed on yet.
    """

    __slots__ = ("_going", "_known", "_waiting", "_whole")

    def __init__(self, index: int, profile: Profile, losses: Losses, named: Rename, *, whole: bool) -> None:
        super().__init__(index, profile, losses, named)
        self._whole = whole
        self._waiting: list[tuple[JsonObject, int]] = []
        self._known: set[int] = set()
        self._going: list[int] = []

    def try_text_or_argument_fast_path(self, delta: JsonObject) -> list[JsonObject] | None:
        """Return the parts of a delta whose only member is text, while no reasoning and no call waits for its place,
        or one more piece of the only call so far.

        None for any other, with nothing changed.
        """
        if self._waiting or self._whole:
            return None
        visible_text = delta.get("content")
        if type(visible_text) is str:
            return None if self._going else [{"text": visible_text}] if visible_text else []
        is_same_call = len(self._known) == len(self._going) == 1
        return [] if is_same_call and self._calls.append_arguments(delta.get("tool_calls")) else None

    def feed(self, choice: JsonObject, delta: JsonObject) -> list[JsonObject]:
        """Return the parts to pass on now."""
        self.read_finish_and_carried_members(choice)
        content = read_content({**delta, "reasoning_details": None}, PATH, self._losses)
        if self._whole:
            return [
                part for kind, item in _ordered_items(delta, content) for part in self._convert_item(kind, item)
            ] + [*content.media]
        return self._convert_delta(delta, content)

    def _convert_delta(self, delta: JsonObject, content: MessageTextsAndMedia) -> list[JsonObject]:
        """Return the parts of a piece of a stream, which holds one item."""
        details = [*objs(delta.get("reasoning_details"))]
        parts = [*self._convert_pending_calls()] if content.reasoning or details else []
        if content.reasoning:
            parts.append({"text": content.reasoning, "thought": True})
        for detail in details:
            self._hold_signed_reasoning(detail)
        for visible_text in filter(None, (content.text, content.refusal)):
            parts += self._convert_item("text", {"text": visible_text})
        parts += content.media
        if any(key in delta for key in _CALL_KEYS):
            parts += self._convert_pending_calls(except_slot=self._add_call_fragments(delta))
        return parts

    def close(self) -> LastPartsAndUnreadableArguments:
        """Return the calls that have not been passed on, reasoning that nothing carried, and the raw arguments of all
        calls that cannot be read."""
        parts = [*self._convert_pending_calls()]
        uncarried = self._waiting_details_without_text_since()
        if uncarried:
            parts.append({"text": "", "thoughtSignature": encode_reasoning_carrier(uncarried)})
        return LastPartsAndUnreadableArguments(parts, self._unreadable)

    def _convert_item(self, kind: str, item: JsonObject) -> Iterator[JsonObject]:
        """Return one item as parts, behind the calls before it."""
        if kind == "call":
            self._add_call_fragments({"tool_calls": [item]})
        yield from self._convert_pending_calls()
        if kind == "reasoning":
            if visible_text := text(item.get("text")):
                yield {"text": visible_text, "thought": True}
            self._hold_signed_reasoning(item)
        elif kind == "text":
            visible_text = text(item["text"])
            uncarried = self._waiting_details_without_text_since()
            self._waiting = [(detail, ahead + len(visible_text)) for detail, ahead in self._waiting]
            yield (
                {"text": visible_text, "thoughtSignature": encode_reasoning_carrier(uncarried)}
                if uncarried
                else {"text": visible_text}
            )

    def _add_call_fragments(self, delta: JsonObject) -> int | None:
        """Take in the calls of a delta; return the slot of the last one."""
        slots = self._calls.add_fragments(delta)
        self._going += [slot for slot in dict.fromkeys(slots) if slot not in self._known]
        self._known.update(slots)
        return slots[-1] if slots else None

    def _convert_pending_calls(self, except_slot: int | None = None) -> Iterator[JsonObject]:
        """Yield the calls that were not passed on yet; ``except_slot``: that of one that may go on."""
        ending, self._going = self._going, [slot for slot in self._going if slot == except_slot]
        for slot in ending:
            if slot == except_slot:
                continue
            buffer = self._calls.buffer_at(slot)
            made = convert_tool_call(buffer.build_call(), PATH, self._profile, self._losses, self._named)
            if made is None:
                continue
            part, readable = made
            if not readable:
                self._unreadable.append("".join(buffer.pieces))
                continue
            yield {**part, "thoughtSignature": self._encode_and_clear_waiting_reasoning()} if self._waiting else part

    def _hold_signed_reasoning(self, detail: JsonObject) -> None:
        """Hold signed reasoning; behind some, also what has lost its signature, so that the end is known to be
        missing when the rest comes back."""
        if self._profile.signatures != "carry":
            return
        is_signed = detail.get("signature") or detail.get("data")
        if is_signed or (self._waiting and ("signature" in detail or "data" in detail)):
            self._waiting.append((detail, 0))

    def _waiting_details_without_text_since(self) -> list[JsonObject]:
        """Return waiting reasoning that no text has carried: none came since."""
        return [detail for detail, ahead in self._waiting if not ahead]

    def _encode_and_clear_waiting_reasoning(self) -> str:
        """Return waiting reasoning, encoded for the call that carries it."""
        waiting, self._waiting = self._waiting, []
        return encode_reasoning_carrier([{**detail, AHEAD: ahead} if ahead else detail for detail, ahead in waiting])


def _ordered_items(message: JsonObject, content: MessageTextsAndMedia) -> list[OrderedItem]:
    """Return the items of a whole message, in the order that it carries or the usual one."""
    details, calls = [*objs(message.get("reasoning_details"))], [*objs(message.get("tool_calls"))]
    visible_text = content.text + content.refusal
    order = order_of_message(message)
    placed = None if order is None else restore_order(order, visible_text, {"reasoning": details, "call": calls})
    if placed is not None:
        return [(kind, item) for kind, item, _ in placed]
    thoughts = details or ([{"text": content.reasoning}] if content.reasoning else [])
    items: list[OrderedItem] = [("reasoning", thought) for thought in thoughts]
    items += [("text", {"text": visible_text})] if visible_text else []
    return [*items, *(("call", call) for call in calls)]
