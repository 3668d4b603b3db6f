"""Events of one answer of gemini-cli as chunks of Chat Completions, or as one completion; no IO.

Calls that the program made itself are no calls for the client to make: they are left out.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cli_bridge.assistant_events import Event
from bridgecheck_reference.convert.errors import openai_type_and_code
from bridgecheck_reference.convert.json_values import integer, obj, objs, text
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.failures import INCOMPLETE, LOCAL

_FIELDS: Final = {"text_delta": "content", "thinking_delta": "reasoning_content"}
"""Event -> the member of a delta that its text goes to."""


class ChatAnswer:
    """``id`` of the answer, ``created`` in seconds since 1970. ``with_usage``: whether a stream ends with a chunk of
    usage, as ``stream_options.include_usage`` requests."""

    def __init__(self, id: str, created: int, model: str, *, with_usage: bool = False) -> None:
        self._head: JsonObject = {"id": id, "created": created, "model": model}
        self._with_usage = with_usage
        self._has_begun = False

    def feed(self, event: Event) -> list[JsonObject]:
        """Return the chunks of one event; ``ProviderError`` for an ``error`` event."""
        kind = event.get("type")
        if kind == "error":
            raise read_failure(event)
        if kind == "done":
            return self._close(obj(event.get("message")))
        field = _FIELDS.get(str(kind))
        return [*self._begin(), self._chunk({field: event["delta"]})] if field else []

    def _begin(self) -> list[JsonObject]:
        if self._has_begun:
            return []
        self._has_begun = True
        return [self._chunk({"role": "assistant", "content": ""})]

    def _close(self, message: JsonObject) -> list[JsonObject]:
        chunks = [*self._begin(), self._chunk({}, "stop")]
        if self._with_usage:
            chunks.append({**self._chunk({}), "choices": [], "usage": read_usage(message)})
        return chunks

    def _chunk(self, delta: JsonObject, finish_reason: str | None = None) -> JsonObject:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return {**self._head, "object": "chat.completion.chunk", "choices": [choice]}

    def completion(self, event: Event) -> JsonObject:
        """Return the answer of a ``done`` event as a whole; ``ProviderError`` for an ``error`` event."""
        if event.get("type") == "error":
            raise read_failure(event)
        found = obj(event.get("message"))
        blocks = [*objs(found.get("content"))]
        message: JsonObject = {"role": "assistant", "content": "".join(text(block.get("text")) for block in blocks)}
        if thoughts := "".join(text(block.get("thinking")) for block in blocks):
            message["reasoning_content"] = thoughts
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {**self._head, "object": "chat.completion", "choices": [choice], "usage": read_usage(found)}


def read_usage(message: JsonObject) -> JsonObject:
    """Return the tokens of a message; those from the cache are part of the prompt's."""
    usage = obj(message.get("usage"))
    cached = integer(usage.get("cacheRead")) or 0
    prompt = (integer(usage.get("input")) or 0) + cached
    completion = integer(usage.get("output")) or 0
    total = integer(usage.get("totalTokens")) or 0
    return {
        "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": max(total, prompt + completion),
        "prompt_tokens_details": {"cached_tokens": cached},
    }  # fmt: skip


def read_failure(event: Event) -> ProviderError:
    """Return the failure that an ``error`` event tells of; 502 where no status is known."""
    error = obj(event.get("error"))
    known = integer(error.get("errorStatus"))
    return create_failure(known or LOCAL[INCOMPLETE][0], text(error.get("errorMessage")))


def create_failure(status: int, message: str, retry_after: float | None = None) -> ProviderError:
    """Return a failure with an error document of Chat Completions."""
    kind, code = openai_type_and_code(status)
    body: JsonObject = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return ProviderError(
        message, body=body, dialect="openai-chat", status=status, code=code, retry_after=retry_after, native=body
    )
