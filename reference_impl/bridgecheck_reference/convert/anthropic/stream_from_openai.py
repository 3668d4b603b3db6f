"""OpenAI chunks -> Anthropic stream events.

The message begins with the first chunk that names an id or model, or has a choice; text, thinking and the fragments of
the first call pass on at once, in blocks that open one after another; stop reason and counts wait for ``close``,
because usage arrives after the finish. Nothing becomes a clean end that was none: an error, a missing finish reason and
arguments that cannot be read end in an ``error`` event.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert import names
from bridgecheck_reference.convert.anthropic import finish
from bridgecheck_reference.convert.anthropic.blocks_from_openai import MessageBlockWriter
from bridgecheck_reference.convert.anthropic.errors import create_anthropic_error, openai_error_to_anthropic
from bridgecheck_reference.convert.anthropic.thinking import is_thinking_requested
from bridgecheck_reference.convert.anthropic.usage import usage_to_anthropic
from bridgecheck_reference.convert.chat_messages import PADDING, READ_EACH_TIME, plain_delta
from bridgecheck_reference.convert.ids import document_digest
from bridgecheck_reference.convert.json_values import (
    NOTHING,
    anthropic_extra,
    arr,
    google_extra,
    integer,
    obj,
    objs,
    text,
    unknown_nonempty_members,
)
from bridgecheck_reference.convert.usage import merge_usage
from bridgecheck_reference.loss import Losses

_CONVERTED_CHUNK_KEYS: Final = frozenset({"id", "object", "model", "choices", "usage", "extra_content"})
_CONVERTED_CHOICE_KEYS: Final = frozenset({"index", "delta", "message", "finish_reason", "extra_content"})

_EVENT_MEMBER: Final = "context_management"
"""The member that Anthropic has beside the delta of its last event, not in it."""


class OpenAIToAnthropicStream:
    """Converts one stream: ``feed`` each chunk, then ``close`` once. Both return the events to send.

    ``model``: used where the response names no model. ``request``: the client's Anthropic request; restores renamed
    functions, keeps ids that a host counts anew apart from those of its history, and says whether the client expects
    thinking. ``whole``: the one chunk is the whole response.
    """

    def __init__(
        self,
        model: str | None = None,
        profile: Profile = NATIVE,
        request: JsonObject | None = None,
        *,
        whole: bool = False,
    ) -> None:
        self.losses = Losses()
        self.failed = False
        self._model = model or ""
        self._profile = profile
        self._whole = whole
        named = (
            names.create_reverse_renamer_if_needed(
                names.map_names_for_openai(names.names_in_anthropic_request(request))
            )
            if request
            else None
        )
        used_ids = frozenset() if profile.carries_anthropic else _call_ids(request or NOTHING)
        self._writer = MessageBlockWriter(profile, self.losses, named, used_ids, thinks=is_thinking_requested(request))
        self._begun = False
        self._choice: int | None = None
        self._held: list[tuple[int, JsonObject]] = []
        self._finish = ""
        self._stop: JsonObject = {}
        self._usage: JsonObject = {}
        self._leaves: JsonObject = {}
        self._known_keys = set(_CONVERTED_CHUNK_KEYS - READ_EACH_TIME)

    def feed(self, chunk: JsonObject) -> list[JsonObject]:
        """Return the events for one chunk, none for a chunk with nothing to send yet."""
        if self.failed:
            return []
        usage = chunk.get("usage")
        if not self._known_keys.issuperset(chunk):
            if chunk.get("error"):
                return [self._fail(openai_error_to_anthropic(chunk, 200)[1])]
            usage = usage or obj(chunk.get("x_groq")).get("usage")
            self._read_unusual_chunk_members(chunk)
        if usage:
            self._usage = merge_usage(self._usage, obj(usage))
        events = [] if self._begun else self._start_message(chunk)
        for position, choice in enumerate(arr(chunk.get("choices"))):
            if isinstance(choice, dict) and not self._pass_on_plain_choice(choice):
                failure = self._read_choice(choice, position)
                if failure:
                    return [*events, *self._writer.take_events(), self._fail(failure)]
        return events + self._writer.take_events() if events else self._writer.take_events()

    def close(self) -> list[JsonObject]:
        """Return the last events: calls that waited, stop reason, counts; or an error event where it did not end
        well."""
        if self.failed:
            return []
        if not self._begun:
            return [self._fail(create_anthropic_error("upstream ended without an answer"))]
        events = self._convert_held_choices()
        if self.failed:
            return events
        if not self._finish and not (self._whole and self._profile.carries_anthropic):
            return [*events, self._fail(create_anthropic_error("upstream ended without a finish reason"))]
        self._writer.close()
        events += self._writer.take_events()
        unreadable = self._writer.unreadable_argument_texts
        if unreadable:
            self.losses.add("choices[].delta.tool_calls[].function.arguments", "arguments that are no JSON object")
            if self._finish != "length" and not self._profile.carries_anthropic:
                return [
                    *events,
                    self._fail(create_anthropic_error(f"malformed arguments of a tool call: {unreadable[0]}")),
                ]
        return [*events, self._create_message_delta(), {"type": "message_stop"}]

    def _convert_held_choices(self) -> list[JsonObject]:
        """Return the events of the lowest choice where none has the number 0."""
        if self._choice is None and self._held:
            self._choice = min(index for index, _ in self._held)
            for index, choice in self._held:
                failure = self._read_choice(choice, index) if index == self._choice else None
                if failure:
                    return [*self._writer.take_events(), self._fail(failure)]
        return self._writer.take_events()

    def _start_message(self, chunk: JsonObject) -> list[JsonObject]:
        """Return ``message_start``, with the first chunk that names an id or model, or has a choice."""
        if not (chunk.get("id") or chunk.get("model") or chunk.get("choices")):
            return []
        self._begun = True
        key = document_digest(chunk.get("id") or chunk)
        self._writer.set_salt(key)
        counted = usage_to_anthropic(self._usage)
        leaves, self._leaves = self._leaves, {}
        message: JsonObject = {
            "id": text(chunk.get("id")) or f"msg_{key}",
            "type": "message",
            "role": "assistant",
            "model": text(chunk.get("model")) or self._model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {**counted, "output_tokens": 0},
            **leaves,
        }
        return [{"type": "message_start", "message": message}]

    def _pass_on_plain_choice(self, choice: JsonObject) -> bool:
        """Pass on a choice that goes on with text or a call, as most do; return False for any other, with nothing
        changed."""
        plain = plain_delta(choice)
        return plain is not None and plain[0] == self._choice and self._writer.write_plain_delta(plain[1])

    def _read_choice(self, choice: JsonObject, position: int) -> JsonObject | None:
        """Read one choice; return an error document where it holds an error. Only the choice 0 is converted; others
        are held until it comes."""
        index = integer(choice.get("index"))
        index = position if index is None else index
        if index != (self._choice or 0):
            self.losses.add("choices[]", "Anthropic answers with one message")
            if self._choice is None:
                self._held.append((index, choice))
            return None
        self._choice, self._held = index, []
        finish_word = text(choice.get("finish_reason"))
        if choice.get("error") or (finish_word in finish.FAILED and not google_extra(choice)):
            error = choice.get("error") or {"message": f"upstream ended this answer with {finish_word}"}
            return openai_error_to_anthropic({"error": error}, 200)[1]
        self._finish = self._finish or finish_word
        if not _CONVERTED_CHOICE_KEYS.issuperset(choice) or "extra_content" in choice:
            self._restore_carried_choice_members(choice)
        delta = choice.get("delta")
        if (self._whole or delta is None) and "message" in choice:
            delta = choice["message"]
        self._writer.write_delta(delta if isinstance(delta, dict) else NOTHING, whole=self._whole)
        return None

    def _create_message_delta(self) -> JsonObject:
        """Return ``message_delta``, with Anthropic's own stop reason where it was carried, else the table's."""
        delta: JsonObject = {"stop_reason": None, "stop_sequence": None}
        if self._finish:
            delta["stop_reason"] = self._carried_or_mapped_stop_reason()
        delta.update(self._stop)
        event_members = {_EVENT_MEMBER: self._leaves.pop(_EVENT_MEMBER)} if _EVENT_MEMBER in self._leaves else {}
        usage = usage_to_anthropic(self._usage)
        return {"type": "message_delta", "delta": {**delta, **self._leaves}, "usage": usage, **event_members}

    def _carried_or_mapped_stop_reason(self) -> str:
        if self._stop.get("stop_reason"):
            return text(self._stop["stop_reason"])
        known = finish.to_anthropic(self._finish, self._writer.call_count > 0)
        if known is None:
            self.losses.add("choices[].finish_reason", f"unknown reason {self._finish!r}, sent as end_turn")
        return known or "end_turn"

    def _read_unusual_chunk_members(self, chunk: JsonObject) -> None:
        """Put what a chunk carries of Anthropic's back into the response, and record what Anthropic cannot express,
        once each."""
        self._leaves.update(obj(anthropic_extra(chunk).get("response")))
        unknown = unknown_nonempty_members(chunk, _CONVERTED_CHUNK_KEYS | READ_EACH_TIME | PADDING)
        rest = [key for key, value in unknown.items() if value]
        self._known_keys.update(PADDING, rest)
        for key in rest:
            self.losses.add(key, "Anthropic has no place for it", "info")

    def _restore_carried_choice_members(self, choice: JsonObject) -> None:
        self._stop.update(anthropic_extra(choice))
        if google_extra(choice).get("finish_reason"):
            self.losses.add("choices[].extra_content.google", "a finish reason of Gemini's own", "info")
        for key in unknown_nonempty_members(choice, _CONVERTED_CHOICE_KEYS):
            self.losses.add(f"choices[].{key}", "Anthropic has no place for it", "info")

    def _fail(self, anthropic_error: JsonObject) -> JsonObject:
        self.failed = True
        return anthropic_error


def _call_ids(request: JsonObject) -> frozenset[str]:
    """Return the ids of the calls in an Anthropic request."""
    contents = (message.get("content") for message in objs(request.get("messages")))
    return frozenset(
        text(block.get("id")) for content in contents for block in objs(content) if block.get("type") == "tool_use"
    )
