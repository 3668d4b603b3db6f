"""Anthropic stream events -> OpenAI chunks.

The role is sent with ``message_start``, before any content; texts, thoughts and fragments of arguments pass on
as they come; the finish reason waits for ``close``, because it stands before the last counts. After it comes one chunk
with the usage and no choices. An ``error`` event, an event that cannot be read and a stream without a stop reason end
in an error event, never in a clean stop. Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming
(stored copy read 2026-11-21).
"""

from collections.abc import Callable
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert import names
from bridgecheck_reference.convert.anthropic import finish
from bridgecheck_reference.convert.anthropic.blocks_to_openai import StreamBlockReader
from bridgecheck_reference.convert.anthropic.errors import anthropic_error_to_openai
from bridgecheck_reference.convert.anthropic.usage import anthropic_counts_without_openai_field, usage_to_openai
from bridgecheck_reference.convert.errors import create_openai_error
from bridgecheck_reference.convert.ids import document_digest, message_count_salt
from bridgecheck_reference.convert.json_values import arr, integer, obj, objs, text, unknown_nonempty_members
from bridgecheck_reference.convert.usage import merge_usage
from bridgecheck_reference.loss import Losses

_STOP_KEYS: Final = ("stop_reason", "stop_sequence", "stop_details")
_CONVERTED_DELTA_KEYS: Final = frozenset(_STOP_KEYS)
_CONVERTED_MESSAGE_KEYS: Final = _CONVERTED_DELTA_KEYS | {"id", "type", "role", "model", "content", "usage"}
_CONVERTED_EVENT_KEYS: Final = frozenset({"type", "delta", "usage"})
_REQUIRED_MEMBER: Final[dict[str, str]] = {
    "message_start": "message",
    "content_block_start": "content_block",
    "content_block_delta": "delta",
}
"""Event -> the object that it must have."""


class AnthropicToOpenAIStream:
    """Converts one stream: ``feed`` each event, then ``close`` once. Both return the chunks to send.

    ``model``: used where the response names no model. ``include_usage``: whether to send the usage chunk. ``request``:
    the client's OpenAI request; restores renamed functions. ``whole``: what is fed was a whole message.
    """

    def __init__(
        self,
        model: str | None = None,
        include_usage: bool = True,
        profile: Profile = NATIVE,
        request: JsonObject | None = None,
        *,
        whole: bool = False,
    ) -> None:
        self.losses = Losses()
        self.failed = False
        self._model = model or ""
        self._include_usage = include_usage
        self._profile = profile
        self._salt = message_count_salt(request)
        self._whole = whole
        named = (
            names.create_reverse_renamer_if_needed(
                names.map_names_for_anthropic(names.names_in_openai_request(request))
            )
            if request
            else None
        )
        self._blocks = StreamBlockReader(profile, self.losses, named)
        self._base: JsonObject = {}
        self._usage: JsonObject = {}
        self._stop: JsonObject = {}

    def feed(self, event: JsonObject) -> list[JsonObject]:
        """Return the chunks for one event: at most one, none for an event with nothing to send."""
        if self._base and event.get("type") == "content_block_delta" and (piece := self._blocks.plain_piece(event)):
            return [{**self._base, "choices": [{"index": 0, "delta": piece, "finish_reason": None}]}]
        if self.failed:
            return []
        kind = text(event.get("type"))
        if kind == "error" or event.get("error"):
            return [self._fail(anthropic_error_to_openai(event, 200)[1])]
        needed = _REQUIRED_MEMBER.get(kind)
        if needed and not isinstance(event.get(needed), dict):
            return [
                self._fail(create_openai_error(f"upstream sent a {kind} event without {needed}", "malformed_event"))
            ]
        read = self._readers.get(kind)
        if read is None:
            if kind != "ping":
                self.losses.add(f"{kind or '(event)'}", "an unknown kind of event")
            return []
        return read(self, event)

    def close(self) -> list[JsonObject]:
        """Return the last chunks: finish reason, then usage; or an error event where the response did not end well."""
        if self.failed:
            return []
        if not self._base:
            return [self._fail(create_openai_error("upstream ended without an answer", "empty_response"))]
        native = text(self._stop.get("stop_reason"))
        if not native and not (self._whole and self._profile.carries_anthropic):
            return [self._fail(create_openai_error("upstream ended without a stop reason", "stream_truncated"))]
        return [{**self._base, "choices": [self._create_last_choice(native)]}, *self._create_usage_chunk()]

    def _read_message_start(self, event: JsonObject) -> list[JsonObject]:
        message = obj(event["message"])
        self._update_usage(message.get("usage"))
        self._update_stop(message)
        self._blocks.forget_open_blocks()
        first = not self._base
        if first:
            self._base = self._create_chunk_base(message)
        extra = self._carry_or_record_message_leaves(message)
        role: JsonObject = {"role": "assistant", "content": ""} if first else {}
        chunks = [self._create_chunk(role, extra)] if first or extra else []
        for index, block in enumerate(objs(message.get("content"))):
            chunks += self._create_chunks([self._blocks.start(index, block), self._blocks.stop(index)])
        return chunks

    def _read_block_start(self, event: JsonObject) -> list[JsonObject]:
        return self._create_chunks([self._blocks.start(_event_index(event), obj(event["content_block"]))])

    def _read_block_delta(self, event: JsonObject) -> list[JsonObject]:
        return self._create_chunks([self._blocks.delta(_event_index(event), obj(event["delta"]))])

    def _read_block_stop(self, event: JsonObject) -> list[JsonObject]:
        return self._create_chunks([self._blocks.stop(_event_index(event))])

    def _read_message_delta(self, event: JsonObject) -> list[JsonObject]:
        delta = obj(event.get("delta"))
        self._update_stop(delta)
        self._update_usage(event.get("usage"))
        rest = {
            **unknown_nonempty_members(delta, _CONVERTED_DELTA_KEYS),
            **unknown_nonempty_members(event, _CONVERTED_EVENT_KEYS),
        }
        if not rest:
            return []
        if self._profile.carries_anthropic:
            return [self._create_chunk({}, {"extra_content": {"anthropic": {"response": rest}}})]
        for key in rest:
            self.losses.add(key, "Chat Completions has no place for it", "info")
        return []

    def _read_whole_message(self, message: JsonObject) -> list[JsonObject]:
        """Read a whole message in place of a stream, as hosts send it that cannot stream."""
        return self._read_message_start(message_to_start_event_with_content(message))

    def _ignore_message_stop(self, event: JsonObject) -> list[JsonObject]:
        """Ignore ``message_stop``: the finish reason came with ``message_delta``."""
        return []

    _readers: Final[dict[str, Callable[["AnthropicToOpenAIStream", JsonObject], list[JsonObject]]]] = {
        "message": _read_whole_message,
        "message_start": _read_message_start,
        "content_block_start": _read_block_start,
        "content_block_delta": _read_block_delta,
        "content_block_stop": _read_block_stop,
        "message_delta": _read_message_delta,
        "message_stop": _ignore_message_stop,
    }

    def _create_chunks(self, deltas: list[JsonObject]) -> list[JsonObject]:
        """Return chunks for the deltas of blocks; a response that began without ``message_start`` begins now."""
        nonempty = [delta for delta in deltas if delta]
        if not nonempty:
            return []
        if not self._base:
            self._base = self._create_chunk_base({})
            nonempty.insert(0, {"role": "assistant", "content": ""})
        return [self._create_chunk(delta, {}) for delta in nonempty]

    def _create_chunk(self, delta: JsonObject, extra: JsonObject) -> JsonObject:
        return {**self._base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}], **extra}

    def _create_chunk_base(self, message: JsonObject) -> JsonObject:
        """Return the members that every chunk of this stream has."""
        return {
            "id": text(message.get("id")) or f"chatcmpl-{document_digest(message, self._salt)}",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": text(message.get("model")) or self._model,
        }

    def _carry_or_record_message_leaves(self, message: JsonObject) -> JsonObject:
        """Carry or record the members beside the content for which OpenAI has no place."""
        if self._profile.carries_anthropic:
            rest = {key: value for key, value in message.items() if key not in _CONVERTED_MESSAGE_KEYS}
            return {"extra_content": {"anthropic": {"response": rest}}} if rest else {}
        for key in unknown_nonempty_members(message, _CONVERTED_MESSAGE_KEYS):
            self.losses.add(key, "Chat Completions has no place for it", "info")
        return {}

    def _update_stop(self, holder: JsonObject) -> None:
        """Keep the newest stop reason; null does not erase one."""
        stop = {key: holder[key] for key in _STOP_KEYS if holder.get(key) is not None}
        if stop.get("stop_reason"):
            self._stop = stop
        else:
            self._stop = {**self._stop, **stop}

    def _update_usage(self, usage: object) -> None:
        if isinstance(usage, dict) and usage:
            self._usage = merge_usage(self._usage, usage)

    def _create_last_choice(self, native: str) -> JsonObject:
        """Return the end of the choice, with Anthropic's own stop reason beside it where OpenAI's does not cover it in
        full."""
        finish_word = finish.to_openai(native, self._blocks.call_count > 0) if native else None
        choice: JsonObject = {"index": 0, "delta": {}, "finish_reason": finish_word}
        if native and native not in finish.TO_OPENAI:
            self.losses.add("stop_reason", f"unknown reason {native!r}, sent as {finish_word}")
        if native not in finish.PLAIN or len(self._stop) > 1 or self._profile.carries_anthropic:
            choice["extra_content"] = {"anthropic": dict(self._stop)}
        return choice

    def _create_usage_chunk(self) -> list[JsonObject]:
        if not self._usage or not self._include_usage:
            return []
        carry = self._profile.carries_anthropic
        for key in [] if carry else anthropic_counts_without_openai_field(self._usage):
            self.losses.add(f"usage.{key}", "Chat Completions has no such count", "info")
        usage = usage_to_openai(self._usage, carry=carry)
        return [{**self._base, "choices": [], "usage": usage}]

    def _fail(self, openai_error: JsonObject) -> JsonObject:
        self.failed = True
        self._blocks.forget_open_blocks()
        return openai_error


def _event_index(event: JsonObject) -> int:
    return integer(event.get("index")) or 0


def message_to_start_event_with_content(message: JsonObject) -> JsonObject:
    """Return a whole message as one ``message_start`` event that holds all of its content blocks."""
    blocks = [
        block if isinstance(block, dict) else {"type": "text", "text": text(block)} for block in _content_list(message)
    ]
    return {"type": "message_start", "message": {**message, "content": blocks}}


def _content_list(message: JsonObject) -> list[object]:
    content = message.get("content")
    return [content] if isinstance(content, str) else arr(content)
