"""OpenAI chunks -> Gemini stream events.

Text is passed on at once; calls, finish reasons and usage are held until ``close`` and come in one last event, because
usage arrives after the finish (with ``hold_final=False``, mapping row R-25, they do not wait for usage). Nothing
becomes a clean end that was none: an error, a choice that never finished and arguments that cannot be read show as
such.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert import names
from bridgecheck_reference.convert.chat_messages import PADDING, READ_EACH_TIME, plain_delta
from bridgecheck_reference.convert.gemini.choices_from_openai import ChoiceReader, OrderedChoiceReader
from bridgecheck_reference.convert.gemini.errors import create_gemini_error, openai_error_to_gemini
from bridgecheck_reference.convert.gemini.finish import FROM_OPENAI, MALFORMED, UNKNOWN
from bridgecheck_reference.convert.gemini.usage import usage_to_gemini
from bridgecheck_reference.convert.json_values import (
    NOTHING,
    arr,
    google_extra,
    integer,
    obj,
    objs,
    text,
    unknown_nonempty_members,
)
from bridgecheck_reference.convert.times import format_timestamp
from bridgecheck_reference.convert.usage import merge_usage
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses


def merge_candidate_ends(candidates: list[JsonObject], ends: list[JsonObject]) -> list[JsonObject]:
    """Merge the candidates of one event with the ends of those that end now."""
    result = {candidate["index"]: candidate for candidate in candidates}
    for end in ends:
        before = result.get(end["index"])
        result[end["index"]] = end if before is None else {**end, "content": _merge_contents(before, end)}
    return list(result.values())


def _merge_contents(before: JsonObject, end: JsonObject) -> JsonObject:
    parts = [*arr(obj(before["content"])["parts"]), *arr(obj(end.get("content")).get("parts"))]
    return {"parts": parts, "role": "model"}


_CONVERTED_CHUNK_KEYS: Final = frozenset({"id", "object", "created", "model", "choices", "usage", "extra_content"})
_CONVERTED_CHOICE_KEYS: Final = frozenset({"index", "delta", "message", "finish_reason", "logprobs", "extra_content"})
_CONVERTED_DELTA_KEYS: Final = frozenset({
    "role", "content", "reasoning_content", "reasoning", "reasoning_details", "tool_calls", "function_call", "refusal",
    "images", "audio", "extra_content", "name", "index",
})  # fmt: skip


_UNFINISHED: Final = "upstream ended without a finish reason"


class OpenAIToGeminiStream:
    """Converts one stream: ``feed`` each chunk, then ``close`` once. Both return the events to send.

    ``model``: used where the response names no model. ``id``: in place of the response's own. ``created``: seconds
    since 1970 where the response gives no time. ``include_usage``: whether to send usageMetadata. ``request``: the
    client's Gemini request; restores renamed functions. ``whole``: the one chunk is the whole response.
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
        self._whole = whole
        self._named = (
            names.create_reverse_renamer_if_needed(names.map_names_for_openai(names.names_in_gemini_request(request)))
            if request
            else None
        )
        self._base: JsonObject = {}
        self._begun = False
        self._choices: dict[int, ChoiceReader] = {}
        self._usage: JsonObject = {}
        self._leaves: JsonObject = {}
        self._known_keys = set(_CONVERTED_CHUNK_KEYS - READ_EACH_TIME)
        self._ended: set[int] = set()
        self._ends_immediately = not whole and not profile.hold_final

    def feed(self, chunk: JsonObject) -> list[JsonObject]:
        """Return the events for one chunk: mostly one, none for a chunk with nothing to send yet."""
        if self.failed:
            return []
        if not self._known_keys.issuperset(chunk):
            if chunk.get("error"):
                return [self._fail(openai_error_to_gemini(chunk, 200)[1])]
            self._read_unusual_chunk_members(chunk)
        if not self._begun:
            self._begin_stream(chunk)
        usage = chunk.get("usage")
        if usage:
            self._usage = merge_usage(self._usage, obj(usage))
        candidates: list[JsonObject] = []
        for position, choice in enumerate(arr(chunk.get("choices"))):
            if isinstance(choice, dict):
                parts, index = self._read_plain_choice_parts(choice), choice.get("index")
                if parts is None:
                    if choice.get("error") or (choice.get("finish_reason") == "error" and not google_extra(choice)):
                        return [
                            *self._create_event_if_any(candidates),
                            self._fail(_choice_error_to_gemini(choice)),
                        ]
                    parts, index = self._read_choice_parts(choice, position)
                if parts:
                    candidates.append({"content": {"parts": parts, "role": "model"}, "index": index})
        if self._ends_immediately:
            return self._create_events_with_ends(candidates, bool(usage))
        return self._create_event_if_any(candidates)

    def close(self) -> list[JsonObject]:
        """Return the last event: calls, finish reasons, usage; or an error event where the response did not end
        well."""
        if self.failed:
            return []
        if self._ends_immediately:
            whole = self._choices and self._ended.issuperset(self._choices)
            return [] if whole else [self._fail(create_gemini_error(_UNFINISHED))]
        finished = [choice for _, choice in sorted(self._choices.items()) if choice.finish or self._whole]
        if len(finished) < len(self._choices):
            self.losses.add("choices[].finish_reason", "no finish reason given; calls of that choice are dropped")
        candidates = [self._create_last_candidate(choice) for choice in finished if not choice.blocked]
        self._add_content_to_bare_ends(candidates)
        last: JsonObject = {"candidates": candidates, **self._leaves} if candidates else {**self._leaves}
        last.update(self._usage_member())
        if finished:
            return [{**self._base, **last}]
        return [self._fail(create_gemini_error(_UNFINISHED))]

    def _create_events_with_ends(self, candidates: list[JsonObject], counted: bool) -> list[JsonObject]:
        """Return the event for a chunk where nothing is held back: choices that finish in it end at once, with their
        calls.

        ``counted``: the chunk has usage, which is sent from the first end on.
        """
        ending = [choice for choice in self._choices.values() if choice.finish and choice.index not in self._ended]
        merged = merge_candidate_ends(candidates, [self._create_last_candidate(choice) for choice in ending])
        self._add_content_to_bare_ends(merged)
        self._ended.update(choice.index for choice in ending)
        counts = self._usage_member() if ending or (counted and self._ended) else {}
        events = self._create_event_if_any(merged)
        if counts and not events:
            merged = [{"index": 0}]
            self._add_content_to_bare_ends(merged)
            events = [{"candidates": merged, **self._base}] if "content" in merged[0] else [self._base]
        return [{**events[0], **counts}] if events else []

    def _usage_member(self) -> JsonObject:
        """Return usageMetadata as a member of an event, {} where it is unknown or not requested."""
        if not self._usage or not self._include_usage:
            return {}
        return {"usageMetadata": usage_to_gemini(self._usage, carry_openai_members=self._profile.carries_openai)}

    def _read_plain_choice_parts(self, choice: JsonObject) -> list[JsonObject] | None:
        """Return the parts of a choice that goes on with text or a call, as most do.

        None for any other, with nothing changed.
        """
        plain = plain_delta(choice)
        known = self._choices.get(plain[0]) if plain else None
        return known.try_text_or_argument_fast_path(plain[1]) if known and plain else None

    def _read_choice_parts(self, choice: JsonObject, position: int) -> tuple[list[JsonObject], int]:
        index = integer(choice.get("index"))
        index = position if index is None else index
        known = self._choices.get(index)
        if known is None:
            known = self._choices[index] = self._create_choice_reader(index)
        delta = choice.get("delta")
        if (self._whole or delta is None) and "message" in choice:
            delta = choice["message"]
        delta = delta if isinstance(delta, dict) else NOTHING
        is_converted = _CONVERTED_DELTA_KEYS.issuperset(delta) and _CONVERTED_CHOICE_KEYS.issuperset(choice)
        if not (is_converted or self._profile.carries_openai):
            self._record_inexpressible_keys(choice, delta)
        parts = known.feed(choice, delta)
        return (parts if self._whole or len(parts) < 2 else _drop_blank_texts(parts)), index

    def _create_choice_reader(self, index: int) -> ChoiceReader:
        if self._profile.extended:
            return OrderedChoiceReader(index, self._profile, self.losses, self._named, whole=self._whole)
        return ChoiceReader(index, self._profile, self.losses, self._named)

    def _create_last_candidate(self, choice: ChoiceReader) -> JsonObject:
        """Return the end of one candidate. A truncated call is dropped; another unreadable one is malformed."""
        parts, broken = choice.close()
        reason = self._native_or_mapped_finish_reason(choice)
        candidate: JsonObject = {}
        if broken and reason == "MAX_TOKENS":
            self.losses.add("choices[].delta.tool_calls[]", "a call cut off by the token limit")
        elif broken:
            self.losses.add("choices[].delta.tool_calls[].function.arguments", "arguments that are no JSON object")
            reason, parts = MALFORMED, []
            candidate["finishMessage"] = f"Malformed function call: {broken[0]}"
        if parts:
            candidate["content"] = {"parts": parts, "role": "model"}
        if reason:
            candidate["finishReason"] = reason
        candidate["index"] = choice.index
        logprobs = choice.logprobs
        if logprobs is not None:
            candidate["logprobsResult"] = logprobs
        candidate.update(choice.leaves)
        return candidate

    def _add_content_to_bare_ends(self, candidates: list[JsonObject]) -> None:
        """Add content to candidates that only end, as the profile has it; never a blank text beside other parts."""
        if self._whole or self._profile.finish_parts == "omit":
            return
        parts = [{"text": ""}] if self._profile.finish_parts == "text" else []
        for position, candidate in enumerate(candidates):
            if "content" not in candidate:
                candidates[position] = {"content": {"parts": [*parts], "role": "model"}, **candidate}

    def _native_or_mapped_finish_reason(self, choice: ChoiceReader) -> str:
        if choice.native_reason:
            return choice.native_reason
        known = FROM_OPENAI.get(choice.finish)
        if known is None and choice.finish:
            self.losses.add("choices[].finish_reason", f"unknown reason {choice.finish!r}")
            return UNKNOWN
        if known is None:
            self.losses.add("choices[].finish_reason", "no finish reason given")
        return known or ""

    def _begin_stream(self, chunk: JsonObject) -> None:
        """Set the members of every event; wait for a chunk that names an id or model, or has a choice."""
        if not (chunk.get("id") or chunk.get("model") or chunk.get("choices")):
            return
        self._begun = True
        model = text(chunk.get("model")) or self._model
        id = self._id or text(chunk.get("id"))
        created = self._created if self._created is not None else integer(chunk.get("created"))
        stamp = format_timestamp(created) if created else ""
        members = (("createTime", stamp), ("modelVersion", model), ("responseId", id))
        self._base = {key: value for key, value in members if value}

    def _create_event_if_any(self, candidates: list[JsonObject]) -> list[JsonObject]:
        return [{"candidates": candidates, **self._base}] if candidates else []

    def _read_unusual_chunk_members(self, chunk: JsonObject) -> None:
        """Read what else a chunk has: usage where Groq puts it, what was carried, and what Gemini cannot express."""
        groq = obj(obj(chunk.get("x_groq")).get("usage"))
        if groq:
            self._usage = merge_usage(self._usage, groq)
        self._leaves.update(obj(google_extra(chunk).get("response")))
        rest = unknown_nonempty_members(chunk, _CONVERTED_CHUNK_KEYS | PADDING)
        if rest and self._profile.carries_openai:
            carried = obj(obj(self._leaves.get("extra_content")).get("openai"))
            self._leaves["extra_content"] = {"openai": {**carried, **rest}}
            return
        for key in rest:
            self.losses.add(key, "Gemini has no place for it", "info")
        self._known_keys.update(rest.keys() - READ_EACH_TIME)
        self._known_keys.update(PADDING)

    def _record_inexpressible_keys(self, choice: JsonObject, delta: JsonObject) -> None:
        for key in unknown_nonempty_members(choice, _CONVERTED_CHOICE_KEYS):
            self.losses.add(f"choices[].{key}", "Gemini has no place for it", "info")
        for key in unknown_nonempty_members(delta, _CONVERTED_DELTA_KEYS):
            self.losses.add(f"choices[].delta.{key}", "Gemini has no place for it", "info")

    def _fail(self, gemini_error: JsonObject) -> JsonObject:
        self.failed = True
        return gemini_error


def _drop_blank_texts(parts: list[JsonObject]) -> list[JsonObject]:
    """Return the parts of an event without blank texts beside others: gemini-cli forgets an event that has one.

    Google sends them in events of their own. https://github.com/google-gemini/gemini-cli 0.61.0, geminiChat.ts,
    isValidResponse and isValidContent, read 2026-11-23."""
    return [part for part in parts if part != {"text": ""}] or parts[:1]


def _choice_error_to_gemini(choice: JsonObject) -> JsonObject:
    """Return the error of one choice, as OpenRouter reports it, as an error event of Gemini's."""
    error = choice.get("error") or {"message": "upstream ended this answer with an error"}
    return openai_error_to_gemini({"error": error}, 200)[1]


def convert_chunk_or_raise_for_call(chunk: JsonObject, *, profile: Profile = NATIVE) -> JsonObject | None:
    """Convert one chunk without those before it (mapping row R-03): the event for its text, None where it has none.

    Raises ConversionError for a tool call: its pieces stand in several chunks, so ``OpenAIToGeminiStream`` has to get
    them all.
    """
    for choice in objs(chunk.get("choices")):
        delta = obj(choice.get("delta"))
        if delta.get("tool_calls") or delta.get("function_call"):
            raise ConversionError(
                "choices[].delta.tool_calls: a piece of a call cannot be converted alone; feed the whole stream to "
                "OpenAIToGeminiStream",
                "choices[].delta.tool_calls",
            )
    events = OpenAIToGeminiStream(profile=profile).feed(chunk)
    return events[0] if events else None
