"""Gemini stream events -> OpenAI chunks.

The role stands in the first delta of a choice, calls are numbered over the whole stream, ids and model stay the same,
and a finish reason comes once, at the end: Gemini repeats STOP on every event of some streams, so it is held until
``close``. After the finish comes one chunk with the usage and no choices. A broken call or a stream without a finish
ends in an error event, never in a clean stop.
"""

from collections.abc import Callable
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert import names
from bridgecheck_reference.convert.errors import create_openai_error
from bridgecheck_reference.convert.gemini import finish
from bridgecheck_reference.convert.gemini.errors import gemini_error_to_openai
from bridgecheck_reference.convert.gemini.finish import normalise_finish_reason
from bridgecheck_reference.convert.gemini.logprobs import logprobs_to_openai
from bridgecheck_reference.convert.gemini.parts_to_openai import PartReader
from bridgecheck_reference.convert.gemini.usage import (
    gemini_counts_without_openai_field,
    merge_gemini_usage,
    usage_to_openai,
)
from bridgecheck_reference.convert.ids import document_digest, message_count_salt
from bridgecheck_reference.convert.json_values import NOTHING, camel, integer, obj, text, unknown_nonempty_members
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.times import parse_timestamp
from bridgecheck_reference.loss import Losses

_PLAIN_CANDIDATE_KEYS: Final = frozenset({"content", "finishReason", "index"})
_CONVERTED_CANDIDATE_KEYS: Final = _PLAIN_CANDIDATE_KEYS | {"logprobsResult"}
_CONTINUATION_TOKEN: Final = "continuationToken"
"""What a client sends back to have a long answer go on. Source: google-genai 3.4.0, types.Candidate."""


class CandidateReader:
    """State of one choice. Bounded: text is passed on at once, only the call in progress is kept."""

    __slots__ = (
        "_begun",
        "_continuation_token",
        "_profile",
        "_whole",
        "index",
        "losses",
        "message",
        "native_reason",
        "reader",
    )

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
        self.native_reason = ""
        self.message = ""
        self._whole = whole
        self._begun = False
        self._continuation_token = ""
        self._profile = profile
        self.reader = PartReader(profile, losses, "candidates[].content.parts[]", call_id, indexed=True, named=named)

    def feed(self, candidate: JsonObject) -> JsonObject | None:
        """Return the choice for this event; None if it holds nothing for a client."""
        plain = _PLAIN_CANDIDATE_KEYS.issuperset(candidate)
        if not plain:
            candidate = camel(candidate)
        content = candidate.get("content")
        parts = content.get("parts") if type(content) is dict else None
        delta = self.reader.read(parts, last=self._whole) if type(parts) is list else NOTHING
        reason = candidate.get("finishReason")
        if reason is not None:
            self.native_reason = finish.later_or_more_precise_finish_reason(
                self.native_reason, finish.normalise_finish_reason(reason)
            )
        if not plain:
            return self._create_choice_with_leaves(candidate, delta)
        if not delta:
            return None
        if self._begun:
            return {"index": self.index, "delta": delta, "finish_reason": None}
        return self._create_choice(delta, None)

    @property
    def openai_finish_or_error(self) -> str:
        """OpenAI's finish reason, ``error`` for a broken call, "" where the response never ended."""
        if not self.native_reason or (self.reader.has_open_partial_call and self.native_reason == "STOP"):
            return ""
        return finish.to_openai(self.native_reason, self.reader.call_count > 0)

    def close(self) -> list[JsonObject]:
        """Return the last choices: a call that was held, then the finish reason (null where there was none)."""
        rest = self.reader.flush_held_call()
        choices = [self._create_choice(rest, None)] if rest else []
        last = self._create_choice({}, self.openai_finish_or_error or None)
        if self.native_reason and self.native_reason not in finish.FROM_GEMINI:
            self.losses.add("candidates[].finishReason", f"unknown reason {self.native_reason!r}, sent as stop")
        if self.native_reason and (self.native_reason not in finish.PLAIN or self._profile.carries_gemini):
            google: JsonObject = {"finish_reason": self.native_reason}
            if self._continuation_token:
                google["continuation_token"] = self._continuation_token
            last["extra_content"] = {"google": google}
        return [*choices, last]

    def _create_choice(self, delta: JsonObject, reason: str | None) -> JsonObject:
        if not self._begun:
            self._begun = True
            delta = {"role": "assistant", **delta}
        return {"index": self.index, "delta": delta, "finish_reason": reason}

    def _create_choice_with_leaves(self, candidate: JsonObject, delta: JsonObject) -> JsonObject | None:
        """Return the choice of a candidate with more than content: log probabilities, and what OpenAI cannot
        express."""
        self.message = text(candidate.get("finishMessage")) or self.message
        logprobs = camel(candidate.get("logprobsResult"))
        rest = unknown_nonempty_members(candidate, _CONVERTED_CANDIDATE_KEYS)
        if not self._profile.carries_gemini:
            if not self._profile.extended:
                self._continuation_token = text(rest.pop(_CONTINUATION_TOKEN, "")) or self._continuation_token
            for key in rest:
                self.losses.add(f"candidates[].{key}", "Chat Completions has no place for it", "info")
            rest = {}
        if not (delta or logprobs or rest):
            return None
        choice = self._create_choice(delta, None)
        if logprobs:
            choice["logprobs"] = logprobs_to_openai(logprobs, carry_ids=self._profile.carries_gemini)
        if rest:
            choice["extra_content"] = {"google": {"candidate": rest}}
        return choice


_PLAIN_EVENT_KEYS: Final = frozenset({"candidates", "usageMetadata", "modelVersion", "responseId"})
_CONVERTED_EVENT_KEYS: Final = _PLAIN_EVENT_KEYS | {"createTime", "promptFeedback", "extraContent"}


class GeminiToOpenAIStream:
    """Converts one stream: ``feed`` each event, then ``close`` once. Both return the chunks to send.

    ``model``: used where the response names no model. ``id``: in place of the response's own or one derived from its
    first event. ``whole``: the one event is the whole response. ``created``: seconds since 1970 where the response
    gives no time, 0 by default. ``include_usage``: whether to send the usage chunk. ``request``: the client's OpenAI
    request; restores renamed functions and keeps ids distinct over turns.
    """

    def __init__(
        self,
        model: str | None = None,
        id: str | None = None,
        created: int | None = None,
        include_usage: bool = True,
        profile: Profile = NATIVE,
        request: JsonObject | None = None,
        *,
        whole: bool = False,
    ) -> None:
        self.losses = Losses()
        self.failed = False
        self._model = model or ""
        self._id = id or ""
        self._created = created
        self._include_usage = include_usage
        self._profile = profile
        self._salt = message_count_salt(request)
        self._named = (
            names.create_reverse_renamer_if_needed(names.map_names_for_gemini(names.names_in_openai_request(request)))
            if request
            else None
        )
        self._whole = whole
        self._base: JsonObject = {}
        self._call_prefix = ""
        self._calls = 0
        self._candidates: dict[int, CandidateReader] = {}
        self._usage: JsonObject = {}
        self._counted: list[str] = []
        self._blocked = ""

    def feed(self, event: JsonObject) -> list[JsonObject]:
        """Return the chunks for one event: mostly one, none for an event with nothing to send."""
        if self.failed:
            return []
        plain = _PLAIN_EVENT_KEYS.issuperset(event)
        if not plain:
            event = camel(event)
            if "error" in event:
                return [self._fail(gemini_error_to_openai(event, 200)[1])]
        base = self._base or self._set_chunk_base(event)
        usage = event.get("usageMetadata")
        if usage:
            self._update_usage(usage)
        choices: list[JsonObject] = []
        candidates = event.get("candidates")
        for position, candidate in enumerate(candidates if type(candidates) is list else ()):
            if type(candidate) is dict:
                index = candidate.get("index", position)
                known = self._candidates.get(index) if type(index) is int else None
                choice = (known or self._find_or_create_candidate(index, position)).feed(candidate)
                if choice is not None:
                    choices.append(choice)
        extra = NOTHING if plain else self._carry_or_record_event_leaves(event)
        if choices or extra:
            return [{**base, "choices": choices, **extra}]
        return []

    def _update_usage(self, usage: object) -> None:
        """Keep the newest counts. ``_counted`` are their fields: an event with the very same ones replaces them."""
        if type(usage) is dict and [*usage] == self._counted and all(usage.values()):
            self._usage = usage
            return
        self._usage = merge_gemini_usage(self._usage, camel(usage))
        self._counted = [*self._usage]

    def close(self) -> list[JsonObject]:
        """Return the last chunks: finish reasons, then usage; or an error event where the response did not end well."""
        if self.failed:
            return []
        if not self._candidates:
            return self._close_without_candidates()
        chunks: list[JsonObject] = []
        errors: list[JsonObject] = []
        for _, candidate in sorted(self._candidates.items()):
            choices = candidate.close()
            error = self._candidate_error(candidate)
            if error is not None and not candidate.openai_finish_or_error and self._has_finished_candidate():
                self.losses.add("candidates[].finishReason", "no finish reason given")
                error = None
            if error is not None:
                errors.append(error)
                choices.pop()
            chunks += [{**self._base, "choices": [choice]} for choice in choices]
        if errors:
            return [*chunks, self._fail(errors[0])]
        return chunks + self._create_usage_chunk()

    def _close_without_candidates(self) -> list[JsonObject]:
        """End without a candidate: a blocked prompt is a filtered response, anything else is no response."""
        if not self._blocked:
            return [self._fail(create_openai_error("upstream ended without an answer", "empty_response"))]
        native_reason: JsonObject = {"finish_reason": self._blocked}
        if self._profile.carries_gemini:
            native_reason["blocked"] = True
        choice: JsonObject = {
            "index": 0,
            "delta": {"role": "assistant"},
            "finish_reason": "content_filter",
            "extra_content": {"google": native_reason},
        }
        return [{**self._base, "choices": [choice]}, *self._create_usage_chunk()]

    def _create_usage_chunk(self) -> list[JsonObject]:
        if not self._usage or not self._include_usage:
            return []
        for key in gemini_counts_without_openai_field(self._usage):
            self.losses.add(f"usageMetadata.{key}", "Chat Completions has no such count", "info")
        usage = usage_to_openai(self._usage, carry=self._profile.carries_gemini)
        return [{**self._base, "choices": [], "usage": usage}]

    def _has_finished_candidate(self) -> bool:
        return any(candidate.openai_finish_or_error for candidate in self._candidates.values())

    def _candidate_error(self, candidate: CandidateReader) -> JsonObject | None:
        """Return the error that a candidate ends in, None if it ended well (or is carried back to where its reason is
        known)."""
        kind = candidate.openai_finish_or_error
        if kind == "error" and not self._profile.carries_gemini:
            error_message = candidate.message or f"the model's answer ended with {candidate.native_reason}"
            return create_openai_error(error_message, candidate.native_reason, finish_reason=candidate.native_reason)
        if not kind and not (self._whole and self._profile.carry != "nothing"):
            return create_openai_error("upstream ended without a finish reason", "stream_truncated")
        return None

    def _fail(self, openai_error: JsonObject) -> JsonObject:
        self.failed = True
        return openai_error

    def _set_chunk_base(self, event: JsonObject) -> JsonObject:
        """Set and return the members that every chunk of this stream has."""
        key = document_digest(event.get("responseId") or event, self._salt)
        self._call_prefix = f"call_{key[:16]}_"
        created = parse_timestamp(event.get("createTime")) if self._created is None else self._created
        self._base = {
            "id": self._id or text(event.get("responseId")) or f"chatcmpl-{key}",
            "object": "chat.completion.chunk",
            "created": created or 0,
            "model": text(event.get("modelVersion")) or self._model,
        }
        return self._base

    def _find_or_create_candidate(self, index_value: object, position: int) -> CandidateReader:
        """Return the candidate of this index; one without an index is known by its position."""
        index = integer(index_value)
        index = position if index is None else index
        known = self._candidates.get(index)
        if known is None:
            known = CandidateReader(index, self._profile, self.losses, self._assign_call_id, self._named, self._whole)
            self._candidates[index] = known
        return known

    def _assign_call_id(self, name: str, provider_id: str) -> str:
        """Return the id of a call: Gemini's own, or one that no other response of the conversation uses."""
        self._calls += 1
        return provider_id or f"{self._call_prefix}{self._calls}"

    def _carry_or_record_event_leaves(self, event: JsonObject) -> JsonObject:
        """Return the members of a chunk beside its choices: leaves that OpenAI has no place for, or its own that were
        carried."""
        feedback = camel(event.get("promptFeedback"))
        self._blocked = normalise_finish_reason(feedback.get("blockReason")) or self._blocked
        own = obj(obj(event.get("extraContent")).get("openai"))
        if self._profile.carries_gemini:
            rest = unknown_nonempty_members(event, _PLAIN_EVENT_KEYS | {"extraContent"})
            return {"extra_content": {"google": {"response": rest}}, **own} if rest else own
        for key in unknown_nonempty_members(event, _CONVERTED_EVENT_KEYS):
            self.losses.add(key, "Chat Completions has no place for it", "info")
        for key in feedback:
            if key != "blockReason":
                self.losses.add(f"promptFeedback.{key}", "Chat Completions has no place for it", "info")
        return own
