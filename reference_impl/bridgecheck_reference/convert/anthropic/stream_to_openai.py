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
from bridgecheck_reference.convert import names
from bridgecheck_reference.convert.anthropic import finish
from bridgecheck_reference.convert.anthropic.blocks_to_openai import BlockDeltas
from bridgecheck_reference.convert.anthropic.errors import anthropic_error_to_openai
from bridgecheck_reference.convert.anthropic.usage import unsaid_by_openai, usage_to_openai
from bridgecheck_reference.convert.errors import openai_failure
from bridgecheck_reference.convert.ids import answer_salt, digest
from bridgecheck_reference.convert.json_values import arr, integer, obj, objs, text, without
from bridgecheck_reference.convert.usage import merge_usage
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import NATIVE, Profile

_STOP: Final = ("stop_reason", "stop_sequence", "stop_details")
_SAID_OF_DELTA: Final = frozenset(_STOP)
_SAID_OF_MESSAGE: Final = _SAID_OF_DELTA | {"id", "type", "role", "model", "content", "usage"}
_SAID_OF_EVENT: Final = frozenset({"type", "delta", "usage"})
_NEEDED: Final[dict[str, str]] = {
    "message_start": "message",
    "content_block_start": "content_block",
    "content_block_delta": "delta",
}
"""Event -> the object without which it says nothing."""


class AnthropicToOpenAIStream:
    """One stream; ``feed`` each event, then ``close`` once. Both return the chunks to send.

    ``model``: what to say where the answer names no model. ``include_usage``: whether the usage chunk is wanted.
    ``request``: the client's OpenAI request; gives back renamed functions. ``whole``: what is fed was a whole message.
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
        self._salt = answer_salt(request)
        self._whole = whole
        named = names.backwards(names.for_anthropic(names.names_in_openai(request))) if request else None
        self._blocks = BlockDeltas(profile, self.losses, named)
        self._base: JsonObject = {}
        self._usage: JsonObject = {}
        self._stop: JsonObject = {}

    def feed(self, event: JsonObject) -> list[JsonObject]:
        """The chunks for one event: at most one, none for an event without anything to say."""
        if self.failed:
            return []
        kind = text(event.get("type"))
        if kind == "error" or event.get("error"):
            return [self._fail(anthropic_error_to_openai(event, 200)[1])]
        needed = _NEEDED.get(kind)
        if needed and not isinstance(event.get(needed), dict):
            return [self._fail(openai_failure(f"upstream sent a {kind} event without {needed}", "malformed_event"))]
        read = self._readers.get(kind)
        if read is None:
            if kind != "ping":
                self.losses.add(f"{kind or '(event)'}", "an event of a kind nobody knows")
            return []
        return read(self, event)

    def close(self) -> list[JsonObject]:
        """The last chunks: finish reason, then usage; or an error event where the answer did not end well."""
        if self.failed:
            return []
        if not self._base:
            return [self._fail(openai_failure("upstream ended without an answer", "empty_response"))]
        native = text(self._stop.get("stop_reason"))
        if not native and not (self._whole and self._profile.carries_anthropic):
            return [self._fail(openai_failure("upstream ended without a stop reason", "stream_truncated"))]
        return [{**self._base, "choices": [self._last(native)]}, *self._usage_chunk()]

    def _start(self, event: JsonObject) -> list[JsonObject]:
        message = obj(event["message"])
        self._count(message.get("usage"))
        self._ended(message)
        self._blocks.restart()
        first = not self._base
        if first:
            self._base = self._head(message)
        extra = self._leaves(message)
        role: JsonObject = {"role": "assistant", "content": ""} if first else {}
        chunks = [self._chunk(role, extra)] if first or extra else []
        for index, block in enumerate(objs(message.get("content"))):
            chunks += self._said([self._blocks.start(index, block), self._blocks.stop(index)])
        return chunks

    def _block_start(self, event: JsonObject) -> list[JsonObject]:
        return self._said([self._blocks.start(_index(event), obj(event["content_block"]))])

    def _block_delta(self, event: JsonObject) -> list[JsonObject]:
        return self._said([self._blocks.delta(_index(event), obj(event["delta"]))])

    def _block_stop(self, event: JsonObject) -> list[JsonObject]:
        return self._said([self._blocks.stop(_index(event))])

    def _message_delta(self, event: JsonObject) -> list[JsonObject]:
        delta = obj(event.get("delta"))
        self._ended(delta)
        self._count(event.get("usage"))
        rest = {**without(delta, _SAID_OF_DELTA), **without(event, _SAID_OF_EVENT)}
        if not rest:
            return []
        if self._profile.carries_anthropic:
            return [self._chunk({}, {"extra_content": {"anthropic": {"response": rest}}})]
        for key in rest:
            self.losses.add(key, "Chat Completions has no place for it", "info")
        return []

    def _message(self, message: JsonObject) -> list[JsonObject]:
        """A whole message in place of a stream, as hosts send it that cannot stream."""
        return [chunk for event in events_of(message) for chunk in self._start(event)]

    def _nothing(self, event: JsonObject) -> list[JsonObject]:
        """``message_stop``: the finish reason has been told with ``message_delta``."""
        return []

    _readers: Final[dict[str, Callable[["AnthropicToOpenAIStream", JsonObject], list[JsonObject]]]] = {
        "message": _message,
        "message_start": _start,
        "content_block_start": _block_start,
        "content_block_delta": _block_delta,
        "content_block_stop": _block_stop,
        "message_delta": _message_delta,
        "message_stop": _nothing,
    }

    def _said(self, deltas: list[JsonObject]) -> list[JsonObject]:
        """Chunks for what the blocks said; an answer that began without ``message_start`` begins now."""
        said = [delta for delta in deltas if delta]
        if not said:
            return []
        if not self._base:
            self._base = self._head({})
            said.insert(0, {"role": "assistant", "content": ""})
        return [self._chunk(delta, {}) for delta in said]

    def _chunk(self, delta: JsonObject, extra: JsonObject) -> JsonObject:
        return {**self._base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}], **extra}

    def _head(self, message: JsonObject) -> JsonObject:
        """What every chunk of this stream says."""
        return {
            "id": text(message.get("id")) or f"chatcmpl-{digest(message, self._salt)}",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": text(message.get("model")) or self._model,
        }

    def _leaves(self, message: JsonObject) -> JsonObject:
        """What a message says beside its content, where OpenAI has no place for it."""
        if self._profile.carries_anthropic:
            rest = {key: value for key, value in message.items() if key not in _SAID_OF_MESSAGE}
            return {"extra_content": {"anthropic": {"response": rest}}} if rest else {}
        for key in without(message, _SAID_OF_MESSAGE):
            self.losses.add(key, "Chat Completions has no place for it", "info")
        return {}

    def _ended(self, holder: JsonObject) -> None:
        """Why it stopped; the last word counts, and null takes nothing back."""
        said = {key: holder[key] for key in _STOP if holder.get(key) is not None}
        if said.get("stop_reason"):
            self._stop = said
        else:
            self._stop = {**self._stop, **said}

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict) and usage:
            self._usage = merge_usage(self._usage, usage)

    def _last(self, native: str) -> JsonObject:
        """The end of the choice, with Anthropic's own words beside it where OpenAI's do not carry them in full."""
        word = finish.to_openai(native, self._blocks.call_count > 0) if native else None
        choice: JsonObject = {"index": 0, "delta": {}, "finish_reason": word}
        if native and native not in finish.TO_OPENAI:
            self.losses.add("stop_reason", f"unknown reason {native!r}, told as {word}")
        if native not in finish.PLAIN or len(self._stop) > 1 or self._profile.carries_anthropic:
            choice["extra_content"] = {"anthropic": dict(self._stop)}
        return choice

    def _usage_chunk(self) -> list[JsonObject]:
        if not self._usage or not self._include_usage:
            return []
        carry = self._profile.carries_anthropic
        for key in [] if carry else unsaid_by_openai(self._usage):
            self.losses.add(f"usage.{key}", "Chat Completions has no such count", "info")
        usage = usage_to_openai(self._usage, basic=self._profile.usage == "basic", carry=carry)
        return [{**self._base, "choices": [], "usage": usage}]

    def _fail(self, error: JsonObject) -> JsonObject:
        self.failed = True
        return error


def _index(event: JsonObject) -> int:
    return integer(event.get("index")) or 0


def events_of(message: JsonObject) -> list[JsonObject]:
    """A whole message as the events that say the same."""
    blocks = [block if isinstance(block, dict) else {"type": "text", "text": text(block)} for block in _blocks(message)]
    return [{"type": "message_start", "message": {**message, "content": blocks}}]


def _blocks(message: JsonObject) -> list[object]:
    content = message.get("content")
    return [content] if isinstance(content, str) else arr(content)
